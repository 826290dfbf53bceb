package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.com/tq"
)

// Loads that slow a naive queue down: a snapshot that nobody closes, and a long
// backlog.

const (
	snapshotFor = 10 * time.Second
	parts       = 10 // of the time; the first is compared with the last
)

// snapshot measures producers and a worker while a snapshot is held open, in
// which the database must keep every row that has been since: the rate in the
// last tenth of the time by that in the second one, when the worker has warmed up.
func snapshot(ctx context.Context, x *session) error {
	if x.Hold == nil {
		return tq.Errorf(tq.CodeInvalid, "snapshot: this database cannot be held open from here").
			WithHint("name a file or postgres:// with --db; a hub keeps its database to itself")
	}
	span := x.span(snapshotFor)
	return x.trial(ctx, fmt.Sprintf("a snapshot held for %s", span), func(ctx context.Context, t *trial) error {
		// Something must have been written, or the snapshot holds nothing.
		if _, err := t.enqueue(ctx, t.task()); err != nil {
			return err
		}
		release, err := t.Hold(ctx)
		if err != nil {
			return err
		}
		flow := newFlow(t)
		pace := newPace(span)
		flow.beat = pace.beat
		err = flow.run(ctx, time.Now().Add(span))
		if released := release(); err == nil {
			err = released
		}
		if err != nil {
			return err
		}
		t.m.timed(flow.worked, flow.took)
		t.m.Kept = pace.kept(flow.worked)
		t.m.Latency = flow.latency.latency("enqueued to begun")
		return t.delivered(ctx)
	})
}

// pace notes how many tasks were worked when each part of the time was over.
type pace struct {
	mu    sync.Mutex
	begun time.Time
	part  time.Duration
	at    []int
}

func newPace(span time.Duration) *pace { return &pace{begun: time.Now(), part: span / parts} }

func (p *pace) beat(worked int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.at) < parts && time.Since(p.begun) >= time.Duration(len(p.at)+1)*p.part {
		p.at = append(p.at, worked)
	}
}

// kept answers what the last part did by what the second did.
func (p *pace) kept(worked int) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.at) < parts {
		p.at = append(p.at, worked)
	}
	first, last := p.at[1]-p.at[0], p.at[parts-1]-p.at[parts-2]
	if first == 0 {
		return 0
	}
	return float64(last) / float64(first)
}

const (
	smallBacklog = 100_000
	largeBacklog = 200_000
)

// backlog measures a drain in batches with few tasks waiting, and with many.
func backlog(ctx context.Context, x *session) error {
	large := x.tasks(largeBacklog)
	small := min(smallBacklog, max(1, large/2))
	first := 0.0
	for _, n := range []int{small, large} {
		name := fmt.Sprintf("%d waiting, 4 callers, batches of %d", n, tq.MaxClaim)
		err := x.trial(ctx, name, func(ctx context.Context, t *trial) error {
			if err := t.heap(ctx, n); err != nil {
				return err
			}
			if err := t.byHand(ctx, fillers, tq.MaxClaim); err != nil {
				return err
			}
			if first > 0 {
				t.m.Kept = t.m.Rate / first
			}
			first = t.m.Rate
			if err := t.rest(ctx); err != nil {
				return err
			}
			return t.delivered(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// heap puts all n tasks in, however long that takes.
func (t *trial) heap(ctx context.Context, n int) error {
	for left := n; left > 0; {
		if err := t.fill(ctx, left, func(int) tq.NewTask { return t.task() }); err != nil {
			return err
		}
		taken, _ := t.ledger.count()
		left = n - taken
		t.tell("fill", taken, n)
	}
	return nil
}
