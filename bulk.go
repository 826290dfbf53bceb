package tq

import (
	"context"
	"slices"
	"time"
)

// One verb for every task that a filter selects. The work is a resource of the
// process that was asked: it has a state, can be waited for and ended, and goes
// on in the background (bulk_run.go).

// Bulk verbs.
const (
	BulkCancel  = "cancel"
	BulkRequeue = "requeue"
	BulkRescue  = "rescue"
	BulkDelete  = "delete"
)

// States of a bulk operation. Counted is the answer to a dry run.
const (
	BulkCounted = "counted"
	BulkRunning = "running"
	BulkDone    = "done"
	BulkEnded   = "ended"  // by EndBulk, or because the process stopped
	BulkFailed  = "failed" // see Error
)

// BulkIn asks for a verb on every task that a filter selects: those that exist
// now and that the caller may touch, newest first. Who asks needs to be let to
// read, since a filter tells what is in tasks, and what the verb needs.
type BulkIn struct {
	ID     string  `json:"id,omitempty"` // makes the call repeatable: the same operation is answered again
	Verb   string  `json:"verb"`         // cancel, requeue, rescue or delete
	Filter string  `json:"filter"`       // in the filter language; at least one term
	DryRun bool    `json:"dry_run,omitempty"`
	Rate   float64 `json:"rate,omitempty"`   // tasks in a second, up to MaxBulkRate; default: as fast as it goes
	Force  bool    `json:"force,omitempty"`  // cancel: take running tasks from their holders now
	Reason string  `json:"reason,omitempty"` // cancel: why
}

// BulkOut is where an operation stands. Of a dry run Changed is how many tasks
// would change by where they stand now: exact, but for tasks that cannot be
// deleted because others wait for them, or rescued because a twin has their key.
type BulkOut struct {
	ID        string  `json:"id,omitempty"` // none of a dry run
	Verb      string  `json:"verb"`
	Filter    string  `json:"filter"`
	State     string  `json:"state"`
	Matched   int64   `json:"matched"` // selected so far
	Changed   int64   `json:"changed"`
	Skipped   int64   `json:"skipped"` // were where the verb does nothing, or have moved on since
	Rate      float64 `json:"rate,omitempty"`
	Actor     string  `json:"actor"`
	StartedAt Time    `json:"started_at,omitzero"`
	EndedAt   Time    `json:"ended_at,omitzero"`
	Sample    []int64 `json:"sample,omitempty"` // dry run: the newest of those that would change
	Error     *Error  `json:"error,omitempty"`
}

// BulkStateIn asks where an operation stands, waiting up to Wait for its end.
type BulkStateIn struct {
	ID   string   `json:"id"`
	Wait Duration `json:"wait_seconds,omitempty"`
}

// EndBulkIn ends an operation. What it has done stays.
type EndBulkIn struct {
	ID string `json:"id"`
}

const bulkSample = 5

// Bulk implements Client.
func (b *Broker) Bulk(ctx context.Context, in BulkIn) (BulkOut, error) {
	run, err := b.newBulk(in)
	if err != nil {
		return BulkOut{}, err
	}
	if !in.DryRun {
		return b.bulks.begin(run)
	}
	for {
		tasks, err := run.page(ctx, MaxPage)
		if err != nil {
			return BulkOut{}, err
		}
		run.count(tasks)
		if run.before == 0 {
			run.out.State = BulkCounted
			return run.out, nil
		}
	}
}

// newBulk checks what was asked.
func (b *Broker) newBulk(in BulkIn) (*bulkRun, error) {
	scopes := map[string][]Scope{
		BulkCancel: {CanEnqueue, CanAdmin}, BulkRequeue: {CanEnqueue, CanAdmin}, BulkRescue: {CanAdmin}, BulkDelete: {CanAdmin},
	}
	for _, err := range []*Error{
		checkWord("verb", in.Verb, BulkCancel, BulkRequeue, BulkRescue, BulkDelete),
		checkLabel("id", in.ID, MaxKey),
		checkLabel("reason", in.Reason, MaxKey),
		checkBulkRate(in.Rate),
	} {
		if err != nil {
			return nil, err
		}
	}
	if err := b.may(scopes[in.Verb]...); err != nil {
		return nil, err
	}
	if err := b.may(CanRead); err != nil {
		return nil, err
	}
	q, err := TasksIn{Filter: in.Filter}.query()
	if err != nil {
		return nil, err
	}
	if q.Where == nil {
		return nil, invalidField("filter", "required", "is empty, which would be every task").WithHint("say which ones: status:dead")
	}
	q.Only = b.sight()
	return &bulkRun{
		broker: b, in: in, query: q, ended: make(chan struct{}),
		out: BulkOut{Verb: in.Verb, Filter: in.Filter, Rate: in.Rate, Actor: b.actor},
	}, nil
}

