package move

import (
	"context"
	"io"
	"strconv"

	"example.com/tq"
)

// Importing into a store that is in use: what has not ended is enqueued anew.

// Renumbered says what became of the tasks of an export.
type Renumbered struct {
	Enqueued int64 `json:"enqueued"`
	Existed  int64 `json:"existed"` // their keys, or this export, had brought them before
	Ended    int64 `json:"ended"`   // and so were left out
	Left     int64 `json:"left"`    // they wait for one that ended badly
}

// Renumber enqueues those tasks of an export that have not ended, under new ids:
// with payload, priority, key, what they wait for, and the time before which they
// are not to run; attempts begin anew, facts stay behind. A task without a key
// gets one that names the export, so a repeat enqueues nothing twice.
func Renumber(ctx context.Context, c tq.Client, r io.Reader, report func(Progress)) (Renumbered, error) {
	f, err := newReader(r)
	if err != nil {
		return Renumbered{}, err
	}
	n := &renumbering{c: c, f: f, report: report, ids: map[int64]int64{}, ended: map[int64]tq.Status{}}
	err = f.each(func(l *line) error {
		if l.Task == nil || l.Task.Asked == nil {
			return nil
		}
		return n.task(ctx, l.Task)
	})
	if err == nil {
		err = n.flush(ctx)
	}
	return n.out, err
}

type renumbering struct {
	c      tq.Client
	f      *reader
	report func(Progress)
	ids    map[int64]int64     // new ones by old ones
	ended  map[int64]tq.Status // old ids
	waits  []tq.NewTask
	olds   []int64 // of waits
	size   int
	out    Renumbered
}

func (n *renumbering) task(ctx context.Context, w *tq.Whole) error {
	if last := w.Last(); last != nil && last.Status.Terminal() {
		n.ended[w.ID] = last.Status
		n.out.Ended++
		return nil
	}
	deps, waiting := n.deps(w)
	if !waiting {
		n.ended[w.ID] = tq.Dead
		n.out.Left++
		return nil
	}
	// What waits for one of this batch needs its new id first.
	for _, old := range deps {
		if n.ids[old] == 0 {
			if err := n.flush(ctx); err != nil {
				return err
			}
			break
		}
	}
	task := n.anew(w)
	for _, old := range deps {
		task.Deps = append(task.Deps, tq.ID(n.ids[old]))
	}
	n.waits, n.olds, n.size = append(n.waits, task), append(n.olds, w.ID), n.size+weight(w)
	if len(n.waits) < tq.MaxBatch && n.size < biteBytes {
		return nil
	}
	return n.flush(ctx)
}

// deps are those old ids that w still waits for. It can wait no longer when one
// of them ended in a way that keeps it waiting, or cancels it.
func (n *renumbering) deps(w *tq.Whole) (open []int64, waiting bool) {
	for _, id := range w.Asked.Deps {
		status, over := n.ended[id]
		if !over {
			if n.known(id) {
				open = append(open, id)
			}
			continue
		}
		if tq.DepEffect(status, w.Asked.OnDepFailure) != tq.Satisfied {
			return nil, false
		}
	}
	return open, true
}

// known reports whether the file brought that task; one that was deleted holds
// nothing back.
func (n *renumbering) known(old int64) bool {
	if n.ids[old] != 0 {
		return true
	}
	for _, id := range n.olds {
		if id == old {
			return true
		}
	}
	return false
}

func (n *renumbering) anew(w *tq.Whole) tq.NewTask {
	a := w.Asked
	task := tq.NewTask{
		Type: w.Type, Queue: w.Queue, Payload: []byte(a.Payload), Project: w.Project, Tags: a.Tags, Priority: a.Priority,
		RunAt: a.RunAt, MaxAttempts: a.MaxAttempts, Timeout: a.Timeout, Backoff: a.Backoff, IdempotencyKey: a.IdempotencyKey,
		KeyUntil: a.KeyUntil, OnDepFailure: a.OnDepFailure, Parent: n.ids[a.Parent], Traceparent: a.Traceparent,
	}
	if last := w.Last(); last != nil && last.Status == tq.Pending && !last.Due.IsZero() {
		task.RunAt = last.Due
	}
	if task.IdempotencyKey == "" {
		task.IdempotencyKey = "import:" + n.f.head.ID + ":" + strconv.FormatInt(w.ID, 10)
	}
	return task
}

func (n *renumbering) flush(ctx context.Context) error {
	if len(n.waits) == 0 {
		return nil
	}
	out, err := n.c.Enqueue(ctx, tq.EnqueueIn{Tasks: n.waits})
	if err != nil {
		return err
	}
	for i, e := range out.Tasks {
		n.ids[n.olds[i]] = e.ID
		if e.Existed {
			n.out.Existed++
		} else {
			n.out.Enqueued++
		}
	}
	n.waits, n.olds, n.size = nil, nil, 0
	if n.report != nil {
		n.report(Progress{Stage: StageImport, Tasks: n.out.Enqueued + n.out.Existed, Of: n.f.head.Tasks})
	}
	return nil
}
