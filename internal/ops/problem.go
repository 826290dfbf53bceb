package ops

import (
	"errors"
	"math"
	"net/http"
	"time"

	"example.com/tq"
)

// Problem is an error on the wire: RFC 9457, with what a tq.Error knows. Both
// ends of HTTP use it, so that errors.Is answers there as it does in process.
type Problem struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Code       tq.Code         `json:"code"`
	Hint       string          `json:"hint,omitempty"`
	Errors     []tq.FieldError `json:"errors,omitempty"`
	TaskID     int64           `json:"task_id,omitempty"`
	TaskStatus tq.Status       `json:"task_status,omitempty"`
	Epoch      int64           `json:"epoch,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	RetryAfter float64         `json:"retry_after_seconds,omitempty"`
	RequestID  string          `json:"request_id,omitempty"`
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// ProblemOf describes err to a stranger: of an error that is not ours he hears
// nothing but that it happened.
func ProblemOf(err error) Problem {
	var e *tq.Error
	if !errors.As(err, &e) || e.Code == tq.CodeInternal {
		e = tq.Errorf(tq.CodeInternal, "something broke here").
			WithHint("it is in the log of the hub, under the request_id")
	}
	p := Problem{
		Type: "about:blank", Status: StatusOf(e), Detail: e.Message, Code: e.Code, Hint: e.Hint, Errors: e.Errors,
		TaskID: e.TaskID, TaskStatus: e.Status, Epoch: e.Epoch, Reason: e.Reason,
		RetryAfter: math.Ceil(e.RetryAfter.Seconds()),
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// Err is the error that was described.
func (p *Problem) Err() *tq.Error {
	return &tq.Error{
		Code: p.Code, Message: p.Detail, Hint: p.Hint, Errors: p.Errors,
		TaskID: p.TaskID, Status: p.TaskStatus, Epoch: p.Epoch, Reason: p.Reason,
		RetryAfter: time.Duration(p.RetryAfter * float64(time.Second)),
	}
}

// StatusOf is the HTTP status of an error (spec §9).
func StatusOf(err error) int {
	var e *tq.Error
	if !errors.As(err, &e) {
		return http.StatusInternalServerError
	}
	switch e.Code {
	case tq.CodeInvalid:
		if Malformed(e.Reason) {
			return http.StatusBadRequest
		}
		return http.StatusUnprocessableEntity
	case tq.CodeUnknownDependency:
		return http.StatusUnprocessableEntity
	case tq.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case tq.CodeNotFound:
		return http.StatusNotFound
	case tq.CodeUnauthenticated:
		return http.StatusUnauthorized
	case tq.CodeForbidden:
		return http.StatusForbidden
	case tq.CodeInvalidState, tq.CodeAlreadySettled, tq.CodeIdempotencyMismatch, tq.CodeLeaseLost:
		return http.StatusConflict
	case tq.CodeTooMany:
		return http.StatusTooManyRequests
	case tq.CodeUnavailable, tq.CodeOutcomeUnknown:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
