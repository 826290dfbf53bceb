package server

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// The chain around every request, and the one around every call. From the
// outside: a request id, a guard against panics, the time for a body, the path
// as it was meant, then Options.Wrap in its order, then the routes. Around the
// Call of an operation, in it: Options.Around.

// Middleware goes around a request.
type Middleware func(http.Handler) http.Handler

// Call asks for one operation with its input as JSON.
type Call func(ctx context.Context, o *ops.Op, raw []byte) (any, error)

// Around goes around a Call: it may refuse it, measure it, trace it.
type Around func(Call) Call

// chainCall puts the first of around outermost.
func chainCall(around []Around, call Call) Call {
	for i := len(around) - 1; i >= 0; i-- {
		call = around[i](call)
	}
	return call
}

func (s *Server) chain(h http.Handler) http.Handler {
	for i := len(s.Wrap) - 1; i >= 0; i-- {
		h = s.Wrap[i](h)
	}
	return s.identify(s.survive(hurry(s.plainPath(h))))
}

// asked is what is known of a request on its way in; the context of the request
// holds it. The gate writes down in it who asks: a context more is a copy of the
// request more.
type asked struct {
	id     string
	caller *caller // nil: a stranger, or not looked at yet
}

// askedKey is its key.
type askedKey struct{}

func askedOf(ctx context.Context) *asked {
	a, _ := ctx.Value(askedKey{}).(*asked)
	return a
}

// RequestID names the request that ctx belongs to, in answers and in the log.
func RequestID(ctx context.Context) string {
	if a := askedOf(ctx); a != nil {
		return a.id
	}
	return ""
}

func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &asked{id: newRequestID()}
		w.Header().Set("X-Request-Id", a.id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askedKey{}, a)))
	})
}

// survive answers a panic with internal and keeps the others served. A client
// that is gone makes net/http panic on purpose: that one goes on.
func (s *Server) survive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.Log.Error("panic in a request", "request_id", RequestID(r.Context()), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.refuse(w, r, tq.Errorf(tq.CodeInternal, "panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}

// plainPath refuses paths that would have to be cleaned first: what a guard in
// between read must be what the routes read.
func (s *Server) plainPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isPlain(r.URL.EscapedPath()) {
			s.refuse(w, r, noRoute(r))
			return
		}
		next.ServeHTTP(w, r)
	})
}
