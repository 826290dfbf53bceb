package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

const (
	answerTime = 30 * time.Second // how long an answer may take, beyond the wait that was asked for
	maxAnswer  = 512 << 20        // bytes; a page of the largest tasks fits
	tries      = 3                // of a call that may be repeated
	firstPause = 50 * time.Millisecond
	longPause  = 2 * time.Second // a hub that asks for more is not waited for
)

// ask makes a call and reads its answer.
func ask[O, I any](ctx context.Context, r *Remote, c call, in I) (O, error) {
	var out O
	m, err := write(r, c, &in)
	if err != nil {
		return out, err
	}
	pause := firstPause
	for n := 1; ; n++ {
		err = r.once(ctx, c, m, &out)
		if err == nil || n == tries || !c.again || !worthAnother(err) {
			return out, err
		}
		if !sleep(ctx, max(pause, retryAfter(err))) {
			return out, ctx.Err()
		}
		pause *= 4
	}
}

// lost is the cause of an error after which nobody knows what the hub did.
type lost struct{ error }

// Unwrap hands on what happened.
func (l lost) Unwrap() error { return l.error }

// worthAnother reports whether the same call may fare better at once. A hub
// that cannot be reached at all is the caller's to wait for.
func worthAnother(err error) bool {
	if retryAfter(err) > longPause {
		return false
	}
	var l lost
	return errors.As(err, &l) || tq.CodeOf(err) == tq.CodeOutcomeUnknown
}

func retryAfter(err error) time.Duration {
	var e *tq.Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once sends m and reads the answer into out.
func (r *Remote) once(ctx context.Context, c call, m message, out any) error {
	limited, stop := context.WithTimeout(ctx, c.wait.Std()+answerTime)
	defer stop()
	req, err := r.request(limited, m)
	if err != nil {
		return err
	}
	answer, err := r.http.Do(req)
	if err != nil {
		return r.unheard(ctx, c, err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return r.unheard(ctx, c, err)
	}
	if len(body) > maxAnswer {
		return tq.Errorf(tq.CodeTooLarge, "the hub's answer is larger than %d bytes", maxAnswer).WithHint("ask for a smaller page")
	}
	if answer.StatusCode >= 300 {
		return r.refusal(answer, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return r.noHub("its answer is not JSON: %s", err)
	}
	return nil
}

// unheard says what became of a call without an answer.
func (r *Remote) unheard(ctx context.Context, c call, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return tq.Errorf(tq.CodeUnavailable, "the hub at %s cannot be reached: %w", r.base, dial.Err).
			WithHint("is it running there? tq serve")
	}
	if c.again {
		return tq.Errorf(tq.CodeUnavailable, "the hub at %s did not answer: %w", r.base, lost{err})
	}
	return tq.Errorf(tq.CodeOutcomeUnknown, "the hub at %s did not answer, it may have done what it was asked: %w", r.base, err).
		WithHint("look before you repeat it; with an idempotency key an enqueue can be repeated safely")
}

// refusal turns an error on the wire back into the one it was.
func (r *Remote) refusal(answer *http.Response, body []byte) error {
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")) // "" is not the one we look for
	var p ops.Problem
	if media == ops.ProblemType && json.Unmarshal(body, &p) == nil && p.Code != "" {
		return p.Err()
	}
	status := answer.StatusCode
	switch {
	case isOneOf(status, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout):
		return tq.Errorf(tq.CodeUnavailable, "a proxy before the hub at %s answered %s", r.base, answer.Status)
	case isOneOf(status, http.StatusTooManyRequests):
		return tq.Errorf(tq.CodeTooMany, "the hub at %s answered %s", r.base, answer.Status)
	case isOneOf(status, http.StatusUnauthorized, http.StatusProxyAuthRequired):
		return tq.Errorf(tq.CodeUnauthenticated, "the hub at %s answered %s", r.base, answer.Status).WithHint("set TQ_TOKEN")
	}
	return r.noHub("it answered %s", answer.Status)
}

func (r *Remote) noHub(format string, args ...any) error {
	e := tq.Errorf(tq.CodeUnavailable, "at %s there is no hub: "+format, append([]any{r.base}, args...)...)
	return e.WithHint("is this the address of a tq serve?")
}
