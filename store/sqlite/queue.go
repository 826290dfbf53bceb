package sqlite

import (
	"cmp"
	"context"
	"slices"

	"example.com/tq"
)

// purgeBite is how many tasks one bite of a purge looks at.
const purgeBite = 250

const (
	insertAct   = `insert into acts (seq, kind, queue, actor, at, detail) values (?, ?, ?, ?, ?, ?)`
	pauseQueue  = `insert into paused (queue) values (?)`
	resumeQueue = `delete from paused where queue = ?`
	newestTasks = `select id from tasks where lane = ? and id < ? order by id desc limit ?`
	countLane   = `select n from counters where lane = ? and bucket = ?`
)

// SetQueue pauses or resumes a queue, or purges a bite of it.
func (s *Store) SetQueue(ctx context.Context, c tq.QueueChange) (tq.QueueChanged, error) {
	var out tq.QueueChanged
	err := s.write(ctx, 0, func(n *turn) error {
		out = tq.QueueChanged{}
		if c.Pause != nil {
			if err := n.pause(c.Queue, *c.Pause, c.Actor); err != nil {
				return err
			}
		}
		if c.Purge {
			return n.purge(&c, &out)
		}
		return nil
	})
	return out, err
}

// did writes an administrative act, which has no task.
func (n *turn) did(kind tq.Kind, queue, actor string, d tq.FactDetail) error {
	text, err := detailText(&d)
	if err != nil {
		return err
	}
	q := n.c.sql(insertAct).int(n.seq()).text(string(kind)).text(queue).text(actor).int(n.now).textOrNull(text)
	n.lastFact = n.lastSeq
	return n.exec(q)
}

// pause does nothing when the queue is as wanted.
func (n *turn) pause(queue string, paused bool, actor string) error {
	if n.cache.paused[queue] == paused {
		return nil
	}
	if paused {
		n.cache.paused[queue] = true
		if err := n.exec(n.c.sql(pauseQueue).text(queue)); err != nil {
			return err
		}
		return n.did(tq.ActPaused, queue, actor, tq.FactDetail{})
	}
	delete(n.cache.paused, queue)
	if err := n.exec(n.c.sql(resumeQueue).text(queue)); err != nil {
		return err
	}
	if err := n.did(tq.ActResumed, queue, actor, tq.FactDetail{}); err != nil {
		return err
	}
	return n.announce(queue)
}

// announce tells those who wait that the ready tasks of a queue are claimable.
func (n *turn) announce(queue string) error {
	for _, l := range n.cache.lines.queues[queue] {
		ready, err := n.number(n.c.sql(countLane).int(l.lane.id).int(countReady))
		if err != nil {
			return err
		}
		if ready += n.counts[counter{l.lane.id, countReady}]; ready > 0 {
			n.ready[l.lane] += int(ready)
		}
	}
	return nil
}

// purge goes from the newest task to the oldest, so that what waits for a task
// of this queue is gone before it. All of a bite are cancelled before tasks
// elsewhere hear of it, and those before the first is deleted: who falls by that
// holds nothing back any more.
func (n *turn) purge(c *tq.QueueChange, out *tq.QueueChanged) error {
	ids, err := n.newest(c, c.After)
	if err != nil {
		return err
	}
	var ended []int64
	for _, id := range ids {
		over, err := n.purgeCancel(id, c.Actor, out)
		if err != nil {
			return err
		}
		if over {
			ended = append(ended, id)
		}
	}
	if err := n.tell(); err != nil {
		return err
	}
	for _, id := range ended {
		if err := n.purgeDelete(id, c.Actor, out); err != nil {
			return err
		}
	}
	if len(ids) == purgeBite {
		out.Next = ids[len(ids)-1]
		return nil
	}
	return n.did(tq.ActPurged, c.Queue, c.Actor, tq.FactDetail{Deleted: out.Deleted, Kept: out.Kept})
}

// newest answers the tasks to purge below an id, newest first.
func (n *turn) newest(c *tq.QueueChange, below int64) ([]int64, error) {
	if below == 0 {
		below = never
	}
	in := append(n.s.lanes.known(), n.added...)
	var ids []int64
	for _, l := range in {
		if l.queue != c.Queue || !c.Only.Sees(l.queue, l.typ) {
			continue
		}
		q := n.c.sql(newestTasks).int(l.id).int(below).int(purgeBite)
		for q.next() {
			ids = append(ids, q.colInt(0))
		}
		if err := q.end(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids[:min(len(ids), purgeBite)], nil
}

// purgeCancel reports whether the task has ended now.
func (n *turn) purgeCancel(id int64, actor string, out *tq.QueueChanged) (bool, error) {
	t, err := n.subject(id)
	switch {
	case err != nil || t == nil:
		return false, err
	case t.state.Status == tq.Running:
		out.Running++
		return false, nil
	case t.state.Status.Terminal():
		return true, nil
	}
	_, err = n.happen(t, tq.EventCancel, tq.Arg{Reason: tq.ReasonPurged}, act{actor: actor})
	return err == nil, err
}

func (n *turn) purgeDelete(id int64, actor string, out *tq.QueueChanged) error {
	t, err := n.subject(id)
	if err != nil || t == nil {
		return err
	}
	_, err = n.happen(t, tq.EventDelete, tq.Arg{}, act{actor: actor})
	switch {
	case isRefusal(err):
		out.Kept++
		return nil
	case err != nil:
		return err
	}
	out.Deleted++
	return nil
}
