package tq

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code says what kind of refusal an Error is. The same word is used on every
// door: `code` in problem+json and in MCP tool errors, the CLI's exit status.
type Code string

// The codes, as in spec.md §9.
const (
	CodeInvalid             Code = "invalid"              // what was sent breaks a rule; the error names field and limit
	CodeTooLarge            Code = "too_large"            // it has more bytes or rows than the limit; nothing was changed
	CodeNotFound            Code = "not_found"            // there is no such task, or none that you may know of
	CodeUnauthenticated     Code = "unauthenticated"      // there is no token, or it does not hold (any more)
	CodeForbidden           Code = "forbidden"            // the token does not give this right
	CodeInvalidState        Code = "invalid_state"        // the task is not in a state for that
	CodeAlreadySettled      Code = "already_settled"      // the attempt has another outcome, which stands; claim the next task
	CodeIdempotencyMismatch Code = "idempotency_mismatch" // the key belongs to a task of other content
	CodeLeaseLost           Code = "lease_lost"           // somebody else has the task, or nobody may have it any more; stop working on it
	CodeTooMany             Code = "too_many"             // a limit of numbers is reached: calls that wait, calls a second, tokens, queues, open tasks
	CodeUnknownDependency   Code = "unknown_dependency"   // a task to wait for is not there; nothing was stored
	CodeUnavailable         Code = "unavailable"          // the store cannot be used now; nothing was changed, try again
	CodeOutcomeUnknown      Code = "outcome_unknown"      // the connection broke during a commit; repeat the call with its key, claim_id or token
	CodeInternal            Code = "internal"             // a fault of tq
)

// Targets for errors.Is. Each stands for a family of codes, so that a caller
// asks for what it can do about it.
var (
	ErrLeaseLost   = errors.New("lease no longer held")         // lease_lost
	ErrNotFound    = errors.New("not found")                    // not_found
	ErrConflict    = errors.New("conflict")                     // invalid_state, already_settled, idempotency_mismatch
	ErrTooLarge    = errors.New("too large")                    // too_large
	ErrInvalid     = errors.New("invalid")                      // invalid, unknown_dependency
	ErrForbidden   = errors.New("forbidden")                    // unauthenticated, forbidden
	ErrUnavailable = errors.New("unavailable, try again later") // unavailable, outcome_unknown, too_many
)

// Error is every refusal of tq: what happened in one sentence, and in Hint
// what to do next. It compares with the Err… targets under errors.Is.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"detail"`
	Hint    string `json:"hint,omitempty"`

	// Errors names each offending field when Code is invalid or too_large.
	Errors []FieldError `json:"errors,omitempty"`

	// TaskID, Status, Epoch and Reason describe the task that stood in the
	// way, for lease_lost, invalid_state and already_settled. Reason of a lost
	// lease is one of reclaimed, expired_dead, cancelled, completed, rescued.
	TaskID int64  `json:"task_id,omitempty"`
	Status Status `json:"status,omitempty"`
	Epoch  int64  `json:"epoch,omitempty"`
	Reason string `json:"reason,omitempty"`

	// RetryAfter is a good moment to try again, for too_many, unavailable and
	// outcome_unknown. Zero when nothing better than a backoff is known.
	RetryAfter time.Duration `json:"-"`

	cause error
}

// FieldError is one field that broke a rule. Pointer is a JSON pointer
// (RFC 6901) into what was sent.
type FieldError struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
	Reason  string `json:"reason,omitempty"`
}

// Errorf makes an Error of that code.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// WithHint returns a copy of e that says what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error that this one reports on, if any.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether e belongs to the family that target stands for.
func (e *Error) Is(target error) bool {
	f := family(e.Code)
	return f != nil && f == target
}

func family(c Code) error {
	switch c {
	case CodeLeaseLost:
		return ErrLeaseLost
	case CodeNotFound:
		return ErrNotFound
	case CodeInvalidState, CodeAlreadySettled, CodeIdempotencyMismatch:
		return ErrConflict
	case CodeTooLarge:
		return ErrTooLarge
	case CodeInvalid, CodeUnknownDependency:
		return ErrInvalid
	case CodeUnauthenticated, CodeForbidden:
		return ErrForbidden
	case CodeUnavailable, CodeOutcomeUnknown, CodeTooMany:
		return ErrUnavailable
	}
	return nil
}

// CodeOf returns the code of err: that of the Error in its chain, internal for
// any other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// invalidField is the refusal of one field: what is wrong with it and, in
// reason, one word for programs.
func invalidField(field, reason, format string, args ...any) *Error {
	detail := fmt.Sprintf(format, args...)
	return &Error{
		Code:    CodeInvalid,
		Message: field + ": " + detail,
		Reason:  reason,
		Errors:  []FieldError{{Pointer: pointer(field), Detail: detail, Reason: reason}},
	}
}

// tooLarge is the refusal of a field for its size.
func tooLarge(field string, size, limit int) *Error {
	detail := fmt.Sprintf("is %d bytes, the limit is %d", size, limit)
	return &Error{
		Code:    CodeTooLarge,
		Message: field + " " + detail,
		Hint:    "keep large data elsewhere and put its address into the " + field,
		Errors:  []FieldError{{Pointer: pointer(field), Detail: detail, Reason: field + "_too_large"}},
	}
}

// at moves the field errors of e under prefix, as in "tasks/500".
func (e *Error) at(prefix string) *Error {
	c := *e
	c.Message = prefix + ": " + e.Message
	c.Errors = make([]FieldError, len(e.Errors))
	for i, f := range e.Errors {
		f.Pointer = pointer(prefix) + f.Pointer
		c.Errors[i] = f
	}
	return &c
}

func pointer(field string) string { return "/" + strings.ReplaceAll(field, ".", "/") }

// asError returns a copy of err as an *Error, internal if it was none.
func asError(err error) *Error {
	var e *Error
	if errors.As(advised(err), &e) {
		c := *e
		return &c
	}
	return &Error{Code: CodeInternal, Message: err.Error(), cause: err}
}

// advised adds to a store's refusal what to do next, if it does not say so: the
// same on every engine.
func advised(err error) error {
	e, ok := err.(*Error) //nolint:errorlint // a wrapped one has words of its own
	if !ok || e.Hint != "" {
		return err
	}
	switch e.Code {
	case CodeNotFound, CodeUnknownDependency:
		return e.WithHint("see what there is: tq list")
	case CodeIdempotencyMismatch:
		return e.WithHint("see that task: tq show %d; another task needs another key", e.TaskID)
	}
	return err
}
