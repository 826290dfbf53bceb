package tq

import (
	"context"
	"sync"
	"time"
)

// The sweeper: does what is due at its hour (expired leases, run_at, cascades,
// retention) and sleeps until the next. It needs no leader; any number may run
// on one store.

const (
	sweepIdle   = time.Minute // between looks at a store where nothing is due
	sweepOther  = time.Second // after another process committed
	sweepRepair = 250 * time.Millisecond
	sweepWorst  = 15 * time.Second // between tries while the store is away
)

type sweeper struct {
	store Store
	keep  Retention
	now   func() time.Time
	warn  func(msg string, err error)
	clock clockWatch
	skip  func(by time.Duration, jumps int64) // told of each jump of the clock

	mu   sync.Mutex
	at   time.Time     // when the next bite is planned, by the store's clock
	kick chan struct{} // the plan moved forward
}

// news moves the next bite forward when a commit put something off until
// before it.
func (s *sweeper) news(n News) {
	switch {
	case !n.Due.IsZero():
		s.plan(n.Due.Time)
	case n.Other:
		s.plan(s.now().Add(sweepOther))
	}
}

func (s *sweeper) plan(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !at.Before(s.at) {
		return
	}
	s.at = at
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// Run sweeps until ctx ends. While the store is away it tries again ever more
// rarely.
func (s *sweeper) Run(ctx context.Context) error {
	repair := sweepRepair
	for ctx.Err() == nil {
		s.lookAtClock()
		swept, err := s.store.Sweep(ctx, s.keep)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.warn("sweep", err)
			sleep(ctx, repair, nil)
			repair = min(2*repair, sweepWorst)
			continue
		case swept.More:
			continue
		}
		repair = sweepRepair
		s.rest(ctx, swept.NextDue)
	}
	return ctx.Err()
}

// rest sleeps until the planned moment, which news may move forward meanwhile.
func (s *sweeper) rest(ctx context.Context, due time.Duration) {
	if due <= 0 || due > sweepIdle {
		due = sweepIdle
	}
	s.mu.Lock()
	s.at = s.now().Add(due)
	s.mu.Unlock()
	for ctx.Err() == nil {
		s.mu.Lock()
		left := s.at.Sub(s.now())
		s.mu.Unlock()
		if left <= 0 {
			return
		}
		sleep(ctx, min(left, sweepIdle), s.kick)
		s.lookAtClock()
	}
}

// lookAtClock tells when the store's clock jumped; at least once in sweepIdle.
func (s *sweeper) lookAtClock() {
	if by := s.clock.look(); by != 0 {
		s.skip(by, s.clock.jumps.Load())
	}
}
