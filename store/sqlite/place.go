package sqlite

import "example.com/tq"

// Where a task stands: one row in ready, delayed or blocked while it waits, one
// of the tasks of a grant while it runs, one row in dead when it is, nothing but a
// counter when it has ended well or was cancelled.

const (
	insertReady = `insert into ready (lane, prio, pos, id, rev, epoch, attempt, releases, ready_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	deleteReady   = `delete from ready where lane = ? and prio = ? and pos = ?`
	insertDelayed = `insert into delayed (run_at, id, lane, prio, rev, epoch, attempt, releases)
		values (?, ?, ?, ?, ?, ?, ?, ?)`
	deleteDelayed = `delete from delayed where run_at = ? and id = ?`
	insertBlocked = `insert into blocked (id, lane, prio, open, stuck, rev, epoch, attempt)
		values (?, ?, ?, ?, ?, ?, ?, ?)`
	deleteBlocked = `delete from blocked where id = ? returning stuck`
	insertDead    = `insert into dead (id, lane, rev, epoch, attempt, at) values (?, ?, ?, ?, ?, ?)`
	deleteDead    = `delete from dead where id = ?`
	freeKey       = `delete from keys where queue = ? and key = ? and task_id = ?`
)

// enter writes the row of the place that t has now.
func (n *turn) enter(t *subject) error {
	switch s := &t.state; {
	case s.Status == tq.Pending && t.place != 0:
		return n.stand(t.lane, spot{
			prio: t.prio, pos: t.place, id: t.id, rev: t.rev, epoch: s.Epoch,
			attempt: int64(s.Attempt), releases: int64(s.Releases), readyAt: t.due,
		})
	case s.Status == tq.Pending:
		n.countDelayed(t, 1)
		n.cache.delayed = min(n.cache.delayed, t.due)
		n.putOff(t.due)
		return n.exec(n.c.sql(insertDelayed).int(t.due).int(t.id).int(t.lane).int(t.prio).int(t.rev).
			int(s.Epoch).int(int64(s.Attempt)).int(int64(s.Releases)))
	case s.Status == tq.Blocked:
		return n.block(t)
	}
	n.count(t.lane, bucketOf(t.state.Status), 1)
	if t.state.Status != tq.Dead {
		return nil
	}
	return n.exec(n.c.sql(insertDead).int(t.id).int(t.lane).int(t.rev).int(t.state.Epoch).int(int64(t.state.Attempt)).int(n.now))
}

// leave removes the row of the place that t had.
func (n *turn) leave(t *subject) error {
	switch s := t.state.Status; {
	case s == "":
		return nil
	case s == tq.Pending && t.place != 0:
		n.count(t.lane, countReady, -1)
		n.forgetSpot(t)
		return n.exec(n.c.sql(deleteReady).int(t.lane).int(t.prio).int(t.place))
	case s == tq.Pending:
		n.countDelayed(t, -1)
		return n.exec(n.c.sql(deleteDelayed).int(t.due).int(t.id))
	case s == tq.Blocked:
		return n.leaveBlocked(t)
	case s == tq.Running:
		n.freed[t.grant]++
	}
	return n.leaveEnded(t)
}

// leaveEnded takes away what says of a task that it runs or has ended.
func (n *turn) leaveEnded(t *subject) error {
	n.count(t.lane, bucketOf(t.state.Status), -1)
	if t.state.Status != tq.Dead {
		return nil
	}
	return n.exec(n.c.sql(deleteDead).int(t.id))
}

// stand makes a task claimable.
func (n *turn) stand(laneID int64, s spot) error {
	l, err := n.lane(laneID)
	if err != nil {
		return err
	}
	n.count(laneID, countReady, 1)
	n.ready[l]++
	n.cache.lines.open(l, true).insert(s)
	return n.exec(n.c.sql(insertReady).int(laneID).int(s.prio).int(s.pos).int(s.id).int(s.rev).
		int(s.epoch).int(s.attempt).int(s.releases).int(s.readyAt))
}

func (n *turn) forgetSpot(t *subject) {
	l := n.cache.lines.byLane[t.lane]
	if l == nil {
		return
	}
	if l.remove(t.prio, t.place); l.empty() {
		n.cache.lines.drop(l)
	}
}

func (n *turn) countDelayed(t *subject, by int64) {
	n.count(t.lane, countScheduled, by)
	if t.state.Attempt > 0 {
		n.count(t.lane, countRetrying, by)
	}
}

// block writes the edges that t waits for.
func (n *turn) block(t *subject) error {
	stuck := int64(0)
	for _, e := range t.edges {
		if err := n.exec(n.c.sql(insertEdge).int(e.parent).int(t.id).int(policyCode(t.policy)).bool(e.stuck)); err != nil {
			return err
		}
		if e.stuck {
			stuck++
		}
	}
	n.cache.edges = true
	n.count(t.lane, countBlocked, 1)
	if stuck > 0 {
		n.count(t.lane, countStuck, 1)
	}
	return n.exec(n.c.sql(insertBlocked).int(t.id).int(t.lane).int(t.prio).int(int64(len(t.edges))).int(stuck).
		int(t.rev).int(t.state.Epoch).int(int64(t.state.Attempt)))
}

// leaveBlocked takes t out of blocked, and with it what it still waited for.
func (n *turn) leaveBlocked(t *subject) error {
	n.writes++
	q := n.c.sql(deleteBlocked).int(t.id)
	stuck := q.next() && q.colInt(0) > 0
	if err := q.end(); err != nil {
		return err
	}
	n.count(t.lane, countBlocked, -1)
	if stuck {
		n.count(t.lane, countStuck, -1)
	}
	return n.cutEdges(t.id)
}

// end is what else happens when a task has ended.
func (n *turn) end(t *subject) error {
	n.ended = true
	if n.cache.edges {
		n.toTell = append(n.toTell, t.id)
	}
	if t.key == "" || t.keyUntil != tq.KeyUntilTerminal {
		return nil
	}
	return n.dropKey(t)
}

func (n *turn) dropKey(t *subject) error {
	l, err := n.lane(t.lane)
	if err != nil {
		return err
	}
	return n.exec(n.c.sql(freeKey).text(l.queue).text(t.key).int(t.id))
}

func bucketOf(s tq.Status) int64 {
	switch s {
	case tq.Running:
		return countRunning
	case tq.Completed:
		return countCompleted
	case tq.Dead:
		return countDead
	}
	return countCancelled
}

// lane answers a lane by id, also one that this turn has added.
func (n *turn) lane(id int64) (*lane, error) {
	for _, l := range n.added {
		if l.id == id {
			return l, nil
		}
	}
	return n.s.lanes.get(n.c, id)
}
