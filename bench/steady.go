package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.com/tq"
)

const (
	producers   = 2
	steadyBatch = 100
	// maxAhead is how many tasks producers may be ahead of the worker, so that
	// a queue that takes more than it gives does not just grow.
	maxAhead = 5_000
)

// steady measures two producers and one worker at once: what is worked, and how
// long a task is on its way from the answer of its enqueue to its beginning.
func steady(ctx context.Context, x *session) error {
	return x.trial(ctx, "2 producers, batches of 100, one worker", func(ctx context.Context, t *trial) error {
		flow := newFlow(t)
		err := t.weigh(ctx, func() error {
			return flow.run(ctx, t.end(2*DefaultFor))
		})
		if err != nil {
			return err
		}
		t.m.timed(flow.worked, flow.took)
		t.m.Latency = flow.latency.latency("enqueued to begun")
		return t.delivered(ctx)
	})
}

// flow is producers and a worker at once.
type flow struct {
	*trial
	latency  *histogram
	answered sync.Map // when the queue answered for a task, by id; its worker may be sooner
	inFlight atomic.Int64
	room     chan struct{}
	worked   int
	took     time.Duration
	beat     func(worked int) // is told now and then; may be nil
}

func newFlow(t *trial) *flow {
	return &flow{trial: t, latency: new(histogram), room: make(chan struct{}, 1)}
}

// run lets tasks flow until the time is up, counts what was worked by then, and
// runs the rest.
func (f *flow) run(ctx context.Context, until time.Time) error {
	w := f.worker(f.most(), func(task *tq.Task, _ int) error {
		f.begin(task.ID)
		return nil
	})
	begun := time.Now()
	err := beside(ctx, w, func(ctx context.Context) error {
		_, err := crowd{many: producers, n: MaxTasks, until: until, do: func(int) error { return f.produce(ctx, until) }}.wait(ctx)
		_, f.worked = f.ledger.count()
		f.took = time.Since(begun)
		return err
	})
	if err != nil {
		return err
	}
	return f.rest(ctx)
}

func (f *flow) begin(id int64) {
	now := time.Now()
	if was, known := f.answered.LoadOrStore(id, now); known {
		f.latency.add(now.Sub(was.(time.Time)))
		f.answered.Delete(id)
	}
	_, worked := f.ledger.count()
	if f.beat != nil {
		f.beat(worked)
	}
	f.tell("work", worked, worked)
	if f.inFlight.Add(-1) < maxAhead {
		select {
		case f.room <- struct{}{}:
		default:
		}
	}
}

// produce puts one batch in when there is room for it.
func (f *flow) produce(ctx context.Context, until time.Time) error {
	for f.inFlight.Load() >= maxAhead {
		timer := time.NewTimer(time.Until(until))
		select {
		case <-f.room:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		timer.Stop()
	}
	f.inFlight.Add(steadyBatch)
	tasks := make([]tq.NewTask, steadyBatch)
	for i := range tasks {
		tasks[i] = f.task()
	}
	out, err := f.enqueue(ctx, tasks...)
	now := time.Now()
	for _, e := range out {
		if _, begun := f.answered.LoadOrStore(e.ID, now); begun {
			f.latency.add(0) // it began before its producer had heard of it
			f.answered.Delete(e.ID)
		}
	}
	return err
}
