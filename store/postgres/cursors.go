package postgres

import (
	"context"
	"sync"
	"time"
)

// Cursors: where in a lane's line of fresh tasks the next claim begins. Rows
// that were claimed stay in the index until no snapshot needs them; beginning
// behind them keeps a claim's cost flat however old the oldest snapshot is.
//
// A cursor moves to the last row taken, but never past the floor (what commits
// later may stand below) and never past a row that was seen and not taken (who
// holds it may yet roll back). What returns to an old place stands in the
// line's other half and is read from the start.
type cursors struct {
	mu    sync.Mutex
	after map[int32]int64
	floor int64
	asked time.Time
}

// floorAge is how old the floor may be that bounds the cursors; an old one is
// only lower.
const floorAge = 100 * time.Millisecond

func newCursors() *cursors { return &cursors{after: map[int32]int64{}} }

func (c *cursors) of(lane int32) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.after[lane]
}

// advance moves a cursor after the commit that took everything up to pos.
func (c *cursors) advance(lane int32, pos int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after[lane] = max(c.after[lane], min(pos, c.floor))
}

// freshen reads the floor when the known one is old.
func (c *cursors) freshen(ctx context.Context, w *work) error {
	c.mu.Lock()
	due := time.Since(c.asked) > floorAge
	if due {
		c.asked = time.Now()
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	floor, err := w.Store.floor(ctx, w.conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.floor = max(c.floor, floor)
	return err
}
