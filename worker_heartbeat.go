package tq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The heartbeat of a worker: one call renews every lease it holds, carries the
// newest progress reports, and brings back which leases are lost and which
// tasks are to be cancelled.

const (
	beatMost    = 20 * time.Second // between two calls that tell the registry we live
	reportAfter = time.Second      // newer reports replace a waiting one for so long
)

type heartbeat struct {
	client   Client
	presence *presence
	hands    *hands
	lease    time.Duration
	nudges   chan time.Duration // beat within so long
	trouble  *trouble
	beats    int64
}

func newHeartbeat(p plan, who *presence, h *hands) *heartbeat {
	return &heartbeat{
		client: p.client, presence: who, hands: h, lease: p.lease,
		nudges: make(chan time.Duration, 1), trouble: newTrouble(p.log, "extend leases"),
	}
}

// nudge asks for a beat within d. One that is already asked for is enough.
func (b *heartbeat) nudge(d time.Duration) {
	select {
	case b.nudges <- d:
	default:
	}
}

// Run beats until ctx ends.
func (b *heartbeat) Run(ctx context.Context) error {
	due := time.Now().Add(b.interval())
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case d := <-b.nudges:
			if soon := time.Now().Add(d); soon.Before(due) {
				due = soon
			}
		case <-timer.C:
			due = time.Now().Add(b.beat(ctx))
		}
		timer.Reset(time.Until(due))
	}
}

// interval is a third of the lease, give or take a tenth, so that many workers
// do not beat at once.
func (b *heartbeat) interval() time.Duration {
	b.beats++
	third := float64(min(b.lease/3, beatMost))
	return time.Duration(third * (1 + 0.1*Jitter(b.trouble.seed, b.beats)))
}

// beat sends one heartbeat, if there is a reason to, and answers when to send
// the next.
func (b *heartbeat) beat(ctx context.Context) time.Duration {
	rows := b.hands.renewals()
	next := b.interval()
	if len(rows) == 0 && b.presence.silence() < beatMost-next/2 {
		return next
	}
	parts := slices.Collect(slices.Chunk(rows, MaxBatch))
	if len(parts) == 0 {
		parts = [][]renewal{nil}
	}
	var failed error
	for _, part := range parts {
		if err := b.extend(ctx, part); err != nil {
			failed = err
		}
	}
	if failed != nil {
		return min(next, b.trouble.note(failed))
	}
	b.trouble.over()
	return next
}

// extend renews some leases. Leases count from before the call is sent.
func (b *heartbeat) extend(ctx context.Context, rows []renewal) error {
	in := ExtendIn{Worker: b.presence.speak()}
	for _, r := range rows {
		in.Leases = append(in.Leases, ExtendLease{
			TaskID: r.attempt.task.ID, LeaseToken: r.attempt.token,
			Lease: Duration(b.lease), Progress: r.progress,
		})
	}
	ctx, cancel := context.WithTimeout(ctx, b.lease/3)
	defer cancel()
	sent := time.Now()
	out, err := b.client.Extend(ctx, in)
	if err == nil && len(out.Leases) != len(rows) {
		err = Errorf(CodeInternal, "extend of %d leases was answered with %d", len(rows), len(out.Leases))
	}
	if err != nil {
		b.hands.unsent(rows, !refused(err))
		return err
	}
	for i, r := range rows {
		b.hands.renewed(r.attempt, sent, out.Leases[i])
	}
	return nil
}

// renewal is one row of a heartbeat.
type renewal struct {
	attempt  *attempt
	progress *Progress
}

// renewals lists every lease that is held, also of attempts that wait to be
// settled: naming all tasks of a claim keeps its lease in one piece, and the
// store may be slow. It takes the progress reports along.
func (h *hands) renewals() []renewal {
	h.mu.Lock()
	defer h.mu.Unlock()
	rows := make([]renewal, 0, len(h.held))
	for _, a := range h.held {
		if a.lost {
			continue
		}
		rows = append(rows, renewal{attempt: a, progress: a.progress})
		a.progress = nil
	}
	slices.SortFunc(rows, func(x, y renewal) int { return cmp.Compare(x.attempt.task.ID, y.attempt.task.ID) })
	return rows
}

// unsent puts reports back that did not get through, unless there are newer
// ones or the call was refused, perhaps because of them.
func (h *hands) unsent(rows []renewal, again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range rows {
		if again && r.attempt.progress == nil && r.attempt.stage == stageRunning {
			r.attempt.progress = r.progress
		}
	}
}

// renewed takes the store's answer for one lease. For an attempt on its way to
// be settled the answer to that counts.
func (h *hands) renewed(a *attempt, sent time.Time, answer Settlement) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case a.stage == stageEnded:
	case answer.Error == nil:
		a.renew(sent, answer.LeaseLeft.Std())
		if answer.CancelRequested {
			a.stop(ErrCancelRequested)
		}
	case errors.Is(answer.Error, ErrLeaseLost), errors.Is(answer.Error, ErrNotFound):
		h.lose(a, answer.Error)
	default:
		h.log.Warn("lease not extended", "task", a.task.ID, "error", answer.Error)
	}
}

// lose stops an attempt whose lease is lost; it is never settled.
func (h *hands) lose(a *attempt, why *Error) {
	h.log.Warn("lease lost", "task", a.task.ID, "type", a.task.Type, "reason", why.Reason)
	a.lost = true
	a.stop(fmt.Errorf("%w: %w", ErrLeaseLost, why))
	if i := slices.Index(h.waiting, a); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		h.end(a, verdict{})
	}
	h.changed()
}

// report keeps the newest report of a running attempt for the heartbeat.
func (h *hands) report(a *attempt, p Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.stage != stageRunning {
		return
	}
	if !(p.Fraction >= 0) { // NaN too
		p.Fraction = 0
	}
	a.progress = &Progress{Fraction: min(1, p.Fraction), Note: CleanText(p.Note, MaxDetail)}
	h.reported()
}
