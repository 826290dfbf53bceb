package client

import (
	"context"

	"example.com/tq"
)

// What can be asked of a hub itself, beside the operations of a queue.

// Ready asks whether the hub can do work: unavailable, and why, when it is
// stopping or its store does not answer. It needs no token.
func (r *Remote) Ready(ctx context.Context) error {
	_, err := ask[struct{}](ctx, r, read("GET /readyz"), struct{}{})
	return err
}

// LoginCode makes a code for the link ADDRESS/login?code=CODE, which opens the
// dashboard once, within a quarter of an hour, with the rights of this token.
func (r *Remote) LoginCode(ctx context.Context) (string, error) {
	out, err := ask[struct{ Code string }](ctx, r, call{route: "POST /session/code", again: true}, struct{}{})
	return out.Code, err
}

// WhoAmI reads the token that this client bears: its name and rights, without
// the secret.
func (r *Remote) WhoAmI(ctx context.Context) (tq.Token, error) {
	return ask[tq.Token](ctx, r, read("GET /session"), struct{}{})
}
