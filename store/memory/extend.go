package memory

import (
	"context"

	tq "example.com/tq"
)

// Extend renews leases and notes progress.
func (s *Store) Extend(ctx context.Context, x tq.Extension) ([]tq.Changed, error) {
	out := make([]tq.Changed, len(x.Leases))
	err := s.write(ctx, func(w *writer) error {
		w.forgive()
		w.seen(x.Worker, "")
		parts := w.parts(x.Leases)
		for i, ref := range x.Leases {
			out[i] = w.extend(ref, &x, parts)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// parts tells of which claims only a part is named.
func (w *writer) parts(refs []tq.LeaseRef) map[int64]bool {
	named := map[int64]bool{}
	for _, ref := range refs {
		if t := w.find(ref.TaskID); t != nil && t.lease != nil && t.state.Epoch == ref.Epoch {
			named[ref.TaskID] = true
		}
	}
	parts := map[int64]bool{}
	for _, t := range w.tasks {
		if t.lease != nil && !named[t.id] {
			parts[t.lease.claim] = true
		}
	}
	return parts
}

func (w *writer) extend(ref tq.LeaseRef, x *tq.Extension, parts map[int64]bool) tq.Changed {
	t := w.find(ref.TaskID)
	if t == nil || !x.Only.Sees(t.asked.Queue, t.asked.Type) {
		return tq.Changed{Err: notFound(ref.TaskID)}
	}
	arg := tq.Arg{Epoch: ref.Epoch}
	step, err := w.rules(w.state(t, tq.EventHeartbeat, arg), tq.EventHeartbeat, arg)
	if err != nil {
		return tq.Changed{State: t.state, Err: err}
	}
	apart := parts[t.lease.claim] && x.Lease > 0
	if x.Lease > 0 {
		t.lease.extend(w.now, x.Lease)
		w.due(tq.At(w.now.Add(sweepBeat)))
	}
	if apart {
		w.claims++
		t.lease.claim = w.claims
	}
	if !apart && ref.Progress == nil {
		return w.changed(t, nil)
	}
	a := act{actor: x.Actor}
	if x.Lease > 0 {
		a.detail.Until = t.lease.until
	}
	if p := ref.Progress; p != nil {
		a.detail.Note, a.detail.Fraction = p.Note, p.Fraction
	}
	w.apply(t, step, a)
	return w.changed(t, step.Facts)
}
