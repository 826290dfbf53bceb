package memory

import (
	"bytes"
	"context"
	"errors"

	tq "example.com/tq"
)

// Change applies one event to each of many tasks, row by row.
func (s *Store) Change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	out := make([]tq.Changed, len(changes))
	err := s.write(ctx, func(w *writer) error {
		for i, c := range changes {
			out[i] = w.change(c)
			w.cascade()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (w *writer) change(c tq.Change) tq.Changed {
	t := w.find(c.TaskID)
	switch {
	case t == nil:
		return w.deleted(c)
	case !c.Only.Sees(t.asked.Queue, t.asked.Type):
		return tq.Changed{Err: notFound(c.TaskID)}
	}
	state := w.state(t, c.Event, c.Arg)
	step, err := w.rules(state, c.Event, c.Arg)
	switch {
	case err != nil:
		return tq.Changed{State: t.state, Err: err}
	case step.Replayed:
		return w.first(t, c.Arg.Epoch, step.Late)
	case len(step.Facts) == 0:
		return w.changed(t, nil)
	}
	a := act{actor: c.Actor, hash: c.Arg.Hash, body: bytes.Clone(c.Body)}
	a.detail.Late, a.detail.Force = step.Late, c.Arg.Force && state.Status == tq.Running
	if step.State.Status == tq.Blocked {
		t.open = w.openDeps(t)
	}
	w.apply(t, step, a)
	if c.Event == tq.EventDelete {
		w.remove(t)
	}
	if t.asked.IdempotencyKey != "" && !t.state.Status.Terminal() {
		w.keys[t.key()] = t.id
	}
	changed := w.changed(t, step.Facts)
	changed.Late = step.Late
	return changed
}

// deleted answers a settle that is repeated after its task was deleted.
func (w *writer) deleted(c tq.Change) tq.Changed {
	facts := w.history[c.TaskID]
	if len(facts) == 0 || !c.Event.Settles() || !c.Only.Sees(facts[0].Queue, facts[0].Type) {
		return tq.Changed{Err: notFound(c.TaskID)}
	}
	step, err := w.rules(tq.State{Deleted: true, Settled: w.settled(c.TaskID, c.Arg.Epoch)}, c.Event, c.Arg)
	switch {
	case errors.Is(err, tq.ErrNotFound):
		return tq.Changed{Err: notFound(c.TaskID)}
	case err != nil:
		return tq.Changed{Err: err}
	}
	return w.first(&task{id: c.TaskID}, c.Arg.Epoch, step.Late)
}

// state is what the rules look at when ev is to happen to t.
func (w *writer) state(t *task, ev tq.Event, arg tq.Arg) tq.State {
	s := t.state
	s.Scheduled = t.delayed && s.Status == tq.Pending
	s.Backoff = t.asked.Backoff
	s.OpenDeps = len(t.open)
	switch ev {
	case tq.EventComplete, tq.EventFail, tq.EventRelease:
		s.Settled = w.settled(t.id, arg.Epoch)
	case tq.EventRescue, tq.EventRequeue:
		if s.Status.Terminal() {
			s.OpenDeps = len(w.openDeps(t))
			s.KeyTwin = w.twin(t)
		}
	case tq.EventDelete:
		s.Dependants = w.openDependants(t.id)
	}
	return s
}

// twin is the task that holds the freed key of t.
func (w *writer) twin(t *task) int64 {
	holder := w.keys[t.key()]
	if t.asked.IdempotencyKey == "" || holder == t.id {
		return 0
	}
	return holder
}

// settled is how the attempt of that epoch ended, nil while it is running or
// when nobody knows.
func (w *writer) settled(id, epoch int64) *tq.Settled {
	for _, r := range w.history[id] {
		if r.Settles && r.Epoch == epoch {
			return &tq.Settled{Kind: r.Kind, Hash: r.hash, Late: r.Detail.Late}
		}
	}
	return nil
}

// first is the answer that the settle of that epoch got the first time.
func (w *writer) first(t *task, epoch int64, late bool) tq.Changed {
	c := tq.Changed{State: tq.State{MaxAttempts: t.state.MaxAttempts}, Replayed: true, Late: late}
	for _, r := range w.history[t.id] {
		dead := r.Kind == tq.FactDeadLettered && c.State.Status != ""
		if r.Epoch != epoch || !r.Settles && !dead {
			continue
		}
		c.State.Status, c.State.Epoch, c.State.Attempt = r.Status, r.Epoch, r.Attempt
		c.RunAt = tq.Time{}
		if r.Status == tq.Pending {
			c.RunAt = r.At
		}
		if !r.Detail.RunAt.IsZero() {
			c.RunAt = r.Detail.RunAt
		}
	}
	return c
}

func (w *writer) changed(t *task, facts []tq.StepFact) tq.Changed {
	c := tq.Changed{State: t.state, Facts: facts}
	c.State.OpenDeps = len(t.open)
	c.State.Scheduled = t.delayed && t.state.Status == tq.Pending
	switch {
	case t.state.Status == tq.Pending:
		c.RunAt = t.runAt
	case t.lease != nil:
		c.Until, c.Left = t.lease.until, t.lease.left(w.now)
	}
	return c
}

// remove takes t out; its facts stay.
func (w *writer) remove(t *task) {
	for i := range w.tasks {
		if w.tasks[i] == t {
			w.tasks = append(w.tasks[:i], w.tasks[i+1:]...)
			break
		}
	}
	if w.keys[t.key()] == t.id {
		delete(w.keys, t.key())
	}
	delete(w.dependants, t.id)
	delete(w.telling, t.id)
}
