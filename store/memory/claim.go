package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	tq "example.com/tq"
)

// Claim leases up to q.Max tasks.
func (s *Store) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	var out tq.Claims
	err := s.write(ctx, func(w *writer) error {
		w.forgive()
		w.seen(q.Worker, q.Owner)
		out.Paused = w.pausedOf(q.Queues)
		if out.Tasks = w.replay(q.ClaimID); len(out.Tasks) > 0 {
			return nil
		}
		picked := w.pick(&q)
		if len(picked) == 0 && w.expire(expireBite) > 0 {
			picked = w.pick(&q)
		}
		out.Tasks = w.grant(picked, &q)
		if len(picked) == 0 {
			out.NextDue = w.nextOf(&q)
		}
		return nil
	})
	return out, err
}

// replay answers a claim that was made before with what is still held of it.
func (w *writer) replay(claimID string) []tq.Claimed {
	if claimID == "" {
		return nil
	}
	var held []*task
	for _, t := range w.tasks {
		if t.lease != nil && t.lease.claimID == claimID {
			held = append(held, t)
		}
	}
	slices.SortFunc(held, func(a, b *task) int { return cmp.Compare(a.lease.place, b.lease.place) })
	out := make([]tq.Claimed, len(held))
	for i, t := range held {
		out[i] = w.claimed(t)
	}
	return out
}

// pick chooses what to claim: in each queue the highest priority first, then
// who is ready longest; the queues in turn, in the order of their names behind
// the one that was served last.
func (w *writer) pick(q *tq.ClaimQuery) []*task {
	byQueue := map[string][]*task{}
	for _, t := range w.tasks {
		if w.wanted(t, q) && t.ready(w.now) {
			byQueue[t.asked.Queue] = append(byQueue[t.asked.Queue], t)
		}
	}
	names := slices.Sorted(maps.Keys(byQueue))
	behind, _ := slices.BinarySearch(names, q.After+"\x00")
	names = slices.Concat(names[behind:], names[:behind])
	for _, all := range byQueue {
		slices.SortFunc(all, func(a, b *task) int {
			return cmp.Or(cmp.Compare(b.asked.Priority, a.asked.Priority), cmp.Compare(a.pos, b.pos), cmp.Compare(a.id, b.id))
		})
	}
	var picked []*task
	for turn := 0; len(picked) < q.Max; turn++ {
		before := len(picked)
		for _, name := range names {
			if turn < len(byQueue[name]) && len(picked) < q.Max {
				picked = append(picked, byQueue[name][turn])
			}
		}
		if len(picked) == before {
			break
		}
	}
	return picked
}

// wanted reports whether q asks for tasks such as t.
func (w *writer) wanted(t *task, q *tq.ClaimQuery) bool {
	n := &t.asked
	switch {
	case w.paused[n.Queue],
		!q.Only.Sees(n.Queue, n.Type),
		len(q.Queues) > 0 && !slices.Contains(q.Queues, n.Queue),
		len(q.Types) > 0 && !slices.Contains(q.Types, n.Type),
		len(q.Types) == 0 && slices.Contains(q.NotTypes, n.Type),
		q.Project != "" && q.Project != n.Project:
		return false
	}
	return true
}

// grant leases what was picked. Tasks with the same timeout share a lease.
func (w *writer) grant(picked []*task, q *tq.ClaimQuery) []tq.Claimed {
	claims := map[tq.Duration]int64{}
	out := make([]tq.Claimed, 0, len(picked))
	for i, t := range picked {
		claim, ok := claims[t.asked.Timeout]
		if !ok {
			w.claims++
			claim = w.claims
			claims[t.asked.Timeout] = claim
		}
		l := &lease{claim: claim, place: i, claimID: q.ClaimID, worker: holder(q), owner: q.Owner}
		if t.asked.Timeout > 0 {
			l.deadline = tq.At(w.now.Add(t.asked.Timeout.Std()))
		}
		l.extend(w.now, q.Lease)
		t.lease = l
		if !w.event(t, tq.EventClaim, tq.Arg{}, act{actor: claimer(q), detail: tq.FactDetail{Until: l.until}}) {
			t.lease = nil
			continue
		}
		out = append(out, w.claimed(t))
		w.due(tq.At(w.now.Add(sweepBeat)))
	}
	return out
}

// holder is who a lease is held by: the incarnation, so that a worker that comes
// back under its old name holds nothing of the one before.
func holder(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.ID, q.Worker.Name, q.Owner) }

// claimer is who claimed, as the fact names it: the label if there is one.
func claimer(q *tq.ClaimQuery) string { return cmp.Or(q.Worker.Name, q.Worker.ID, q.Owner) }

func (w *writer) claimed(t *task) tq.Claimed {
	return tq.Claimed{Task: w.view(t, w.now, true), Lease: t.lease.left(w.now)}
}

// nextOf is how long until the next task that q asks for is due, 0 for none.
func (w *writer) nextOf(q *tq.ClaimQuery) time.Duration {
	var next time.Duration
	for _, t := range w.tasks {
		if t.state.Status != tq.Pending || !t.delayed || !w.wanted(t, q) {
			continue
		}
		if d := t.runAt.Sub(w.now.Time); next == 0 || d < next {
			next = d
		}
	}
	return next
}
