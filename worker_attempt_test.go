package tq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestJudgeSettlesAsTheCauseAndTheEndingSay(t *testing.T) {
	t.Parallel()
	fenced := fmt.Errorf("%w: %w", ErrLeaseLost, errFenced)
	timedOut := fmt.Errorf("%w after 5 s", ErrTimedOut)
	plain, stopped := errors.New("broken"), fmt.Errorf("run: %w", context.Canceled)
	result := json.RawMessage(`1`)
	cases := map[string]struct {
		cause error
		err   error
		want  verdict
	}{
		"success":                   {want: verdict{event: EventComplete, result: result}},
		"failure":                   {err: plain, want: verdict{event: EventFail, text: "broken"}},
		"permanent":                 {err: Permanent(plain), want: verdict{event: EventFail, text: "broken", giveUp: true}},
		"lost, success":             {cause: ErrLeaseLost, want: verdict{}},
		"lost, failure":             {cause: ErrLeaseLost, err: plain, want: verdict{}},
		"fenced, success":           {cause: fenced, want: verdict{event: EventComplete, result: result}},
		"fenced, failure":           {cause: fenced, err: plain, want: verdict{event: EventRelease}},
		"cancel, success":           {cause: ErrCancelRequested, want: verdict{event: EventComplete, result: result}},
		"cancel, stopped":           {cause: ErrCancelRequested, err: stopped, want: verdict{event: EventFail, text: "cancel requested"}},
		"timeout, success":          {cause: timedOut, want: verdict{event: EventComplete, result: result}},
		"timeout, its cause":        {cause: timedOut, err: timedOut, want: verdict{event: EventFail, text: "timed out after 5 s"}},
		"timeout, and more":         {cause: timedOut, err: fmt.Errorf("%w\nlast line", timedOut), want: verdict{event: EventFail, text: "timed out after 5 s\nlast line"}},
		"timeout, failure":          {cause: timedOut, err: plain, want: verdict{event: EventFail, text: "timed out after 5 s: broken"}},
		"timeout, permanent":        {cause: timedOut, err: Permanent(plain), want: verdict{event: EventFail, text: "timed out after 5 s: broken"}},
		"interrupt, success":        {cause: ErrInterrupted, want: verdict{event: EventComplete, result: result}},
		"interrupt, failure":        {cause: ErrInterrupted, err: plain, want: verdict{event: EventRelease, interrupted: true}},
		"interrupt, permanent":      {cause: ErrInterrupted, err: Permanent(plain), want: verdict{event: EventFail, text: "broken", giveUp: true}},
		"interrupt, permanent stop": {cause: ErrInterrupted, err: Permanent(stopped), want: verdict{event: EventRelease, interrupted: true}},
	}
	for name, c := range cases {
		end := endingOf(result, c.err)
		if got := judge(c.cause, end); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestJudgeOfWhatNeverBeganBurnsNothing(t *testing.T) {
	t.Parallel()
	end := ending{failed: true, unbegun: true}
	for _, cause := range []error{fmt.Errorf("%w: %w", ErrLeaseLost, errFenced), ErrInterrupted} {
		if got := judge(cause, end); got.event != EventRelease || !got.unburnt || got.interrupted {
			t.Errorf("stopped by %v before it began: %+v, want an unburnt release", cause, got)
		}
	}
	if got := judge(ErrCancelRequested, end); got.event != EventFail || got.text != "cancel requested" {
		t.Errorf("cancelled before it began: %+v, want a failure, which the store turns into cancelled", got)
	}
}

func TestJudgeHoldsToTheLimits(t *testing.T) {
	t.Parallel()
	long := errors.New(strings.Repeat("x", MaxError+1))
	if got := judge(nil, endingOf(nil, long)); len(got.text) > MaxError {
		t.Errorf("the error text has %d bytes", len(got.text))
	}
	if got := judge(nil, endingOf(json.RawMessage(`nope`), nil)); got.event != EventFail || !strings.Contains(got.text, "result") {
		t.Errorf("a result that is not JSON: %+v", got)
	}
	for d, want := range map[time.Duration]time.Duration{-time.Second: 0, time.Minute: time.Minute, 2 * MaxDelay: MaxDelay} {
		if got := judge(nil, endingOf(nil, RetryAfter(d))); got.delay == nil || *got.delay != want {
			t.Errorf("retry after %s asks for %v, want %s", d, got.delay, want)
		}
	}
}

func TestTroubleWaitsLongerEachTimeAndAsLongAsAsked(t *testing.T) {
	t.Parallel()
	away := newTrouble(nil, "call")
	for tries := 1; tries < 100; tries++ {
		full := min(100*time.Millisecond<<min(tries-1, 20), troubleWorst)
		if d := away.wait(tries, nil); d < full/2 || d > full*3/2 {
			t.Errorf("wait %d is %s, want %s give or take half", tries, d, full)
		}
	}
	busy := Errorf(CodeTooMany, "too many")
	busy.RetryAfter = 12 * time.Second
	if d := away.wait(1, fmt.Errorf("claim: %w", busy)); d != 12*time.Second {
		t.Errorf("asked to wait 12 s, it waits %s", d)
	}
	busy.RetryAfter = time.Hour
	if d := away.wait(1, busy); d != askedWorst {
		t.Errorf("asked to wait an hour, it waits %s, want at most %s", d, askedWorst)
	}
}
