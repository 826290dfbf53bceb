package tq

import (
	"sync/atomic"
	"time"
)

// maxSkip is how far the store's clock may run apart from the time that passes
// between two looks before it counts as a jump (spec S10).
const maxSkip = time.Second

// clockWatch holds the store's clock against the time that this process sees
// pass. Leases end early when the clock jumps forward, late when it jumps back;
// nothing breaks, but somebody should know.
type clockWatch struct {
	now   func() time.Time
	jumps atomic.Int64

	wall, passed time.Time // at the last look
}

// look answers how far the clock jumped since the last look, 0 if it did not.
// Only one goroutine looks.
func (c *clockWatch) look() time.Duration {
	wall, passed := c.now().Round(0), time.Now() // Round drops the reading that knows no jumps
	jump := wall.Sub(c.wall) - passed.Sub(c.passed)
	first := c.passed.IsZero()
	c.wall, c.passed = wall, passed
	if first || jump.Abs() <= maxSkip {
		return 0
	}
	c.jumps.Add(1)
	return jump
}
