package memory

import (
	"context"
	"slices"

	tq "example.com/tq"
)

const purgeBite = 1_000

// SetQueue pauses or resumes a queue, or purges a bite of it.
func (s *Store) SetQueue(ctx context.Context, c tq.QueueChange) (tq.QueueChanged, error) {
	var out tq.QueueChanged
	err := s.write(ctx, func(w *writer) error {
		if c.Pause != nil {
			w.pause(c.Queue, *c.Pause, c.Actor)
		}
		if c.Purge {
			out = w.purge(&c)
		}
		return nil
	})
	return out, err
}

// pause does nothing when the queue is as wanted.
func (w *writer) pause(queue string, paused bool, actor string) {
	if w.paused[queue] == paused {
		return
	}
	if paused {
		w.paused[queue] = true
		w.did(tq.ActPaused, queue, actor, tq.FactDetail{})
		return
	}
	delete(w.paused, queue)
	w.did(tq.ActResumed, queue, actor, tq.FactDetail{})
	for _, t := range w.tasks {
		if t.asked.Queue == queue && t.ready(w.now) {
			w.ready(t)
		}
	}
}

// purge goes from the newest task to the oldest, so that what waits for a task
// of this queue is gone before it.
func (w *writer) purge(c *tq.QueueChange) tq.QueueChanged {
	var out tq.QueueChanged
	bite := 0
	for _, t := range slices.Backward(slices.Clone(w.tasks)) {
		if t.asked.Queue != c.Queue || !c.Only.Sees(c.Queue, t.asked.Type) || c.After != 0 && t.id >= c.After {
			continue
		}
		if bite == purgeBite {
			return out
		}
		bite++
		w.purgeOne(t, c.Actor, &out)
		out.Next = t.id
	}
	out.Next = 0
	w.did(tq.ActPurged, c.Queue, c.Actor, tq.FactDetail{Deleted: out.Deleted, Kept: out.Kept})
	return out
}

func (w *writer) purgeOne(t *task, actor string, out *tq.QueueChanged) {
	if t.state.Status == tq.Running {
		out.Running++
		return
	}
	if !t.state.Status.Terminal() {
		w.event(t, tq.EventCancel, tq.Arg{Reason: tq.ReasonPurged}, act{actor: actor})
		w.cascade()
	}
	if !w.delete(t, actor) {
		out.Kept++
		return
	}
	out.Deleted++
}
