package sqlite

import (
	"context"
	"errors"
	"time"

	"example.com/tq"
)

// Change applies one event to each of many tasks, row by row.
func (s *Store) Change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	var out []tq.Changed
	size := 0
	for i := range changes {
		size += len(changes[i].Body)
	}
	err := s.write(ctx, size, func(n *turn) error {
		out = make([]tq.Changed, len(changes))
		for i := range changes {
			if err := n.change(&changes[i], &out[i]); err != nil {
				return err
			}
			if err := n.tell(); err != nil {
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

func (n *turn) change(c *tq.Change, out *tq.Changed) error {
	t, err := n.seen(c.TaskID, c.Only)
	switch {
	case err != nil:
		return err
	case t == nil:
		return n.deleted(c, out)
	}
	force := c.Arg.Force && t.state.Status == tq.Running
	step, err := n.happen(t, c.Event, c.Arg, act{
		actor: c.Actor, hash: &c.Arg.Hash, body: c.Body, detail: tq.FactDetail{Force: force},
	})
	switch {
	case isRefusal(err):
		out.State, out.Err = t.state, err
		return nil
	case err != nil:
		return err
	case step.Replayed:
		return n.firstAnswer(t, c.Arg.Epoch, step.Late, out)
	}
	out.Facts, out.Late = step.Facts, step.Late
	return n.answer(t, out)
}

// deleted answers a settle that is repeated after its task was deleted.
func (n *turn) deleted(c *tq.Change, out *tq.Changed) error {
	out.Err = notFound(c.TaskID)
	if !c.Event.Settles() {
		return nil
	}
	lane, err := n.number(n.c.sql(selectSettledLane).int(c.TaskID).int(c.Arg.Epoch))
	if err != nil || lane == 0 {
		return err
	}
	l, err := n.lane(lane)
	if err != nil || !c.Only.Sees(l.queue, l.typ) {
		return err
	}
	t := &subject{id: c.TaskID, state: tq.State{Deleted: true}}
	if err := n.lookUpSettled(t, c.Arg.Epoch); err != nil {
		return err
	}
	step, err := tq.Next(t.state, c.Event, c.Arg)
	switch {
	case errors.Is(err, tq.ErrNotFound):
		return nil
	case err != nil:
		out.Err = err
		return nil
	}
	out.Err = nil
	return n.firstAnswer(t, c.Arg.Epoch, step.Late, out)
}

// seen reads a task within those rights; nil when there is none.
func (n *turn) seen(id int64, only *tq.Rights) (*subject, error) {
	t, err := n.subject(id)
	if err != nil || t == nil || only == nil {
		return t, err
	}
	l, err := n.lane(t.lane)
	if err != nil || !only.Sees(l.queue, l.typ) {
		return nil, err
	}
	return t, nil
}

// isRefusal tells what the rules refuse from what SQLite could not do.
func isRefusal(err error) bool {
	var e *tq.Error
	return errors.As(err, &e)
}

func notFound(id int64) error {
	e := tq.Errorf(tq.CodeNotFound, "no task %d", id)
	e.TaskID = id
	return e
}

// happen asks what becomes of t and writes it. When a rule refuses, or nothing
// changes, nothing is written.
func (n *turn) happen(t *subject, ev tq.Event, arg tq.Arg, a act) (tq.Step, error) {
	if err := n.lookUp(t, ev, &arg); err != nil {
		return tq.Step{}, err
	}
	step, err := tq.Next(t.state, ev, arg)
	if err != nil || step.Replayed || len(step.Facts) == 0 {
		return step, err
	}
	was := t.state.Status
	a.detail.Late = step.Late
	if err := n.apply(t, step, a); err != nil {
		return step, err
	}
	switch {
	case ev == tq.EventDelete:
		return step, n.remove(t)
	case was.Terminal() && !t.state.Status.Terminal():
		return step, n.revive(t, was)
	}
	return step, nil
}

const (
	selectSettled     = `select kind, hash, detail from facts where task_id = ? and epoch = ? and settles = 1`
	selectSettledLane = `select lane from facts where task_id = ? and epoch = ? and settles = 1`
	existsExpiry      = `select exists (select 1 from facts where task_id = ?1 and kind = ?2
		and rev > ifnull((select max(rev) from facts where task_id = ?1 and kind = ?3), 0))`
	selectCancel    = `select detail from facts where task_id = ? and kind = ? order by rev desc limit 1`
	countDependants = `select count(*) from edges where parent = ?`
	selectKeyHolder = `select task_id from keys where queue = ? and key = ?`
)

// lookUp fills in what the rules need to know for one kind of event only.
func (n *turn) lookUp(t *subject, ev tq.Event, arg *tq.Arg) error {
	switch ev {
	case tq.EventComplete, tq.EventFail, tq.EventRelease:
		if t.state.Status == tq.Running && t.state.Epoch == arg.Epoch {
			return n.lookUpCancel(t)
		}
		err := n.lookUpSettled(t, arg.Epoch)
		if t.requeued && t.state.Epoch == arg.Epoch && t.state.Attempt > 0 {
			t.state.Expired = t.state.Settled == nil
		}
		return err
	case tq.EventExpire:
		expired, err := n.number(n.c.sql(existsExpiry).int(t.id).int(kindCode(tq.FactLeaseExpired)).int(kindCode(tq.FactRescued)))
		t.state.Expiries = int(expired)
		return join(err, n.lookUpCancel(t))
	case tq.EventRescue, tq.EventRequeue:
		return n.lookUpRescue(t)
	case tq.EventDelete:
		dependants, err := n.number(n.c.sql(countDependants).int(t.id))
		t.state.Dependants = int(dependants)
		return err
	}
	return nil
}

// number answers the single integer of a query, 0 when there is no row.
func (n *turn) number(q *stmt) (int64, error) {
	var v int64
	if q.next() {
		v = q.colInt(0)
	}
	return v, q.end()
}

// lookUpCancel finds out why a cancel was requested.
func (n *turn) lookUpCancel(t *subject) error {
	if !t.state.CancelRequested {
		return nil
	}
	q := n.c.sql(selectCancel).int(t.id).int(kindCode(tq.FactCancelRequested))
	text := ""
	if q.next() {
		text = q.colText(0)
	}
	if err := q.end(); err != nil {
		return err
	}
	var d tq.FactDetail
	err := readJSON(text, &d)
	t.state.CancelReason = d.Reason
	return err
}

func (n *turn) lookUpSettled(t *subject, epoch int64) error {
	q := n.c.sql(selectSettled).int(t.id).int(epoch)
	if !q.next() {
		return q.end()
	}
	settled := &tq.Settled{Kind: kindOf(q.colInt(0))}
	copy(settled.Hash[:], q.colBytes(1))
	text := q.colText(2)
	if err := q.end(); err != nil {
		return err
	}
	var d tq.FactDetail
	if err := readJSON(text, &d); err != nil {
		return err
	}
	settled.Late = d.Late
	t.state.Settled = settled
	return nil
}

// lookUpRescue finds out, of a task at its end, what it would wait for now and
// who holds its key meanwhile.
func (n *turn) lookUpRescue(t *subject) error {
	if !t.state.Status.Terminal() {
		return nil
	}
	if err := n.openDeps(t); err != nil {
		return err
	}
	t.state.OpenDeps = len(t.edges)
	if t.key == "" {
		return nil
	}
	l, err := n.lane(t.lane)
	if err != nil {
		return err
	}
	holder, err := n.number(n.c.sql(selectKeyHolder).text(l.queue).text(t.key))
	if holder != t.id {
		t.state.KeyTwin = holder
	}
	return err
}

const (
	selectDeps   = `select deps from tasks where id = ?`
	selectStatus = `select f.status from facts f join tasks t on t.id = f.task_id
		where f.task_id = ? order by f.rev desc limit 1`
)

// openDeps are those that t would have to wait for. One that was deleted holds
// nothing back.
func (n *turn) openDeps(t *subject) error {
	q := n.c.sql(selectDeps).int(t.id)
	text := ""
	if q.next() {
		text = q.colText(0)
	}
	if err := q.end(); err != nil {
		return err
	}
	var deps []int64
	if err := readJSON(text, &deps); err != nil {
		return err
	}
	t.edges = nil
	for _, id := range deps {
		status, err := n.number(n.c.sql(selectStatus).int(id))
		if err != nil {
			return err
		}
		if status == 0 {
			continue
		}
		if effect := tq.DepEffect(statusOf(status), t.policy); effect != tq.Satisfied {
			t.edges = append(t.edges, edge{parent: id, stuck: effect == tq.Stuck})
		}
	}
	return nil
}

const (
	selectKeyed = `select max_attempts, prio, deps, payload from tasks where id = ?`
	insertKey   = `insert into keys (queue, key, task_id, body) values (?, ?, ?, ?)`
	retakeKey   = `insert into keys (queue, key, task_id, body) values (?, ?, ?, ?) on conflict (queue, key) do nothing`
)

// revive is what else a rescue does: the task takes its key again, and stands
// no longer in the way of those that wait for it.
func (n *turn) revive(t *subject, was tq.Status) error {
	if was == tq.Dead {
		if err := n.revived(t.id); err != nil {
			return err
		}
	}
	if t.key == "" {
		return nil
	}
	l, err := n.lane(t.lane)
	if err != nil {
		return err
	}
	q := n.c.sql(selectKeyed).int(t.id)
	var body [16]byte
	if q.next() {
		body = keyBody(l.typ, int(q.colInt(0)), int(-q.colInt(1)), q.colText(2), q.colBytes(3))
	}
	if err := q.end(); err != nil {
		return err
	}
	return n.exec(n.c.sql(retakeKey).text(l.queue).text(t.key).int(t.id).blob(body[:]))
}

const (
	deleteTask  = `delete from tasks where id = ?`
	blankBodies = `update facts set body = null where task_id = ? and body is not null`
)

// remove takes the task out; its facts stay, without what it answered.
func (n *turn) remove(t *subject) error {
	if err := n.leaveEnded(t); err != nil {
		return err
	}
	if t.key != "" {
		if err := n.dropKey(t); err != nil {
			return err
		}
	}
	if err := n.exec(n.c.sql(deleteTask).int(t.id)); err != nil {
		return err
	}
	return n.exec(n.c.sql(blankBodies).int(t.id))
}

const selectUntil = `select until from grants where id = ?`

// answer says where t stands now.
func (n *turn) answer(t *subject, out *tq.Changed) error {
	out.State = t.state
	switch t.state.Status {
	case tq.Pending:
		out.RunAt = tq.FromMilli(t.due)
	case tq.Blocked:
		out.State.OpenDeps = len(t.edges)
	case tq.Running:
		until, err := n.number(n.c.sql(selectUntil).int(t.grant))
		out.Until, out.Left = tq.FromMilli(until), msDuration(max(0, until-n.now))
		return err
	}
	return nil
}

const selectEpoch = `select kind, status, settles, attempt, at, detail from facts where task_id = ? and epoch = ? order by rev`

// firstAnswer is what the settle of that epoch was answered the first time.
func (n *turn) firstAnswer(t *subject, epoch int64, late bool, out *tq.Changed) error {
	out.State = tq.State{Epoch: epoch, MaxAttempts: t.state.MaxAttempts}
	out.Replayed, out.Late = true, late
	q := n.c.sql(selectEpoch).int(t.id).int(epoch)
	for q.next() {
		died := kindOf(q.colInt(0)) == tq.FactDeadLettered && out.State.Status != ""
		if !q.colBool(2) && !died {
			continue
		}
		out.State.Status, out.State.Attempt = statusOf(q.colInt(1)), int(q.colInt(3))
		out.RunAt = tq.Time{}
		if out.State.Status == tq.Pending {
			out.RunAt = tq.FromMilli(q.colInt(4))
		}
		var d tq.FactDetail
		if err := readJSON(q.colText(5), &d); err != nil {
			return join(err, q.end())
		}
		if !d.RunAt.IsZero() {
			out.RunAt = d.RunAt
		}
	}
	return q.end()
}

func msDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
