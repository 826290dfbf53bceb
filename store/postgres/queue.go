package postgres

import (
	"context"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	insertPaused = `insert into tq.paused (queue) values ($1) on conflict do nothing returning 1`
	deletePaused = `delete from tq.paused where queue = $1 returning 1`
	selectPurge  = `select t.id from unnest($1::int[]) u(lane) cross join lateral (
		select t.id from tq.tasks t where t.lane = u.lane and ($2::bigint = 0 or t.id < $2) order by t.lane, t.id desc limit $3::bigint) t
		order by t.id desc limit $3::bigint`

	purgeBite = 250
)

// SetQueue pauses or resumes a queue, or purges a bite of it.
func (s *Store) SetQueue(ctx context.Context, c tq.QueueChange) (tq.QueueChanged, error) {
	if err := s.lanes.load(ctx, s, s.pool); err != nil {
		return tq.QueueChanged{}, fault("read lanes", err)
	}
	var out tq.QueueChanged
	err := s.write(ctx, nil, func(w *work) error {
		out = tq.QueueChanged{}
		if c.Pause != nil {
			if err := w.pause(c.Queue, *c.Pause, c.Actor); err != nil {
				return err
			}
		}
		if !c.Purge {
			return nil
		}
		return w.purge(&c, &out)
	})
	return out, err
}

// pause does nothing when the queue is as wanted.
func (w *work) pause(queue string, paused bool, actor string) error {
	statement, kind := deletePaused, tq.ActResumed
	if paused {
		statement, kind = insertPaused, tq.ActPaused
	}
	var changed int
	err := w.conn.QueryRow(w.ctx, w.texts.of(statement), queue).Scan(&changed)
	if err == pgx.ErrNoRows {
		return nil
	}
	if err != nil {
		return err
	}
	if !paused {
		for _, l := range w.lanes.all(func(l *lane) bool { return l.name.queue == queue }) {
			w.news.Ready = append(w.news.Ready, tq.Place{Queue: queue, Type: l.name.typ, Project: l.name.project, N: 1})
		}
	}
	return w.did(kind, queue, actor, tq.FactDetail{})
}

// purge goes from the newest task to the oldest, so that what waits for a task
// of this queue is gone before it. All of a bite are cancelled before tasks
// elsewhere hear of it, and those before the first is deleted: who falls by that
// holds nothing back any more.
func (w *work) purge(c *tq.QueueChange, out *tq.QueueChanged) error {
	var lanes []int32
	for _, l := range w.lanes.all(func(l *lane) bool {
		return l.name.queue == c.Queue && c.Only.Sees(l.name.queue, l.name.typ)
	}) {
		lanes = append(lanes, l.id)
	}
	rows, err := w.conn.Query(w.ctx, w.texts.of(selectPurge), lanes, c.After, purgeBite)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	if err := w.purgeBite(ids, c.Actor, out); err != nil {
		return err
	}
	if len(ids) == purgeBite {
		out.Next = ids[len(ids)-1]
		return nil
	}
	return w.did(tq.ActPurged, c.Queue, c.Actor, tq.FactDetail{Deleted: out.Deleted, Kept: out.Kept})
}

func (w *work) purgeBite(ids []int64, actor string, out *tq.QueueChanged) error {
	if err := w.load(ids); err != nil {
		return err
	}
	if err := w.arrive(ids); err != nil {
		return err
	}
	if err := w.lockBlocked(w.waiting(ids)); err != nil {
		return err
	}
	if err := w.drawFor(3 * len(ids)); err != nil {
		return err
	}
	var ended []int64
	for _, id := range ids {
		r := w.find(id)
		switch {
		case r == nil:
		case r.state.Status == tq.Running:
			out.Running++
		case r.state.Status.Terminal():
			ended = append(ended, id)
		case w.event(r, tq.EventCancel, tq.Arg{Reason: tq.ReasonPurged}, act{actor: actor}):
			ended = append(ended, id)
		}
	}
	if err := w.cascade(); err != nil {
		return err
	}
	deleted, err := w.deleteEnded(ended, actor)
	out.Deleted, out.Kept = deleted, len(ended)-deleted
	return err
}

func (w *work) waiting(ids []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		r := w.find(id)
		return r == nil || r.state.Status != tq.Blocked
	})
}

// deleteEnded deletes those of the tasks that nobody waits for. They come from
// the newest to the oldest.
func (w *work) deleteEnded(ids []int64, actor string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	if err := w.holdEnded(ids); err != nil {
		return 0, err
	}
	c := changing{work: w, settled: map[attempt]*ending{}}
	if err := c.lookUpDependants(ids); err != nil {
		return 0, err
	}
	n := 0
	for _, id := range ids {
		x := tq.Change{TaskID: id, Event: tq.EventDelete, Actor: actor}
		if c.one(&x).Err == nil {
			n++
		}
	}
	return n, nil
}
