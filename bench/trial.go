package bench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/tq"
)

// kind is the type of all tasks here.
const kind = "bench"

const (
	lease     = 30 * time.Second
	fillers   = 4                      // callers that fill a queue
	tellAfter = 200 * time.Millisecond // between two words of progress
)

// trial is one measure at work.
type trial struct {
	*session
	queue  string
	ledger *ledger
	m      Measure

	mu   sync.Mutex
	told time.Time
}

// task is what every scenario starts from.
func (t *trial) task() tq.NewTask {
	return tq.NewTask{Type: kind, Queue: t.queue, Payload: json.RawMessage(`"` + strings.Repeat("x", max(0, t.o.Payload-2)) + `"`)}
}

// enqueue puts tasks in with one call and enters them in the ledger.
func (t *trial) enqueue(ctx context.Context, tasks ...tq.NewTask) ([]tq.Enqueued, error) {
	out, err := tq.EnqueueMany(ctx, t.Client, tasks...)
	for _, e := range out {
		t.ledger.take(e.ID)
	}
	return out, err
}

// fill puts n tasks in, those that one returns, or as many as there is time for;
// it is not measured.
func (t *trial) fill(ctx context.Context, n int, one func(i int) tq.NewTask) error {
	batches := (n + tq.MaxBatch - 1) / tq.MaxBatch
	_, err := crowd{many: fillers, n: batches, until: t.end(DefaultFor), do: func(b int) error {
		from := b * tq.MaxBatch
		tasks := make([]tq.NewTask, 0, tq.MaxBatch)
		for i := from; i < min(n, from+tq.MaxBatch); i++ {
			tasks = append(tasks, one(i))
		}
		_, err := t.enqueue(ctx, tasks...)
		t.tell("fill", from, n)
		return err
	}}.wait(ctx)
	return err
}

// crowd is callers that do things at once.
type crowd struct {
	many, n int
	until   time.Time
	do      func(i int) error
}

// end is when a measure that begins now is over.
func (t *trial) end(usual time.Duration) time.Time { return time.Now().Add(t.span(usual)) }

// wait lets the callers do 0 to n−1, each of them once, until that is done, the
// time is up, or one fails. It answers how long that took.
func (c crowd) wait(ctx context.Context) (time.Duration, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var callers sync.WaitGroup
	begun := time.Now()
	for range c.many {
		callers.Go(func() {
			for ctx.Err() == nil && time.Now().Before(c.until) {
				i := int(next.Add(1)) - 1
				if i >= c.n {
					return
				}
				if err := c.do(i); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	callers.Wait()
	return time.Since(begun), context.Cause(ctx)
}

// cycle claims up to most tasks, runs them, and completes them. It answers how
// many there were.
func (t *trial) cycle(ctx context.Context, most int) (int, error) {
	tasks, err := t.claim(ctx, most, lease)
	if err != nil || len(tasks) == 0 {
		return 0, err
	}
	return len(tasks), t.complete(ctx, tasks)
}

// complete runs tasks, which takes no time here, and settles them.
func (t *trial) complete(ctx context.Context, tasks []tq.ClaimedTask) error {
	in := tq.CompleteIn{Leases: make([]tq.CompleteLease, len(tasks))}
	for i := range tasks {
		t.ledger.run(tasks[i].ID)
		in.Leases[i] = tq.CompleteLease{LeaseToken: tasks[i].LeaseToken}
	}
	out, err := t.Client.Complete(ctx, in)
	if err != nil {
		return err
	}
	for _, s := range out.Leases {
		if s.Error != nil {
			return s.Error
		}
	}
	return nil
}

func (t *trial) claim(ctx context.Context, most int, lease time.Duration) ([]tq.ClaimedTask, error) {
	out, err := t.Client.Claim(ctx, tq.ClaimIn{
		Queues: []string{t.queue}, Types: []string{kind}, Max: most, Lease: tq.Duration(lease), ClaimID: rand.Text(),
	})
	return out.Tasks, err
}

// rest runs what a measure has left; that is not measured.
func (t *trial) rest(ctx context.Context) error {
	for {
		n, err := t.cycle(ctx, tq.MaxClaim)
		taken, begun := t.ledger.count()
		t.tell("finish", begun, taken)
		if err != nil || n == 0 {
			return err
		}
	}
}

// worker returns a worker for the queue of this trial; run is told of each
// attempt and how often the task had begun before.
func (t *trial) worker(slots int, run func(task *tq.Task, before int) error) *tq.Worker {
	name := "bench-worker"
	w := &tq.Worker{
		Client: t.As(name), Name: name, Queues: []string{t.queue}, Concurrency: slots,
		Log: slog.New(slog.DiscardHandler),
	}
	w.Handle(kind, tq.ExecutorFunc(func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
		return nil, run(task, t.ledger.run(task.ID))
	}))
	return w
}

// beside runs w while do does its work, and stops it then.
func beside(ctx context.Context, w *tq.Worker, do func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		err := w.Run(ctx)
		stop()
		ended <- err
	}()
	err := do(ctx)
	stop()
	if left := <-ended; left != nil {
		return left
	}
	return err
}

// tell says how far it is, not too often.
func (t *trial) tell(what string, done, of int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.told) >= tellAfter {
		t.told = now
		t.o.Progress(fmt.Sprintf("%s, %s: %s %d of %d", t.scenario, t.m.Name, what, done, of))
	}
}

// weigh measures what the database takes for the tasks that do puts or runs.
func (t *trial) weigh(ctx context.Context, do func() error) error {
	if t.Written == nil {
		return do()
	}
	from, err := t.Written(ctx)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	to, err := t.Written(ctx)
	if taken, _ := t.ledger.count(); taken > 0 && to > from {
		t.m.Bytes = float64(to-from) / float64(taken)
	}
	return err
}
