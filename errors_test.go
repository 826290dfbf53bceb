package tq

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestEveryCodeHasItsFamily(t *testing.T) {
	t.Parallel()
	families := []error{ErrLeaseLost, ErrNotFound, ErrConflict, ErrTooLarge, ErrInvalid, ErrForbidden, ErrUnavailable}
	for code, want := range map[Code]error{
		CodeInvalid: ErrInvalid, CodeTooLarge: ErrTooLarge, CodeNotFound: ErrNotFound,
		CodeUnauthenticated: ErrForbidden, CodeForbidden: ErrForbidden,
		CodeInvalidState: ErrConflict, CodeAlreadySettled: ErrConflict, CodeIdempotencyMismatch: ErrConflict,
		CodeLeaseLost: ErrLeaseLost, CodeTooMany: ErrUnavailable, CodeUnknownDependency: ErrInvalid,
		CodeUnavailable: ErrUnavailable, CodeOutcomeUnknown: ErrUnavailable, CodeInternal: nil,
	} {
		err := fmt.Errorf("ask the queue: %w", Errorf(code, "no"))
		if CodeOf(err) != code {
			t.Errorf("the code of %s is read as %s", code, CodeOf(err))
		}
		for _, f := range families {
			if got := errors.Is(err, f); got != (f == want) {
				t.Errorf("%s is %q: %v", code, f, got)
			}
		}
	}
}

func TestTheCodeOfOtherErrors(t *testing.T) {
	t.Parallel()
	if CodeOf(nil) != "" || CodeOf(io.EOF) != CodeInternal {
		t.Errorf("got %q of nil, %q of io.EOF", CodeOf(nil), CodeOf(io.EOF))
	}
}

func TestAnErrorKeepsItsCause(t *testing.T) {
	t.Parallel()
	err := Errorf(CodeUnavailable, "open journal: %w", io.ErrUnexpectedEOF)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v lost its cause or its family", err)
	}
	if err.Error() != "open journal: unexpected EOF" {
		t.Errorf("got %q", err)
	}
}

func TestAHintIsPutOnACopy(t *testing.T) {
	t.Parallel()
	first := Errorf(CodeNotFound, "no task %d", 7)
	second := first.WithHint("see %s", "tq list")
	if first.Hint != "" || second.Hint != "see tq list" || second.Message != first.Message {
		t.Errorf("got %+v and %+v", first, second)
	}
}

func TestAFieldErrorNamesItsPlaceInTheBatch(t *testing.T) {
	t.Parallel()
	_, err := NewTask{Type: "t", Priority: 40_000}.Normal()
	e, ok := inRow(err, 500).(*Error)
	if !ok || len(e.Errors) != 1 || e.Errors[0].Pointer != "/tasks/500/priority" {
		t.Fatalf("got %+v", err)
	}
	if e.Message != "tasks/500: priority: is 40000, want -32768 to 32767" {
		t.Errorf("got %q", e.Message)
	}
	var same *Error
	if errors.As(err, &same) && same.Errors[0].Pointer != "/priority" {
		t.Errorf("the first error was changed to %q", same.Errors[0].Pointer)
	}
}

func TestErrorsShowNoInternalsInJSON(t *testing.T) {
	t.Parallel()
	e := Errorf(CodeTooMany, "too many waiters")
	e.RetryAfter = time.Second
	b, err := json.Marshal(e)
	if err != nil || string(b) != `{"code":"too_many","detail":"too many waiters"}` {
		t.Errorf("got %s, %v", b, err)
	}
}
