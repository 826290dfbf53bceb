package tq

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A shift is one Run of a worker: it starts the parts, waits for the reason to
// stop, and stops in stages.

const (
	flushGrace   = 3 * time.Second // for the store to take the last settlements
	goodbyeGrace = 2 * time.Second // for the registry to hear that we go
	partsGrace   = time.Second     // for calls that do not heed their context
)

type shift struct {
	plan
	presence  *presence
	hands     *hands
	claimer   *claimer
	heartbeat *heartbeat
	settlers  map[Event]*settler
}

func newShift(p plan) *shift {
	s := &shift{plan: p, settlers: map[Event]*settler{}}
	s.presence = &presence{info: p.info, start: time.Now()}
	s.hands = &hands{
		slots: p.info.Slots, ahead: !p.once && !p.agents(), lease: p.lease, executors: p.executors,
		settle: s.settle, reported: func() { s.heartbeat.nudge(reportAfter) }, log: p.log,
		held: map[string]*attempt{},
	}
	s.claimer = newClaimer(p, s.presence, s.hands)
	s.heartbeat = newHeartbeat(p, s.presence, s.hands)
	for _, verb := range []Event{EventComplete, EventFail, EventRelease} {
		x := newSettler(p.client, verb, p.log)
		x.settled, x.other = s.hands.settled, s.settle
		s.settlers[verb] = x
	}
	return s
}

func (s *shift) settle(x settling) { s.settlers[x.event].add(x) }

// run lives through the shift. Heartbeat and settlers outlive ctx: they end
// when the stop has no more use for them. When hurried ends, a stop skips its
// grace.
func (s *shift) run(ctx, hurried context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var parts sync.WaitGroup
	parts.Go(func() { _ = s.heartbeat.Run(life) }) // they only end with life
	for _, x := range s.settlers {
		parts.Go(func() { _ = x.Run(life) })
	}
	claims := make(chan error, 1)
	parts.Go(func() { claims <- s.claimer.Run(ctx) })

	refusal := s.awaitStop(ctx, claims)
	s.stop(life, hurried)
	end()
	s.leave(context.WithoutCancel(ctx), &parts)
	return s.result(refusal)
}

// awaitStop waits until ctx ends, or until the claimer is done and what it
// claimed is too.
func (s *shift) awaitStop(ctx context.Context, claims <-chan error) (refusal error) {
	select {
	case <-ctx.Done():
		return nil
	case refusal = <-claims:
		_ = s.hands.await(ctx, s.hands.idle) // or until ctx ends, and the stop goes on from there
	}
	return refusal
}

// stop is the two-stage stop of spec S42.
func (s *shift) stop(ctx, hurried context.Context) {
	s.presence.draining.Store(true)
	s.hands.close()
	if s.finished(ctx, 0) {
		return
	}
	s.heartbeat.nudge(0)
	if s.finished(hurried, s.grace) {
		return
	}
	s.hands.interrupt()
	if s.finished(ctx, s.killGrace) {
		return
	}
	s.hands.abandon()
	s.finished(ctx, flushGrace)
}

// finished waits at most d until nothing is held any more.
func (s *shift) finished(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return s.hands.await(ctx, s.hands.idle) == nil
}

// leave waits for the parts and says goodbye, which frees at once what leases
// there may still be. Neither takes long, even with a Client that does not heed
// its context.
func (s *shift) leave(ctx context.Context, parts *sync.WaitGroup) {
	if !within(partsGrace, parts.Wait) {
		s.log.Warn("the queue does not answer, leaving all the same")
	}
	within(goodbyeGrace, func() {
		ctx, cancel := context.WithTimeout(ctx, goodbyeGrace)
		defer cancel()
		_, err := s.client.RemoveWorker(ctx, RemoveWorkerIn{ID: s.info.ID})
		if err != nil && !errors.Is(err, ErrNotFound) {
			s.log.Warn("say goodbye", "error", err)
		}
	})
}

// within runs f, and reports whether it came back in time.
func within(d time.Duration, f func()) bool {
	back := make(chan struct{})
	go func() {
		defer close(back)
		f()
	}()
	select {
	case <-back:
		return true
	case <-time.After(d):
		return false
	}
}

func (s *shift) result(refusal error) error {
	var left error
	if n := s.hands.unfinished(); n > 0 {
		left = ErrTasksReleased
		s.log.Warn("stopped with tasks released", "tasks", n)
	}
	if refusal != nil {
		refusal = fmt.Errorf("claim tasks: %w", refusal)
	}
	return errors.Join(refusal, left)
}
