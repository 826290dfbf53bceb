package postgres

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// The interleavings that lost data in earlier shapes, each held still where it
// hurts.

// held is a transaction of ours that has done all but commit.
type held struct {
	reached, release chan struct{}
	done             chan error
}

// hold runs a write up to its commit.
func (w *world) hold(first ahead, f func(*work) error) *held {
	w.t.Helper()
	h := &held{make(chan struct{}), make(chan struct{}), make(chan error, 1)}
	var once sync.Once
	go func() {
		h.done <- w.write(w.ctx(), first, func(x *work) error {
			err := f(x)
			once.Do(func() { close(h.reached) })
			<-h.release
			return err
		})
	}()
	select {
	case <-h.reached:
	case err := <-h.done:
		w.t.Fatalf("ended before its commit: %v", err)
	}
	return h
}

func (h *held) commit() error {
	close(h.release)
	return <-h.done
}

func (w *world) holdEnqueue(tasks ...tq.NewTask) (*held, func() []tq.Enqueued) {
	w.t.Helper()
	tasks = normal(w.t, tasks...)
	w.must("lanes", w.lanesFor(w.ctx(), tasks))
	var e *enqueuing
	h := w.hold(func(x *work, b *pgx.Batch) {
		e = &enqueuing{work: x, parts: []*part{{tasks: tasks, actor: "tester"}}}
		e.ahead(b)
	}, func(x *work) error {
		if err := e.run(); err != nil {
			return err
		}
		return x.flush()
	})
	return h, func() []tq.Enqueued { return e.parts[0].out }
}

func (w *world) holdChange(x tq.Change) *held {
	w.t.Helper()
	var c *changing
	ids := []int64{x.TaskID}
	return w.hold(func(k *work, b *pgx.Batch) {
		c = &changing{work: k, changes: []tq.Change{x}, out: make([]tq.Changed, 1)}
		k.loadAhead(b, ids)
	}, func(*work) error { return c.run(ids) })
}

func (w *world) goChange(x tq.Change) <-chan error {
	done := make(chan error, 1)
	go func() {
		out, err := w.Change(w.ctx(), []tq.Change{x})
		if err == nil {
			err = out[0].Err
		}
		done <- err
	}()
	return done
}

// A seq that was drawn before another, and committed after it, is not passed
// over by a reader that follows.
func TestTheTailWaitsForALateCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	late, born := w.holdEnqueue(tq.NewTask{Type: "late"})
	w.enqueue(tq.NewTask{Type: "early"})
	facts, err := w.Facts(w.ctx(), tq.FactQuery{})
	w.must("facts", err)
	equal(t, "facts while a lower seq may yet come", len(facts), 0)
	w.must("commit", late.commit())
	facts, err = w.Facts(w.ctx(), tq.FactQuery{})
	w.must("facts", err)
	equal(t, "facts after it", len(facts), 2)
	equal(t, "the first", facts[0].TaskID, born()[0].ID)
}

// A stranger's open transaction, also a writing one, holds up no reader.
func TestTheTailDoesNotWaitForStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tx, err := w.conn().Begin(w.ctx())
	w.must("begin", err)
	_, err = tx.Exec(w.ctx(), "create temp table strangers (x int); insert into strangers values (1)")
	w.must("write", err)
	if _, err := w.EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work"}); err != nil {
		t.Fatal(err)
	}
	w.enqueue(tq.NewTask{})
	facts, err := w.Facts(w.ctx(), tq.FactQuery{})
	w.must("facts", err)
	equal(t, "facts beside an open transaction", len(facts), 1)
	w.must("roll back", tx.Rollback(w.ctx()))
}

func TestADependantThatComesAsItsDepCompletesIsNotLeftBehind(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		place func(w *world, dep int64) tq.Change
	}{
		{"running", func(w *world, dep int64) tq.Change { return complete(w.claim(tq.ClaimQuery{}, dep)[0]) }},
		{"ready", func(_ *world, dep int64) tq.Change { return tq.Change{TaskID: dep, Event: tq.EventCancel} }},
	} {
		want := tq.Pending
		if x.name != "running" {
			want = tq.Cancelled
		}
		t.Run(x.name+", enqueue first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dep := w.enqueue(tq.NewTask{})[0]
			ends := x.place(w, dep)
			enqueue, born := w.holdEnqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})
			ended := w.goChange(ends)
			w.someoneWaits()
			w.must("enqueue", enqueue.commit())
			w.must("end of the dep", <-ended)
			w.is(born()[0].ID, want)
		})
		t.Run(x.name+", end first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dep := w.enqueue(tq.NewTask{})[0]
			end := w.holdChange(x.place(w, dep))
			born := make(chan int64, 1)
			go func() { born <- w.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})[0] }()
			w.someoneWaits()
			w.must("end of the dep", end.commit())
			w.is(<-born, want)
		})
	}
}

