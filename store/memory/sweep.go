package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	tq "example.com/tq"
)

const (
	expireBite = 100
	deleteBite = 100

	// sweepBeat is how often expiry wants to run while leases are held: a gap
	// in it of more than outageGap is an outage (spec S11).
	sweepBeat = time.Second
	outageGap = tq.OutageGap
)

// Sweep does a bounded bite of what is due.
func (s *Store) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	var out tq.Swept
	err := s.write(ctx, func(w *writer) error {
		w.forgive()
		for _, p := range w.news.Ready {
			out.Due += p.N
		}
		out.Expired = w.expire(expireBite)
		w.left = tq.MaxCascade
		for _, parent := range slices.Sorted(maps.Keys(w.telling)) {
			w.tellDependants(parent, w.telling[parent])
		}
		w.cascade()
		out.Cascade = tq.MaxCascade - w.left
		out.Deleted = w.retire(keep)
		w.dropFacts(keep)
		w.dropRollups()
		out.More = out.Expired == expireBite || out.Deleted == deleteBite || len(w.telling) > 0
		out.NextDue = w.nextDue(keep)
		return nil
	})
	return out, err
}

// forgive notes that expiry can run. If it could not for a while, the leases
// last longer by that, at most by their own length: their holders could not
// reach us.
func (w *writer) forgive() {
	gap := w.now.Sub(w.swept.Time)
	w.swept = w.now
	held := false
	for _, t := range w.tasks {
		held = held || t.lease != nil
	}
	if !held || gap <= outageGap {
		return
	}
	w.grace = 0
	for _, t := range w.tasks {
		if l := t.lease; l != nil {
			late := min(gap, l.length)
			l.until = l.bound(tq.At(l.until.Add(late)))
			w.grace = max(w.grace, late)
		}
	}
}

// expire ends leases that have run out, those first that did first.
func (w *writer) expire(limit int) int {
	var over []*task
	for _, t := range w.tasks {
		if t.lease != nil && t.lease.until.Before(w.now.Time) {
			over = append(over, t)
		}
	}
	slices.SortStableFunc(over, func(a, b *task) int {
		return cmp.Or(a.lease.until.Compare(b.lease.until.Time), cmp.Compare(a.lease.claim, b.lease.claim))
	})
	over = over[:min(limit, len(over))]
	for _, t := range over {
		w.expireOne(t, systemActor)
	}
	w.cascade()
	return len(over)
}

func (w *writer) expireOne(t *task, actor string) {
	arg := tq.Arg{
		Epoch:    t.state.Epoch,
		TimedOut: t.lease.timedOut() && t.lease.until.Before(w.now.Time),
		Jitter:   tq.Jitter(t.id, t.state.Epoch),
	}
	a := act{actor: actor}
	if arg.TimedOut {
		a.detail.Error = fmt.Sprintf("timed out after %s s", strconv.FormatFloat(t.asked.Timeout.Std().Seconds(), 'f', -1, 64))
	}
	w.event(t, tq.EventExpire, arg, a)
}

// retire deletes what ended long ago and nobody waits for.
func (w *writer) retire(keep tq.Retention) int {
	n := 0
	for _, t := range slices.Clone(w.tasks) {
		d, ok := keeps(keep, t)
		if n == deleteBite || !ok || !t.ended.Add(d).Before(w.now.Time) {
			continue
		}
		if w.delete(t, systemActor) {
			n++
		}
	}
	return n
}

// delete deletes t unless a rule stands against it.
func (w *writer) delete(t *task, actor string) bool {
	if !w.event(t, tq.EventDelete, tq.Arg{}, act{actor: actor}) {
		return false
	}
	w.remove(t)
	return true
}

// keeps is how long t is kept after its end; false: as long as it likes.
func keeps(keep tq.Retention, t *task) (time.Duration, bool) {
	if !t.state.Status.Terminal() {
		return 0, false
	}
	d := keep.Of(t.asked.Queue, t.state.Status)
	return d, d >= 0
}

// dropFacts drops the facts of tasks that were deleted long ago.
func (w *writer) dropFacts(keep tq.Retention) {
	d := cmp.Or(keep.Facts, tq.KeepFacts)
	if d < 0 {
		return
	}
	for id, facts := range w.history {
		last := facts[len(facts)-1]
		if last.Kind == tq.FactDeleted && last.At.Add(d).Before(w.now.Time) {
			delete(w.history, id)
		}
	}
	w.journal = slices.DeleteFunc(w.journal, func(r *record) bool { return r.TaskID != 0 && w.history[r.TaskID] == nil })
}

// nextDue is how long until something is due, 0 when nothing is.
func (w *writer) nextDue(keep tq.Retention) time.Duration {
	var next time.Duration
	at := func(d time.Duration) {
		d = max(d, time.Millisecond)
		if next == 0 || d < next {
			next = d
		}
	}
	for _, t := range w.tasks {
		switch d, ok := keeps(keep, t); {
		case t.lease != nil:
			at(min(sweepBeat, t.lease.until.Sub(w.now.Time)+time.Millisecond))
		case t.delayed && t.state.Status == tq.Pending:
			at(t.runAt.Sub(w.now.Time))
		case ok && w.openDependants(t.id) == 0:
			at(max(sweepBeat, t.ended.Add(d).Sub(w.now.Time)+time.Millisecond)) // retention has time
		}
	}
	return next
}
