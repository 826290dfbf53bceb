// Package ops lists what a queue can be asked, each operation once. HTTP, MCP
// and the OpenAPI document are loops over Table: the same input is refused on
// every door in the same words. A rule about tasks does not belong here; the
// hall has them.
package ops

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
)

// Op is one thing that can be asked of a queue.
type Op struct {
	Name    string     // operation id; with a prefix the name of a tool
	Routes  []string   // method and path over HTTP, as http.ServeMux reads them
	Summary string     // one sentence for people and models
	Scopes  []tq.Scope // a caller needs one of these
	MaxBody int        // bytes of input, the largest that Decode takes

	// In and Out describe input and answer. In refuses what it does not name;
	// an answer may grow.
	In, Out *jsonschema.Schema

	// Undo takes back what was answered to somebody who did not hear it; nil
	// when there is nothing to take back.
	Undo func(ctx context.Context, c tq.Client, out any)

	decode func(raw []byte) (any, error)
	do     func(ctx context.Context, c tq.Client, in any) (any, error)
	encode func(out any) ([]byte, error)
	fields *shape
}

// Sizes of inputs in bytes (spec S26).
const (
	MaxBody       = 1 << 20
	MaxBatchBody  = 9 << 20
	MaxSettleBody = 16 << 20
)

// Decode reads the input of one call and refuses what is not exactly that:
// unknown, doubled or differently cased names, trailing data, broken UTF-8,
// wrong types. Values are held to their limits by Do.
func (o *Op) Decode(raw []byte) (any, error) {
	if err := o.fields.check(raw); err != nil {
		return nil, err
	}
	in, err := o.decode(raw)
	if err != nil {
		return nil, err
	}
	if m, ok := in.(interface{ many() bool }); ok && !m.many() && len(raw) > MaxBody {
		return nil, TooLarge(MaxBody)
	}
	return in, nil
}

// Do asks c. The input is one that Decode has returned.
func (o *Op) Do(ctx context.Context, c tq.Client, in any) (any, error) { return o.do(ctx, c, in) }

// Encode writes an answer of Do as one line of JSON, payloads and results byte
// for byte.
func (o *Op) Encode(out any) ([]byte, error) { return o.encode(out) }

// Call decodes raw and asks c.
func (o *Op) Call(ctx context.Context, c tq.Client, raw []byte) (any, error) {
	in, err := o.Decode(raw)
	if err != nil {
		return nil, err
	}
	return o.Do(ctx, c, in)
}

// ReadOnly reports whether the operation changes nothing.
func (o *Op) ReadOnly() bool { return len(o.Scopes) == 1 && o.Scopes[0] == tq.CanRead }

// Method and Path are the parts of a route.
func Method(route string) string { m, _, _ := strings.Cut(route, " "); return m }

// Path is the part of a route behind the method.
func Path(route string) string { _, p, _ := strings.Cut(route, " "); return p }

// TooLarge is the refusal of an input of more than limit bytes.
func TooLarge(limit int) *tq.Error {
	e := tq.Errorf(tq.CodeTooLarge, "the input is larger than %d bytes", limit)
	e.Reason = "body_too_large"
	return e.WithHint("send less at once, or keep large data elsewhere and send its address")
}

// op fills in what follows from the types of an operation: the schemas and how
// to decode and ask.
func op[I, O any](o Op, call func(context.Context, tq.Client, I) (O, error)) Op {
	o.In, o.Out = inputSchema[I](), answerSchema[O]()
	if _, ok := any(*new(I)).(interface{ many() bool }); ok {
		o.In.Required = nil // one lease as the fields themselves, or many in leases
	}
	o.fields = shapeOf(o.In)
	if o.MaxBody == 0 {
		o.MaxBody = MaxBody
	}
	o.decode = func(raw []byte) (any, error) {
		var in I
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, notJSON("does not fit: %s", err)
		}
		return in, nil
	}
	enc := NewEncoder[*O]()
	o.encode = func(out any) ([]byte, error) {
		answer := out.(O)
		return enc.Encode(&answer)
	}
	o.do = func(ctx context.Context, c tq.Client, in any) (any, error) {
		out, err := call(ctx, c, in.(I))
		if err != nil {
			return nil, err
		}
		noNulls(&out)
		return out, nil
	}
	return o
}

// ask is a method of tq.Client as a function.
func ask[I, O any](method func(tq.Client, context.Context, I) (O, error)) func(context.Context, tq.Client, I) (O, error) {
	return func(ctx context.Context, c tq.Client, in I) (O, error) { return method(c, ctx, in) }
}
