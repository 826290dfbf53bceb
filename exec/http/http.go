// Package httpexec runs tasks of type http: one request per attempt. The URL
// comes from whoever enqueued the task, so the request goes to public addresses
// only, unless Executor.Allow opens others, follows no redirect, uses no proxy,
// and takes at most tq.MaxPayload of an answer.
package httpexec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"example.com/tq"
)

const (
	defaultTimeout = 30 * time.Second
	maxHeaderBytes = 64 << 10 // of an answer
)

// Executor makes requests. Its zero value works; it may be used by any number
// of attempts at once and must not be changed while it is.
type Executor struct {
	// Allow opens networks for requests: private, loopback, link-local and all
	// else that is not the public internet are refused. See Guard.
	Allow []netip.Prefix

	// Timeout bounds one request, from the first look-up to the last byte of
	// the answer. Zero is 30 s. A task with a timeout of its own has that
	// instead.
	Timeout time.Duration

	// Resolver looks up host names. Nil is the system's.
	Resolver *net.Resolver
}

// Execute sends the request of t. An answer of 2xx is its result: JSON as it
// stands, other text as a JSON string, none for an empty body. 408, 425 and 5xx
// fail the attempt, 429 gives it back unburnt, all with the wait that the
// answer's Retry-After asks for. Any other answer, a payload that makes no
// request, an address that is not allowed and an answer larger than a result
// may be fail for good. What goes wrong on the way (look-up, connection, TLS,
// time) fails the attempt.
func (x *Executor) Execute(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	call, err := parsePayload(t)
	if err != nil {
		return nil, tq.Permanent(err)
	}
	bounded, cancel := x.bounded(ctx, t)
	defer cancel()
	req, err := call.request(bounded, t)
	if err != nil {
		return nil, tq.Permanent(err)
	}
	transport := x.transport()
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, failure(bounded, req.URL, err)
	}
	defer func() { _ = res.Body.Close() }() // what we want of it has been read
	return outcome(bounded, res, time.Now())
}

// bounded is ctx with the executor's own limit, which says what it is.
func (x *Executor) bounded(ctx context.Context, t *tq.Task) (context.Context, context.CancelFunc) {
	limit := x.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	if t.Timeout > 0 {
		return context.WithCancel(ctx) // the worker keeps that one
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("no complete answer within %s", limit))
}

// transport makes one connection, for one attempt: none is kept, so that the
// guard is asked about each and nothing outlives the attempt. A bare transport
// follows no redirect and keeps no cookie.
func (x *Executor) transport() *http.Transport {
	dialer := &net.Dialer{Resolver: x.Resolver, Control: Guard{Allow: x.Allow}.Control}
	return &http.Transport{
		Proxy:                  nil, // a proxy would connect for us, unguarded
		DialContext:            dialer.DialContext,
		DisableKeepAlives:      true,
		DisableCompression:     true, // a few bytes must not become many
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// failure is why no answer came. The URL stays out of it but for its host: the
// rest may hold secrets.
func failure(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = fmt.Errorf("request to %s: %w", u.Host, err)
	var refused *Refusal
	if errors.As(err, &refused) {
		return tq.Permanent(err)
	}
	return err
}
