package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Answers: one line of JSON, or a problem.

// undoTime is how long taking back an undelivered answer may take.
const undoTime = 10 * time.Second

// answer sends what an operation answered. When it cannot be sent, what was
// claimed is given back.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, o *ops.Op, out any) {
	b, err := o.Encode(out)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	status := statusOf(h, out)
	w.WriteHeader(status)
	_, err = w.Write(b)
	if err != nil && o.Undo != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), undoTime)
		defer stop()
		o.Undo(ctx, s.Client(ctx), out)
	}
}

// statusOf is 201 for what was made just now, with the address of it.
func statusOf(h http.Header, out any) int {
	switch out := out.(type) {
	case tq.Enqueued:
		h.Set("Location", "/v1/tasks/"+strconv.FormatInt(out.ID, 10))
		if !out.Existed {
			return http.StatusCreated
		}
	case tq.EnqueueOut:
		for _, t := range out.Tasks {
			if !t.Existed {
				return http.StatusCreated
			}
		}
	case ops.EnqueuedKnown:
		h.Set("Location", "/v1/jobs/"+strconv.FormatInt(out.ID, 10))
		if !out.Existed {
			return http.StatusCreated
		}
	case ops.Begun:
		if out.ID != "" {
			h.Set("Location", "/v1/bulk/"+url.PathEscape(out.ID))
			return http.StatusAccepted
		}
	case ops.Known:
		h.Set("ETag", `"`+strconv.FormatInt(out.Epoch, 10)+`"`)
	case tq.Task:
		h.Set("ETag", `"`+strconv.FormatInt(out.Epoch, 10)+`"`)
	}
	return http.StatusOK
}

// statusError is a refusal that belongs to HTTP alone and has a status of its
// own.
type statusError struct {
	status int
	header http.Header
	err    *tq.Error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// Refusal makes an error that is answered with that status.
func Refusal(status int, err *tq.Error) error { return &statusError{status: status, err: err} }

func noRoute(r *http.Request) error {
	return tq.Errorf(tq.CodeNotFound, "there is no route %s", shortPath(r.URL.EscapedPath())).
		WithHint("the routes are in /openapi.json")
}

func notAllowed(r *http.Request, allow string) error {
	err := tq.Errorf(tq.CodeInvalid, "%s is not allowed here, want %s", shortPath(r.Method), allow)
	return &statusError{status: http.StatusMethodNotAllowed, header: http.Header{"Allow": {allow}}, err: err}
}

func unsupported(format string, args ...any) error {
	return Refusal(http.StatusUnsupportedMediaType, tq.Errorf(tq.CodeInvalid, format, args...))
}

// shortPath shows what came from a stranger, and never much of it.
func shortPath(text string) string {
	const limit = 100
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strconv.Quote(text)
}

// Refuse answers err as a problem. Middleware uses it too, so that every
// refusal looks the same.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := ops.ProblemOf(err)
	p.RequestID = RequestID(r.Context())
	h := w.Header()
	if p.Reason == tq.ReasonMoved && r.Header.Get("If-Match") != "" {
		p.Status, p.Title = http.StatusPreconditionFailed, http.StatusText(http.StatusPreconditionFailed)
	}
	var own *statusError
	if errors.As(err, &own) {
		p.Status, p.Title = own.status, http.StatusText(own.status)
		for name, values := range own.header {
			h[name] = values
		}
	}
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		p.RetryAfter = max(1, p.RetryAfter)
		h.Set("Retry-After", strconv.Itoa(int(p.RetryAfter)))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="tq"`)
	}
	h.Set("Content-Type", ops.ProblemType)
	h.Del("Content-Length")
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // the client is gone
}

// refuse answers err, and logs what the client is not told.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there
	}
	if c := tq.CodeOf(err); c == tq.CodeInternal || c == tq.CodeUnavailable || c == tq.CodeOutcomeUnknown {
		s.Log.Error("a request failed", "request_id", RequestID(r.Context()), "route", r.Pattern, "error", err.Error())
	}
	Refuse(w, r, err)
}
