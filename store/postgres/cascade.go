package postgres

import (
	"cmp"
	"maps"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// What the end of a task means for those that wait for it (T2, T17, S32), and
// what its rescue does. The first tq.MaxCascade of them are told in the same
// transaction; for the rest a row in cascades says where the sweep goes on.

const (
	selectEdges = `select e.parent, e.child, e.policy, e.stuck from unnest($1::bigint[], $2::bigint[]) u(parent, after)
		cross join lateral (select * from tq.edges e where e.parent = u.parent and e.child > u.after order by e.parent, e.child limit $3::bigint) e
		order by e.parent, e.child limit $3::bigint`
	insertCascade = `insert into tq.cascades (parent, child) values ($1, $2)
		on conflict (parent) do update set child = least(tq.cascades.child, excluded.child)`
	takeCascades   = `select parent, child from tq.cascades order by parent limit 20 for update skip locked`
	deleteCascades = `delete from tq.cascades where parent = any($1::bigint[])`

	// systemActor is who does what nobody asked for by name.
	systemActor = "tq"
)

// cascade tells the dependants of all that ended or was revived so far.
func (w *work) cascade() error {
	for len(w.told) > 0 {
		first := map[int64]int{}
		for i, id := range w.told {
			if _, twice := first[id]; !twice {
				first[id] = i
			}
		}
		w.told = nil
		parents := slices.Sorted(maps.Keys(first))
		if err := w.tell(parents, make([]int64, len(parents)), first); err != nil {
			return err
		}
	}
	return nil
}

// tell goes on behind the child that after names for each parent. Who waits for
// several of them hears of that which ended first.
func (w *work) tell(parents, after []int64, first map[int64]int) error {
	edges, err := w.flushAndSelect(parents, after)
	if err != nil || len(edges) == 0 {
		return err
	}
	if len(edges) > w.left {
		w.later(parents, after, edges[:w.left], edges[w.left].parent)
		edges = edges[:w.left]
	}
	w.left -= len(edges)
	if err := w.loadChildren(edges); err != nil {
		return err
	}
	if err := w.drawFor(2 * len(edges)); err != nil {
		return err
	}
	slices.SortStableFunc(edges, func(a, b edgeLine) int { return cmp.Compare(first[a.parent], first[b.parent]) })
	for _, e := range edges {
		w.tellOne(e)
	}
	return nil
}

// flushAndSelect writes what is collected, and in a later statement of the same
// round trip looks for edges: whoever was about to wait for one of the parents
// either has committed its edge by then or sees the parent's end.
func (w *work) flushAndSelect(parents, after []int64) ([]edgeLine, error) {
	b := new(pgx.Batch)
	if err := w.collect(b); err != nil {
		return nil, err
	}
	var edges []edgeLine
	b.Queue(w.texts.of(selectEdges), parents, after, w.left+1).Query(func(rows pgx.Rows) (err error) {
		edges, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (edgeLine, error) {
			var e edgeLine
			return e, r.Scan(&e.parent, &e.child, &e.policy, &e.stuck)
		})
		return err
	})
	return edges, w.conn.SendBatch(w.ctx, b).Close()
}

// later leaves what goes beyond this transaction's share to the sweep: of the
// parent that was cut short what stands behind the last child told, of the
// parents after it everything.
func (w *work) later(parents, after []int64, done []edgeLine, cut int64) {
	behind := map[int64]int64{}
	for _, e := range done {
		behind[e.parent] = e.child
	}
	for i, parent := range parents {
		if parent >= cut {
			child := max(after[i], behind[parent])
			w.others = append(w.others, func(b *pgx.Batch) { b.Queue(w.texts.of(insertCascade), parent, child) })
		}
	}
	w.dueAt(w.now)
}

// loadChildren locks the counts of the blocked and reads them; parents are
// known already, or read here when the sweep goes on.
func (w *work) loadChildren(edges []edgeLine) error {
	var children, parents []int64
	for _, e := range edges {
		parents = append(parents, e.parent)
		if w.rows[e.child] == nil {
			children = append(children, e.child)
		}
	}
	if err := w.load(parents); err != nil {
		return err
	}
	return w.lockBlocked(slices.Compact(children))
}

// tellOne settles one edge, as the rules have it.
func (w *work) tellOne(e edgeLine) {
	p, r := w.find(e.parent), w.find(e.child)
	if p == nil || r == nil || r.state.Status != tq.Blocked {
		return
	}
	a := act{actor: systemActor, detail: tq.FactDetail{Cause: e.parent}}
	switch tq.DepEffect(p.state.Status, policyOf(e.policy)) {
	case tq.Satisfied:
		w.spent = append(w.spent, e)
		r.state.OpenDeps--
		r.stuck -= int(e.stuck)
		if r.state.OpenDeps == 0 {
			wait := max(0, msDuration(r.asked.runAt-w.now))
			w.event(r, tq.EventUnblock, tq.Arg{Delay: &wait}, a)
		}
	case tq.Cancels:
		w.event(r, tq.EventDepFailed, tq.Arg{}, a)
	case tq.Stuck:
		w.mark(r, e, 1)
	case tq.StillOpen:
		w.mark(r, e, 0)
	}
}

// mark notes on the edge whether its parent is dead.
func (w *work) mark(r *row, e edgeLine, stuck int16) {
	if e.stuck == stuck {
		return
	}
	r.stuck += int(stuck - e.stuck)
	e.stuck = stuck
	w.marks = append(w.marks, e)
}

// event does to r what the store itself knows to be possible.
func (w *work) event(r *row, ev tq.Event, arg tq.Arg, a act) bool {
	step, err := tq.Next(r.state, ev, arg)
	if err != nil {
		return false
	}
	w.apply(r, step, a)
	return true
}
