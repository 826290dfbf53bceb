package server

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/tq"
)

// Bearers of tokens, and those who guess.

// caller finds out who asks: by the token it bears, else by its session. A
// request with a bad token is not saved by a good session.
func (g *Gate) caller(r *http.Request) (*tq.Broker, tq.Token, error) {
	secret, given := bearer(r)
	if !given {
		secret = g.sessions.secretOf(cookieOf(r), time.Now())
	}
	if secret == "" && !given {
		return nil, tq.Token{}, tq.Errorf(tq.CodeUnauthenticated, "a token is needed here").
			WithHint("send Authorization: Bearer TOKEN, or set TQ_TOKEN; tq token create makes one")
	}
	broker, token, err := g.Broker.Admit(r.Context(), secret)
	if tq.CodeOf(err) == tq.CodeUnauthenticated && given && g.failures.tooMany(addressOf(r), g.Failures) {
		e := tq.Errorf(tq.CodeTooMany, "too many tokens from your address were not valid")
		e.RetryAfter = failuresFor
		return nil, tq.Token{}, e
	}
	return broker, token, err
}

// bearer reads the token of a request, and whether it claims to have one.
func bearer(r *http.Request) (secret string, given bool) {
	text := r.Header.Get("Authorization")
	if text == "" {
		return "", false
	}
	scheme, secret, _ := strings.Cut(text, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(secret), true
}

// failuresFor is how long refused tokens are counted; maxFailing is how many
// addresses are.
const (
	failuresFor = time.Minute
	maxFailing  = 4_096
)

// failures counts refused tokens by address. A good token is let in whatever
// the count, so that nobody on the same address can lock others out.
type failures struct {
	mu    sync.Mutex
	since time.Time
	count map[string]int
}

// tooMany counts one more, and reports whether it is one too many.
func (f *failures) tooMany(address string, limit int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); f.count == nil || now.Sub(f.since) > failuresFor {
		f.count, f.since = map[string]int{}, now
	}
	if _, known := f.count[address]; !known && len(f.count) >= maxFailing {
		address = "" // all others together
	}
	f.count[address]++
	return f.count[address] > limit
}
