package tq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"
)

// An attempt in the hands of this worker, from the claim's answer until it is
// settled or its lease is lost: its context, the timers that end that, and the
// run of its executor.

// errFenced ends an executor when most of its lease has gone by and no
// heartbeat has worked: soon somebody else may hold the task (spec S12).
var errFenced = errors.New("no heartbeat has worked for too long")

type stage int

const (
	stageWaiting stage = iota // for a free hand
	stageRunning
	stageEnded // its settlement is on the way
)

// attempt: what stands above the gap never changes; what stands below is
// guarded by hands.mu.
type attempt struct {
	task  *Task
	token string
	lease time.Duration // what each heartbeat asks for
	ctx   context.Context
	stop  context.CancelCauseFunc
	fence *time.Timer // stops it before the lease may have run out
	limit *time.Timer // stops it when its timeout is over; nil without one

	stage    stage
	lost     bool
	patience *time.Timer // of one that waits: then it is given back
	progress *Progress   // newest report that was not sent
	size     int         // counted in the backlog
}

// newAttempt takes a task over. Its lease is counted from sent, before the claim
// went out: the one moment of which is sure that it was no later than the grant.
// The timeout, which the store enforces too, is counted from now, less the time
// for last words.
func newAttempt(ctx context.Context, c ClaimedTask, lease time.Duration, sent time.Time) *attempt {
	a := &attempt{task: &c.Task, token: c.LeaseToken, lease: lease}
	a.ctx, a.stop = context.WithCancelCause(ctx)
	left := c.LeaseLeft.Std()
	if left <= 0 {
		left = lease
	}
	safe := time.Until(fenceAt(sent, left))
	if timeout := c.Timeout.Std(); timeout > 0 {
		a.limit = time.AfterFunc(timeout-lastWords(timeout), a.endTimedOut)
		if timeout <= lease {
			safe = timeout + lease // the timeout bounds this lease and comes first
		}
	}
	a.fence = time.AfterFunc(safe, a.endFenced)
	switch {
	case c.CancelRequested:
		a.stop(ErrCancelRequested)
	case safe <= 0:
		a.endFenced()
	}
	return a
}

// lastWords is how long before its timeout an attempt is stopped: the lease ends
// with the timeout, and what the executor has to say, such as the last lines of
// a command, must be at the store before that.
func lastWords(timeout time.Duration) time.Duration { return min(timeout/10, time.Second) }

// fenceAt leaves a tenth of the lease to stop in.
func fenceAt(sent time.Time, left time.Duration) time.Time { return sent.Add(left - left/10) }

func (a *attempt) endFenced() { a.stop(fmt.Errorf("%w: %w", ErrLeaseLost, errFenced)) }

func (a *attempt) endTimedOut() {
	a.stop(fmt.Errorf("%w after %s s", ErrTimedOut, secondsText(a.task.Timeout.Std())))
}

// renew notes that a heartbeat sent at sent has left that much of the lease. A
// lease that came out shorter than asked for ends with the attempt's timeout,
// which then says why the attempt stops.
func (a *attempt) renew(sent time.Time, left time.Duration) {
	if left <= 0 {
		left = a.lease
	}
	if a.limit != nil && left < a.lease-a.lease/20 {
		a.fence.Stop()
		a.limit.Reset(time.Until(sent.Add(left - lastWords(a.task.Timeout.Std()))))
		return
	}
	a.fence.Reset(time.Until(fenceAt(sent, left)))
}

// close ends the timers and the context.
func (a *attempt) close() {
	a.fence.Stop()
	if a.limit != nil {
		a.limit.Stop()
	}
	if a.patience != nil {
		a.patience.Stop()
	}
	a.stop(nil)
}

// run executes the attempt and hands on how it is to be settled, whatever the
// executor does: return, panic, or leave its goroutine.
func (a *attempt) run(x Executor, ended func(verdict)) {
	end := ending{failed: true, text: "the executor left its goroutine without returning (runtime.Goexit)"}
	defer func() {
		if p := recover(); p != nil {
			end = ending{failed: true, text: fmt.Sprintf("panic: %v\n\n%s", p, debug.Stack())}
		}
		ended(judge(context.Cause(a.ctx), end))
	}()
	if a.ctx.Err() != nil {
		end = ending{failed: true, unbegun: true}
		return
	}
	task := *a.task // the executor's own: what it does to it changes nothing here
	end = endingOf(x.Execute(a.ctx, &task))
}

