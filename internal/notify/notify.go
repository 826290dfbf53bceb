// Package notify tells the world of dead tasks. It reads the journal by cursor
// and makes a task of each alert, in a queue of its own: so alerts are retried,
// kept when nobody takes them, and seen like any other work.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/tq"
)

// Notifier tells one receiver. Client, URL and Format are all it needs.
type Notifier struct {
	Client tq.Client
	URL    string // the operator's own word: it may be anywhere, loopback too
	Format Format
	Key    []byte // signs webhooks, or is the bearer token of other formats; may be empty
	App    string // who we say we are; default tq
	Log    *slog.Logger

	HTTP *http.Client // default: 30 s, no redirects, no proxy

	watch map[int64]bool // rescued tasks that were told of as dead
}

// Queue holds alerts; Type is theirs.
const (
	Queue = "alerts"
	Type  = "alert"
)

const (
	maxAttempts = 20 // with the usual backoff more than a day
	watchEvery  = 5 * time.Second
)

// Alert is one thing to tell: the payload of a task of type alert.
type Alert struct {
	Seq      int64   `json:"seq"` // of the fact that it tells of
	Resolved bool    `json:"resolved,omitempty"`
	TaskID   int64   `json:"task_id"`
	Queue    string  `json:"queue"`
	Type     string  `json:"type"`
	Project  string  `json:"project,omitempty"`
	Attempts int     `json:"attempts"`
	Error    string  `json:"error,omitempty"`
	At       tq.Time `json:"at"`
}

// Run follows the journal and delivers until ctx ends.
func (n *Notifier) Run(ctx context.Context) error {
	if n.Log == nil {
		n.Log = slog.Default()
	}
	n.watch = map[int64]bool{}
	w := &tq.Worker{Client: n.Client, Queues: []string{Queue}, Name: "alerts", Concurrency: 4, Log: n.Log}
	w.Handle(Type, tq.ExecutorFunc(n.deliver))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var delivering sync.WaitGroup
	var workErr error
	delivering.Go(func() {
		defer stop()
		workErr = w.Run(ctx)
	})
	err := n.follow(ctx)
	stop()
	delivering.Wait()
	return errors.Join(err, workErr)
}

// follow makes alerts of facts. It begins after the newest alert there is, so
// that none is left out while nobody followed.
func (n *Notifier) follow(ctx context.Context) error {
	seq, err := n.begin(ctx)
	for ctx.Err() == nil {
		if err == nil {
			seq, err = n.step(ctx, seq)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		if !errors.Is(err, tq.ErrUnavailable) {
			return fmt.Errorf("follow the journal for alerts: %w", err)
		}
		n.Log.Warn("alerts: the queue does not answer", "error", err)
		if err = nil; !pause(ctx, watchEvery) {
			return nil
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (n *Notifier) begin(ctx context.Context) (int64, error) {
	page, err := n.Client.Tasks(ctx, tq.TasksIn{Queue: Queue, Type: Type, Limit: 1, Fields: "payload"})
	if err != nil {
		return 0, err
	}
	var newest Alert
	if len(page.Tasks) > 0 && json.Unmarshal(page.Tasks[0].Payload, &newest) == nil {
		return newest.Seq, nil
	}
	last, err := n.Client.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil || len(last.Facts) == 0 {
		return 0, err
	}
	return last.Facts[0].Seq, nil
}

func (n *Notifier) step(ctx context.Context, seq int64) (int64, error) {
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