// Of a dead dep both its rescue and its deletion meet those who begin to wait.
func TestADependantThatComesAsItsDeadDepGoesIsNotLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dep := w.enqueue(tq.NewTask{MaxAttempts: 1})[0]
	c := w.claim(tq.ClaimQuery{}, dep)[0]
	w.must("give up", <-w.goChange(tq.Change{TaskID: dep, Event: tq.EventFail, Arg: tq.Arg{Epoch: c.Task.Epoch, GiveUp: true}}))
	enqueue, born := w.holdEnqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})
	deleted := w.goChange(tq.Change{TaskID: dep, Event: tq.EventDelete})
	w.someoneWaits()
	w.must("enqueue", enqueue.commit())
	if err := <-deleted; tq.CodeOf(err) != tq.CodeInvalidState {
		t.Errorf("delete of a task that is waited for: got %v, want invalid_state", err)
	}
	w.is(born()[0].ID, tq.Blocked)
}

func TestOneClaimIDTwiceAtOnceLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const rounds, each = 10, 5
	for i := range rounds {
		w.enqueue(slices.Repeat([]tq.NewTask{{}}, 2*each)...)
		var answers [2]tq.Claims
		var group sync.WaitGroup
		for k := range answers {
			group.Go(func() {
				out, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: each, Lease: time.Minute, ClaimID: string(rune('a' + i))})
				if err != nil {
					t.Error(err)
				}
				answers[k] = out
			})
		}
		group.Wait()
		if !slices.Equal(idsOf(answers[0]), idsOf(answers[1])) || len(answers[0].Tasks) != each {
			t.Fatalf("answers %v and %v, want the same %d tasks", idsOf(answers[0]), idsOf(answers[1]), each)
		}
		w.claim(tq.ClaimQuery{}, idsLeft(w, each)...)
	}
}

// Two sweeps that find the same finished grants do not wait for each other.
func TestSweepsAtOnceDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.enqueue(tq.NewTask{}, tq.NewTask{})
		claims, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: 2, Lease: time.Second})
		w.must("claim", err)
		for _, c := range claims.Tasks {
			w.must("complete", <-w.goChange(complete(c)))
		}
	}
	equal(t, "grants that ran out of tasks", w.number(`select count(*) from tq.grants`), 3)
	w.clock.Advance(1500 * time.Millisecond) // past the leases, and too short for an outage
	first := w.hold(nil, func(x *work) error {
		_, err := x.conn.Exec(x.ctx, x.texts.of(deleteGrants), x.now, grantBite)
		return err
	})
	_, err := w.Sweep(w.ctx(), tq.Retention{})
	w.must("a sweep beside one that has not ended", err)
	w.must("commit", first.commit())
	equal(t, "grants left", w.number(`select count(*) from tq.grants`), 0)
}

// The grant of a script that claims one task at a time is gone with its task.
// Were it left to the sweep, thousands a second would be: the first sweep after
// an outage looked at all of them in one transaction, and nobody could claim
// meanwhile.
func TestAGrantWhoseTasksEndTogetherGoesWithThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grants := func(want int64) {
		t.Helper()
		equal(t, "grants", w.number(`select count(*) from tq.grants`), want)
	}
	ids := w.enqueue(slices.Repeat([]tq.NewTask{{}}, 4)...)
	one := w.claim(tq.ClaimQuery{ClaimID: "one"}, ids[0])
	two := w.claim(tq.ClaimQuery{ClaimID: "two"}, ids[1:3]...)
	grants(2)
	w.must("complete", <-w.goChange(complete(one[0])))
	grants(1)
	w.claim(tq.ClaimQuery{ClaimID: "one"}, ids[3]) // an id that holds nothing any more
	w.must("complete", <-w.goChange(complete(two[0])))
	grants(2) // it holds the other one still
}

// A sweep does not look at more grants than it can while others wait.
func TestASweepRemovesGrantsInBites(t *testing.T) {
	t.Parallel()
	const grants = grantBite + 50
	w := newWorld(t)
	w.enqueue(slices.Repeat([]tq.NewTask{{}}, 2*grants)...)
	for range grants {
		claims, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: 2, Lease: time.Second})
		w.must("claim", err)
		for _, c := range claims.Tasks {
			w.must("complete", <-w.goChange(complete(c)))
		}
	}
	w.clock.Advance(1500 * time.Millisecond)
	for left, more := int64(grants), true; more; left -= grantBite {
		equal(t, "grants left", w.number(`select count(*) from tq.grants`), left)
		swept, err := w.Sweep(w.ctx(), tq.Retention{})
		w.must("sweep", err)
		more = swept.More
	}
	equal(t, "grants left", w.number(`select count(*) from tq.grants`), 0)
}

