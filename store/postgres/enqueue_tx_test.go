package postgres

import (
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"example.com/tq"
	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver of this test
)

// callers run f in a transaction of pgx and in one of database/sql; f answers
// whether to commit.
func (w *world) inTx(f func(enqueue func(tasks ...tq.NewTask) ([]tq.Enqueued, error)) bool) {
	w.t.Helper()
	tx, err := w.conn().Begin(w.ctx())
	w.must("begin", err)
	end := tx.Rollback
	if f(func(tasks ...tq.NewTask) ([]tq.Enqueued, error) { return w.EnqueueTx(w.ctx(), tx, tasks...) }) {
		end = tx.Commit
	}
	w.must("end", end(w.ctx()))
}

func (w *world) inSQL(f func(enqueue func(tasks ...tq.NewTask) ([]tq.Enqueued, error)) bool) {
	w.t.Helper()
	db, err := sql.Open("pgx", w.pool.Config().ConnString())
	w.must("open", err)
	w.t.Cleanup(func() { w.must("close", db.Close()) })
	tx, err := db.BeginTx(w.ctx(), nil)
	w.must("begin", err)
	end := tx.Rollback
	if f(func(tasks ...tq.NewTask) ([]tq.Enqueued, error) { return w.EnqueueSQL(w.ctx(), tx, tasks...) }) {
		end = tx.Commit
	}
	w.must("end", end())
}

func TestTasksOfATransactionAreThereWhenItCommits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]func(*world, func(func(...tq.NewTask) ([]tq.Enqueued, error)) bool){
		"pgx": (*world).inTx, "database/sql": (*world).inSQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var id int64
			payload := json.RawMessage(`{"a":  1.0, "b": "\\ \" \u0000 , {} NULL"}`)
			in(w, func(enqueue func(...tq.NewTask) ([]tq.Enqueued, error)) bool {
				out, err := enqueue(tq.NewTask{Type: "work", Payload: payload, Priority: 3, IdempotencyKey: `k"\`, Tags: []string{"x"}})
				w.must("enqueue", err)
				id = out[0].ID
				equal(t, "tasks before the commit", w.number(`select count(*) from tq.tasks`), 0)
				return true
			})
			w.is(id, tq.Pending)
			w.sound()
			w.must("wake", w.Wake(w.ctx()))
			w.sound()
			equal(t, "rows in the inbox", w.number(`select count(*) from tq.inbox`), 0)
			c := w.claim(tq.ClaimQuery{}, id)[0].Task
			equal(t, "payload", string(c.Payload), string(payload))
			equal(t, "priority", c.Priority, 3)
			in(w, func(enqueue func(...tq.NewTask) ([]tq.Enqueued, error)) bool {
				_, err := enqueue(tq.NewTask{Type: "work", IdempotencyKey: "other"})
				w.must("enqueue", err)
				return false
			})
			equal(t, "tasks after a rollback", w.number(`select count(*) from tq.tasks`), 1)
		})
	}
}

func TestARefusedCallLeavesTheTransactionAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.enqueue(tq.NewTask{IdempotencyKey: "k"})[0]
	w.inTx(func(enqueue func(...tq.NewTask) ([]tq.Enqueued, error)) bool {
		for want, tasks := range map[tq.Code][]tq.NewTask{
			tq.CodeUnknownDependency:   {{Type: "a"}, {Type: "a", Deps: []tq.Ref{"9999"}}},
			tq.CodeIdempotencyMismatch: {{Type: "a"}, {Type: "work", Priority: 1, IdempotencyKey: "k", OnMismatch: tq.MismatchError}},
			tq.CodeInvalid:             {},
			tq.CodeTooLarge:            make([]tq.NewTask, tq.MaxBatch+1),
		} {
			if _, err := enqueue(tasks...); tq.CodeOf(err) != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		out, err := enqueue(tq.NewTask{Type: "work", IdempotencyKey: "k"}, tq.NewTask{Type: "b", Deps: []tq.Ref{"key:k", "$0"}})
		w.must("enqueue", err)
		equal(t, "a repeat", out[0], tq.Enqueued{ID: first, Status: tq.Pending, Existed: true})
		equal(t, "status of a dependant", out[1].Status, tq.Blocked)
		return true
	})
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 2)
}

func TestWhatHappensToATaskInTheInboxMovesItInFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []int64
	w.inTx(func(enqueue func(...tq.NewTask) ([]tq.Enqueued, error)) bool {
		out, err := enqueue(tq.NewTask{Type: "a"}, tq.NewTask{Type: "a", Deps: []tq.Ref{"$0"}}, tq.NewTask{Type: "a"})
		w.must("enqueue", err)
		for _, e := range out {
			ids = append(ids, e.ID)
		}
		return true
	})
	child := w.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(ids[1])}})[0]
	w.is(child, tq.Blocked)
	w.must("cancel", <-w.goChange(tq.Change{TaskID: ids[0], Event: tq.EventCancel}))
	w.is(ids[1], tq.Cancelled)
	w.is(child, tq.Cancelled)
	_, err := w.Sweep(w.ctx(), tq.Retention{})
	w.must("sweep", err)
	w.claim(tq.ClaimQuery{Types: []string{"a"}}, ids[2])
}

// Movers and those who touch the tasks at the same time.
func TestALargeInboxIsMovedByMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const rounds = 3
	for range rounds {
		w.inTx(func(enqueue func(...tq.NewTask) ([]tq.Enqueued, error)) bool {
			_, err := enqueue(slices.Repeat([]tq.NewTask{{Type: "work"}}, tq.MaxBatch)...)
			w.must("enqueue", err)
			return true
		})
	}
	var group sync.WaitGroup
	for range 2 * rounds {
		group.Go(func() {
			if err := w.Wake(w.ctx()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	w.must("wake", errors.Join(w.Wake(w.ctx()), w.Wake(w.ctx()), w.Wake(w.ctx())))
	equal(t, "rows in the inbox", w.number(`select count(*) from tq.inbox`), 0)
	equal(t, "facts", w.number(`select count(*) from tq.facts`), rounds*tq.MaxBatch)
}
