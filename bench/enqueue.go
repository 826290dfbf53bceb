package bench

import (
	"context"
	"fmt"
	"time"

	"example.com/tq"
)

// enqueue measures callers that each put in one task at a time, and a thousand.
func enqueue(ctx context.Context, x *session) error {
	for _, callers := range x.o.Callers {
		if err := x.enqueueBy(ctx, callers, 1); err != nil {
			return err
		}
	}
	return x.enqueueBy(ctx, fillers, tq.MaxBatch)
}

func (x *session) enqueueBy(ctx context.Context, callers, batch int) error {
	name := fmt.Sprintf("%s, one at a time", plural(callers, "caller"))
	if batch > 1 {
		name = fmt.Sprintf("%s, batches of %d", plural(callers, "caller"), batch)
	}
	return x.trial(ctx, name, func(ctx context.Context, t *trial) error {
		calls := new(histogram)
		n := (t.tasks(DefaultTasks) + batch - 1) / batch
		err := t.weigh(ctx, func() error {
			took, err := crowd{many: callers, n: n, until: t.end(DefaultFor), do: func(i int) error {
				t.tell("enqueue", i*batch, n*batch)
				return t.timedEnqueue(ctx, batch, calls)
			}}.wait(ctx)
			taken, _ := t.ledger.count()
			t.m.timed(taken, took)
			return err
		})
		if err != nil {
			return err
		}
		t.m.Latency = calls.latency("enqueue call")
		return t.stored(ctx)
	})
}

func (t *trial) timedEnqueue(ctx context.Context, batch int, calls *histogram) error {
	tasks := make([]tq.NewTask, batch)
	for i := range tasks {
		tasks[i] = t.task()
	}
	begun := time.Now()
	_, err := t.enqueue(ctx, tasks...)
	calls.add(time.Since(begun))
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
