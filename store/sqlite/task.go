package sqlite

import (
	"cmp"
	"fmt"
	"time"

	"example.com/tq"
)

// One task as every door shows it: its row, which never changes, then its facts
// read backwards, then the grant that holds it.

// maxBack is how many facts of one task are read for its start, last error and
// progress. Older ones of a task that was given back a thousand times count no
// more.
const maxBack = 2_000

const (
	selectTask = `select lane, prio, max_attempts, created_at, run_at, timeout, parent, key, key_until, on_dep, deps, tags, backoff, trace
		from tasks where id = ?`
	selectPayload = `select payload from tasks where id = ?`
	selectBack    = `select kind, status, epoch, attempt, grant_id, cancel, at, detail, body, due
		from facts where task_id = ? order by rev desc limit ?`
	selectLease = `select until, owner, worker from grants where id = ?`
)

// taskReader reads tasks in one snapshot.
type taskReader struct {
	c       *conn
	lanes   *lanes
	now     time.Time
	payload bool       // fill Payload and Result too
	only    *tq.Rights // shows nothing of other tasks; nil: all
}

// task reads the task with that id, or nil.
func (r *taskReader) task(id int64) (*tq.Task, error) {
	row, err := r.row(id)
	if row == nil || err != nil {
		return nil, err
	}
	return r.fill(row, nil)
}

// taskRow is what was asked for at enqueue, apart from the payload.
type taskRow struct {
	lane     *lane
	task     tq.Task
	keyUntil tq.KeyUntil
	deps     []int64
}

func (r *taskReader) row(id int64) (*taskRow, error) {
	q := r.c.sql(selectTask).int(id)
	if !q.next() {
		return nil, q.end()
	}
	laneID, row := q.colInt(0), new(taskRow)
	row.task = tq.Task{
		ID: id, Status: tq.Pending, Priority: int(-q.colInt(1)), MaxAttempts: int(q.colInt(2)),
		CreatedAt: tq.FromMilli(q.colInt(3)), RunAt: tq.FromMilli(q.colInt(4)),
		Timeout: tq.Duration(time.Duration(q.colInt(5)) * time.Millisecond),
		Parent:  q.colInt(6), IdempotencyKey: q.colText(7), OnDepFailure: policyOf(q.colInt(9)),
	}
	row.keyUntil = keyUntilOf(q.colInt(8))
	deps, tags, backoff := q.colText(10), q.colText(11), q.colText(12)
	row.task.Traceparent = q.colText(13)
	err := q.end()
	for _, part := range []struct {
		text string
		into any
	}{{deps, &row.deps}, {tags, &row.task.Tags}, {backoff, &row.task.Backoff}} {
		if err == nil {
			err = readJSON(part.text, part.into)
		}
	}
	if err != nil {
		return nil, err
	}
	row.lane, err = r.lanes.get(r.c, laneID)
	if err == nil && row.lane == nil {
		err = fmt.Errorf("task %d is of lane %d, which does not exist", id, laneID)
	}
	if err != nil {
		return nil, err
	}
	row.task.Queue, row.task.Type, row.task.Project = row.lane.queue, row.lane.typ, row.lane.project
	return row, nil
}

// fill adds what the facts say. It answers nil as soon as keep, which may look
// at status, epoch and attempt, does not want the task.
func (r *taskReader) fill(row *taskRow, keep func(*tq.Task) bool) (*tq.Task, error) {
	t := &row.task
	b := back{task: t, payload: r.payload}
	q := r.c.sql(selectBack).int(t.ID).int(maxBack)
	for !b.done() && q.next() {
		b.err = b.fact(q)
		if b.seen == 1 && keep != nil && !keep(t) {
			return nil, q.end()
		}
	}
	if err := q.end(); err != nil {
		return nil, err
	}
	if b.err != nil {
		return nil, b.err
	}
	if b.seen == 0 && keep != nil && !keep(t) {
		return nil, nil
	}
	if r.payload {
		if err := r.readPayload(t); err != nil {
			return nil, err
		}
	}
	if t.Status == tq.Running {
		return t, r.lease(t, b.grant)
	}
	return t, nil
}

func (r *taskReader) readPayload(t *tq.Task) error {
	q := r.c.sql(selectPayload).int(t.ID)
	if q.next() {
		t.Payload = q.colBytes(0)
	}
	return q.end()
}

func (r *taskReader) lease(t *tq.Task, grant int64) error {
	q := r.c.sql(selectLease).int(grant)
	if q.next() {
		until := tq.FromMilli(q.colInt(0))
		t.Lease = &tq.Lease{
			Worker: q.colText(2), Owner: q.colText(1), Until: until,
			SecondsLeft: tq.Duration(max(0, until.Sub(r.now))),
		}
	}
	return q.end()
}

// back takes the facts of a task from the newest to the oldest.
type back struct {
	task    *tq.Task
	payload bool
	grant   int64
	seen    int
	started bool
	failed  bool // LastError is known, or there can be none
	err     error
}

func (b *back) done() bool { return b.err != nil || b.started && b.failed }

// fact takes the next older fact.
func (b *back) fact(q *stmt) error {
	kind, status, epoch, at := kindOf(q.colInt(0)), statusOf(q.colInt(1)), q.colInt(2), tq.FromMilli(q.colInt(6))
	var d tq.FactDetail
	if err := readJSON(q.colText(7), &d); err != nil {
		return err
	}
	b.seen++
	if b.seen == 1 {
		b.newest(q, status, at, &d)
	}
	switch {
	case kind == tq.FactCompleted && b.seen == 1 && b.payload:
		b.task.Result = q.colBytes(8)
	case kind == tq.FactHeartbeat && !b.started && b.task.Progress == nil && (d.Note != "" || d.Fraction != 0):
		b.task.Progress = &tq.Progress{At: at, Fraction: d.Fraction, Note: d.Note}
	case kind == tq.FactClaimed && !b.started:
		b.started, b.task.StartedAt = true, at
	case (kind == tq.FactFailed || kind == tq.FactLeaseExpired) && !b.failed:
		b.lastError(kind, q.colText(8), &d)
	}
	if kind == tq.FactClaimed && epoch <= 1 {
		b.failed = true // nothing can have failed before
	}
	return nil
}

// lastError is the text of the newest failure; a lease that ran out has one
// only when a timeout ended it.
func (b *back) lastError(kind tq.Kind, body string, d *tq.FactDetail) {
	b.task.LastError = cmp.Or(body, d.Error)
	b.failed = kind == tq.FactFailed || b.task.LastError != ""
}

// newest takes the last fact, which is where the task stands.
func (b *back) newest(q *stmt, status tq.Status, at tq.Time, d *tq.FactDetail) {
	t := b.task
	t.Status, t.Epoch, t.Attempt = status, q.colInt(2), int(q.colInt(3))
	b.grant, t.CancelRequested = q.colInt(4), q.colBool(5)
	t.RunAt = tq.FromMilli(q.colInt(9))
	if status.Terminal() {
		t.EndedAt = at
	}
	if status == tq.Dead || status == tq.Cancelled {
		t.Reason = d.Reason
	}
}
