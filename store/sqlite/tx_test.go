package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/tq"
)

// handle is a database/sql handle on the store's file, with a table of the
// caller's own.
func (w *world) handle() *sql.DB {
	w.t.Helper()
	db, err := DB(w.path, Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	if _, err := db.ExecContext(w.ctx(), `create table orders (id integer primary key, task integer)`); err != nil {
		w.t.Fatal(err)
	}
	return db
}

func (w *world) begin(db *sql.DB) *sql.Tx {
	w.t.Helper()
	tx, err := db.BeginTx(w.ctx(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return tx
}

func (w *world) commit(tx *sql.Tx) {
	w.t.Helper()
	if err := tx.Commit(); err != nil {
		w.t.Fatal(err)
	}
}

// enqueueTx commits tasks in a transaction of their own.
func (w *world) enqueueTx(db *sql.DB, tasks ...tq.NewTask) []tq.Enqueued {
	w.t.Helper()
	tx := w.begin(db)
	out, err := EnqueueTx(w.ctx(), tx, tasks...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.commit(tx)
	return out
}

func (w *world) wake() {
	w.t.Helper()
	if err := w.Wake(w.ctx()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) rows(table string) int64 {
	w.t.Helper()
	var n int64
	err := w.read(w.ctx(), func(c *conn) (err error) {
		n, err = c.one(`select count(*) from ` + table)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestATaskAndTheCallersRowCommitTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	tx := w.begin(db)
	out, err := EnqueueTx(w.ctx(), tx, tq.NewTask{
		Type: "work", Queue: "new", Payload: json.RawMessage(`{"a":  1.0}`), Priority: 3, IdempotencyKey: "k", Tags: []string{"x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(w.ctx(), `insert into orders (task) values (?)`, out[0].ID); err != nil {
		t.Fatal(err)
	}
	equal(t, "tasks before the commit", len(w.page(tq.TaskQuery{}).Tasks), 0)
	w.commit(tx)

	id := out[0].ID
	equal(t, "status in the inbox", w.task(id).Status, tq.Pending)
	for _, q := range []tq.TaskQuery{{Status: "ready"}, {Status: "pending", Queue: "new"}, {Key: "k"}, {Queue: "new"}} {
		if got := idsOf(w.page(q).Tasks); !slices.Equal(got, []int64{id}) {
			t.Errorf("%+v in the inbox: got %v, want %d", q, got, id)
		}
	}
	equal(t, "facts in the inbox", len(w.facts(tq.FactQuery{})), 0)
	w.sound()

	w.wake()
	w.sound()
	facts := w.facts(tq.FactQuery{})
	equal(t, "facts", len(facts), 1)
	equal(t, "actor", facts[0].Actor, txActor)
	equal(t, "rows in the inbox", w.rows("inbox"), 0)
	claimed := w.claim(tq.ClaimQuery{}, id)[0].Task
	equal(t, "payload", string(claimed.Payload), `{"a":  1.0}`)
	equal(t, "priority", claimed.Priority, 3)
}

func TestARollbackLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	tx := w.begin(db)
	first, err := EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work", Queue: "new", IdempotencyKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"tasks", "keys", "inbox", "lanes", "facts"} {
		equal(t, "rows of "+table, w.rows(table), 0)
	}
	id := w.enqueueOne(tq.NewTask{Queue: "new", IdempotencyKey: "k"})
	if id <= 0 || first[0].ID <= 0 {
		t.Errorf("ids %d, then %d", first[0].ID, id)
	}
	w.claim(tq.ClaimQuery{Queues: []string{"new"}}, id)
}

func TestOneKeyInManyTransactionsIsOneTask(t *testing.T) {
	t.Parallel()
	const callers = 8
	w := newWorld(t)
	db := w.handle()
	ids := make([]tq.Enqueued, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			ctx := w.ctx()
			n := tq.NewTask{Type: "work", IdempotencyKey: "k"}
			if i%2 == 0 {
				normal, err := n.Normal()
				if err != nil {
					t.Error(err)
					return
				}
				out, err := w.Enqueue(ctx, []tq.NewTask{normal}, "")
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = out[0]
				return
			}
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				t.Error(err)
				return
			}
			out, err := EnqueueTx(ctx, tx, n)
			if err = errors.Join(err, tx.Commit()); err != nil {
				t.Error(err)
				return
			}
			ids[i] = out[0]
		})
	}
	group.Wait()
	fresh := 0
	for _, e := range ids {
		equal(t, "id", e.ID, ids[0].ID)
		equal(t, "mismatch", e.Mismatch, false)
		if !e.Existed {
			fresh++
		}
	}
	equal(t, "callers that made the task", fresh, 1)
	w.wake()
	equal(t, "tasks", len(w.page(tq.TaskQuery{}).Tasks), 1)
}

func TestAForeignTransactionIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	foreign, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := foreign.Close(); err != nil {
			t.Error(err)
		}
	})
	tx := w.begin(foreign)
	_, err = EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work"})
	var refusal *tq.Error
	if !errors.As(err, &refusal) || refusal.Code != tq.CodeInvalid || refusal.Hint == "" {
		t.Errorf("got %v, want a refusal with a hint", err)
	}
	w.commit(tx)
	equal(t, "tasks", w.rows("tasks"), 0)
	if _, err := EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work"}); tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("in an ended transaction: got %v, want invalid", err)
	}
}

