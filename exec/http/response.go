package httpexec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/tq"
)

const (
	quotedBytes = 4 << 10 // of a failed answer's body in the error
	quotedURL   = 200     // of a redirect's target

	minWait     = time.Second      // a Retry-After of 0 must not become a tight loop
	maxWait     = 24 * time.Hour   // nor one of a year put a task away
	defaultWait = 30 * time.Second // after a 429 that names no wait
)

// outcome is what an answer means for the attempt.
func outcome(ctx context.Context, res *http.Response, now time.Time) (json.RawMessage, error) {
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return result(ctx, res)
	case code == http.StatusTooManyRequests:
		wait, ok := retryAfter(res.Header, now)
		if !ok {
			wait = defaultWait
		}
		return nil, fmt.Errorf("%s: %w%s", headline(res), tq.RateLimited(wait), quote(res))
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code >= 500:
		if wait, ok := retryAfter(res.Header, now); ok {
			return nil, fmt.Errorf("%s: %w%s", headline(res), tq.RetryAfter(wait), quote(res))
		}
		return nil, fmt.Errorf("%s%s", headline(res), quote(res))
	case code >= 300 && code < 400:
		return nil, tq.Permanent(fmt.Errorf("%s: redirects are not followed", headline(res)))
	}
	return nil, tq.Permanent(fmt.Errorf("%s%s", headline(res), quote(res)))
}

// result is the body of a good answer as the task's result.
func result(ctx context.Context, res *http.Response) (json.RawMessage, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, tq.MaxPayload+1))
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s to its end: %w", res.Request.URL.Host, err)
	}
	if len(body) > tq.MaxPayload {
		return nil, tooLarge(res)
	}
	bare := bytes.TrimSpace(body)
	if len(bare) == 0 {
		return nil, nil
	}
	if tq.CheckJSON("result", bare, tq.MaxPayload) == nil {
		return bare, nil
	}
	return asText(res, body)
}

func asText(res *http.Response, body []byte) (json.RawMessage, error) {
	b := new(bytes.Buffer)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tq.CleanText(string(body), 3*tq.MaxPayload)); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(text) > tq.MaxPayload {
		return nil, tooLarge(res)
	}
	return text, nil
}

// tooLarge fails for good: asked again, the receiver would do its work again and
// answer the same.
func tooLarge(res *http.Response) error {
	return tq.Permanent(fmt.Errorf("%s, but the answer is larger than %d bytes, the limit of a result: let it answer with an address",
		headline(res), tq.MaxPayload))
}

// headline says what came back, from where, and where it points to. The words
// for the status are our own: the receiver's could be anything.
func headline(res *http.Response) string {
	text := strconv.Itoa(res.StatusCode)
	if words := http.StatusText(res.StatusCode); words != "" {
		text += " " + words
	}
	text += " from " + res.Request.URL.Host
	if target := res.Header.Get("Location"); target != "" {
		text += " to " + strconv.Quote(tq.CleanText(target, quotedURL))
	}
	return text
}

// quote is the beginning of the body as the rest of an error's text. What cannot
// be read is not quoted: the status says enough.
func quote(res *http.Response) string {
	body, _ := io.ReadAll(io.LimitReader(res.Body, quotedBytes))
	text := strings.TrimSpace(tq.CleanText(string(body), quotedBytes))
	if text == "" {
		return ""
	}
	return "\n" + text
}

// retryAfter reads the wait that an answer asks for, in seconds or until a date.
// The date is taken relative to the answer's own, so that the two clocks need
// not agree.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	// A number too large for the type comes out as the largest one.
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		const limit = uint64(maxWait / time.Second)
		return held(time.Duration(min(seconds, limit)) * time.Second), true
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return held(until.Sub(now)), true
}

func held(wait time.Duration) time.Duration { return min(max(wait, minWait), maxWait) }
