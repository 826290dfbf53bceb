package sqlite

import (
	"cmp"
	"slices"
	"strconv"

	"example.com/tq"
)

// expireBite is how many leases one bite ends.
const expireBite = 100

// expire ends leases that have run out, and answers how many.
func (n *turn) expire(limit int) (int, error) {
	grants, err := n.over(limit)
	if err != nil {
		return 0, err
	}
	ended := 0
	for i := range grants {
		held, err := n.heldBy(grants[i].id)
		if err != nil {
			return ended, err
		}
		for _, t := range held {
			if ended == limit {
				return ended, n.tell()
			}
			if err := n.expireOne(t, &grants[i], systemActor); err != nil {
				return ended, err
			}
			ended++
		}
	}
	return ended, n.tell()
}

// expireOne ends the lease of one task.
func (n *turn) expireOne(t *subject, g *grant, actor string) error {
	arg := tq.Arg{
		Epoch:    t.state.Epoch,
		TimedOut: g.timedOut() && g.until < n.now,
		Jitter:   tq.Jitter(t.id, t.state.Epoch),
	}
	a := act{actor: actor}
	if arg.TimedOut {
		seconds := msDuration(t.timeout).Seconds()
		a.detail.Error = "timed out after " + strconv.FormatFloat(seconds, 'f', -1, 64) + " s"
	}
	_, err := n.happen(t, tq.EventExpire, arg, a)
	return err
}

const selectGrantsOf = `select id, until, deadline from grants where worker = ?`

// expireAll ends all leases of a worker, whenever they would have run out.
func (n *turn) expireAll(worker, actor string) error {
	q := n.c.sql(selectGrantsOf).text(worker)
	var grants []grant
	for q.next() {
		grants = append(grants, grant{id: q.colInt(0), until: q.colInt(1), deadline: q.colInt(2)})
	}
	if err := q.end(); err != nil {
		return err
	}
	var held []heldTask
	for i := range grants {
		tasks, err := n.heldBy(grants[i].id)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			held = append(held, heldTask{t, &grants[i]})
		}
	}
	slices.SortFunc(held, func(a, b heldTask) int { return cmp.Compare(a.id, b.id) })
	for _, h := range held {
		if err := n.expireOne(h.subject, h.by, actor); err != nil {
			return err
		}
	}
	return n.tell()
}

// heldTask is a running task with the grant that holds it.
type heldTask struct {
	*subject
	by *grant
}
