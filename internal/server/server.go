// Package server is the HTTP door: a loop over the operations, and what HTTP
// itself asks for. What may happen to a task is decided in the hall; an if
// about tasks does not belong here.
package server

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Options of a Server. Client is required, the rest has useful zero values.
type Options struct {
	// Client answers the caller of this request: a view of the queue with the
	// rights that the chain has found and put into ctx.
	Client func(ctx context.Context) tq.Client

	// All sees everything: streams of all callers share what it reads. Without
	// it there are no streams.
	All tq.Client

	// Place takes one of the places for calls that wait, until leave is called;
	// nil has place for any number of streams.
	Place func(ctx context.Context) (leave func(), err error)

	// Wrap goes around every request, the first outermost: hosts, limits,
	// authentication, measures. Around goes around the one Call of an
	// operation, with its decoded input.
	Wrap   []Middleware
	Around []Around

	// Site are routes beside the operations: health, metrics, dashboard, MCP.
	// A pattern is one of http.ServeMux.
	Site map[string]http.Handler

	// Ops are the operations to answer; default ops.Table, whose making takes
	// some milliseconds.
	Ops []ops.Op

	// Paths describes routes of Site in the OpenAPI document.
	Paths map[string]ops.Document

	Ready   func(ctx context.Context) error // why the store cannot be used, or nil
	Version string                          // of this build
	Log     *slog.Logger                    // default: discard
	Drain   time.Duration                   // how long requests may go on at the end; default 30 s
	Conns   int                             // connections at a time, one more is answered 503; default 16,384
}

// Server answers HTTP. It is an http.Handler; Serve runs it on a listener.
type Server struct {
	Options
	table   []ops.Op
	api     *http.ServeMux // below /v1/
	site    *http.ServeMux // all else
	beside  []string       // the patterns of site
	handler http.Handler
	calling Call

	feed  *feed
	lobby lobby

	draining atomic.Bool   // no new work: not ready
	stopping chan struct{} // closed when streams have to end
}

// New makes a Server over the table of operations.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ops == nil {
		o.Ops = ops.Table()
	}
	s := &Server{Options: o, table: o.Ops, api: http.NewServeMux(), site: http.NewServeMux()}
	s.feed, s.stopping = &feed{client: o.All, log: o.Log}, make(chan struct{})
	s.calling = chainCall(o.Around, s.call)
	s.routes()
	s.health()
	if err := s.documents(); err != nil {
		return nil, err
	}
	for pattern, h := range o.Site {
		s.handle(pattern, h)
	}
	s.handler = s.chain(http.HandlerFunc(s.route))
	return s, nil
}

// Table lists the operations that this server answers.
func (s *Server) Table() []ops.Op { return s.table }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// routes registers every operation under each of its routes.
func (s *Server) routes() {
	for i := range s.table {
		o := &s.table[i]
		for _, route := range o.Routes {
			s.api.Handle(route, s.eventsOf(o, route, s.operation(o, route)))
		}
	}
	s.events()
}

// handle registers a route beside the operations.
func (s *Server) handle(pattern string, h http.Handler) {
	s.site.Handle(pattern, h)
	s.beside = append(s.beside, pattern)
}

// handleAPI registers a route below /v1/ that is no operation.
func (s *Server) handleAPI(pattern string, h http.Handler) {
	s.api.Handle(pattern, h)
	s.beside = append(s.beside, pattern)
}

// mux is where the routes of a request are. Paths below /v1/ that are not there
// are told so in JSON and never answered with a page.
func (s *Server) mux(r *http.Request) *http.ServeMux {
	if strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == "/v1" {
		return s.api
	}
	return s.site
}

// Pattern is the route that a request goes to, "" for none.
func (s *Server) Pattern(r *http.Request) string {
	_, pattern := s.mux(r).Handler(r)
	return pattern
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	mux := s.mux(r)
	h, pattern := mux.Handler(r)
	if pattern == "" {
		s.refuse(w, r, missed(h, r))
		return
	}
	mux.ServeHTTP(w, r)
}

// missed says why no route was found, from what http.ServeMux would answer.
func missed(h http.Handler, r *http.Request) error {
	probe := &header{kept: http.Header{}}
	h.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		return notAllowed(r, probe.kept.Get("Allow"))
	}
	return noRoute(r)
}

// header is a ResponseWriter that keeps status and headers and drops the rest.
type header struct {
	kept   http.Header
	status int
}

func (h *header) Header() http.Header         { return h.kept }
func (h *header) WriteHeader(status int)      { h.status = status }
func (h *header) Write(b []byte) (int, error) { return len(b), nil }

// operation answers one route of an operation.
func (s *Server) operation(o *ops.Op, route string) http.Handler {
	in := reader{op: o, route: route, inPath: ops.PathNames(route)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := in.read(w, r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		out, err := s.calling(r.Context(), o, raw)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.answer(w, r, o, out)
	})
}

// Call asks for an operation as its route would, for doors beside the routes.
// ctx is that of a request which came through the chain.
func (s *Server) Call(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
	return s.calling(ctx, o, raw)
}

// call is the one Call, innermost in the chain.
func (s *Server) call(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
	return o.Call(ctx, s.Client(ctx), raw)
}

// newRequestID names a request. It is no secret, so it need not be one.
func newRequestID() string {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	var id [13]byte
	for i, n := 0, rand.Uint64(); i < len(id); i, n = i+1, n>>5 {
		id[i] = digits[n%32]
	}
	return string(id[:])
}
