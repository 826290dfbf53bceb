package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/mcp"
)

// The tools that the conformance suite wants to find when it tries the tasks
// extension, over the same door as ours. Their work is done in memory.

type fixture struct {
	mu   sync.Mutex
	runs map[string]*fixtureRun
}

type fixtureRun struct {
	handle mcp.Handle
	owner  string
	stop   context.CancelFunc
	given  map[string]json.RawMessage
	wake   chan struct{} // holds one wake-up
}

// fixtures adds them to a hub.
func fixtures(o *mcp.Options) {
	f := &fixture{runs: map[string]*fixtureRun{}}
	o.More = append(o.More, f)
	o.Extra = func(s *sdk.Server) {
		for _, name := range []string{
			"greet", "slow_compute", "failing_job", "protocol_error_job", "confirm_delete", "multi_input", "test_tool_with_task",
		} {
			s.AddTool(&sdk.Tool{Name: name, Description: "For the conformance suite.", InputSchema: json.RawMessage(`{"type":"object"}`)}, f.sync)
		}
	}
}

// sync answers calls that get no handle.
func (f *fixture) sync(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.Name == "test_tool_with_task" {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"user_name": &sdk.ElicitParams{
			Mode: "form", Message: "Your name?",
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"user_name":{"type":"string"}}}`),
		}}}, nil
	}
	var in struct{ Name string }
	_ = json.Unmarshal(req.Params.Arguments, &in) // other tools have other arguments
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello, " + in.Name + "!"}}}, nil
}

// Serves implements mcp.Followed.
func (f *fixture) Serves(tool string) (serves, always bool) {
	switch tool {
	case "failing_job", "test_tool_with_task":
		return true, true
	case "slow_compute", "protocol_error_job", "confirm_delete", "multi_input":
		return true, false
	}
	return false, false
}

// Begin implements mcp.Followed.
func (f *fixture) Begin(ctx context.Context, c mcp.Caller, req *sdk.CallToolRequest) (*mcp.Handle, error) {
	if req.Params.Name == "test_tool_with_task" && req.Params.InputResponses == nil {
		return nil, nil
	}
	var in struct{ Seconds float64 }
	_ = json.Unmarshal(req.Params.Arguments, &in) // other tools have other arguments
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &fixtureRun{owner: c.Name, stop: stop, given: map[string]json.RawMessage{}, wake: make(chan struct{}, 1)}
	r.handle = mcp.Handle{
		TaskID: rand.Text(), Status: "working", PollMs: 100,
		CreatedAt: tq.At(time.Now()), LastUpdatedAt: tq.At(time.Now()),
	}
	f.mu.Lock()
	f.runs[r.handle.TaskID] = r
	first := r.handle
	f.mu.Unlock()
	go f.work(ctx, r, req, in.Seconds)
	return &first, nil
}

func (f *fixture) work(ctx context.Context, r *fixtureRun, req *sdk.CallToolRequest, seconds float64) {
	switch req.Params.Name {
	case "slow_compute":
		select {
		case <-ctx.Done():
			f.change(r, func(h *mcp.Handle) { h.Status = "cancelled" })
		case <-time.After(time.Duration(seconds * float64(time.Second))):
			f.finish(r, "computed", false)
		}
	case "failing_job":
		f.finish(r, "the work failed", true)
	case "protocol_error_job":
		f.change(r, func(h *mcp.Handle) {
			h.Status, h.Error = "failed", map[string]any{"code": -32603, "message": "boom"}
		})
	case "test_tool_with_task":
		b, _ := json.Marshal(req.Params.InputResponses) // came as JSON
		f.finish(r, "gathered "+string(b), false)
	case "confirm_delete":
		f.questions(ctx, r, 1)
	default:
		f.questions(ctx, r, 2)
	}
}

// questions waits for n answers.
func (f *fixture) questions(ctx context.Context, r *fixtureRun, n int) {
	f.change(r, func(h *mcp.Handle) {
		h.Status, h.InputRequests = "input_required", map[string]any{}
		for i := range n {
			h.InputRequests["q"+strconv.Itoa(i)] = map[string]any{"method": "elicitation/create", "params": map[string]any{
				"mode": "form", "message": "Sure?",
				"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"confirm": map[string]any{"type": "boolean"}}},
			}}
		}
	})
	for {
		select {
		case <-ctx.Done():
			f.change(r, func(h *mcp.Handle) { h.Status, h.InputRequests = "cancelled", nil })
			return
		case <-r.wake:
		}
		f.mu.Lock()
		open := len(r.handle.InputRequests)
		f.mu.Unlock()
		if open == 0 {
			f.finish(r, "deleted", false)
			return
		}
	}
}

func (f *fixture) finish(r *fixtureRun, text string, isError bool) {
	f.change(r, func(h *mcp.Handle) {
		h.Status, h.InputRequests = "completed", nil
		h.Result = map[string]any{
			"resultType": "complete", "isError": isError,
			"content": []any{map[string]any{"type": "text", "text": text}},
		}
	})
}

func (f *fixture) change(r *fixtureRun, with func(*mcp.Handle)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.handle.Status {
	case "completed", "failed", "cancelled":
		return
	}
	with(&r.handle)
	r.handle.LastUpdatedAt = tq.At(time.Now())
}

func (f *fixture) find(c mcp.Caller, id string) (*fixtureRun, error) {
	if r := f.runs[id]; r != nil && r.owner == c.Name {
		return r, nil
	}
	return nil, tq.Errorf(tq.CodeNotFound, "no such run")
}

// Look implements mcp.Followed.
func (f *fixture) Look(_ context.Context, c mcp.Caller, id string) (*mcp.Handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.find(c, id)
	if err != nil {
		return nil, err
	}
	h := r.handle
	h.InputRequests = maps.Clone(h.InputRequests)
	return &h, nil
}

// Answer implements mcp.Followed.
func (f *fixture) Answer(_ context.Context, c mcp.Caller, id string, answers map[string]json.RawMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.find(c, id)
	if err != nil {
		return err
	}
	for name := range answers {
		delete(r.handle.InputRequests, name)
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return nil
}

// Cancel implements mcp.Followed.
func (f *fixture) Cancel(_ context.Context, c mcp.Caller, id string) error {
	f.mu.Lock()
	r, err := f.find(c, id)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	r.stop()
	return nil
}
