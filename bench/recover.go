package bench

import (
	"context"
	"time"

	"example.com/tq"
)

const (
	lostTasks  = 100
	lostLease  = tq.MinLease
	recoverEnd = 10 * time.Second // after the lease: then it is broken
)

// recoverLost measures how soon the tasks of a worker that died are begun again
// by another one, counted from the moment their lease ends.
func recoverLost(ctx context.Context, x *session) error {
	return x.trial(ctx, "a worker dies with 100 tasks", func(ctx context.Context, t *trial) error {
		if err := t.fill(ctx, lostTasks, func(int) tq.NewTask { return t.task() }); err != nil {
			return err
		}
		end, err := t.die(ctx)
		if err != nil {
			return err
		}
		waits, again := new(histogram), make(chan struct{}, lostTasks)
		w := t.worker(16, func(*tq.Task, int) error {
			waits.add(time.Since(end))
			again <- struct{}{}
			return nil
		})
		if err := beside(ctx, w, func(ctx context.Context) error { return t.await(ctx, again, time.Until(end)+recoverEnd) }); err != nil {
			return err
		}
		t.m.timed(int(waits.n), time.Since(end))
		t.m.Latency = waits.latency("end of the lease to begun again")
		return t.delivered(ctx)
	})
}

// die claims all tasks, begins them, and is heard of no more. It answers when
// its lease ends.
func (t *trial) die(ctx context.Context) (time.Time, error) {
	tasks, err := t.claim(ctx, lostTasks, lostLease)
	if err != nil {
		return time.Time{}, err
	}
	end := time.Now().Add(lostLease)
	for i := range tasks {
		t.ledger.run(tasks[i].ID)
	}
	return end, nil
}

// await waits for all lost tasks, or until the time is up: the ledger tells.
func (t *trial) await(ctx context.Context, again <-chan struct{}, most time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	for i := range lostTasks {
		t.tell("recover", i, lostTasks)
		select {
		case <-again:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}
