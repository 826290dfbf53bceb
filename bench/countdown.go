package bench

import (
	"context"
	"sync"
	"time"
)

// stall is how long nothing may end before a measure is given up. Its ledger
// then tells what was lost.
const stall = 30 * time.Second

// countdown counts tasks that have ended, down to none.
type countdown struct {
	mu      sync.Mutex
	count   int
	changed chan struct{} // holds one word of a change
}

func newCountdown(n int) *countdown {
	return &countdown{count: n, changed: make(chan struct{}, 1)}
}

func (c *countdown) one() {
	c.mu.Lock()
	c.count--
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *countdown) left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// awaitAll waits until all have ended, or until none has for a while.
func (t *trial) awaitAll(ctx context.Context, c *countdown, n int) error {
	for left := c.left(); left > 0; left = c.left() {
		t.tell("work", n-left, n)
		timer := time.NewTimer(stall)
		select {
		case <-c.changed:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		timer.Stop()
	}
	return nil
}