func idsLeft(w *world, n int) []int64 {
	page, err := w.Tasks(w.ctx(), tq.TaskQuery{Status: "ready", Limit: 100})
	w.must("list", err)
	equal(w.t, "tasks left", len(page.Tasks), n)
	var ids []int64
	for _, t := range page.Tasks {
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	return ids
}

// However many claimed rows a held snapshot keeps from being vacuumed, a claim
// reads only a few pages.
func TestAHeldSnapshotDoesNotSlowClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tx, err := w.conn().BeginTx(w.ctx(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	w.must("begin", err)
	var n int
	w.must("take the snapshot", tx.QueryRow(w.ctx(), "select count(*) from pg_class").Scan(&n))
	const rounds, batch = 8, 500
	for range rounds {
		w.enqueue(slices.Repeat([]tq.NewTask{{}}, batch)...)
		w.cursors.asked = time.Time{} // the floor may be an old one otherwise
		for left := batch; left > 0; left -= tq.MaxClaim {
			claims, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: tq.MaxClaim, Lease: time.Minute})
			w.must("claim", err)
			equal(t, "claimed", len(claims.Tasks), tq.MaxClaim)
		}
	}
	w.cursors.asked = time.Time{}
	id := w.enqueue(tq.NewTask{}, tq.NewTask{})
	w.claim(tq.ClaimQuery{}, id[0])
	lanes, after := []int32{}, []int64{}
	for _, l := range w.lanes.all(func(*lane) bool { return true }) {
		lanes, after = append(lanes, l.id), append(after, w.cursors.of(l.id))
	}
	if got := w.pages(selectHeads, lanes, after); got > 20 {
		t.Errorf("a look at the heads reads %d pages", got)
	}
	w.must("end", tx.Rollback(w.ctx()))
}

// pages is how many pages a statement reads.
func (w *world) pages(statement string, args ...any) int64 {
	w.t.Helper()
	return w.pagesIn(func(tx pgx.Tx) error { _, err := tx.Exec(w.ctx(), setUp, "on"); return err }, statement, args...)
}

// pagesIn is the same in a transaction that begins with first.
func (w *world) pagesIn(first func(tx pgx.Tx) error, statement string, args ...any) int64 {
	w.t.Helper()
	var plan []struct {
		Plan struct {
			Hit  int64 `json:"Shared Hit Blocks"`
			Read int64 `json:"Shared Read Blocks"`
		}
	}
	tx, err := w.pool.Begin(w.ctx())
	w.must("begin", err)
	defer func() { w.must("roll back", tx.Rollback(context.Background())) }()
	w.must("set up", first(tx))
	w.must("explain", tx.QueryRow(w.ctx(), "explain (analyze, buffers, format json) "+w.texts.of(statement), args...).Scan(&plan))
	return plan[0].Plan.Hit + plan[0].Plan.Read
}

// A transaction that began before a task was enqueued, and claims it, writes its
// fact behind that of the enqueue.
func TestFactsOfATaskStandInTheOrderOfTheirRevs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.enqueue(tq.NewTask{Queue: "other"})
	var late int64
	var c *claiming
	once := sync.OnceFunc(func() { late = w.enqueue(tq.NewTask{Queue: "late"})[0] })
	err := w.write(w.ctx(), nil, func(x *work) error {
		once()
		q := tq.ClaimQuery{Queues: []string{"late"}, Max: 1, Lease: time.Minute}
		c = &claiming{work: x, q: &q, parts: []*claimPart{{q: &q}}, moves: map[int32]int64{}}
		b := new(pgx.Batch)
		c.headsAhead(b)
		if err := x.conn.SendBatch(x.ctx, b).Close(); err != nil {
			return err
		}
		return c.run()
	})
	w.must("claim", err)
	w.must("fail", <-w.goChange(tq.Change{TaskID: late, Event: tq.EventFail, Arg: tq.Arg{Epoch: 1}}))
	facts, err := w.Facts(w.ctx(), tq.FactQuery{Queue: "late"})
	w.must("facts", err)
	var revs []int64
	for _, f := range facts {
		revs = append(revs, f.Rev)
	}
	if !slices.Equal(revs, []int64{1, 2, 3}) {
		t.Errorf("revs in the journal: %v", revs)
	}
}
