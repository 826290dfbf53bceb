package postgres

import (
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// What single events need beside the rows: how attempts ended, who waits, who
// holds a key.

// attempt names one attempt of one task.
type attempt struct{ id, epoch int64 }

// ending is the recorded end of an attempt and what it answered.
type ending struct {
	tq.Settled
	lane   int32
	answer tq.Changed
}

// lookUp reads what single events need beside the rows: how an attempt ended
// that is not the running one, who waits for a task to be deleted or for one that
// ends before another is queued, whom one may take along before another ends, who
// holds the key and what became of the deps of a task to be rescued.
func (c *changing) lookUp(part []tq.Change) error {
	var gone []attempt
	var awaited, falling, revived []int64
	queued, ended := lastOf(part, queues), lastOf(part, ends)
	for i, x := range part {
		r := c.find(x.TaskID)
		if r != nil && i < queued && ends(&x) {
			awaited = append(awaited, r.id)
		}
		if r != nil && i < ended && r.mayFall(&x) {
			falling = append(falling, r.id)
		}
		switch {
		case x.Event.Settles():
			gone = append(gone, attempt{x.TaskID, x.Arg.Epoch})
		case r == nil:
		case x.Event == tq.EventDelete:
			awaited = append(awaited, r.id)
		case (x.Event == tq.EventRescue || x.Event == tq.EventRequeue) && r.state.Status.Terminal():
			revived = append(revived, r.id)
		}
	}
	if err := c.lookUpCancels(); err != nil {
		return err
	}
	if err := c.lookUpSettled(c.notRunning(gone)); err != nil {
		return err
	}
	if err := c.lookUpDependants(awaited); err != nil {
		return err
	}
	if err := c.lookUpDeep(falling); err != nil {
		return err
	}
	return c.lookUpRevived(revived)
}

const selectCancels = `select distinct on (task_id) task_id, coalesce(detail, '') from tq.facts
	where task_id = any($1::bigint[]) and kind = 10 order by task_id, rev desc`

// lookUpCancels finds out why it was requested to cancel the tasks at hand.
func (w *work) lookUpCancels() error {
	var ids []int64
	for id, r := range w.rows {
		if r.state.CancelRequested && r.state.CancelReason == "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := w.conn.Query(w.ctx, w.texts.of(selectCancels), ids)
	if err != nil {
		return err
	}
	var id int64
	var detail string
	_, err = pgx.ForEachRow(found, []any{&id, &detail}, func() error {
		var d tq.FactDetail
		err := readJSON(detail, &d)
		w.rows[id].state.CancelReason = d.Reason
		return err
	})
	return err
}

// notRunning leaves out the attempts that are running: nothing ended them yet.
// Of several changes of one attempt the later ones may meet the first.
func (c *changing) notRunning(all []attempt) []attempt {
	return slices.DeleteFunc(all, func(a attempt) bool {
		r := c.find(a.id)
		return r != nil && r.state.Status == tq.Running && r.state.Epoch == a.epoch
	})
}

func (c *changing) lookUpSettled(gone []attempt) error {
	c.settled = map[attempt]*ending{}
	if len(gone) == 0 {
		return nil
	}
	var ids, epochs []int64
	for _, a := range gone {
		ids, epochs = append(ids, a.id), append(epochs, a.epoch)
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(selectSettled), ids, epochs)
	if err != nil {
		return err
	}
	var a attempt
	var lane int32
	var kind, status, count, next int16
	var at int64
	var hash []byte
	var detail string
	_, err = pgx.ForEachRow(rows, []any{&a.id, &a.epoch, &lane, &kind, &hash, &status, &count, &at, &detail, &next}, func() error {
		var d tq.FactDetail
		if err := readJSON(detail, &d); err != nil {
			return err
		}
		e := &ending{Settled: tq.Settled{Kind: kindOf(kind), Late: d.Late}, lane: lane}
		copy(e.Hash[:], hash)
		e.answer = tq.Changed{Replayed: true, Late: d.Late, RunAt: d.RunAt}
		e.answer.State = tq.State{Status: statusOf(status), Epoch: a.epoch, Attempt: int(count)}
		if next != 0 {
			e.answer.State.Status = statusOf(next)
		}
		if e.answer.State.Status == tq.Pending && d.RunAt.IsZero() {
			e.answer.RunAt = tq.FromMilli(at)
		}
		c.settled[a] = e
		return nil
	})
	for _, e := range c.settled {
		if err == nil && c.lanes.get(e.lane) == nil {
			err = c.lanes.load(c.ctx, c.Store, c.conn)
		}
	}
	return err
}

func (c *changing) lookUpDependants(ids []int64) error {
	c.dependants = map[int64]int{}
	if len(ids) == 0 {
		return nil
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(selectDependants), ids)
	if err != nil {
		return err
	}
	var id int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		c.dependants[id] = n
		return nil
	})
	return err
}

func (c *changing) lookUpDeep(ids []int64) error {
	c.deep = map[int64]bool{}
	if len(ids) == 0 {
		return nil
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(selectDeep), ids, tq.MaxCascade)
	if err != nil {
		return err
	}
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		c.deep[id] = true
		return nil
	})
	return err
}

// lookUpRevived reads who holds the keys of tasks to be rescued, and pins what
// they would wait for.
func (c *changing) lookUpRevived(ids []int64) error {
	c.holders = map[keyName]int64{}
	var names []keyName
	var queue, key []string
	var deps []int64
	for _, id := range ids {
		r := c.find(id)
		deps = append(deps, r.asked.deps...)
		if name := r.keyName(); name.key != "" {
			names, queue, key = append(names, name), append(queue, name.queue), append(key, name.key)
		}
	}
	if err := c.pin(slices.DeleteFunc(deps, func(id int64) bool { return slices.Contains(ids, id) })); err != nil {
		return err
	}
	if len(key) == 0 {
		return nil
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(selectKeys), queue, key)
	if err != nil {
		return err
	}
	var ord, id int64
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&ord, &id, &body}, func() error {
		c.holders[names[ord-1]] = id
		return nil
	})
	return err
}
