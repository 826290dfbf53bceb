package postgres

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Bulk operations of many clients at once, each over tasks in an order of its
// own: no deadlock reaches a caller, and nothing is broken behind them.
func TestBulkOperationsInAnyOrderDoNotDeadlock(t *testing.T) {
	t.Parallel()
	const clients, rounds, tasks = 64, 3, 60
	w := worldOf(t, OpenAt(t, Server.URL(), Options{Conns: 16}), nil)
	ids := w.enqueue(make([]tq.NewTask, tasks)...)
	var group sync.WaitGroup
	for k := range clients {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(k)))
			for range rounds {
				if err := w.bulk(rng, ids); err != nil {
					t.Errorf("client %d: %v", k, err)
				}
			}
		})
	}
	group.Wait()
}

// bulk does one thing to many tasks in a random order. What is refused by a rule
// is no failure.
func (w *world) bulk(rng *rand.Rand, ids []int64) error {
	events := []tq.Event{tq.EventCancel, tq.EventRescue, tq.EventRequeue, tq.EventCancel}
	event := events[rng.IntN(len(events))]
	var changes []tq.Change
	for _, i := range rng.Perm(len(ids)) {
		changes = append(changes, tq.Change{TaskID: ids[i], Event: event, Actor: "tester", Arg: tq.Arg{Force: rng.IntN(2) == 0}})
	}
	if rng.IntN(4) == 0 {
		deps := []tq.Ref{tq.ID(ids[rng.IntN(len(ids))]), tq.ID(ids[rng.IntN(len(ids))])}
		_, err := w.Enqueue(w.ctx(), normal(w.t, tq.NewTask{Deps: deps}), "tester")
		return err
	}
	if rng.IntN(3) == 0 {
		_, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: 20, Lease: time.Minute})
		return err
	}
	_, err := w.Change(w.ctx(), changes)
	return err
}

// Far more callers than connections all get their turn.
func TestAPoolSmallerThanItsCallersServesAll(t *testing.T) {
	t.Parallel()
	w := worldOf(t, OpenAt(t, Server.URL(), Options{Conns: 2}), nil)
	shift(w, 200, func() {})
}

// Somebody's open transaction holds a row that we need: we give up after a
// while, say that it may be tried again, and have changed nothing.
func TestALockThatIsNeverReleasedIsGivenUpOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.enqueue(tq.NewTask{})[0]
	tx, err := w.conn().Begin(w.ctx())
	w.must("begin", err)
	_, err = tx.Exec(w.ctx(), w.texts.of(`lock table tq.ready in access exclusive mode`))
	w.must("lock", err)
	out, err := w.Change(w.ctx(), []tq.Change{{TaskID: id, Event: tq.EventCancel, Actor: "tester"}})
	if tq.CodeOf(err) != tq.CodeUnavailable {
		t.Errorf("cancel behind a lock: got %v, %v, want unavailable", out, err)
	}
	w.must("roll back", tx.Rollback(w.ctx()))
	w.is(id, tq.Pending)
	w.must("cancel", <-w.goChange(tq.Change{TaskID: id, Event: tq.EventCancel}))
	w.is(id, tq.Cancelled)
}

// A client that is stopped in the middle of a transaction keeps its locks only
// until the server ends its session.
func TestAStoppedClientDoesNotHoldItsTasks(t *testing.T) {
	t.Parallel()
	w := worldOf(t, OpenAt(t, Server.URL(), Options{}), nil)
	id := w.enqueue(tq.NewTask{})[0]
	// The very transaction of a claim, left open as by a process that sleeps.
	stopped := w.hold(nil, func(x *work) error {
		q := tq.ClaimQuery{Max: 1, Lease: time.Minute}
		c := &claiming{work: x, q: &q, parts: []*claimPart{{q: &q}}, moves: map[int32]int64{}}
		b := new(pgx.Batch)
		c.headsAhead(b)
		if err := x.conn.SendBatch(x.ctx, b).Close(); err != nil {
			return err
		}
		return errors.Join(c.run(), x.flush())
	})
	release := sync.OnceFunc(func() { close(stopped.release) })
	defer release()
	empty, err := w.Claim(w.ctx(), tq.ClaimQuery{Max: 1, Lease: time.Minute})
	w.must("claim", err)
	equal(t, "claimed beside it", len(empty.Tasks), 0)
	var got tq.Claims
	for len(got.Tasks) == 0 && !t.Failed() { // the server ends it after idle_in_transaction_session_timeout
		pause(w.ctx(), 100*time.Millisecond)
		got, err = w.Claim(w.ctx(), tq.ClaimQuery{Max: 1, Lease: time.Minute})
		w.must("claim", err)
	}
	equal(t, "claimed after it", got.Tasks[0].Task.ID, id)
	release()
	if err := <-stopped.done; err != nil && tq.CodeOf(err) != tq.CodeUnavailable && tq.CodeOf(err) != tq.CodeOutcomeUnknown {
		t.Errorf("the stopped client: %v", err)
	}
}

// A connection that breaks while the commit is on its way leaves the outcome
// open; a repeat under the same key finds out.
func TestACommitWithoutAnAnswerIsOutcomeUnknown(t *testing.T) {
	t.Parallel()
	w := worldOf(t, OpenAt(t, Server.URL(), Options{}), nil)
	stranger := w.conn()
	tasks := normal(t, tq.NewTask{IdempotencyKey: "k"})
	w.must("lanes", w.lanesFor(w.ctx(), tasks))
	// The commit waits for a lock that a stranger holds; meanwhile the backend dies.
	_, err := stranger.Exec(w.ctx(), w.texts.of(`begin; lock table tq.facts in share mode`))
	w.must("lock", err)
	answer := make(chan error, 1)
	go func() {
		_, err := w.Enqueue(w.ctx(), tasks, "tester")
		answer <- err
	}()
	w.someoneWaits()
	_, err = stranger.Exec(w.ctx(), `select pg_terminate_backend(pid) from pg_locks where not granted`)
	w.must("kill", err)
	_, err = stranger.Exec(w.ctx(), `rollback`)
	w.must("roll back", err)
	if err := <-answer; err != nil && tq.CodeOf(err) != tq.CodeOutcomeUnknown {
		t.Errorf("got %v, want outcome_unknown", err)
	}
	persist(t, "repeat", func() error {
		_, err := w.Enqueue(w.ctx(), tasks, "tester")
		return err
	})
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 1)
}