func checkBulkRate(rate float64) *Error {
	if rate == 0 || rate >= 0.01 && rate <= MaxBulkRate {
		return nil
	}
	return invalidField("rate", "out_of_range", "is %v, want 0.01 to %d tasks in a second", rate, MaxBulkRate)
}

// BulkState implements Client.
func (b *Broker) BulkState(ctx context.Context, in BulkStateIn) (BulkOut, error) {
	if err := checkDuration("wait_seconds", in.Wait, 0, MaxWait); err != nil {
		return BulkOut{}, err
	}
	run, err := b.bulk(in.ID)
	if err != nil {
		return BulkOut{}, err
	}
	if in.Wait > 0 {
		sleep(ctx, in.Wait.Std(), run.ended)
	}
	return b.bulks.state(run), ctx.Err()
}

// EndBulk implements Client.
func (b *Broker) EndBulk(_ context.Context, in EndBulkIn) (BulkOut, error) {
	run, err := b.bulk(in.ID)
	if err != nil {
		return BulkOut{}, err
	}
	b.bulks.end(run, BulkEnded, nil)
	return b.bulks.state(run), nil
}

// bulk finds an operation of the caller's, or anybody's for who sees all.
func (b *Broker) bulk(id string) (*bulkRun, error) {
	if err := b.may(CanRead); err != nil {
		return nil, err
	}
	run := b.bulks.find(id)
	if run == nil || run.broker.actor != b.actor && !(b.only.SeesAll() && b.may(CanAdmin) == nil) {
		return nil, Errorf(CodeNotFound, "no bulk operation %s", quote(id)).
			WithHint("it ends with the process that ran it, and is kept for an hour; what it did stays, begin the rest again")
	}
	return run, nil
}

// page reads the next tasks that the filter selects; before is 0 behind the last.
func (r *bulkRun) page(ctx context.Context, limit int) ([]Task, error) {
	q := r.query
	q.Before, q.Limit = r.before, limit
	page, err := r.broker.store.Tasks(ctx, q)
	if err != nil {
		return nil, err
	}
	r.before = 0
	if page.More {
		r.before = page.Next
	}
	return page.Tasks, nil
}

// count takes tasks into the answer of a dry run.
func (r *bulkRun) count(tasks []Task) {
	now := r.broker.info.Now()
	for i := range tasks {
		r.out.Matched++
		if !r.applies(&tasks[i], now) {
			r.out.Skipped++
			continue
		}
		r.out.Changed++
		if len(r.out.Sample) < bulkSample {
			r.out.Sample = append(r.out.Sample, tasks[i].ID)
		}
	}
}

func (r *bulkRun) event() Event {
	return map[string]Event{
		BulkCancel: EventCancel, BulkRequeue: EventRequeue, BulkRescue: EventRescue, BulkDelete: EventDelete,
	}[r.in.Verb]
}

// applies reports whether the verb changes a task as it stands. What has ended
// comes back by the hand of an admin alone.
func (r *bulkRun) applies(t *Task, now time.Time) bool {
	if r.in.Verb == BulkRequeue && t.Status.Terminal() && r.broker.may(CanAdmin) != nil {
		return false
	}
	s := State{
		Status: t.Status, Epoch: t.Epoch, Attempt: t.Attempt, MaxAttempts: t.MaxAttempts,
		CancelRequested: t.CancelRequested, Scheduled: slices.Contains([]string{Scheduled, Retrying}, t.Label(now)),
	}
	step, err := Next(s, r.event(), Arg{Force: r.in.Force})
	return err == nil && len(step.Facts) > 0
}
