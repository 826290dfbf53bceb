// Package tqtest is for tests of programs that enqueue tasks and handle them: a
// queue in memory, with a clock that only the test moves. Nothing sleeps, and
// there is no database.
package tqtest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// TB is what a Queue needs of the test that it serves; *testing.T has it.
type TB interface {
	Helper()
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Queue is a tq.Client over an empty store of its own: hand it to the code
// under test wherever that wants a client. It is safe for concurrent use.
type Queue struct {
	tq.Client

	t     TB
	store *memory.Store
	mu    sync.Mutex
	now   time.Time
}

// start is what a fresh Queue's clock shows: any whole second does.
func start() time.Time { return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC) }

// New returns an empty queue that is closed when t ends. If the store is then
// found damaged, which would be a mistake of tq, t fails.
func New(t TB) *Queue {
	t.Helper()
	q := &Queue{t: t, now: start()}
	q.store = memory.Open(memory.Options{Clock: q.Now})
	q.Client = tq.New(q.store, tq.Options{Actor: "test"})
	t.Cleanup(q.close)
	return q
}

func (q *Queue) close() {
	q.t.Helper()
	found, err := q.store.Check(context.Background())
	if err != nil {
		q.t.Errorf("check the queue: %v", err)
	}
	for _, v := range found {
		q.t.Errorf("the queue is damaged: %s, task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
	if err := q.store.Close(); err != nil {
		q.t.Errorf("close the queue: %v", err)
	}
}

// Now is the time on the queue's clock. It stands still until Advance.
func (q *Queue) Now() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.now
}

// Advance moves the clock forward by d. Whatever falls due on the way happens
// at its time: delays and backoffs pass, leases that nobody keeps run out, ended
// tasks are deleted as retention says.
func (q *Queue) Advance(d time.Duration) {
	q.t.Helper()
	for end := q.Now().Add(d); ; {
		swept, err := q.store.Sweep(context.Background(), tq.Retention{})
		if err != nil {
			q.t.Fatalf("sweep the queue: %v", err)
		}
		left := end.Sub(q.Now())
		switch {
		case swept.More:
			continue
		case left <= 0:
			return
		case swept.NextDue > 0:
			left = min(left, swept.NextDue)
		}
		q.mu.Lock()
		q.now = q.now.Add(left)
		q.mu.Unlock()
	}
}

// Add enqueues tasks and returns their ids.
func (q *Queue) Add(tasks ...tq.NewTask) []int64 {
	q.t.Helper()
	out, err := q.Enqueue(context.Background(), tq.EnqueueIn{Tasks: tasks})
	if err != nil {
		q.t.Fatalf("enqueue: %v", err)
	}
	ids := make([]int64, len(out.Tasks))
	for i, e := range out.Tasks {
		ids[i] = e.ID
	}
	return ids
}

// Drain runs w on this queue until nothing is claimable. Tasks that wait for a
// time, a retry among them, are left: Advance, then Drain again.
func (q *Queue) Drain(ctx context.Context, w *tq.Worker) {
	q.t.Helper()
	client, untilEmpty := w.Client, w.UntilEmpty
	w.Client, w.UntilEmpty = q.Client, true
	defer func() { w.Client, w.UntilEmpty = client, untilEmpty }()
	if err := w.Run(ctx); err != nil {
		q.t.Fatalf("drain the queue: %v", err)
	}
}

// Get reads one task with everything that is known of it.
func (q *Queue) Get(id int64) tq.Task {
	q.t.Helper()
	task, err := q.Task(context.Background(), tq.TaskIn{ID: id})
	if err != nil {
		q.t.Fatalf("get task %d: %v", id, err)
	}
	return task
}

// Enqueued lists the tasks of a type that are there, whatever has become of
// them, in the order in which they were enqueued. "" is every type.
func (q *Queue) Enqueued(kind string) []tq.Task {
	q.t.Helper()
	in := tq.TasksIn{Type: kind, Limit: tq.MaxPage, Fields: "payload"}
	var all []tq.Task
	for {
		page, err := q.Tasks(context.Background(), in)
		if err != nil {
			q.t.Fatalf("list tasks: %v", err)
		}
		all = append(all, page.Tasks...)
		if page.Cursor == "" {
			slices.Reverse(all)
			return all
		}
		in.Cursor = page.Cursor
	}
}

// Args are the payloads of the tasks whose type is A's Kind, decoded, in the
// order in which they were enqueued.
func Args[A interface{ Kind() string }](q *Queue) []A {
	q.t.Helper()
	var zero A
	var all []A
	for _, task := range q.Enqueued(zero.Kind()) {
		var args A
		if err := json.Unmarshal(task.Payload, &args); err != nil {
			q.t.Fatalf("decode the payload of task %d: %v", task.ID, err)
		}
		all = append(all, args)
	}
	return all
}
