package mcp

import (
	"context"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Caller is who asks: what it may do, and its name.
type Caller struct {
	Rights *tq.Rights // nil: every right
	Name   string     // of its token: the owner of what it claims; "" when there is none
}

// may reports whether the caller holds one of the scopes.
func (c Caller) may(scopes ...tq.Scope) bool {
	return c.Rights == nil || slices.ContainsFunc(scopes, c.Rights.Allows)
}

// callOf finds the call that a request belongs to. Only requests that came by
// neither door of ours, in tests, have none.
func (s *Server) callOf(ctx context.Context, extra *sdk.RequestExtra) *call {
	if extra != nil {
		if c := s.calls.find(extra.Header.Get(stamp)); c != nil {
			return c
		}
	}
	if c, ok := ctx.Value(callInContext{}).(*call); ok {
		return c // a request that the SDK made out of another: subscriptions/listen
	}
	return &call{ctx: ctx, stop: func() {}, caller: s.Caller(ctx)}
}

// callInContext is the key of a call in the context of a request over HTTP. A
// session keeps that of its first request, so the stamp goes before it.
type callInContext struct{}

// ask is the one way to the queue: an operation by name, its input as JSON.
func (s *Server) ask(ctx context.Context, op string, raw []byte) (any, error) {
	return s.Call(ctx, s.ops[op], raw)
}

// asked is ask for an answer of a known type.
func asked[O any](ctx context.Context, s *Server, op string, raw []byte) (O, error) {
	out, err := s.ask(ctx, op, raw)
	answer, _ := out.(O)
	return answer, err
}

// byName lists the operations of a table.
func byName(table []ops.Op) map[string]*ops.Op {
	all := make(map[string]*ops.Op, len(table))
	for i := range table {
		all[table[i].Name] = &table[i]
	}
	return all
}
