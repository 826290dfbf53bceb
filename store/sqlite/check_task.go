package sqlite

import (
	"slices"

	"example.com/tq"
)

// What check brings to the hall's audit of one task.

const (
	auditLast  = `select rev, kind, status, epoch, attempt, grant_id, hash, body from facts where task_id = ? order by rev desc limit 1`
	auditFacts = `select ` + factColumns + ` from facts where task_id = ? order by rev`
	auditGrant = `select until from grants where id = ?`
	auditKey   = `select task_id from keys where queue = ? and key = ?`
	auditBlock = `select open, stuck from blocked where id = ?`
	auditEdges = `select parent, policy, stuck from edges where child = ?`
	auditTold  = `select 1 from cascades where parent = ?`
)

// meet audits the task with that id.
func (k *checker) meet(id int64) error {
	t := tq.TaskAudit{ID: id, Places: k.places[id]}
	row, err := k.row(id)
	if err != nil {
		k.broken("I1", id, "cannot be read: %v", err)
		return nil
	}
	if err := k.newest(&t); err != nil {
		return err
	}
	if row != nil {
		if err := k.asked(&t, row); err != nil {
			return err
		}
	}
	var unread error
	t.Facts = func(yield func(tq.Fact) bool) {
		q := k.c.sql(auditFacts).int(id)
		for more := true; more && q.next(); {
			f, err := factOf(k.c, k.lanes, q)
			if err != nil {
				k.broken("I1", id, "fact %d cannot be read: %v", f.Seq, err)
			}
			more = yield(f)
		}
		unread = q.end()
	}
	k.found = append(k.found, k.audit.Task(t)...)
	return unread
}

// newest reads what the last fact says beyond what the fold knows: the grant
// that holds the task, the result and its hash.
func (k *checker) newest(t *tq.TaskAudit) error {
	q := k.c.sql(auditLast).int(t.ID)
	if !q.next() {
		return q.end()
	}
	held := tq.PlaceAudit{Place: tq.HeldPlace, Rev: q.colInt(0), Epoch: q.colInt(3), Attempt: int(q.colInt(4))}
	grant := q.colInt(5)
	if kindOf(q.colInt(1)) == tq.FactCompleted {
		t.Result = q.colBytes(7)
		copy(t.Hash[:], q.colBytes(6))
	}
	if err := q.end(); err != nil || grant == 0 {
		return err
	}
	g := k.c.sql(auditGrant).int(grant)
	if g.next() {
		held.Until = tq.FromMilli(g.colInt(0))
		t.Places = append(slices.Clip(t.Places), held)
	}
	return g.end()
}

// asked adds what the task was enqueued with, and what follows from it.
func (k *checker) asked(t *tq.TaskAudit, row *taskRow) error {
	t.Exists = true
	t.Queue, t.Type, t.Project = row.task.Queue, row.task.Type, row.task.Project
	t.MaxAttempts, t.OnDepFailure = row.task.MaxAttempts, row.task.OnDepFailure
	t.Key, t.KeyUntil = row.task.IdempotencyKey, row.keyUntil
	inbox, err := k.number(selectInInbox, t.ID)
	if err != nil {
		return err
	}
	t.Inbox = inbox != 0
	if t.Key != "" {
		q := k.c.sql(auditKey).text(t.Queue).text(t.Key)
		if q.next() {
			t.KeyHolder = q.colInt(0)
		}
		if err := q.end(); err != nil {
			return err
		}
	}
	q := k.c.sql(auditBlock).int(t.ID)
	if q.next() {
		t.OpenCount, t.StuckCount = int(q.colInt(0)), int(q.colInt(1))
	}
	if err := q.end(); err != nil {
		return err
	}
	return k.dependencies(t, row)
}

// dependencies brings together the list of deps, which never changes, and the
// edges that still stand.
func (k *checker) dependencies(t *tq.TaskAudit, row *taskRow) error {
	standing := make(map[int64]bool) // parent → stuck
	q := k.c.sql(auditEdges).int(t.ID)
	for q.next() {
		parent := q.colInt(0)
		standing[parent] = q.colBool(2)
		if policyOf(q.colInt(1)) != t.OnDepFailure {
			k.broken("I8", t.ID, "its edge to task %d has another policy", parent)
		}
		if !slices.Contains(row.deps, parent) {
			k.broken("I8", t.ID, "waits for task %d, which it never named", parent)
		}
	}
	if err := q.end(); err != nil {
		return err
	}
	for _, id := range row.deps {
		d, err := k.dependency(id)
		if err != nil {
			return err
		}
		d.Stuck, d.Open = standing[id]
		t.Deps = append(t.Deps, d)
	}
	return nil
}

func (k *checker) dependency(id int64) (tq.DependencyRow, error) {
	d := tq.DependencyRow{ID: id}
	q := k.c.sql(selectStanding).int(id)
	if q.next() {
		d.Status = statusOf(q.colInt(0))
	}
	if err := q.end(); err != nil {
		return d, err
	}
	told, err := k.number(auditTold, id)
	d.Telling = told != 0
	return d, err
}
