package tq_test

// What the tests of the worker stand on: a queue in memory inside a synctest
// bubble, a wire before it that notes and disturbs calls, and short words.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// yard is one queue with a wire before it. Its clock is that of the bubble.
type yard struct {
	*tq.Broker
	t     *testing.T
	store *memory.Store
	wire  *wire
	start time.Time
}

// inYard runs f inside a bubble, which also proves that no goroutine is left.
func inYard(t *testing.T, f func(y *yard)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(memory.Options{})
		broker := tq.New(store, tq.Options{})
		y := &yard{Broker: broker, t: t, store: store, wire: &wire{Client: broker}, start: time.Now()}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- broker.Run(ctx) }()
		synctest.Wait() // until it watches the store
		f(y)
		y.check()
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the broker ended with: %v", err)
		}
	})
}

// check walks the store at the end of each test.
func (y *yard) check() {
	y.t.Helper()
	bad, err := y.store.Check(context.WithoutCancel(y.t.Context()))
	if err != nil || len(bad) > 0 {
		y.t.Errorf("check of the store: %v, %v", bad, err)
	}
}

// worker is a Worker of n hands on the wire, with a handler for tasks of type
// "work".
func (y *yard) worker(n int, x tq.ExecutorFunc) *tq.Worker {
	w := &tq.Worker{Client: y.wire, Name: "tester", Concurrency: n, Log: slog.New(slog.DiscardHandler)}
	w.Handle("work", x)
	return w
}

// start runs w; stop ends its context and answers what Run returned.
func (y *yard) run(w *tq.Worker) (stop func() error) {
	ctx, cancel := context.WithCancel(y.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func (y *yard) stopped(stop func() error) {
	y.t.Helper()
	if err := stop(); err != nil {
		y.t.Errorf("Run returned %v, want nil", err)
	}
}

// add enqueues tasks of type "work" and answers their ids.
func (y *yard) add(tasks ...tq.NewTask) []int64 {
	y.t.Helper()
	for i := range tasks {
		if tasks[i].Type == "" {
			tasks[i].Type = "work"
		}
	}
	out, err := y.Enqueue(y.t.Context(), tq.EnqueueIn{Tasks: tasks})
	if err != nil {
		y.t.Fatalf("enqueue: %v", err)
	}
	ids := make([]int64, len(out.Tasks))
	for i, e := range out.Tasks {
		ids[i] = e.ID
	}
	return ids
}

func (y *yard) task(id int64) tq.Task {
	y.t.Helper()
	task, err := y.Task(y.t.Context(), tq.TaskIn{ID: id})
	if err != nil {
		y.t.Fatalf("read task %d: %v", id, err)
	}
	return task
}

// lastReason is the reason in the newest fact of a task.
func (y *yard) lastReason(id int64) string {
	y.t.Helper()
	out, err := y.Facts(y.t.Context(), tq.FactsIn{TaskID: id, Last: true, Limit: 1})
	if err != nil || len(out.Facts) != 1 {
		y.t.Fatalf("newest fact of task %d: %d facts, %v", id, len(out.Facts), err)
	}
	return out.Facts[0].Detail.Reason
}

// want checks the status of tasks, and how many attempts they have had.
func (y *yard) want(status tq.Status, attempt int, ids ...int64) {
	y.t.Helper()
	for _, id := range ids {
		if task := y.task(id); task.Status != status || task.Attempt != attempt {
			y.t.Errorf("task %d is %s at attempt %d (%s), want %s at %d", id, task.Status, task.Attempt, task.LastError, status, attempt)
		}
	}
}

// kinds lists what has happened to a task.
func (y *yard) kinds(id int64) []tq.Kind {
	y.t.Helper()
	out, err := y.Facts(y.t.Context(), tq.FactsIn{TaskID: id, Limit: 1000})
	if err != nil {
		y.t.Fatalf("read facts of task %d: %v", id, err)
	}
	kinds := make([]tq.Kind, len(out.Facts))
	for i, f := range out.Facts {
		kinds[i] = f.Kind
	}
	return kinds
}

// since is how long the test has run on the bubble's clock.
func (y *yard) since() time.Duration { return time.Since(y.start) }

// near reports whether d is want, give or take slack.
func near(d, want, slack time.Duration) bool { return d >= want-slack && d <= want+slack }

func nothing(context.Context, *tq.Task) (json.RawMessage, error) { return nil, nil }

// untilStopped is an executor that heeds its context and does nothing else.
func untilStopped(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// lasting is an executor that takes d.
func lasting(d time.Duration) tq.ExecutorFunc {
	return func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
		select {
		case <-time.After(d):
			return json.RawMessage(`"done"`), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// said is one call that went over a wire.
type said struct {
	verb string
	at   time.Time
	in   any
	rows int
}

// wire notes each call of a worker. Before a call reaches the queue, before may
// refuse it; when the answer is on its way back, after may lose it.
type wire struct {
	tq.Client
	mu     sync.Mutex
	calls  []said
	before func(said) error
	after  func(said) error
}

func (w *wire) set(before, after func(said) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.after = before, after
}

// away answers every call with unavailable, as a store does that is not there.
func away(said) error { return tq.Errorf(tq.CodeUnavailable, "the store is away") }

func (w *wire) of(verb string) []said {
	w.mu.Lock()
	defer w.mu.Unlock()
	var some []said
	for _, s := range w.calls {
		if s.verb == verb {
			some = append(some, s)
		}
	}
	return some
}

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.calls)
}

func send[In, Out any](ctx context.Context, w *wire, s said, in In, call func(context.Context, In) (Out, error)) (Out, error) {
	s.at, s.in = time.Now(), in
	w.mu.Lock()
	w.calls = append(w.calls, s)
	before, after := w.before, w.after
	w.mu.Unlock()
	var none Out
	if before != nil {
		if err := before(s); err != nil {
			return none, err
		}
	}
	out, err := call(ctx, in)
	if err == nil && after != nil {
		if err := after(s); err != nil {
			return none, err
		}
	}
	return out, err
}

func (w *wire) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	return send(ctx, w, said{verb: "claim", rows: in.Max}, in, w.Client.Claim)
}

func (w *wire) Complete(ctx context.Context, in tq.CompleteIn) (tq.SettleOut, error) {
	return send(ctx, w, said{verb: "complete", rows: len(in.Leases)}, in, w.Client.Complete)
}

func (w *wire) Fail(ctx context.Context, in tq.FailIn) (tq.SettleOut, error) {
	return send(ctx, w, said{verb: "fail", rows: len(in.Leases)}, in, w.Client.Fail)
}

func (w *wire) Release(ctx context.Context, in tq.ReleaseIn) (tq.SettleOut, error) {
	return send(ctx, w, said{verb: "release", rows: len(in.Leases)}, in, w.Client.Release)
}

func (w *wire) Extend(ctx context.Context, in tq.ExtendIn) (tq.SettleOut, error) {
	return send(ctx, w, said{verb: "extend", rows: len(in.Leases)}, in, w.Client.Extend)
}

func (w *wire) RemoveWorker(ctx context.Context, in tq.RemoveWorkerIn) (tq.RemoveWorkerOut, error) {
	return send(ctx, w, said{verb: "remove"}, in, w.Client.RemoveWorker)
}

// many is n tasks with the payloads 0 to n-1.
func many(n int) []tq.NewTask {
	tasks := make([]tq.NewTask, n)
	for i := range tasks {
		tasks[i].Payload = json.RawMessage(fmt.Sprint(i))
	}
	return tasks
}

// pass lets d go by on the clock of the bubble.
func pass(d time.Duration) { <-time.After(d) }
