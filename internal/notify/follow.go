package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"example.com/tq"
)

// follow makes alerts of facts. It begins where the newest alert ends, so that
// no death is left out that came while nobody followed.
func (n *Notifier) follow(ctx context.Context) error {
	seq, begun := int64(0), false
	for ctx.Err() == nil {
		err := error(nil)
		if !begun {
			seq, err = n.begin(ctx)
			begun = err == nil
		}
		if begun {
			seq, err = n.step(ctx, seq)
		}
		switch {
		case err == nil || ctx.Err() != nil:
			continue
		case errors.Is(err, tq.ErrForbidden):
			return fmt.Errorf("follow the journal for alerts: %w", err)
		}
		// A full queue or a hub that is away must not end the worker beside us.
		n.Log.Warn("alerts wait", "error", err)
		pause(ctx, watchEvery)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// begin reads the alerts there are, newest first. They say how far the journal
// was read, and of which tasks the receiver knows that they are dead. Without
// any, what happens from now on is told.
func (n *Notifier) begin(ctx context.Context) (seq int64, err error) {
	const page, pages = 100, 100
	seq = -1
	told := map[int64]bool{}
	in := tq.TasksIn{Queue: Queue, Type: Type, Limit: page, Fields: "payload"}
	for range pages {
		out, err := n.Client.Tasks(ctx, in)
		if err != nil {
			return 0, err
		}
		for i := range out.Tasks {
			var a Alert
			if json.Unmarshal(out.Tasks[i].Payload, &a) != nil {
				continue // it will die of that
			}
			if seq < 0 {
				seq = a.Seq
			}
			if err := n.recall(ctx, &a, told); err != nil {
				return 0, err
			}
		}
		if in.Cursor = out.Cursor; in.Cursor == "" {
			break
		}
	}
	if seq >= 0 {
		return seq, nil
	}
	last, err := n.Client.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil || len(last.Facts) == 0 {
		return 0, err
	}
	return last.Facts[0].Seq, nil
}

// recall watches a task that was told of as dead and is no longer.
func (n *Notifier) recall(ctx context.Context, a *Alert, told map[int64]bool) error {
	if a.Mark || told[a.TaskID] {
		return nil
	}
	told[a.TaskID] = true
	if a.Resolved {
		return nil
	}
	t, err := n.Client.Task(ctx, tq.TaskIn{ID: a.TaskID})
	switch {
	case errors.Is(err, tq.ErrNotFound):
		return nil
	case err != nil:
		return err
	case t.Status != tq.Dead:
		n.watch[a.TaskID] = true
	}
	return nil
}

func (n *Notifier) step(ctx context.Context, seq int64) (int64, error) {
	if err := n.mark(ctx, seq); err != nil {
		return seq, err
	}
	wait := tq.MaxWait
	if len(n.watch) > 0 {
		wait = watchEvery
	}
	out, err := n.Client.Facts(ctx, tq.FactsIn{
		After: seq, Kinds: []tq.Kind{tq.FactDeadLettered, tq.FactRescued}, Limit: tq.MaxPage, Wait: tq.Duration(wait),
	})
	if err != nil {
		return seq, err
	}
	for i := range out.Facts {
		if err := n.take(ctx, &out.Facts[i]); err != nil {
			return seq, err
		}
		seq = out.Facts[i].Seq
	}
	return seq, n.resolve(ctx, seq)
}

// mark keeps the cursor, at the beginning and once a day, in a task that is not
// due before the next one is there: alerts may be rare, and are deleted when
// they are old.
func (n *Notifier) mark(ctx context.Context, seq int64) error {
	now := n.now()
	if !n.marked.IsZero() && now.Sub(n.marked) < markEvery {
		return nil
	}
	payload, err := json.Marshal(Alert{Seq: seq, Mark: true})
	if err != nil {
		return err
	}
	t := tq.NewTask{
		Type: Type, Queue: Queue, Payload: payload, Delay: tq.Duration(2 * markEvery),
		IdempotencyKey: "mark:" + strconv.FormatInt(seq, 10),
	}
	if _, err = n.Client.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{t}}); err == nil {
		n.marked = now
	}
	return err
}

func (n *Notifier) take(ctx context.Context, f *tq.Fact) error {
	switch {
	case f.Queue == Queue:
		return nil // an alert that died is a dead task itself, and no reason for another
	case f.Kind == tq.FactRescued:
		last, _, err := n.newest(ctx, f.TaskID)
		if err == nil && last != nil && !last.Resolved {
			n.watch[f.TaskID] = true
		}
		return err
	}
	delete(n.watch, f.TaskID)
	t, err := n.Client.Task(ctx, tq.TaskIn{ID: f.TaskID})
	if err != nil && !errors.Is(err, tq.ErrNotFound) {
		return err
	}
	const shown = 2000
	return n.enqueue(ctx, Alert{
		Seq: f.Seq, TaskID: f.TaskID, Queue: f.Queue, Type: f.Type, Project: f.Project,
		Attempts: f.Attempt, Error: tq.CleanText(t.LastError, shown), At: f.At,
	})
}

// resolve tells of rescued tasks that are completed now.
func (n *Notifier) resolve(ctx context.Context, seq int64) error {
	for _, id := range slices.Sorted(maps.Keys(n.watch)) {
		t, err := n.Client.Task(ctx, tq.TaskIn{ID: id})
		switch {
		case errors.Is(err, tq.ErrNotFound):
			delete(n.watch, id)
		case err != nil:
			return err
		case t.Status == tq.Completed:
			a := Alert{
				Seq: seq, Resolved: true, TaskID: id, Queue: t.Queue, Type: t.Type, Project: t.Project,
				Attempts: t.Attempt, At: t.EndedAt,
			}
			if err := n.enqueue(ctx, a); err != nil {
				return err
			}
			delete(n.watch, id)
		case t.Status.Terminal():
			delete(n.watch, id)
		}
	}
	return nil
}

// newest is the last alert about a task.
func (n *Notifier) newest(ctx context.Context, id int64) (*Alert, int64, error) {
	page, err := n.Client.Tasks(ctx, tq.TasksIn{Queue: Queue, Project: about(id), Limit: 1, Fields: "payload"})
	if err != nil || len(page.Tasks) == 0 {
		return nil, 0, err
	}
	var a Alert
	if err := json.Unmarshal(page.Tasks[0].Payload, &a); err != nil {
		return nil, 0, fmt.Errorf("read alert %d: %w", page.Tasks[0].ID, err)
	}
	return &a, page.Tasks[0].ID, nil
}

func about(id int64) string { return "task-" + strconv.FormatInt(id, 10) }

// enqueue makes the task of an alert, once; it waits for the one before it
// about the same task, so that they arrive in order.
func (n *Notifier) enqueue(ctx context.Context, a Alert) error {
	last, id, err := n.newest(ctx, a.TaskID)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("alert:%d:%d", a.TaskID, a.Seq)
	if a.Resolved {
		key += ":resolved"
	}
	payload, err := json.Marshal(a)
	if err != nil {
		return err
	}
	t := tq.NewTask{
		Type: Type, Queue: Queue, Project: about(a.TaskID), Payload: payload,
		IdempotencyKey: key, MaxAttempts: maxAttempts, OnDepFailure: tq.DepRun,
	}
	if last != nil && (last.Seq != a.Seq || last.Resolved != a.Resolved) {
		t.Deps = []tq.Ref{tq.ID(id)}
	}
	_, err = n.Client.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{t}})
	return err
}