// ending is what came of an executor.
type ending struct {
	result  json.RawMessage
	failed  bool
	unbegun bool    // its context had ended before it could begin
	text    string  // of the error
	broken  bool    // the error only says that the context ended
	asked   bool    // the error says how to settle: Permanent, RetryAfter, Release …
	how     outcome // then so
}

// endingOf reads what an executor returned. It calls methods of the user's
// error, which may panic; the caller catches that.
func endingOf(result json.RawMessage, err error) ending {
	if err == nil {
		return ending{result: result}
	}
	how, asked := outcomeOf(err)
	return ending{failed: true, text: err.Error(), broken: saysStopped(err), asked: asked, how: *how}
}

func saysStopped(err error) bool {
	for _, cause := range []error{context.Canceled, ErrInterrupted, ErrTimedOut, ErrCancelRequested, ErrLeaseLost} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// verdict is how an attempt ends at the store. Event is empty when there is
// nothing left to say.
type verdict struct {
	event       Event
	result      json.RawMessage
	text        string
	delay       *time.Duration
	giveUp      bool
	unburnt     bool
	interrupted bool   // given back because the worker stops
	reason      string // of giving it back, in the executor's words
	scope       string // parked by giving it back
}

// judge decides how an attempt is settled whose context ended for cause, nil if
// it did not. A result that exists is reported whatever the cause: success wins
// over a cancel that came too late (S30), and the store may still take it when
// the lease has run out (T15). What was broken off because the
// store or this worker went away is given back: the task did nothing wrong.
func judge(cause error, end ending) verdict {
	fenced := errors.Is(cause, errFenced)
	switch {
	case errors.Is(cause, ErrLeaseLost) && !fenced:
		return verdict{}
	case !end.failed:
		return completion(end.result)
	case errors.Is(cause, ErrCancelRequested), errors.Is(cause, ErrTimedOut):
		return verdict{event: EventFail, text: causeText(cause, end)}
	case fenced:
		return verdict{event: EventRelease, unburnt: end.unbegun}
	case errors.Is(cause, ErrInterrupted) && (end.broken || !end.asked):
		return verdict{event: EventRelease, unburnt: end.unbegun, interrupted: !end.unbegun}
	case end.how.event == EventRelease:
		return verdict{
			event: EventRelease, delay: askable(end.how.delay), unburnt: end.how.unburnt,
			reason: firstLine(end.text, MaxKey), scope: firstLine(end.how.scope, MaxScope),
		}
	}
	return verdict{event: EventFail, text: CleanText(end.text, MaxError), delay: askable(end.how.delay), giveUp: end.how.giveUp}
}

// causeText says why the attempt was stopped, and after that what its executor
// had to say, if it is more than that it was stopped.
func causeText(cause error, end ending) string {
	switch {
	case strings.HasPrefix(end.text, cause.Error()): // and perhaps more, as the last lines of a command
		return CleanText(end.text, MaxError)
	case end.text == "" || end.broken:
		return cause.Error()
	}
	return CleanText(cause.Error()+": "+end.text, MaxError)
}

// firstLine is the first line of a text, fit for a label of at most limit bytes.
func firstLine(text string, limit int) string {
	const mark = "…"
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
	if len(line) <= limit {
		return line
	}
	cut := limit - len(mark)
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + mark
}

// completion is the verdict for a result, or for one that cannot be stored:
// that fails the attempt and says why.
func completion(result json.RawMessage) verdict {
	if err := CheckJSON("result", result, MaxPayload); err != nil {
		return verdict{event: EventFail, text: err.Message}
	}
	return verdict{event: EventComplete, result: result}
}

// askable holds a delay to what may be asked for.
func askable(d *time.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	held := min(max(0, *d), MaxDelay)
	return &held
}
