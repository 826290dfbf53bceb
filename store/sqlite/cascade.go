package sqlite

import "example.com/tq"

// What the end, or the rescue, of a task means for those that wait for it. The
// first tq.MaxCascade of them hear of it in the same transaction, the others
// from the sweep (spec T2, T17).

// edge is one dependency that is not satisfied yet.
type edge struct {
	parent int64
	stuck  bool // parent is dead, and it counts as such
}

const (
	insertEdge = `insert into edges (parent, child, policy, stuck) values (?, ?, ?, ?)`
	// Children in pieces: what is told changes the rows that are walked.
	selectChildren = `select child, policy, stuck from edges where parent = ? and child > ? order by child limit ?`
	deleteEdge     = `delete from edges where parent = ? and child = ?`
	deleteEdges    = `delete from edges where child = ? returning parent, stuck`
	stickEdge      = `update edges set stuck = ?3 where parent = ?1 and child = ?2`
	countDown      = `update blocked set open = open - 1 where id = ? returning open`
	countStuckBy   = `update blocked set stuck = stuck + ?2 where id = ?1 returning lane, stuck`
	insertCascade  = `insert into cascades (parent, child) values (?, ?)
		on conflict (parent) do update set child = excluded.child`
	deleteCascade  = `delete from cascades where parent = ?`
	selectCascades = `select parent, child from cascades order by parent limit ?`
	tellPiece      = 100
)

// tell lets the dependants of all that ended know, and theirs in turn.
func (n *turn) tell() error {
	for len(n.toTell) > 0 {
		parent := n.toTell[0]
		n.toTell = n.toTell[1:]
		if err := n.tellDependants(parent, 0); err != nil {
			return err
		}
	}
	return nil
}

// tellDependants goes on behind child after. What n.left does not allow is left
// to the sweep.
func (n *turn) tellDependants(parent, after int64) error {
	p, err := n.subject(parent)
	if err != nil || p == nil {
		return err
	}
	for {
		children, err := n.children(parent, after)
		if err != nil || len(children) == 0 {
			return err
		}
		for _, c := range children {
			if n.left == 0 {
				n.putOff(n.now)
				return n.exec(n.c.sql(insertCascade).int(parent).int(after))
			}
			n.left--
			if err := n.tellOne(c, p); err != nil {
				return err
			}
			after = c.id
		}
	}
}

// child is a task that waits.
type child struct {
	id     int64
	policy tq.OnDepFailure
	stuck  bool
}

func (n *turn) children(parent, after int64) ([]child, error) {
	q := n.c.sql(selectChildren).int(parent).int(after).int(tellPiece)
	var all []child
	for q.next() {
		all = append(all, child{q.colInt(0), policyOf(q.colInt(1)), q.colBool(2)})
	}
	return all, q.end()
}

// tellOne settles one edge, as the rules have it.
func (n *turn) tellOne(c child, p *subject) error {
	switch tq.DepEffect(p.state.Status, c.policy) {
	case tq.Satisfied:
		return n.satisfy(c, p.id)
	case tq.Cancels:
		return n.dependant(c.id, tq.EventDepFailed, p.id)
	case tq.Stuck:
		return n.stick(c, p.id, true)
	}
	return n.stick(c, p.id, false)
}

// satisfy spends the edge, and frees a task that waits for nothing else.
func (n *turn) satisfy(c child, parent int64) error {
	if err := n.stick(c, parent, false); err != nil {
		return err
	}
	if err := n.exec(n.c.sql(deleteEdge).int(parent).int(c.id)); err != nil {
		return err
	}
	n.writes++
	q := n.c.sql(countDown).int(c.id)
	open := int64(-1)
	if q.next() {
		open = q.colInt(0)
	}
	if err := q.end(); err != nil || open != 0 {
		return err
	}
	return n.dependant(c.id, tq.EventUnblock, parent)
}

// dependant does to a waiting task what follows from the end of parent.
func (n *turn) dependant(id int64, ev tq.Event, parent int64) error {
	t, err := n.subject(id)
	if err != nil || t == nil {
		return err
	}
	arg := tq.Arg{}
	if ev == tq.EventUnblock {
		wait := msDuration(max(0, t.first-n.now))
		arg.Delay = &wait
	}
	_, err = n.happen(t, ev, arg, act{actor: systemActor, detail: tq.FactDetail{Cause: parent}})
	return err
}

// stick marks an edge as one to a dead task, or takes the mark off.
func (n *turn) stick(c child, parent int64, stuck bool) error {
	if c.stuck == stuck {
		return nil
	}
	if err := n.exec(n.c.sql(stickEdge).int(parent).int(c.id).bool(stuck)); err != nil {
		return err
	}
	by := int64(1)
	if !stuck {
		by = -1
	}
	n.writes++
	q := n.c.sql(countStuckBy).int(c.id).int(by)
	if !q.next() {
		return q.end()
	}
	lane, left := q.colInt(0), q.colInt(1)
	if stuck && left == 1 || !stuck && left == 0 {
		n.count(lane, countStuck, by)
	}
	return q.end()
}

// revived takes the mark of a dead task off its dependants after a rescue.
func (n *turn) revived(parent int64) error {
	if !n.cache.edges {
		return nil
	}
	left := n.left
	n.left = tq.MaxCascade
	err := n.tellDependants(parent, 0)
	n.left = left
	return err
}

// cutEdges removes what a task waited for when it waits no more. A dead parent
// that was kept for its sake may be deleted now.
func (n *turn) cutEdges(id int64) error {
	if !n.cache.edges {
		return nil
	}
	n.writes++
	q := n.c.sql(deleteEdges).int(id)
	var kept []int64
	for q.next() {
		if q.colBool(1) {
			kept = append(kept, q.colInt(0))
		}
	}
	if err := q.end(); err != nil {
		return err
	}
	for _, parent := range kept {
		if err := n.reconsider(parent); err != nil {
			return err
		}
	}
	return nil
}
