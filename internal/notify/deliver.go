package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"example.com/tq"
)

const (
	deliverTime = 30 * time.Second // of one request, unless the Notifier says otherwise
	answerShown = 500              // bytes of an answer in an error
	maxHops     = 3                // redirects that are followed
)

// deliver sends one alert. A receiver that is gone (410) or will never take it
// is not asked again; one that wants us to wait burns no attempt.
func (n *Notifier) deliver(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
	var a Alert
	if err := json.Unmarshal(t.Payload, &a); err != nil {
		return nil, tq.Permanent(fmt.Errorf("read the alert: %w", err))
	}
	if a.Mark {
		return nil, nil
	}
	others, err := n.stillDead(ctx, &a)
	if err != nil {
		return nil, err
	}
	if others > 0 {
		return json.Marshal(map[string]int64{"still_dead": others})
	}
	req, err := n.request(ctx, &a, n.now())
	if err != nil {
		return nil, tq.Permanent(err)
	}
	res, err := n.send(req)
	if err != nil {
		return nil, fmt.Errorf("deliver the alert: %w", err)
	}
	defer func() { _ = res.Body.Close() }()                      // read only
	said, _ := io.ReadAll(io.LimitReader(res.Body, answerShown)) // what came is all there is
	return n.judge(res, tq.CleanText(string(said), answerShown))
}

// judge says what an answer means. Whatever somebody may still put right is
// tried again for more than a day.
func (n *Notifier) judge(res *http.Response, said string) (json.RawMessage, error) {
	code := res.StatusCode
	err := fmt.Errorf("the receiver answers %s: %s", res.Status, said)
	if code >= 300 && code < 400 {
		err = fmt.Errorf("the receiver answers %s and redirects, which is not followed", res.Status)
	}
	wait, asked := retryAfter(res, n.now())
	switch {
	case code >= 200 && code < 300:
		return json.Marshal(map[string]int{"status": code})
	case code == http.StatusTooManyRequests:
		return nil, fmt.Errorf("%w: %w", err, tq.RateLimited(wait))
	case n.Format.final(code):
		return nil, tq.Permanent(err)
	case asked:
		return nil, fmt.Errorf("%w: %w", err, tq.RetryAfter(wait))
	}
	return nil, err
}

// final reports whether a receiver that answers so has had its last word.
func (f Format) final(code int) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	case http.StatusGone, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return true
	}
	return f == PAP && code >= 400 && code < 500
}

// retryAfter is how long a receiver wants us to wait: seconds, or a date. Where
// it does not say, a minute.
func retryAfter(res *http.Response, now time.Time) (wait time.Duration, asked bool) {
	const usual, longest = time.Minute, time.Hour
	text := res.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		wait = time.Duration(min(seconds, int(longest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	if wait <= 0 {
		return usual, false
	}
	return min(wait, longest), true
}

// send posts a request, and posts it again where the receiver redirects to if
// it asks for the same once more (307, 308) and the guard lets us.
func (n *Notifier) send(req *http.Request) (*http.Response, error) {
	res, err := n.client(nil).Do(req)
	for range maxHops {
		if err != nil {
			break
		}
		next := n.redirected(req, res)
		if next == nil {
			return res, nil
		}
		_ = res.Body.Close() // read only
		req = next
		if res, err = n.client(n.Guard).Do(req); err != nil {
			err = fmt.Errorf("the receiver redirects to %s: %w", req.URL.Host, withoutURL(err))
		}
	}
	return res, withoutURL(err)
}

// withoutURL leaves the address out of an error: it may be a secret, and errors
// of tasks are shown to many.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// client asks the guard, if there is one, before it connects. A proxy would
// connect for us, and ask nobody.
func (n *Notifier) client(guard func(network, address string, c syscall.RawConn) error) *http.Client {
	dialer, timeout := &net.Dialer{Control: guard}, n.Timeout
	if timeout <= 0 {
		timeout = deliverTime
	}
	return &http.Client{
		Timeout:       timeout,
		Transport:     &http.Transport{Proxy: nil, DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redirected is the same request to where the answer points, nil if that is not
// followed. A token stays with the host it is for.
func (n *Notifier) redirected(req *http.Request, res *http.Response) *http.Request {
	again := res.StatusCode == http.StatusTemporaryRedirect || res.StatusCode == http.StatusPermanentRedirect
	to, err := res.Location()
	if n.Guard == nil || !again || err != nil {
		return nil
	}
	if to.Scheme != "https" && (to.Scheme != "http" || req.URL.Scheme == "https") {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	next := req.Clone(req.Context())
	next.URL, next.Host, next.Body = to, "", body
	if to.Host != req.URL.Host {
		next.Header.Del("Authorization")
	}
	return next
}

func (n *Notifier) request(ctx context.Context, a *Alert, now time.Time) (*http.Request, error) {
	to, headers, body := n.speak(a)
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(text))
	if err != nil {
		return nil, withoutURL(err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return req, n.sign(req, a, text, now)
}
