package sqlite

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
)

// world is a store with a clock that stands still, and short words for what
// tests of the read side do to it.
type world struct {
	*Store
	t     *testing.T
	clock *storetest.Clock
	bad   bool // broken on purpose: not checked at the end
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Ahead of the real clock, by which EnqueueTx goes.
	clock := storetest.NewClock(time.Now().Add(time.Hour).Truncate(time.Second))
	w := &world{t: t, clock: clock, Store: openStore(t, Options{Clock: clock.Now})}
	t.Cleanup(func() {
		if !t.Failed() && !w.bad {
			w.sound()
		}
	})
	return w
}

func (w *world) ctx() context.Context { return context.WithoutCancel(w.t.Context()) }

// sound fails the test when check finds anything.
func (w *world) sound() {
	w.t.Helper()
	for _, v := range w.broken() {
		w.t.Errorf("check: %s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

// broke says that the test has broken the store on purpose.
func (w *world) broke() { w.bad = true }

func (w *world) broken() []tq.Violation {
	w.t.Helper()
	found, err := w.Check(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *world) enqueue(tasks ...tq.NewTask) []int64 {
	w.t.Helper()
	for i, n := range tasks {
		if n.Type == "" {
			n.Type = "work"
		}
		normal, err := n.Normal()
		if err != nil {
			w.t.Fatal(err)
		}
		tasks[i] = normal
	}
	out, err := w.Enqueue(w.ctx(), tasks, "tester")
	if err != nil {
		w.t.Fatal(err)
	}
	ids := make([]int64, len(out))
	for i, e := range out {
		ids[i] = e.ID
	}
	return ids
}

func (w *world) enqueueOne(n tq.NewTask) int64 {
	w.t.Helper()
	return w.enqueue(n)[0]
}

// claim leases what q asks for and fails the test when that is not these tasks.
func (w *world) claim(q tq.ClaimQuery, want ...int64) []tq.Claimed {
	w.t.Helper()
	q.Max, q.Lease = max(1, len(want)), time.Minute
	if q.Worker.ID == "" {
		q.Worker = tq.WorkerInfo{ID: "w-1", Name: "box"}
	}
	claims, err := w.Claim(w.ctx(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []int64
	for _, c := range claims.Tasks {
		got = append(got, c.Task.ID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Fatalf("claimed %v, want %v", got, want)
	}
	return claims.Tasks
}

// change does one event to a task.
func (w *world) change(id int64, ev tq.Event, arg tq.Arg, body string) tq.Changed {
	w.t.Helper()
	arg.Hash = tq.SettleHash(ev, []byte(body), arg)
	out, err := w.Change(w.ctx(), []tq.Change{{TaskID: id, Event: ev, Arg: arg, Actor: "tester", Body: []byte(body)}})
	if err != nil {
		w.t.Fatal(err)
	}
	if out[0].Err != nil {
		w.t.Fatalf("%s task %d: %v", ev, id, out[0].Err)
	}
	return out[0]
}

func (w *world) task(id int64) tq.Task {
	w.t.Helper()
	page := w.page(tq.TaskQuery{IDs: []int64{id}, Payload: true, Relation: true})
	if len(page.Tasks) != 1 {
		w.t.Fatalf("task %d: got %d tasks", id, len(page.Tasks))
	}
	return page.Tasks[0]
}

func (w *world) page(q tq.TaskQuery) tq.TaskPage {
	w.t.Helper()
	page, err := w.Tasks(w.ctx(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	return page
}

func idsOf(tasks []tq.Task) []int64 {
	var ids []int64
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// script changes the file behind the store's back, through SQLite.
func (w *world) script(text string) {
	w.t.Helper()
	c, err := openWriter(w.path, Full)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := join(c.script(text), c.close()); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
