package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/tq"
)

// What a worker tells on stderr: a line when a task begins and one when it is
// settled, and its troubles. Payloads and results are never in it.

// workerLog is a slog.Handler that writes for people, or JSON lines.
type workerLog struct {
	app   *app
	attrs []slog.Attr

	shared *workerLogState
}

type workerLogState struct {
	mu    sync.Mutex
	began map[int64]time.Time // by task
}

func newWorkerLog(a *app) *workerLog {
	return &workerLog{app: a, shared: &workerLogState{began: map[int64]time.Time{}}}
}

func (l *workerLog) logger() *slog.Logger { return slog.New(l) }

// begin says who works and on what.
func (l *workerLog) begin(w *tq.Worker, d *door, what string) {
	hands := "one hand per processor"
	if w.Concurrency > 0 {
		hands = plural(w.Concurrency, "hand")
	}
	text := "worker runs " + what + " with " + hands
	if place := d.place(); place != "" {
		text += " from " + place
	}
	l.say(text + "; interrupt it to stop")
}

func (l *workerLog) say(text string) { l.logger().Info(text) }

// announced tells when an attempt begins.
func (l *workerLog) announced(x tq.Executor) tq.Executor {
	return tq.ExecutorFunc(func(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
		l.shared.mu.Lock()
		l.shared.began[t.ID] = time.Now()
		l.shared.mu.Unlock()
		l.logger().Info("start", "task", t.ID, "type", t.Type, "attempt", t.Attempt, "of", t.MaxAttempts, "key", t.IdempotencyKey)
		return x.Execute(ctx, t)
	})
}

// Enabled implements slog.Handler: everything is told.
func (l *workerLog) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (l *workerLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *l
	c.attrs = append(append([]slog.Attr(nil), l.attrs...), attrs...)
	return &c
}

// WithGroup implements slog.Handler; groups are not used here.
func (l *workerLog) WithGroup(string) slog.Handler { return l }

// Handle implements slog.Handler: one record is one line.
func (l *workerLog) Handle(_ context.Context, r slog.Record) error {
	e := workerEvent{At: tq.At(r.Time), Level: strings.ToLower(r.Level.String()), Event: r.Message}
	for _, attr := range l.attrs {
		e.take(attr)
	}
	r.Attrs(func(attr slog.Attr) bool {
		e.take(attr)
		return true
	})
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	if began, ok := l.shared.began[e.TaskID]; ok && e.Event != "start" {
		e.Took = tq.Duration(time.Since(began))
		delete(l.shared.began, e.TaskID)
	}
	if l.app.out.json {
		l.app.out.errObject(e)
		return nil
	}
	l.app.out.errLine(string(l.app.workerLine(&e)))
	return nil
}

// workerEvent is one thing that a worker tells.
type workerEvent struct {
	At      tq.Time           `json:"at"`
	Level   string            `json:"level"`
	Event   string            `json:"event"`
	TaskID  int64             `json:"task_id,omitempty"`
	Type    string            `json:"type,omitempty"`
	Key     string            `json:"idempotency_key,omitempty"`
	Attempt int64             `json:"attempt,omitempty"`
	Of      int64             `json:"max_attempts,omitempty"`
	Status  string            `json:"status,omitempty"`
	Took    tq.Duration       `json:"took_seconds,omitempty"`
	Error   string            `json:"error,omitempty"`
	More    map[string]string `json:"more,omitempty"`
}

func (e *workerEvent) take(attr slog.Attr) {
	v := attr.Value.Resolve()
	switch attr.Key {
	case "task":
		e.TaskID = v.Int64()
	case "attempt":
		e.Attempt = v.Int64()
	case "of":
		e.Of = v.Int64()
	case "type":
		e.Type = v.String()
	case "key":
		e.Key = v.String()
	case "status":
		e.Status = v.String()
	case "error":
		e.Error = v.String()
	default:
		if e.More == nil {
			e.More = map[string]string{}
		}
		e.More[attr.Key] = v.String()
	}
}

// workerLine writes an event for people.
func (a *app) workerLine(e *workerEvent) styled {
	at := e.At.In(a.Now().Location()).Format(time.TimeOnly)
	if e.TaskID == 0 {
		return styled(at+"  ") + a.out.style(plain, join(e.Event, e.Error, moreText(e.More)))
	}
	label := e.Status
	switch {
	case label == "":
		label = string(tq.Running)
	case label == string(tq.Pending) && e.Event == "fail":
		label = tq.Retrying
	}
	words := e.Event
	if e.Event != "start" && e.Status != "" {
		words = label
	}
	text := fmt.Sprintf("%-10s %s", words, e.Type)
	if e.Of > 0 {
		text += fmt.Sprintf("  attempt %d/%d", e.Attempt, e.Of)
	}
	if e.Key != "" {
		text += "  " + e.Key
	}
	if e.Took > 0 {
		text += "  after " + span(e.Took.Std())
	}
	return styled(at+"  ") + a.out.glyph(label) + styled(" "+itoa(e.TaskID)+"  ") +
		a.out.style(plain, strings.TrimRight(join(text, e.Error, moreText(e.More)), " "))
}

func moreText(more map[string]string) string {
	parts := make([]string, 0, len(more))
	for _, key := range slices.Sorted(maps.Keys(more)) {
		parts = append(parts, key+" "+more[key])
	}
	return strings.Join(parts, ", ")
}
