package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/tq"
)

// drain measures how fast tasks come out: by callers that claim one, run it and
// complete it, as a script does; by callers that take a hundred; and by a
// Worker, which claims ahead and settles in batches. What is left when the time
// is up is run too, but not counted.
func drain(ctx context.Context, x *session) error {
	for _, callers := range x.o.Callers {
		name := plural(callers, "caller") + ", one at a time"
		if err := x.drainBy(ctx, name, func(ctx context.Context, t *trial) error { return t.byHand(ctx, callers, 1) }); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("1 caller, batches of %d", tq.MaxClaim)
	if err := x.drainBy(ctx, name, func(ctx context.Context, t *trial) error { return t.byHand(ctx, 1, tq.MaxClaim) }); err != nil {
		return err
	}
	for _, slots := range x.o.Callers {
		if slots == 1 && len(x.o.Callers) > 1 {
			continue // a worker of one hand claims ahead like any other
		}
		name := fmt.Sprintf("worker, %d at a time, claims ahead", slots)
		if err := x.drainBy(ctx, name, func(ctx context.Context, t *trial) error { return t.byWorker(ctx, slots) }); err != nil {
			return err
		}
	}
	return nil
}

// drainBy fills a queue, lets do empty it, and accounts for all.
func (x *session) drainBy(ctx context.Context, name string, do func(context.Context, *trial) error) error {
	return x.trial(ctx, name, func(ctx context.Context, t *trial) error {
		err := t.weigh(ctx, func() error {
			if err := t.fill(ctx, t.tasks(DefaultTasks), func(int) tq.NewTask { return t.task() }); err != nil {
				return err
			}
			if err := do(ctx, t); err != nil {
				return err
			}
			return t.rest(ctx)
		})
		if err != nil {
			return err
		}
		return t.delivered(ctx)
	})
}

// byHand drains with callers that each claim up to batch tasks, run them and
// complete them, over and over, and measures their rounds.
func (t *trial) byHand(ctx context.Context, callers, batch int) error {
	rounds := new(histogram)
	taken, _ := t.ledger.count()
	took, err := crowd{many: callers, n: taken, until: t.end(DefaultFor), do: func(int) error {
		begun := time.Now()
		n, err := t.cycle(ctx, batch)
		if err == nil && n == 0 {
			return errEmpty
		}
		rounds.add(time.Since(begun))
		_, done := t.ledger.count()
		t.tell("drain", done, taken)
		return err
	}}.wait(ctx)
	if errors.Is(err, errEmpty) {
		err = nil
	}
	_, done := t.ledger.count()
	t.m.timed(done, took)
	t.m.Latency = rounds.latency("claim and complete")
	return err
}

// errEmpty ends a drain: nothing is claimable any more.
var errEmpty = errors.New("the queue is empty")

// byWorker drains with a Worker.
func (t *trial) byWorker(ctx context.Context, slots int) error {
	taken, _ := t.ledger.count()
	w := t.worker(slots, func(*tq.Task, int) error {
		_, done := t.ledger.count()
		t.tell("drain", done, taken)
		return nil
	})
	w.UntilEmpty = true
	limited, stop := context.WithTimeout(ctx, t.span(DefaultFor))
	defer stop()
	begun := time.Now()
	err := w.Run(limited)
	_, done := t.ledger.count()
	t.m.timed(done, time.Since(begun))
	return errors.Join(err, ctx.Err())
}
