package sqlite

import (
	"context"
	"time"

	"example.com/tq"
)

// agenda is what a sweep finds to be done, read without writing.
type agenda struct {
	now     int64
	expiry  int64 // when the first lease ends; never if none is held
	delayed int64 // the first run_at; never if there is none
	waiting bool  // cascades, or tasks in the inbox
	outage  bool  // expiry has not run for too long
	roll    bool  // facts wait to be counted in rollups
	unnamed bool  // it is not said yet of all the dead what they died of
	keep    harvest
}

const selectAgenda = `select
	(select min(until) from grants), (select run_at from delayed order by run_at limit 1),
	exists (select 1 from cascades) or exists (select 1 from inbox)`

// Sweep does a bounded bite of what is due. It looks first, and writes only
// when there is something to do.
func (s *Store) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	a, err := s.look(ctx, keep)
	if err != nil {
		return tq.Swept{}, err
	}
	if !a.due() {
		return tq.Swept{More: a.keep.more, NextDue: a.next()}, nil
	}
	var out tq.Swept
	err = s.write(ctx, 0, func(n *turn) error {
		out = tq.Swept{}
		return n.sweep(a, &out)
	})
	if err != nil {
		return tq.Swept{}, err
	}
	after, err := s.look(ctx, keep)
	if err != nil {
		return tq.Swept{}, err
	}
	out.NextDue = after.next()
	out.More = out.More || after.due() || after.keep.more
	return out, nil
}

// look reads what is due now.
func (s *Store) look(ctx context.Context, keep tq.Retention) (*agenda, error) {
	a := &agenda{now: s.now(), expiry: never, delayed: never}
	err := s.read(ctx, func(c *conn) error {
		q := c.sql(selectAgenda)
		if q.next() {
			if !q.colNull(0) {
				a.expiry = q.colInt(0)
			}
			if !q.colNull(1) {
				a.delayed = q.colInt(1)
			}
			a.waiting = q.colBool(2)
		}
		if err := q.end(); err != nil {
			return err
		}
		var err error
		if a.roll, err = toRoll(c, a.now); err != nil {
			return err
		}
		if a.unnamed, err = unnamedLeft(c); err != nil {
			return err
		}
		a.keep, err = s.reap(c, keep, a.now)
		return err
	})
	if err != nil || a.expiry == never {
		return a, err
	}
	gap, err := s.writer.swept.gap(a.now)
	if err != nil {
		return nil, err
	}
	if a.outage = gap > outageGap; a.outage {
		return a, nil
	}
	if a.expiry >= a.now && !s.writer.failing.Load() {
		s.writer.swept.watch(a.now, s.now)
	}
	return a, nil
}

func (a *agenda) due() bool {
	return a.expiry < a.now || a.delayed <= a.now || a.waiting || a.outage || a.roll || a.unnamed || a.keep.due()
}

// next is how long until something is due; 0 when nothing is.
func (a *agenda) next() time.Duration {
	at := min(a.delayed, a.keep.next)
	if a.expiry != never {
		at = min(at, a.expiry+1, a.now+sweepBeat)
	}
	if at == never {
		return 0
	}
	return msDuration(max(1, at-a.now))
}

func (n *turn) sweep(a *agenda, out *tq.Swept) (err error) {
	if err = n.forgive(); err != nil {
		return err
	}
	out.Due = n.due
	if out.Expired, err = n.expire(expireBite); err != nil {
		return err
	}
	n.left = tq.MaxCascade
	if err = n.cascade(); err != nil {
		return err
	}
	out.Cascade = tq.MaxCascade - n.left
	if a.roll {
		if err = n.roll(); err != nil {
			return err
		}
	}
	if a.unnamed {
		if err = n.name(); err != nil {
			return err
		}
	}
	if out.Deleted, err = n.retire(&a.keep); err != nil {
		return err
	}
	out.More = out.Expired == expireBite || out.Due == promoteBite
	return n.forget(&a.keep)
}

// cascade goes on telling the dependants of tasks that had too many.
func (n *turn) cascade() error {
	q := n.c.sql(selectCascades).int(tq.MaxCascade)
	type started struct{ parent, child int64 }
	var all []started
	for q.next() {
		all = append(all, started{q.colInt(0), q.colInt(1)})
	}
	if err := q.end(); err != nil {
		return err
	}
	for _, c := range all {
		if n.left == 0 {
			return nil
		}
		if err := n.exec(n.c.sql(deleteCascade).int(c.parent)); err != nil {
			return err
		}
		if err := n.tellDependants(c.parent, c.child); err != nil {
			return err
		}
	}
	return n.tell()
}
