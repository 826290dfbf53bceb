package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// The gate: who may come in. It stands before every route, whatever is behind
// it, and lets nobody through who is not known, but to the few routes that it
// lists. Hosts, origins, tokens, sessions, rates; each in a file of its own.

// GateOptions of a Gate. Broker is required.
type GateOptions struct {
	Broker *tq.Broker

	Hosts  []string // names that this hub is reached by, beside localhost and addresses of this machine
	Secure bool     // browsers come over TLS: cookies do not travel without

	Rate       float64 // requests each token may make in a second; default 20,000, negative is any number
	Waiters    int     // calls of one token that may wait at once; default 1,024
	AllWaiters int     // of all tokens; default 4,096
	Failures   int     // refused tokens of one address in a minute before 429; default 20

	Refused func(reason string) // counts refusals; default: nobody does
	Log     *slog.Logger        // default: discard
}

// Gate is a guard in front of a Server.
type Gate struct {
	GateOptions

	// Pattern answers the pattern of the route that a request goes to, "" for
	// none. It is Server.Pattern; without it only what the gate itself answers
	// is open to strangers.
	Pattern func(*http.Request) string

	local    []string // addresses of this machine
	cross    *http.CrossOriginProtection
	failures failures
	sessions sessions
	codes    codes
	rates    rates
	waiting  waiting
}

// open lists the patterns of routes for strangers: that the hub lives, the page
// of the dashboard, which shows nothing before it is logged in, and the way to
// log in.
func open() []string {
	return []string{"GET /healthz", "GET /readyz", "/"}
}

// NewGate makes a Gate.
func NewGate(o GateOptions) (*Gate, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	setDefault(&o.Rate, 20_000)
	setDefault(&o.Waiters, 1_024)
	setDefault(&o.AllWaiters, 4_096)
	setDefault(&o.Failures, 20)
	local, err := localAddresses()
	if err != nil {
		return nil, err
	}
	return &Gate{
		GateOptions: o, local: local, cross: http.NewCrossOriginProtection(),
		waiting: waiting{byToken: map[string]int{}},
	}, nil
}

func setDefault[N int | float64](v *N, usual N) {
	if *v == 0 {
		*v = usual
	}
}

// Wrap is the gate as middleware.
func (g *Gate) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason, err := g.checkSender(r); err != nil {
			g.refuse(w, r, reason, err)
			return
		}
		if g.session(w, r) {
			return
		}
		broker, token, err := g.caller(r)
		if err == nil {
			g.pass(w, r, next, &caller{broker, token})
			return
		}
		if tq.CodeOf(err) == tq.CodeUnauthenticated && g.isOpen(r) {
			next.ServeHTTP(w, r)
			return
		}
		g.refuse(w, r, reasonOf(err), err)
	})
}

// pass lets a caller through that keeps to its rate.
func (g *Gate) pass(w http.ResponseWriter, r *http.Request, next http.Handler, c *caller) {
	if err := g.rates.take(c.token.ID, g.Rate, w.Header()); err != nil {
		g.refuse(w, r, "rate", err)
		return
	}
	a := askedOf(r.Context())
	if a == nil { // no server is around the gate
		a = &asked{}
		r = r.WithContext(context.WithValue(r.Context(), askedKey{}, a))
	}
	a.caller = c
	next.ServeHTTP(w, r)
}

// isOpen reports whether strangers may read what is where r goes.
func (g *Gate) isOpen(r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads && g.Pattern != nil && slices.Contains(open(), g.Pattern(r))
}

// caller is who asks.
type caller struct {
	broker *tq.Broker
	token  tq.Token
}

// Client answers the caller of the request that ctx belongs to; a stranger may
// do nothing.
func (g *Gate) Client(ctx context.Context) tq.Client {
	if a := askedOf(ctx); a != nil && a.caller != nil {
		return a.caller.broker
	}
	return g.Broker.For(tq.Rights{}, "a stranger")
}

// Caller answers the token of who asks, without its hash, and whether there is
// one.
func Caller(ctx context.Context) (tq.Token, bool) {
	a := askedOf(ctx)
	if a == nil || a.caller == nil {
		return tq.Token{}, false
	}
	t := a.caller.token
	t.Hash = [32]byte{}
	return t, true
}

// refuse answers, counts and logs. What is logged of a request is never its
// query, nor its headers: a secret may be in there.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, reason string, err error) {
	g.Refused(reason)
	g.Log.Info("a request was refused", "reason", reason, "request_id", RequestID(r.Context()),
		"method", shortPath(r.Method), "path", shortPath(r.URL.EscapedPath()), "address", addressOf(r))
	Refuse(w, r, err)
}

// reasonOf says in one word why a token was refused.
func reasonOf(err error) string {
	var e *tq.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return string(tq.CodeInternal)
}

// addressOf is where a request comes from, without the port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Around holds calls that may wait to the number that may wait at once.
func (g *Gate) Around(next Call) Call {
	return func(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
		if o.In.Properties["wait_seconds"] == nil && o.In.Properties["claim"] == nil {
			return next(ctx, o, raw)
		}
		token, _ := Caller(ctx)
		if err := g.enter(token.ID); err != nil {
			return nil, err
		}
		defer g.waiting.leave(token.ID)
		return next(ctx, o, raw)
	}
}

// Wait takes one of the places for calls that wait, until leave is called: for
// long polls and streams.
func (g *Gate) Wait(ctx context.Context) (leave func(), err error) {
	token, _ := Caller(ctx)
	if err := g.enter(token.ID); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { g.waiting.leave(token.ID) }), nil
}

func (g *Gate) enter(token string) error {
	if g.waiting.enter(token, g.Waiters, g.AllWaiters) {
		return nil
	}
	g.Refused("waiters")
	e := tq.Errorf(tq.CodeTooMany, "too many calls are waiting: at most %d of one token, %d of all", g.Waiters, g.AllWaiters)
	e.RetryAfter = time.Second
	return e.WithHint("let one call wait for several tasks: max and queues of a claim, ids of a wait")
}
