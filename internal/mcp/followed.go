package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
)

// The tasks extension of the protocol (SEP-2663): a call that takes long is
// answered with a handle, for clients that declare they know what to do with
// one. It is looked at, answered and cancelled by the handle.

const tasksExtension = "io.modelcontextprotocol/tasks"

// Followed are tools whose work may go on after the answer to their call.
type Followed interface {
	// Serves reports whether the tool is one of these, and whether its calls
	// cannot be answered without a handle.
	Serves(tool string) (serves, always bool)

	// Begin begins the work of a call. No handle and no error: the call is
	// answered as any other.
	Begin(ctx context.Context, c Caller, req *sdk.CallToolRequest) (*Handle, error)

	// Look, Answer and Cancel find the work by its handle; CodeNotFound when it
	// is not theirs, or not this caller's.
	Look(ctx context.Context, c Caller, id string) (*Handle, error)
	Answer(ctx context.Context, c Caller, id string, answers map[string]json.RawMessage) error
	Cancel(ctx context.Context, c Caller, id string) error
}

// Handle is work in progress, as the extension writes it.
type Handle struct {
	TaskID        string         `json:"taskId"`
	Status        string         `json:"status"` // working, input_required, completed, failed, cancelled
	StatusMessage string         `json:"statusMessage,omitempty"`
	CreatedAt     tq.Time        `json:"createdAt"`
	LastUpdatedAt tq.Time        `json:"lastUpdatedAt"`
	TTLMs         *int64         `json:"ttlMs"`
	PollMs        int64          `json:"pollIntervalMs,omitempty"`
	Result        any            `json:"result,omitempty"`
	Error         any            `json:"error,omitempty"`
	InputRequests map[string]any `json:"inputRequests,omitempty"`
}

// handleResult is a Handle as a result: "task" when it answers a tool's call.
type handleResult struct {
	sdk.ResultBase
	ResultType string `json:"resultType"`
	Handle
}

type doneResult struct {
	sdk.ResultBase
	ResultType string `json:"resultType"`
}

type handleParams struct {
	sdk.ParamsBase
	TaskID         string                     `json:"taskId"`
	InputResponses map[string]json.RawMessage `json:"inputResponses,omitempty"`
}

// addFollowing teaches the SDK the methods of the extension.
func (s *Server) addFollowing() {
	err := errors.Join(
		sdk.AddReceivingCustomMethod(s.sdk, "tasks/get", func(ctx context.Context, _ *sdk.ServerSession, p *handleParams) (*handleResult, error) {
			h, err := s.look(ctx, p.TaskID)
			if err != nil {
				return nil, err
			}
			return &handleResult{ResultType: "complete", Handle: *h}, nil
		}),
		sdk.AddReceivingCustomMethod(s.sdk, "tasks/update", func(ctx context.Context, _ *sdk.ServerSession, p *handleParams) (*doneResult, error) {
			return s.acknowledge(ctx, func(ctx context.Context, f Followed, c Caller) error {
				return f.Answer(ctx, c, p.TaskID, p.InputResponses)
			})
		}),
		sdk.AddReceivingCustomMethod(s.sdk, "tasks/cancel", func(ctx context.Context, _ *sdk.ServerSession, p *handleParams) (*doneResult, error) {
			return s.acknowledge(ctx, func(ctx context.Context, f Followed, c Caller) error {
				return f.Cancel(ctx, c, p.TaskID)
			})
		}),
	)
	if err != nil {
		panic(err) // the names are ours: any test finds it
	}
	s.sdk.AddReceivingMiddleware(s.follow)
}

// follow answers calls of followed tools with handles.
func (s *Server) follow(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ServerRequest[*handleParams]:
			if r.Params == nil { // the SDK lets methods of ours come without
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params: taskId is missing"}
			}
			if !knowsHandles(r.ClientCapabilities()) {
				return nil, needsHandles()
			}
		case *sdk.CallToolRequest:
			if out, err := s.begin(ctx, r); out != nil || err != nil {
				return out, err
			}
		}
		return next(ctx, method, req)
	}
}

// begin answers nothing when the call is to be answered as any other.
func (s *Server) begin(ctx context.Context, req *sdk.CallToolRequest) (sdk.Result, error) {
	for _, f := range s.runs {
		serves, always := f.Serves(req.Params.Name)
		switch {
		case !serves:
			continue
		case knowsHandles(req.ClientCapabilities()):
			return s.beginWith(ctx, f, req)
		case always:
			return nil, needsHandles()
		}
		return nil, nil
	}
	return nil, nil
}

func (s *Server) beginWith(ctx context.Context, f Followed, req *sdk.CallToolRequest) (sdk.Result, error) {
	c := s.callOf(ctx, req.Extra)
	ctx, done := context.WithTimeout(context.WithoutCancel(c.ctx), settleTime)
	defer done()
	h, err := f.Begin(ctx, c.caller, req)
	var broken *jsonrpc.Error
	switch {
	case errors.As(err, &broken):
		return nil, err
	case err != nil:
		return s.refusal(&tool{name: req.Params.Name}, err), nil
	case h == nil:
		return nil, nil
	}
	return &handleResult{ResultType: "task", Handle: *h}, nil
}

func (s *Server) look(ctx context.Context, id string) (*Handle, error) {
	var h *Handle
	_, err := s.acknowledge(ctx, func(ctx context.Context, f Followed, c Caller) (err error) {
		h, err = f.Look(ctx, c, id)
		return err
	})
	return h, err
}

// acknowledge asks each of the followed tools until one knows the handle.
func (s *Server) acknowledge(ctx context.Context, do func(context.Context, Followed, Caller) error) (*doneResult, error) {
	c := s.callOf(ctx, nil)
	ctx, done := context.WithTimeout(context.WithoutCancel(c.ctx), settleTime)
	defer done()
	for _, f := range s.runs {
		err := do(ctx, f, c.caller)
		switch code := tq.CodeOf(err); {
		case err == nil:
			return &doneResult{ResultType: "complete"}, nil
		case code == tq.CodeNotFound || code == tq.CodeForbidden:
			continue
		default:
			s.Log.Error("a handle could not be followed", "error", err.Error())
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the queue does not answer, try again"}
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown task"}
}

func knowsHandles(c *sdk.ClientCapabilities) bool {
	if c == nil {
		return false
	}
	_, knows := c.Extensions[tasksExtension]
	return knows
}

func needsHandles() error {
	return &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client has to declare the extension " + tasksExtension,
		Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`),
	}
}
