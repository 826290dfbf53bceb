package bench

import (
	"context"
	"time"

	"example.com/tq"
)

const (
	pickups     = 300
	unmeasured  = 5                    // at first the worker is not idle yet, and its connections are new
	pickupPause = 5 * time.Millisecond // for the worker to be idle again
)

// pickup measures how soon an idle worker begins a task.
func pickup(ctx context.Context, x *session) error {
	return x.trial(ctx, "idle worker, one task at a time", func(ctx context.Context, t *trial) error {
		began := make(chan time.Time, 1)
		w := t.worker(4, func(*tq.Task, int) error {
			began <- time.Now()
			return nil
		})
		waits := new(histogram)
		until := t.end(2 * DefaultFor)
		begun := time.Now()
		err := beside(ctx, w, func(ctx context.Context) error {
			for i := 0; i < pickups && (i <= unmeasured || time.Now().Before(until)); i++ {
				t.tell("pick up", i, pickups)
				took, err := t.pickOne(ctx, began)
				if err != nil {
					return err
				}
				if i >= unmeasured {
					waits.add(took)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		t.m.timed(int(waits.n), time.Since(begun))
		t.m.Rate = 0 // the pauses say more than the queue
		t.m.Latency = waits.latency("answered to begun")
		return t.delivered(ctx)
	})
}

// pickOne puts one task in and answers when it began after the answer; it may
// have been sooner.
func (t *trial) pickOne(ctx context.Context, began <-chan time.Time) (time.Duration, error) {
	pause := time.NewTimer(pickupPause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if _, err := t.enqueue(ctx, t.task()); err != nil {
		return 0, err
	}
	answered := time.Now()
	select {
	case at := <-began:
		return at.Sub(answered), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
