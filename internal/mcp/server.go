// Package mcp is the door for agents: the Model Context Protocol over standard
// input and output, and over HTTP in both of its eras. Tools are operations of
// internal/ops in fewer words; what may happen to a task is decided in the
// hall.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Options of a Server. Call is required.
type Options struct {
	// Call is the one way to the queue. Over HTTP, ctx is that of the request.
	Call func(ctx context.Context, o *ops.Op, raw []byte) (any, error)

	// Caller answers who asks, from the context of a request; default: nobody
	// in particular, with every right.
	Caller func(ctx context.Context) Caller

	// Journal is followed for subscribers of resources. It sees everything;
	// they are told no more than that something changed. nil: no subscriptions.
	Journal tq.Client

	// Place takes one of the places for streams, until leave is called; default:
	// there are as many as anybody likes.
	Place func(ctx context.Context) (leave func(), err error)

	Prefix  string       // of the tools' names; default "tq"
	Version string       // of this build
	Log     *slog.Logger // default: discard

	// HostsChecked says that a guard in front looks at Host headers, so that a
	// hub behind a proxy can have a name. Without it, a connection to a
	// loopback address must name one.
	HostsChecked bool

	More  []Followed        // further tools that go on after their answer, for tests
	Extra func(*sdk.Server) // adds what else tests need
}

// Server answers agents. It is an http.Handler; Stdio answers one over pipes.
type Server struct {
	Options
	ops   map[string]*ops.Op
	tools map[string]*tool // by the names that clients use
	calls *calls
	sdk   *sdk.Server
	watch *watch
	runs  []Followed

	owners   owners
	sessions http.Handler // revisions to 2025-11-25
	requests http.Handler // revisions from 2026-07-28
}

// sessionIdle is how long a session of an older revision lives without a
// request, maxSessions how many there may be at a time.
const (
	sessionIdle = 30 * time.Minute
	maxSessions = 4_096
)

// New makes a Server over the table of operations.
func New(o Options) *Server {
	if o.Caller == nil {
		o.Caller = func(context.Context) Caller { return Caller{} }
	}
	if o.Place == nil {
		o.Place = func(context.Context) (func(), error) { return func() {}, nil }
	}
	if o.Prefix == "" {
		o.Prefix = "tq"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, ops: byName(ops.Table()), tools: map[string]*tool{}, calls: newCalls(), owners: newOwners()}
	s.watch = newWatch(s)
	s.runs = append([]Followed{&queueRuns{s}}, o.More...)
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "tq", Title: "tq task queue", Version: o.Version}, s.options())
	s.addTools()
	s.addPrompt()
	s.addResources()
	if s.Extra != nil {
		s.Extra(s.sdk)
	}
	s.addFollowing()
	s.sdk.AddReceivingMiddleware(s.confine)
	s.sdk.AddReceivingMiddleware(s.survive) // the last is the outermost
	s.serveBothEras()
	return s
}

func (s *Server) options() *sdk.ServerOptions {
	caps := &sdk.ServerCapabilities{
		Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
	}
	caps.AddExtension(tasksExtension, nil)
	o := &sdk.ServerOptions{
		Instructions: instructions(s.Prefix), Capabilities: caps, SetCacheable: s.cacheable, CompletionHandler: s.complete,
	}
	if s.Journal != nil {
		caps.Resources.Subscribe = true
		o.SubscribeHandler, o.UnsubscribeHandler = s.watch.subscribe, s.watch.unsubscribe
	}
	return o
}

// cacheable: lists depend on the caller's rights, contents change.
func (s *Server) cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.CacheScope = "private"
	if _, reads := req.(*sdk.ReadResourceRequest); !reads {
		c.TTLMs = int(time.Minute / time.Millisecond)
	}
}

func (s *Server) isPigeonhole() bool { return s.Prefix == pigeonhole }

func (s *Server) addTools() {
	all := tools()
	if s.isPigeonhole() {
		all = pigeonholeTools()
	}
	for _, t := range all {
		shown := t.publish(s.Prefix, s.ops[t.op])
		s.tools[shown.Name] = t
		s.sdk.AddTool(shown, s.handler(t))
	}
}

// confine shows a caller what is within its rights. What it calls all the same
// is refused by the queue.
func (s *Server) confine(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		c := s.callOf(ctx, req.GetExtra())
		out, err := next(context.WithValue(ctx, callInContext{}, c), method, req)
		if err != nil {
			return out, err
		}
		switch list := out.(type) {
		case *sdk.ListToolsResult:
			list.Tools = s.toolsFor(c.caller, list.Tools)
		case *sdk.ListResourcesResult:
			s.listQueues(c, list)
		}
		return out, nil
	}
}

// survive answers a panic and keeps the others served: the SDK handles requests
// in goroutines of its own, and none of its callers would catch it.
func (s *Server) survive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (out sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic in a request", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				out, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "tq broke on this call; its log says where"}
			}
		}()
		return next(ctx, method, req)
	}
}

func (s *Server) toolsFor(c Caller, all []*sdk.Tool) []*sdk.Tool {
	shown := []*sdk.Tool{}
	for _, t := range all {
		if ours := s.tools[t.Name]; ours == nil || ours.open(c, s.ops[ours.op]) {
			shown = append(shown, t)
		}
	}
	return shown
}

// Close ends all sessions. It is for after the last request.
func (s *Server) Close() error {
	var all []error
	for ss := range s.sdk.Sessions() {
		all = append(all, ss.Close())
	}
	return errors.Join(all...)
}

// Run tells subscribers what changed, until ctx ends; then streams that would
// never end are ended.
func (s *Server) Run(ctx context.Context) error {
	s.calls.hangUp(false)
	defer s.calls.hangUp(true)
	return s.watch.Run(ctx)
}
