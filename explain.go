package tq

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Explain implements Client: why a task is not running, in one sentence, and
// what to type next. It looks at what a claim looks at, in the same order.
func (b *Broker) Explain(ctx context.Context, in ExplainIn) (ExplainOut, error) {
	if err := b.may(CanRead); err != nil {
		return ExplainOut{}, err
	}
	t, err := b.Task(ctx, TaskIn(in))
	if err != nil {
		return ExplainOut{}, err
	}
	now := b.info.Now()
	out := ExplainOut{ID: t.ID, Status: t.Label(now)}
	switch {
	case t.Status == Blocked:
		out.blocked(&t)
	case t.Status == Running:
		err = b.nameHolder(ctx, &t)
		out.running(&t)
	case t.Status.Terminal():
		out.ended(&t)
	case out.Status != Ready:
		var parked bool
		if parked, err = b.explainParked(ctx, &t, &out); !parked && err == nil {
			out.waiting(&t, now)
		}
	default:
		err = b.explainReady(ctx, &t, &out)
	}
	return out, err
}

func (x *ExplainOut) say(code, format string, args ...any) {
	x.Code, x.Sentence = code, fmt.Sprintf(format, args...)
}

func (x *ExplainOut) next(format string, args ...any) {
	x.Next = append(x.Next, fmt.Sprintf(format, args...))
}

func (x *ExplainOut) blocked(t *Task) {
	const shown = 5
	var names []string
	open := 0
	for _, d := range t.Deps {
		if d.Status == "" || DepEffect(d.Status, t.OnDepFailure) == Satisfied {
			continue
		}
		if open++; open <= shown {
			names = append(names, fmt.Sprintf("%d (%s)", d.ID, d.Status))
			x.nextForDep(d)
		}
	}
	if open > shown {
		names = append(names, "…")
	}
	x.say("blocked", "waits for %d of %d dependencies: %s", open, len(t.Deps), strings.Join(names, ", "))
}

func (x *ExplainOut) nextForDep(d Dep) {
	if d.Status == Dead || d.Status == Cancelled {
		x.next("tq rescue %d", d.ID)
		return
	}
	x.next("tq explain %d", d.ID)
}

// nameHolder puts the label of the worker, which people know, in the place of
// its id.
func (b *Broker) nameHolder(ctx context.Context, t *Task) error {
	if t.Lease == nil {
		return nil
	}
	rows, err := b.workers(ctx)
	for _, w := range rows {
		if w.ID == t.Lease.Worker && w.Name != "" {
			t.Lease.Worker = w.Name
		}
	}
	return err
}

func (x *ExplainOut) running(t *Task) {
	who := "a worker"
	if t.Lease != nil {
		who = t.Lease.holder()
	}
	x.say("running", "it is running: attempt %d of %d, held by %s%s", t.Attempt, t.MaxAttempts, who, leaseLeft(t.Lease))
	if t.CancelRequested {
		x.Sentence += "; cancel was requested, the worker hears of it at its next heartbeat"
		x.next("tq cancel --force %d", t.ID)
	}
}

func (l *Lease) holder() string {
	switch {
	case l.Worker != "" && l.Owner != "" && l.Owner != l.Worker:
		return l.Worker + " via " + l.Owner
	case l.Worker != "":
		return l.Worker
	case l.Owner != "":
		return l.Owner
	}
	return "a worker"
}

func leaseLeft(l *Lease) string {
	switch {
	case l == nil:
		return ""
	case l.SecondsLeft <= 0:
		return ", its lease has run out"
	}
	return fmt.Sprintf(", lease %s left", roundTime(l.SecondsLeft.Std()))
}

func (x *ExplainOut) ended(t *Task) {
	switch t.Status {
	case Completed:
		x.say("completed", "it is done: completed at %s in attempt %d of %d", t.EndedAt, t.Attempt, t.MaxAttempts)
	case Dead:
		x.say("dead", "it is dead (%s) after attempt %d of %d%s", t.Reason, t.Attempt, t.MaxAttempts, because(t.LastError))
		x.next("tq rescue %d", t.ID)
	default:
		x.say("cancelled", "it was cancelled at %s%s", t.EndedAt, because(t.Reason))
		x.next("tq rescue %d", t.ID)
	}
}

func (x *ExplainOut) waiting(t *Task, now time.Time) {
	in := roundTime(t.RunAt.Sub(now))
	x.next("tq requeue %d", t.ID)
	if t.Attempt == 0 {
		x.say(Scheduled, "it is scheduled for %s, in %s", t.RunAt, in)
		return
	}
	x.say(Retrying, "it is retried in %s: attempt %d of %d ended%s", in, t.Attempt, t.MaxAttempts, because(t.LastError))
}

// because is the first line of a reason, short enough for a sentence.
func because(text string) string {
	const limit = 120
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return ": " + CleanText(line, limit)
}

// explainReady says what keeps a ready task from being claimed: its queue is
// paused, no live worker would take it, or those that would are busy.
func (b *Broker) explainReady(ctx context.Context, t *Task, x *ExplainOut) error {
	census, err := b.census(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(census.Paused, t.Queue) {
		x.say("paused", "its queue %s is paused", t.Queue)
		x.next("tq queue resume %s", t.Queue)
		return nil
	}
	rows, err := b.workers(ctx)
	if err != nil {
		return err
	}
	serving, free := 0, 0
	for i := range rows {
		w := &rows[i]
		if b.workerState(w) == "lost" || w.Draining || !serves(&w.WorkerInfo, t) {
			continue
		}
		serving++
		free += max(0, max(w.Slots, 1)-len(w.Running)) // who names no number has one hand
	}
	x.line(t, serving, free, readyIn(census, t.Queue))
	return nil
}

func (x *ExplainOut) line(t *Task, serving, free int, ready int64) {
	switch {
	case serving == 0:
		x.say("no_worker", "it is claimable, but no worker serves type %s in queue %s", t.Type, t.Queue)
		x.next("tq worker --queue %s --type %s", t.Queue, t.Type)
	case free == 0:
		x.say("behind", "it is claimable; all hands of the %d workers that serve it are busy, %d tasks of its queue are ready", serving, ready)
		x.next("tq workers")
	default:
		x.say("claimable", "it is claimable; %d workers serve it, %d tasks of its queue are ready", serving, ready)
	}
}

// serves reports whether a worker would take t. One that names no types is not
// counted on for those that must be named.
func serves(w *WorkerInfo, t *Task) bool {
	if len(w.Queues) > 0 && !servesQueue(w, t.Queue) {
		return false
	}
	if len(w.Types) == 0 {
		return !slices.Contains(ExecutableTypes(), t.Type)
	}
	return slices.Contains(w.Types, t.Type)
}

func readyIn(c Census, queue string) int64 {
	var n int64
	for _, l := range c.Lines {
		if l.Queue == queue {
			n += l.Ready
		}
	}
	return n
}

// roundTime makes a length of time short to read.
func roundTime(d time.Duration) time.Duration {
	if d >= 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond)
}
