package memory

import (
	"context"
	"iter"
	"maps"
	"slices"

	tq "example.com/tq"
)

// Check walks every task, also those that only facts are left of, and names
// each broken invariant.
func (s *Store) Check(ctx context.Context) ([]tq.Violation, error) {
	var found []tq.Violation
	err := s.read(ctx, func(now tq.Time) {
		audit := tq.Audit{Now: now.Time, Grace: s.grace, Secret: s.secret}
		for _, id := range slices.Sorted(maps.Keys(s.history)) {
			found = append(found, audit.Task(s.audit(id, now))...)
		}
		found = append(found, audit.Counts(s.count(now))...)
	})
	return found, err
}

func (s *Store) audit(id int64, now tq.Time) tq.TaskAudit {
	a := tq.TaskAudit{ID: id, Facts: s.factsOf(id)}
	t := s.find(id)
	if t == nil {
		return a
	}
	n := &t.asked
	a.Exists = true
	a.Queue, a.Type, a.Project = n.Queue, n.Type, n.Project
	a.MaxAttempts, a.OnDepFailure = n.MaxAttempts, n.OnDepFailure
	a.Result = t.result
	if facts := s.history[id]; t.state.Status == tq.Completed {
		a.Hash = facts[len(facts)-1].hash
	}
	if p, ok := s.placeOf(t, now); ok {
		a.Places = []tq.PlaceAudit{p}
	}
	for _, dep := range t.deps {
		a.Deps = append(a.Deps, s.dependency(t, dep))
	}
	a.OpenCount, a.StuckCount = len(t.open), s.stuck(t)
	a.Key, a.KeyUntil, a.KeyHolder = n.IdempotencyKey, n.KeyUntil, s.keys[t.key()]
	return a
}

func (s *Store) factsOf(id int64) iter.Seq[tq.Fact] {
	return func(yield func(tq.Fact) bool) {
		for _, r := range s.history[id] {
			if !yield(r.Fact) {
				return
			}
		}
	}
}

func (s *Store) placeOf(t *task, now tq.Time) (tq.PlaceAudit, bool) {
	p := tq.PlaceAudit{Rev: s.rev(t.id), Epoch: t.state.Epoch, Attempt: t.state.Attempt}
	switch {
	case t.lease != nil:
		p.Place, p.Until = tq.HeldPlace, t.lease.until
	case t.ready(now):
		p.Place = tq.ReadyPlace
	case t.state.Status == tq.Pending:
		p.Place = tq.DelayedPlace
	case len(t.open) > 0:
		p.Place = tq.BlockedPlace
	case t.state.Status == tq.Dead:
		p.Place = tq.DeadPlace
	default:
		return p, false
	}
	return p, true
}

func (s *Store) dependency(t *task, id int64) tq.DependencyRow {
	d := tq.DependencyRow{ID: id, Open: t.open[id]}
	_, d.Telling = s.telling[id]
	if p := s.find(id); p != nil {
		d.Status = p.state.Status
		d.Stuck = d.Open && tq.DepEffect(d.Status, t.asked.OnDepFailure) == tq.Stuck
	}
	return d
}
