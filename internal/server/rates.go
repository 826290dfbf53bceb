package server

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"example.com/tq"
)

// How much one token may ask at once.

// rates are a bucket for each token.
type rates struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// take counts one request, and tells in the header how many are left.
func (r *rates) take(token string, perSecond float64, h http.Header) error {
	if perSecond < 0 {
		return nil
	}
	now := time.Now()
	b := r.bucket(token, perSecond)
	ok := b.AllowN(now, 1)
	quota := strconv.Itoa(b.Burst())
	h.Set("RateLimit-Policy", `"default";q=`+quota+`;w=1`)
	h.Set("RateLimit", `"default";r=`+strconv.Itoa(max(0, int(b.TokensAt(now))))+`;t=1`)
	if ok {
		return nil
	}
	e := tq.Errorf(tq.CodeTooMany, "more than %s requests in a second", quota)
	e.RetryAfter = time.Second
	return e.WithHint("send several tasks or leases in one request")
}

func (r *rates) bucket(token string, perSecond float64) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.buckets == nil || len(r.buckets) > 2*tq.MaxTokens {
		r.buckets = map[string]*rate.Limiter{}
	}
	if r.buckets[token] == nil {
		r.buckets[token] = rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond)))
	}
	return r.buckets[token]
}

// waiting counts calls that wait.
type waiting struct {
	mu      sync.Mutex
	byToken map[string]int
	all     int
}

func (w *waiting) enter(token string, each, all int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all >= all || w.byToken[token] >= each {
		return false
	}
	w.all++
	w.byToken[token]++
	return true
}

func (w *waiting) leave(token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.byToken[token]--; w.byToken[token] == 0 {
		delete(w.byToken, token)
	}
}
