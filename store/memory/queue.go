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
// of this queue is gone before it. All of a bite are cancelled before tasks
// elsewhere hear of it, and those before the first is deleted: who falls by that
// holds nothing back any more.
func (w *writer) purge(c *tq.QueueChange) tq.QueueChanged {
	var out tq.QueueChanged
	bite := 0
	var ended []*task
	for _, t := range slices.Backward(slices.Clone(w.tasks)) {
		if t.asked.Queue != c.Queue || !c.Only.Sees(c.Queue, t.asked.Type) || c.After != 0 && t.id >= c.After {
			continue
		}
		if bite == purgeBite {
			w.purgeEnded(ended, c.Actor, &out)
			return out
		}
		bite++
		out.Next = t.id
		if t.state.Status == tq.Running {
			out.Running++
			continue
		}
		if !t.state.Status.Terminal() {
			w.event(t, tq.EventCancel, tq.Arg{Reason: tq.ReasonPurged}, act{actor: c.Actor})
		}
		ended = append(ended, t)
	}
	out.Next = 0
	w.purgeEnded(ended, c.Actor, &out)
	w.did(tq.ActPurged, c.Queue, c.Actor, tq.FactDetail{Deleted: out.Deleted, Kept: out.Kept})
	return out
}

func (w *writer) purgeEnded(ended []*task, actor string, out *tq.QueueChanged) {
	w.cascade()
	for _, t := range ended {
		if w.delete(t, actor) {
			out.Deleted++
		} else {
			out.Kept++
		}
	}
}
