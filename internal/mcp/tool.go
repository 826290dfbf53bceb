package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// tool is an operation as a model sees it: fewer words, the same rules. What it
// is not told of here, the operation takes all the same.
type tool struct {
	name  string // without the prefix
	op    string // the operation; it knows the scopes and holds arguments to its fields
	text  string
	args  []arg
	gives []give

	needs       []string   // arguments that must be given
	also        []tq.Scope // scopes beside those of the operation
	idempotent  bool
	destructive bool
	waits       bool              // ends when the client goes away; all else is finished
	words       map[string]string // names of the operation's fields → names here

	ask func(ctx context.Context, q *question) (any, error)
}

// arg is one argument that a model is told of.
type arg struct {
	name, text string
	kind       string // JSON type; "" is that of the operation's field
}

// give is one field of an answer that a model is told of.
type give struct{ name, kind string }

// question is one call of a tool.
type question struct {
	*Server
	*call
	tool *tool
	in   object
	req  *sdk.CallToolRequest
}

// answer is what a tool says: for programs, and for models that read text. An
// empty text is the JSON itself.
type answer struct {
	json json.RawMessage
	text string
}

// settleTime is how long a call that changes something goes on when its client
// has gone: what was said counts.
const settleTime = 30 * time.Second

// publish is the tool as clients see it.
func (t *tool) publish(prefix string, op *ops.Op) *sdk.Tool {
	in := &jsonschema.Schema{Type: "object", Required: t.needs, Properties: map[string]*jsonschema.Schema{}}
	for _, a := range t.args {
		in.Properties[a.name] = a.schema(op)
		in.PropertyOrder = append(in.PropertyOrder, a.name)
	}
	out := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, g := range t.gives {
		out.Properties[g.name] = g.schema()
		out.PropertyOrder = append(out.PropertyOrder, g.name)
	}
	no := false
	destroys := t.destructive
	hints := &sdk.ToolAnnotations{IdempotentHint: t.idempotent, ReadOnlyHint: op.ReadOnly(), OpenWorldHint: &no}
	if !op.ReadOnly() {
		hints.DestructiveHint = &destroys
	}
	return &sdk.Tool{Name: prefix + "_" + t.name, Description: t.text, InputSchema: in, OutputSchema: out, Annotations: hints}
}

func (a arg) schema(op *ops.Op) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: a.kind, Description: a.text}
	of := op.In.Properties[a.name]
	if a.kind != "" || of == nil {
		return s
	}
	s.Type, s.Types, s.Enum = of.Type, of.Types, of.Enum
	if s.Type == "" && len(s.Types) == 0 && s.Description == "" {
		s.Description = "any JSON"
	}
	if of.Items != nil {
		s.Items = &jsonschema.Schema{Type: of.Items.Type, Types: of.Items.Types}
	}
	return s
}

// schema is never empty: that would be written as true, which clients of older
// revisions do not take.
func (g give) schema() *jsonschema.Schema {
	if g.kind == "" {
		return &jsonschema.Schema{Description: "any JSON"}
	}
	return &jsonschema.Schema{Type: g.kind}
}

// open reports whether a caller is shown the tool.
func (t *tool) open(c Caller, op *ops.Op) bool {
	return c.may(op.Scopes...) && !slices.ContainsFunc(t.also, func(s tq.Scope) bool { return !c.may(s) })
}

// handler answers calls of the tool.
func (s *Server) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := objectOf(req.Params.Arguments)
		if err != nil {
			return nil, err
		}
		q := &question{Server: s, call: s.callOf(ctx, req.Extra), tool: t, in: in, req: req}
		ctx, done := q.context(ctx)
		defer done()
		out, err := t.ask(ctx, q)
		var broken *jsonrpc.Error
		switch {
		case errors.As(err, &broken):
			return nil, err
		case t.waits && errors.Is(err, context.Canceled):
			return nil, err // nobody is there
		case err != nil:
			return s.refusal(t, err), nil
		}
		return result(out)
	}
}

// context is that of the client's request, which carries who asks, ended by
// the SDK's too, which knows of cancellations.
func (q *question) context(sdkCtx context.Context) (context.Context, func()) {
	if !q.tool.waits {
		return context.WithTimeout(context.WithoutCancel(q.ctx), settleTime)
	}
	ctx, stop := context.WithCancel(q.ctx)
	release := context.AfterFunc(sdkCtx, stop)
	return ctx, func() { release(); stop() }
}

// result makes a result of an answer: structured, and the same as text.
func result(out any) (*sdk.CallToolResult, error) {
	a, ready := out.(answer)
	if !ready {
		b, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		a.json = b
	}
	if a.text == "" {
		a.text = string(a.json)
	}
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: a.text}},
		StructuredContent: a.json,
	}, nil
}

// encoded is an answer with payloads and results byte for byte.
func encoded[T any](v *T) (answer, error) {
	b, err := ops.NewEncoder[*T]().Encode(v)
	return answer{json: json.RawMessage(strings.TrimSpace(string(b)))}, err
}
