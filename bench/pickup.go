package bench

import (
	"context"
	"time"

	"example.com/tq"
)

const (
	pickups     = 200
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
			for i := 0; i < pickups && time.Now().Before(until); i++ {
				t.tell("pick up", i, pickups)
				if err := t.pickOne(ctx, began, waits); err != nil {
					return err
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

// pickOne puts one task in and waits for its beginning, which may be sooner
// than the answer.
func (t *trial) pickOne(ctx context.Context, began <-chan time.Time, waits *histogram) error {
	pause := time.NewTimer(pickupPause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := t.enqueue(ctx, t.task()); err != nil {
		return err
	}
	answered := time.Now()
	select {
	case at := <-began:
		waits.add(at.Sub(answered))
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
