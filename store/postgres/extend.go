package postgres

import (
	"context"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	// selectHeld: how many tasks each grant still holds.
	selectHeld = `select g.id, (select count(*) from tq.facts c
			cross join lateral (select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
			where c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id and x.grant_id = g.id and x.status = 3
			and c.kind in (3, 4)),
			coalesce(g.claim_id, ''), g.worker, g.owner, coalesce(g.deadline, 0)
		from unnest($1::bigint[]) u(id) join tq.grants g on g.id = u.id`

	updateGrants = `update tq.grants g set until = least($2::bigint, coalesce(g.deadline, $2::bigint)), lease = $3
		where g.id = any($1::bigint[])`
)

// heldGrant is a grant as it stands before an extension.
type heldGrant struct {
	grantLine
	tasks int
}

type extending struct {
	*work
	x      *tq.Extension
	grants map[int64]*heldGrant
	named  map[int64]map[int64]bool // tasks named, by grant
	whole  []int64
	out    []tq.Changed
}

// Extend renews leases and notes progress.
func (s *Store) Extend(ctx context.Context, x tq.Extension) ([]tq.Changed, error) {
	ids := make([]int64, len(x.Leases))
	for i, l := range x.Leases {
		ids[i] = l.TaskID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var e *extending
	err := s.write(ctx, func(w *work, b *pgx.Batch) {
		e = &extending{work: w, x: &x, out: make([]tq.Changed, len(x.Leases))}
		w.loadAhead(b, ids)
	}, func(w *work) error {
		if err := w.forgive(); err != nil {
			return err
		}
		if w.forgave {
			w.forget(ids) // their leases last longer than what was read ahead
		}
		if err := w.load(ids); err != nil {
			return err
		}
		return e.run()
	})
	if err != nil {
		return nil, err
	}
	return e.out, nil
}

func (e *extending) run() error {
	e.seen(e.x.Worker, "")
	if err := e.lookUpGrants(); err != nil {
		return err
	}
	for i := range e.x.Leases {
		e.out[i] = e.one(&e.x.Leases[i])
	}
	if len(e.whole) > 0 {
		until := e.now + e.x.Lease.Milliseconds()
		e.others = append(e.others, func(b *pgx.Batch) {
			slices.Sort(e.whole)
			b.Queue(e.texts.of(updateGrants), slices.Compact(e.whole), until, e.x.Lease.Milliseconds())
		})
	}
	return nil
}

// lookUpGrants reads which tasks the grants concerned still hold.
func (e *extending) lookUpGrants() error {
	e.named, e.grants = map[int64]map[int64]bool{}, map[int64]*heldGrant{}
	var rows []*row
	for _, l := range e.x.Leases {
		r := e.find(l.TaskID)
		if r == nil || r.state.Status != tq.Running || r.state.Epoch != l.Epoch {
			continue
		}
		rows = append(rows, r)
		if e.named[r.grant] == nil {
			e.named[r.grant] = map[int64]bool{}
		}
		e.named[r.grant][r.id] = true
	}
	if len(rows) == 0 {
		return nil
	}
	e.shareGrants(rows)
	var ids []int64
	for id := range e.named {
		ids = append(ids, id)
	}
	found, err := e.conn.Query(e.ctx, e.texts.of(selectHeld), ids)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (struct{}, error) {
		g := new(heldGrant)
		err := r.Scan(&g.id, &g.tasks, &g.claimID, &g.worker, &g.owner, &g.deadline)
		e.grants[g.id] = g
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	return e.draw(len(rows))
}

func (e *extending) one(l *tq.LeaseRef) tq.Changed {
	r := e.find(l.TaskID)
	if r == nil || !e.x.Only.Sees(r.lane.name.queue, r.lane.name.typ) {
		err := tq.Errorf(tq.CodeNotFound, "no task %d", l.TaskID)
		err.TaskID = l.TaskID
		return tq.Changed{Err: err}
	}
	step, err := tq.Next(r.state, tq.EventHeartbeat, tq.Arg{Epoch: l.Epoch})
	if err != nil {
		return tq.Changed{State: r.state, Err: err}
	}
	g := e.grants[r.grant]
	apart := g != nil && len(e.named[r.grant]) < g.tasks && e.x.Lease > 0
	if !apart && e.x.Lease > 0 {
		e.whole = append(e.whole, r.grant)
		r.until = bound(e.now+e.x.Lease.Milliseconds(), r.limit)
		e.dueAt(e.now + sweepBeat.Milliseconds())
	}
	if !apart && l.Progress == nil {
		return e.changed(r, nil)
	}
	if apart {
		e.moveApart(r, g)
	}
	a := act{actor: e.x.Actor}
	if e.x.Lease > 0 {
		a.detail.Until = tq.FromMilli(r.until)
	}
	if p := l.Progress; p != nil {
		a.detail.Note, a.detail.Fraction = p.Note, p.Fraction
	}
	e.apply(r, step, a)
	return e.changed(r, step.Facts)
}

// moveApart gives one task of a claim a lease of its own.
func (e *extending) moveApart(r *row, g *heldGrant) {
	own := e.addGrant(grantLine{
		worker: g.worker, owner: g.owner, claimID: g.claimID,
		lease: e.x.Lease.Milliseconds(), deadline: g.deadline,
	})
	own.part = partApart(own.id)
	r.grant, r.until, r.lease = own.id, own.until, own.lease
	e.dueAt(e.now + sweepBeat.Milliseconds())
}
