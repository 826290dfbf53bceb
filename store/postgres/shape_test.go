package postgres

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// The experiments that decided the shape of this engine, each kept as a test:
//
//	a claim over many lanes, foreign tasks at the heads   TestForeignTasksAtTheHeadsAreNotWalkedOver, BenchmarkClaimLatency
//	a follower behind many writers                        S35 of the suite, TestTheTailWaitsForALateCommit,
//	                                                      TestTheTailDoesNotWaitForStrangers, TestAWriterInAnotherDatabaseHoldsUpNobody
//	counts while a snapshot is held                       TestCountsKeepNoHotRows
//	claims while a snapshot is held                       TestAHeldSnapshotDoesNotSlowClaims
//	a dependant that comes as its dep ends                TestADependantThatComesAsItsDepCompletesIsNotLeftBehind
//	a claim id that is used twice at once                 TestOneClaimIDTwiceAtOnceLosesNothing
//	a second copy of SQLite in one process                TestAForeignTransactionIsRefused, of store/sqlite
//	a list over many lanes                                TestAPageOfManyLanesReadsAFewPagesOfEach

// What may not be claimed is not looked at, however much of it comes first.
func TestForeignTasksAtTheHeadsAreNotWalkedOver(t *testing.T) {
	t.Parallel()
	const queues, foreign = 10, 300
	w := newWorld(t)
	var own []int64
	for q := range queues {
		name := fmt.Sprint("q", q)
		w.enqueue(slices.Repeat([]tq.NewTask{{Queue: name, Type: "foreign", Priority: 9}}, foreign)...)
		own = append(own, w.enqueue(tq.NewTask{Queue: name})...)
	}
	lanes := []int32{}
	for _, l := range w.lanes.all(func(l *lane) bool { return l.name.typ == "work" }) {
		lanes = append(lanes, l.id)
	}
	if got, most := w.pages(selectHeads, lanes, make([]int64, len(lanes))), int64(6*queues); got > most {
		t.Errorf("a look at %d heads reads %d pages, want at most %d", queues, got, most)
	}
	w.claim(tq.ClaimQuery{Types: []string{"work"}}, own...)
}

// Numbers of transactions are those of the whole server, also of databases that
// are none of our business.
func TestAWriterInAnotherDatabaseHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.pool.Config().ConnConfig.Copy()
	config.Database = "template1" // every server has it
	conn, err := pgx.ConnectConfig(w.ctx(), config)
	w.must("connect", err)
	tx, err := conn.Begin(w.ctx())
	w.must("begin", err)
	var number string
	w.must("write", tx.QueryRow(w.ctx(), "select pg_current_xact_id()::text").Scan(&number))
	id := w.enqueue(tq.NewTask{}, tq.NewTask{})
	w.claim(tq.ClaimQuery{}, id...)
	facts, err := w.Facts(w.ctx(), tq.FactQuery{})
	w.must("facts", err)
	equal(t, "facts beside transaction "+number, len(facts), 4)
	w.must("roll back", tx.Rollback(w.ctx()))
	w.must("close", conn.Close(w.ctx()))
}

// A row that each commit updates leaves as many dead ones while a snapshot is
// held, and every update walks over them.
func TestCountsKeepNoHotRows(t *testing.T) {
	t.Parallel()
	const commits, page = 400, 8192
	w := newWorld(t)
	tx, err := w.conn().BeginTx(w.ctx(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	w.must("begin", err)
	var n int
	w.must("take the snapshot", tx.QueryRow(w.ctx(), "select count(*) from pg_class").Scan(&n))
	for i := range commits {
		w.enqueue(tq.NewTask{})
		if i%(commits/4) != 0 {
			continue
		}
		w.clock.Advance(time.Minute)
		_, err := w.Sweep(w.ctx(), tq.Retention{}) // which folds
		w.must("sweep", err)
	}
	if size := w.number(`select pg_relation_size('tq.counters')`); size > 2*page {
		t.Errorf("the counts take %d bytes after %d commits: they are updated by each", size, commits)
	}
	census, err := w.Queues(w.ctx())
	w.must("count", err)
	equal(t, "ready", census.Lines[0].Ready, commits)
	w.must("end", tx.Rollback(w.ctx()))
}

// A page is merged from the newest of each lane, however many tasks there are.
func TestAPageOfManyLanesReadsAFewPagesOfEach(t *testing.T) {
	t.Parallel()
	const kinds, each = 60, 50
	w := newWorld(t)
	for range each {
		tasks := make([]tq.NewTask, kinds)
		for i := range tasks {
			tasks[i] = tq.NewTask{Type: fmt.Sprint("type", i)}
		}
		w.enqueue(tasks...)
	}
	lanes := []int32{}
	for _, l := range w.lanes.all(func(*lane) bool { return true }) {
		lanes = append(lanes, l.id)
	}
	if got, most := w.pages(idsLanes, int64(math.MaxInt64), 20, lanes), int64(30*kinds); got > most {
		t.Errorf("a page of %d lanes reads %d pages, want at most %d", len(lanes), got, most)
	}
	page, err := w.Tasks(w.ctx(), tq.TaskQuery{Queue: tq.DefaultQueue, Limit: 20})
	w.must("list", err)
	equal(t, "tasks of the page", len(page.Tasks), 20)
	equal(t, "the newest", page.Tasks[0].ID, int64(kinds*each))
}

// Every enqueue, change and claim asks what has come due: what lies in the future
// must not be read for that, however much it is.
func TestALookForWhatIsDueReadsNothingOfTheFuture(t *testing.T) {
	t.Parallel()
	const later, most = 6_000, 12
	w := newWorld(t)
	scheduled := make([]tq.NewTask, tq.MaxBatch)
	for i := range scheduled {
		scheduled[i] = tq.NewTask{Delay: tq.Duration(time.Hour)}
	}
	for range later / tq.MaxBatch {
		w.enqueue(scheduled...)
	}
	now := (*int64)(nil) // the server's clock, as outside of tests
	if got := w.pages(selectAnyDue, now); got > most {
		t.Errorf("to see that nothing of %d tasks is due reads %d pages, want at most %d", later, got, most)
	}
	if got := w.pages(takeDelayed, now, promoteBite); got > most {
		t.Errorf("to take what is due of %d tasks, nothing, reads %d pages, want at most %d", later, got, most)
	}
	w.clock.Advance(2 * time.Hour)
	w.claim(tq.ClaimQuery{}, 1)
}

// Whether something is to be folded is asked in every sweep, however long the
// journal is.
func TestALookForWhatIsToBeRolledUpReadsNothingOfTheRest(t *testing.T) {
	t.Parallel()
	const facts, waiting, most = 12_000, 3, 30
	w := newWorld(t)
	for range facts / tq.MaxBatch {
		w.enqueue(make([]tq.NewTask, tq.MaxBatch)...)
	}
	for more := true; more; {
		var err error
		more, err = w.roll(w.ctx(), time.Now().Add(time.Hour).UnixMilli())
		w.must("roll up", err)
	}
	w.enqueue(make([]tq.NewTask, waiting)...)
	plain := func(pgx.Tx) error { return nil } // a sweep asks for it outside of what setUp pins
	if got := w.pagesIn(plain, selectToRoll, int64(0), int64(rollWait)); got > most {
		t.Errorf("a look behind %d facts reads %d pages, want at most %d", facts, got, most)
	}
}
