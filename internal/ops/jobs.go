package ops

import (
	"context"
	"slices"
	"strings"

	"example.com/tq"
)

// The routes under /v1/jobs: what programs written for another queue call. They
// are the routes of tasks under a second name; where a whole task is answered,
// the names those programs read stand beside ours.

// Known is a task with the names that other programs know, too. Status stays in
// the words of this queue.
type Known struct {
	tq.Task
	CreatedAt   tq.Time `json:"created_at,omitzero"` // not told, like run_at, to whoever may not read
	RunAt       tq.Time `json:"run_at,omitzero"`
	Attempts    int     `json:"attempts"`
	LockedBy    string  `json:"locked_by,omitempty"`
	LockedUntil tq.Time `json:"locked_until,omitzero"`
	UpdatedAt   tq.Time `json:"updated_at,omitzero"`
	CompletedAt tq.Time `json:"completed_at,omitzero"`
}

// EnqueuedKnown is one that was enqueued.
type EnqueuedKnown struct {
	Known
	Existed  bool `json:"existed,omitempty"`
	Mismatch bool `json:"mismatch,omitempty"` // the key was used with another body
}

// KnownPage is a page of them; Cursor asks for the next one.
type KnownPage struct {
	Tasks    []Known `json:"tasks"`
	Cursor   string  `json:"cursor,omitempty"`
	Searched int     `json:"searched,omitempty"`
}

func aliasOps() []Op {
	return []Op{
		op(Op{
			Name: "enqueue_alias", Routes: []string{"POST /v1/jobs"}, Scopes: may(tq.CanEnqueue),
			Summary: "Put one task into a queue, answered whole and with the names of /v1/jobs beside ours.",
		}, enqueueKnown),
		op(Op{
			Name: "tasks_alias", Routes: []string{"GET /v1/jobs"}, Scopes: may(tq.CanRead),
			Summary: "List tasks, newest first, with the names of /v1/jobs beside ours.",
		}, knownTasks),
		op(Op{
			Name: "task_alias", Routes: []string{"GET /v1/jobs/{id}"}, Scopes: may(tq.CanRead),
			Summary: "Read one task with the names of /v1/jobs beside ours.",
		}, knownTask),
	}
}

// withAliases gives every route of tasks its second name, but those that have an
// operation of their own above.
func withAliases(all []Op) []Op {
	for i := range all {
		if o := &all[i]; o.Name != "enqueue" && o.Name != "tasks" && o.Name != "task" {
			o.Routes = slices.Concat(o.Routes, aliases(o.Routes))
		}
	}
	return append(all, aliasOps()...)
}

func aliases(routes []string) []string {
	var more []string
	for _, route := range routes {
		method, path := Method(route), Path(route)
		switch {
		case strings.HasPrefix(path, "/v1/tasks/"):
			more = append(more, method+" /v1/jobs/"+strings.TrimPrefix(path, "/v1/tasks/"))
		case path == "/v1/queues/{queue}/tasks":
			more = append(more, method+" /v1/queues/{queue}/jobs")
		}
	}
	return more
}

// known adds the other names. A task changes when it is made, begun, reported on
// and ended: the newest of these is when it was updated.
func known(t tq.Task) Known {
	k := Known{Task: t, CreatedAt: t.CreatedAt, RunAt: t.RunAt, Attempts: t.Attempt, UpdatedAt: t.CreatedAt}
	changes := []tq.Time{t.StartedAt, t.EndedAt}
	if t.Progress != nil {
		changes = append(changes, t.Progress.At)
	}
	for _, at := range changes {
		if at.After(k.UpdatedAt.Time) {
			k.UpdatedAt = at
		}
	}
	if t.Lease != nil {
		k.LockedBy, k.LockedUntil = t.Lease.Owner, t.Lease.Until
	}
	if t.Lease != nil && t.Lease.Worker != "" {
		k.LockedBy = t.Lease.Worker
	}
	if t.Status == tq.Completed {
		k.CompletedAt = t.EndedAt
	}
	return k
}

// enqueueKnown answers the whole task to whoever may read it, and what was given
// to whoever may only enqueue.
func enqueueKnown(ctx context.Context, c tq.Client, in tq.NewTask) (EnqueuedKnown, error) {
	made, err := enqueueOne(ctx, c, in)
	if err != nil {
		return EnqueuedKnown{}, err
	}
	t, err := c.Task(ctx, tq.TaskIn{ID: made.ID})
	if err != nil {
		t = given(in)
	}
	t.ID, t.Status = made.ID, made.Status
	return EnqueuedKnown{Known: known(t), Existed: made.Existed, Mismatch: made.Mismatch}, nil
}

// given is what the caller said of a task, with the defaults.
func given(in tq.NewTask) tq.Task {
	if n, err := in.Normal(); err == nil {
		in = n
	}
	t := tq.Task{Queue: in.Queue, Type: in.Type, Project: in.Project, Tags: in.Tags, Payload: in.Payload}
	t.Priority, t.Timeout, t.IdempotencyKey = in.Priority, in.Timeout, in.IdempotencyKey
	t.MaxAttempts = in.MaxAttempts
	return t
}

func knownTask(ctx context.Context, c tq.Client, in tq.TaskIn) (Known, error) {
	t, err := c.Task(ctx, in)
	if err != nil {
		return Known{}, err
	}
	return known(t), nil
}

func knownTasks(ctx context.Context, c tq.Client, in tq.TasksIn) (KnownPage, error) {
	page, err := c.Tasks(ctx, in)
	if err != nil {
		return KnownPage{}, err
	}
	out := KnownPage{Cursor: page.Cursor, Searched: page.Searched}
	for _, t := range page.Tasks {
		out.Tasks = append(out.Tasks, known(t))
	}
	return out, nil
}
