package tq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Executor runs attempts of tasks of one type.
type Executor interface {
	// Execute runs one attempt and returns its result, JSON of at most
	// MaxPayload bytes, or why it failed. A nil error says that the work is
	// done, whatever has become of ctx; one that breaks off because ctx ended
	// returns context.Cause(ctx). It should return soon after ctx ends: the
	// lease is lost (ErrLeaseLost), cancel was asked for (ErrCancelRequested),
	// the time is up (ErrTimedOut) or the worker stops (ErrInterrupted). It may
	// be run again for the same task, on this machine or another; t.Epoch rises
	// with each run and fences older ones out.
	Execute(ctx context.Context, t *Task) (json.RawMessage, error)
}

// Why the context of an executor has ended, for errors.Is on context.Cause.
// The fourth reason is ErrLeaseLost: the task is no longer ours to settle.
var (
	ErrCancelRequested = errors.New("cancel requested")
	ErrTimedOut        = errors.New("timed out")
	ErrInterrupted     = errors.New("interrupted: the worker stops")
)

// ExecutorFunc is a function as an Executor.
type ExecutorFunc func(ctx context.Context, t *Task) (json.RawMessage, error)

// Execute calls f.
func (f ExecutorFunc) Execute(ctx context.Context, t *Task) (json.RawMessage, error) {
	return f(ctx, t)
}

// Handle registers a handler for the tasks whose type is A's Kind: their
// payload is decoded into A, the handler's answer is encoded as the result. A
// payload that does not decode fails for good; without one, args are zero.
func Handle[A Args, R any](w *Worker, handler func(ctx context.Context, t *Task, args A) (R, error)) {
	var zero A
	w.Handle(zero.Kind(), ExecutorFunc(func(ctx context.Context, t *Task) (json.RawMessage, error) {
		var args A
		if err := decode(t, &args); err != nil {
			return nil, Permanent(err)
		}
		answer, err := handler(ctx, t, args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(answer)
	}))
}

func decode(t *Task, args any) error {
	if len(t.Payload) == 0 {
		return nil
	}
	if err := json.Unmarshal(t.Payload, args); err != nil {
		return fmt.Errorf("decode payload of type %s: %w", t.Type, err)
	}
	return nil
}

// outcome is how an executor's error wants to be settled; a plain error is a
// transient failure, retried with backoff.
type outcome struct {
	err     error
	event   Event // fail or release
	giveUp  bool
	unburnt bool
	delay   *time.Duration
	class   Class  // when event and giveUp do not say it
	scope   string // parked with it
}

func (o *outcome) Error() string { return o.err.Error() }
func (o *outcome) Unwrap() error { return o.err }

// Permanent marks err as one that no retry will mend: the task is dead at once.
// Of nil it is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &outcome{err: err, event: EventFail, giveUp: true}
}

// RetryAfter fails the attempt and asks for the next one after d instead of
// the backoff. To say why, wrap it: fmt.Errorf("%w: %w", err, RetryAfter(d)).
func RetryAfter(d time.Duration) error {
	return &outcome{err: fmt.Errorf("retry after %s", d), event: EventFail, delay: &d}
}

// Release gives the task back without burning the attempt, claimable again
// after d. More than MaxReleases in a row count as attempts.
func Release(d time.Duration) error {
	return &outcome{err: fmt.Errorf("released for %s", d), event: EventRelease, delay: &d}
}

// RateLimited gives the task back because somebody asked us to wait: the
// attempt is never burnt, however often it happens.
func RateLimited(d time.Duration) error {
	return &outcome{err: fmt.Errorf("rate limited for %s", d), event: EventRelease, class: ClassRateLimited, unburnt: true, delay: &d}
}

// outcomeOf finds the outcome that an executor asked for in its error; without
// one it is a failure like any other.
func outcomeOf(err error) (o *outcome, asked bool) {
	if errors.As(err, &o) {
		return o, true
	}
	return &outcome{err: err, event: EventFail}, false
}
