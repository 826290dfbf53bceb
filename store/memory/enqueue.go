package memory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	tq "example.com/tq"
)

// Enqueue writes all tasks or none.
func (s *Store) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	out := make([]tq.Enqueued, len(tasks))
	err := s.write(ctx, func(w *writer) error {
		last := w.last
		for i, n := range tasks {
			e, err := w.enqueue(n, out[:i], actor)
			if err != nil {
				w.forget(last)
				return inRow(i, err)
			}
			out[i] = e
		}
		w.cascade()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// enqueue writes one task, or answers with the one that holds its key. before
// are the answers to the earlier rows of the batch.
func (w *writer) enqueue(n tq.NewTask, before []tq.Enqueued, actor string) (tq.Enqueued, *tq.Error) {
	n.Payload, n.Tags = bytes.Clone(n.Payload), slices.Clone(n.Tags)
	if n.Backoff != nil {
		own := *n.Backoff
		n.Backoff = &own
	}
	old := w.find(w.keys[key{n.Queue, n.IdempotencyKey}])
	deps, err := w.resolve(&n, before)
	if old != nil && n.IdempotencyKey != "" {
		return w.existing(old, &n, deps, err)
	}
	if err != nil {
		return tq.Enqueued{}, err
	}
	if n.Parent != 0 && w.find(n.Parent) == nil {
		return tq.Enqueued{}, tq.Errorf(tq.CodeUnknownDependency, "parent: no task %d", n.Parent)
	}
	t := w.birth(n, deps, actor)
	return tq.Enqueued{ID: t.id, Status: t.state.Status}, nil
}

// existing answers a repeated key. A dependency that is not found makes it
// another task, no more: the first one may well have outlived it.
func (w *writer) existing(old *task, n *tq.NewTask, deps []int64, unknown *tq.Error) (tq.Enqueued, *tq.Error) {
	same := unknown == nil && old.asked.Type == n.Type && bytes.Equal(old.asked.Payload, n.Payload) &&
		old.asked.Priority == n.Priority && old.asked.MaxAttempts == n.MaxAttempts && slices.Equal(old.deps, deps)
	if !same && n.OnMismatch == tq.MismatchError {
		e := tq.Errorf(tq.CodeIdempotencyMismatch, "key %q belongs to task %d, which is another one", n.IdempotencyKey, old.id)
		e.TaskID = old.id
		return tq.Enqueued{}, e
	}
	return tq.Enqueued{ID: old.id, Status: old.state.Status, Existed: true, Mismatch: !same}, nil
}

// resolve finds what the deps of n name, each once, in the order of their ids.
func (w *writer) resolve(n *tq.NewTask, before []tq.Enqueued) ([]int64, *tq.Error) {
	found := map[int64]bool{}
	for _, ref := range n.Deps {
		target := ref.Target()
		id := target.ID
		switch {
		case target.Key != "":
			id = w.keys[key{n.Queue, target.Key}]
		case target.Row > len(before):
			return nil, tq.Errorf(tq.CodeInvalid, "deps: %s is not an earlier row of the batch", ref)
		case target.Row > 0:
			id = before[target.Row-1].ID
		}
		if w.find(id) == nil {
			return nil, tq.Errorf(tq.CodeUnknownDependency, "deps: there is no task %s", ref)
		}
		found[id] = true
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// birth makes the task.
func (w *writer) birth(n tq.NewTask, deps []int64, actor string) *task {
	w.last++
	t := &task{id: w.last, asked: n, created: w.now, first: w.now, deps: deps, open: map[int64]bool{}}
	if !n.RunAt.IsZero() && n.RunAt.After(w.now.Time) {
		t.first = n.RunAt
	}
	if n.Delay > 0 {
		t.first = tq.At(w.now.Add(n.Delay.Std()))
	}
	var canceller int64
	for _, id := range deps {
		w.dependants[id] = append(w.dependants[id], t.id)
		switch tq.DepEffect(w.find(id).state.Status, n.OnDepFailure) {
		case tq.StillOpen, tq.Stuck:
			t.open[id] = true
		case tq.Cancels:
			canceller = id
		}
	}
	w.tasks = append(w.tasks, t)
	w.lines[t.line()] = true
	if n.IdempotencyKey != "" {
		w.keys[t.key()] = t.id
	}
	step := tq.Birth(&n, len(t.open), canceller != 0)
	step.Delay = t.first.Sub(w.now.Time)
	step.State.Scheduled = step.State.Status == tq.Pending && step.Delay > 0
	t.runAt = t.first
	w.apply(t, step, act{actor: actor, detail: tq.FactDetail{Cause: canceller}})
	return t
}

// forget takes back every task after that id.
func (w *writer) forget(last int64) {
	for ; w.last > last; w.last-- {
		delete(w.history, w.last)
	}
	later := func(id int64) bool { return id > last }
	w.tasks = slices.DeleteFunc(w.tasks, func(t *task) bool { return later(t.id) })
	w.journal = slices.DeleteFunc(w.journal, func(r *record) bool { return later(r.TaskID) })
	maps.DeleteFunc(w.keys, func(_ key, id int64) bool { return later(id) })
	for id, all := range w.dependants {
		w.dependants[id] = slices.DeleteFunc(all, later)
	}
	w.news, w.ended = tq.News{}, nil
}

func inRow(i int, e *tq.Error) error {
	e.Message = fmt.Sprintf("tasks/%d: %s", i, e.Message)
	return e
}