// watch answers a channel of the store's news.
func (w *world) watch() <-chan tq.News {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.ctx())
	news, ended := make(chan tq.News, 100), make(chan error, 1)
	go func() {
		ended <- w.Watch(ctx, func(n tq.News) {
			select {
			case news <- n:
			default:
			}
		})
	}()
	w.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			w.t.Error(err)
		}
	})
	return news
}

func await(t *testing.T, news <-chan tq.News, want func(tq.News) bool) {
	t.Helper()
	patience := time.After(10 * time.Second)
	for {
		select {
		case n := <-news:
			if want(n) {
				return
			}
		case <-patience:
			t.Fatal("nothing was heard for 10 s")
		}
	}
}

func TestWorkersHearOfACommitByThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	news := w.watch()
	id := w.enqueueTx(db, tq.NewTask{Type: "work"})[0].ID
	await(t, news, func(n tq.News) bool { return n.Other })
	w.claim(tq.ClaimQuery{}, id)
}

func TestWakeTellsWorkersWhatWasCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	news := w.watch()
	w.enqueueTx(db, tq.NewTask{Type: "work", Queue: "q"}, tq.NewTask{Type: "work", Queue: "q"})
	w.wake()
	await(t, news, func(n tq.News) bool {
		return slices.Equal(n.Ready, []tq.Place{{Queue: "q", Type: "work", N: 2}})
	})
}

func TestDependenciesOfATransactionsTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	done := w.enqueueOne(tq.NewTask{Type: "a", IdempotencyKey: "done"})
	c := w.claim(tq.ClaimQuery{}, done)
	w.change(done, tq.EventComplete, tq.Arg{Epoch: c[0].Task.Epoch}, `1`)
	open := w.enqueueOne(tq.NewTask{Type: "b"})
	gone := w.enqueueOne(tq.NewTask{Type: "c"})
	w.change(gone, tq.EventCancel, tq.Arg{}, "")

	out := w.enqueueTx(db,
		tq.NewTask{Type: "d", Deps: []tq.Ref{"key:done"}},
		tq.NewTask{Type: "e", Deps: []tq.Ref{tq.ID(open), "$0"}},
		tq.NewTask{Type: "f", Deps: []tq.Ref{tq.ID(gone)}},
	)
	want := []tq.Status{tq.Pending, tq.Blocked, tq.Cancelled}
	for i, e := range out {
		equal(t, "status answered", e.Status, want[i])
	}
	w.wake()
	w.sound()
	for i, e := range out {
		equal(t, "status", w.task(e.ID).Status, want[i])
	}
	for _, x := range []struct {
		kind string
		id   int64
	}{{"b", open}, {"d", out[0].ID}} {
		c = w.claim(tq.ClaimQuery{Types: []string{x.kind}}, x.id)
		w.change(x.id, tq.EventComplete, tq.Arg{Epoch: c[0].Task.Epoch}, "")
	}
	w.claim(tq.ClaimQuery{Types: []string{"e"}}, out[1].ID)
}

func TestARefusedCallLeavesTheTransactionAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	held := w.enqueueOne(tq.NewTask{IdempotencyKey: "k"})
	tx := w.begin(db)
	for _, x := range []struct {
		name  string
		tasks []tq.NewTask
		want  tq.Code
	}{
		{"unknown dependency", []tq.NewTask{{Type: "a"}, {Type: "b", Deps: []tq.Ref{"9999"}}}, tq.CodeUnknownDependency},
		{"unknown parent", []tq.NewTask{{Type: "a"}, {Type: "b", Parent: 9999}}, tq.CodeUnknownDependency},
		{"later row", []tq.NewTask{{Type: "a", Deps: []tq.Ref{"$1"}}, {Type: "b"}}, tq.CodeInvalid},
		{"other body", []tq.NewTask{{Type: "a"}, {Type: "work", Priority: 1, IdempotencyKey: "k", OnMismatch: tq.MismatchError}}, tq.CodeIdempotencyMismatch},
		{"bad field", []tq.NewTask{{Type: ""}}, tq.CodeInvalid},
		{"none", nil, tq.CodeInvalid},
		{"too many", make([]tq.NewTask, tq.MaxBatch+1), tq.CodeTooLarge},
	} {
		if _, err := EnqueueTx(w.ctx(), tx, x.tasks...); tq.CodeOf(err) != x.want {
			t.Errorf("%s: got %v, want %s", x.name, err, x.want)
		}
	}
	out, err := EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work", IdempotencyKey: "k"}, tq.NewTask{Type: "work", Priority: 2, IdempotencyKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a repeat", out[0], tq.Enqueued{ID: held, Status: tq.Pending, Existed: true})
	equal(t, "another body", out[1], tq.Enqueued{ID: held, Status: tq.Pending, Existed: true, Mismatch: true})
	w.commit(tx)
	equal(t, "tasks", w.rows("tasks"), 1)
}

func TestALargeInboxIsTakenInBites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	var last int64
	for range 3 {
		tasks := slices.Repeat([]tq.NewTask{{Type: "work"}}, tq.MaxBatch)
		out := w.enqueueTx(db, tasks...)
		last = out[len(out)-1].ID
	}
	// Something happens to a task whose bite has not come.
	w.change(last, tq.EventCancel, tq.Arg{}, "")
	equal(t, "status", w.task(last).Status, tq.Cancelled)
	child := w.enqueueOne(tq.NewTask{Deps: []tq.Ref{tq.ID(last - 1)}})
	equal(t, "status", w.task(child).Status, tq.Blocked)
	for range 3 {
		w.wake()
	}
	equal(t, "rows in the inbox", w.rows("inbox"), 0)
	equal(t, "facts", w.rows("facts"), 3*tq.MaxBatch+2)
}

func TestTransactionsTakeTurnsWithTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := w.handle()
	tx := w.begin(db)
	ctx, stop := context.WithTimeout(w.ctx(), 20*time.Millisecond)
	defer stop()
	if _, err := db.BeginTx(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second transaction: got %v, want to wait until the deadline", err)
	}
	read, err := db.BeginTx(w.ctx(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatalf("a transaction that only reads waits: %v", err)
	}
	w.commit(read)
	enqueued := make(chan int64)
	go func() { enqueued <- w.enqueueOne(tq.NewTask{}) }()
	w.commit(tx)
	w.claim(tq.ClaimQuery{}, <-enqueued)
	w.enqueueTx(db, tq.NewTask{Type: "work"})
	w.wake()
}
