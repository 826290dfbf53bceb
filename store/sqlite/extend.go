package sqlite

import (
	"context"

	"example.com/tq"
)

// Extend renews leases and notes progress.
func (s *Store) Extend(ctx context.Context, x tq.Extension) ([]tq.Changed, error) {
	var out []tq.Changed
	err := s.write(ctx, 0, func(n *turn) error {
		out = make([]tq.Changed, len(x.Leases))
		if err := n.forgive(); err != nil {
			return err
		}
		if err := n.saw(x.Worker, ""); err != nil {
			return err
		}
		e := extension{turn: n, x: &x, grants: make(map[int64]*renewal)}
		if err := e.survey(); err != nil {
			return err
		}
		for i := range x.Leases {
			if err := e.extend(&x.Leases[i], &out[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// extension is one Extend at work.
type extension struct {
	*turn
	x      *tq.Extension
	grants map[int64]*renewal
}

// renewal is a grant that is named.
type renewal struct {
	*grant
	named   map[int64]bool
	renewed bool
}

// part reports whether the grant holds tasks that are not named.
func (r *renewal) part() bool { return int64(len(r.named)) < r.held }

// survey finds out which tasks of which grants are named.
func (e *extension) survey() error {
	for _, ref := range e.x.Leases {
		t, err := e.subject(ref.TaskID)
		if err != nil {
			return err
		}
		if t == nil || t.state.Status != tq.Running || t.state.Epoch != ref.Epoch {
			continue
		}
		r := e.grants[t.grant]
		if r == nil {
			g, err := e.grant(t.grant)
			if err != nil || g == nil {
				return err
			}
			r = &renewal{grant: g, named: make(map[int64]bool)}
			e.grants[t.grant] = r
		}
		r.named[t.id] = true
	}
	return nil
}

func (e *extension) extend(ref *tq.LeaseRef, out *tq.Changed) error {
	t, err := e.seen(ref.TaskID, e.x.Only)
	switch {
	case err != nil:
		return err
	case t == nil:
		out.Err = notFound(ref.TaskID)
		return nil
	}
	step, err := tq.Next(t.state, tq.EventHeartbeat, tq.Arg{Epoch: ref.Epoch})
	if err != nil {
		out.State, out.Err = t.state, err
		return nil
	}
	r := e.grants[t.grant]
	if r == nil { // a second row for a task that now has a grant of its own
		g, err := e.grant(t.grant)
		if err != nil || g == nil {
			return err
		}
		r = &renewal{grant: g, named: map[int64]bool{t.id: true}}
		e.grants[t.grant] = r
	}
	apart := e.x.Lease > 0 && r.part()
	if err := e.renew(t, r, apart); err != nil {
		return err
	}
	if apart || ref.Progress != nil {
		out.Facts = step.Facts
		if err := e.apply(t, step, e.heartbeat(t, ref)); err != nil {
			return err
		}
	}
	return e.answer(t, out)
}

// renew makes the lease of t last longer: with all of its grant, or apart.
func (e *extension) renew(t *subject, r *renewal, apart bool) error {
	lease := e.x.Lease.Milliseconds()
	if lease == 0 {
		return nil
	}
	e.putOff(e.now + sweepBeat)
	if apart {
		own := *r.grant
		own.id, own.held = e.seq(), 1
		own.last(e.now, lease)
		e.freed[r.id]++
		t.grant = own.id
		e.grants[own.id] = &renewal{grant: &own, named: map[int64]bool{t.id: true}, renewed: true}
		return e.insertGrant(&own)
	}
	if r.renewed {
		return nil
	}
	r.renewed = true
	r.last(e.now, lease)
	return e.exec(e.c.sql(updateGrant).int(lease).int(r.until).int(r.id))
}

// heartbeat is what the fact of an extension tells.
func (e *extension) heartbeat(t *subject, ref *tq.LeaseRef) act {
	a := act{actor: e.x.Actor}
	if e.x.Lease > 0 {
		a.detail.Until = tq.FromMilli(e.grants[t.grant].until)
	}
	if p := ref.Progress; p != nil {
		a.detail.Note, a.detail.Fraction = p.Note, p.Fraction
	}
	return a
}
