package httpexec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/tq"
)

// call is the payload of an http task.
type call struct {
	URL     *url.URL
	Method  string
	Headers map[string]string
	Body    json.RawMessage // absent: the task itself is sent
}

// parsePayload reads "URL" or {"url", "method", "headers", "body"}, and nothing
// else: a misspelt field must not send a request without it.
func parsePayload(t *tq.Task) (*call, error) {
	c := &call{Method: http.MethodPost}
	var text string
	if strings.HasPrefix(strings.TrimSpace(string(t.Payload)), `"`) && json.Unmarshal(t.Payload, &text) == nil {
		return c, c.setURL(text)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(t.Payload, &fields); err != nil || fields == nil {
		return nil, errors.New(`payload: want a JSON string, the URL, or an object {"url", "method", "headers", "body"}`)
	}
	for name, value := range fields {
		if err := c.set(name, value); err != nil {
			return nil, err
		}
	}
	if c.URL == nil {
		return nil, errors.New("payload: url is missing")
	}
	return c, nil
}

func (c *call) set(name string, value json.RawMessage) error {
	switch name {
	case "url":
		var text string
		if json.Unmarshal(value, &text) != nil {
			return errors.New("payload: url must be a string")
		}
		return c.setURL(text)
	case "method":
		return c.setMethod(value)
	case "headers":
		if json.Unmarshal(value, &c.Headers) != nil {
			return errors.New("payload: headers must be an object of strings")
		}
		return checkHeaders(c.Headers)
	case "body":
		c.Body = value
		return nil
	}
	return fmt.Errorf("payload: unknown field %q, want url, method, headers, body", name)
}

// setURL takes an absolute http or https URL. Its text stays out of errors: it
// may hold secrets.
func (c *call) setURL(text string) error {
	u, err := url.Parse(text)
	var bad *url.Error
	if errors.As(err, &bad) {
		return fmt.Errorf("payload: url: %w", bad.Err)
	}
	switch {
	case err != nil:
		return fmt.Errorf("payload: url: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("payload: url must begin with http:// or https://, not %q", u.Scheme)
	case u.Hostname() == "":
		return errors.New("payload: url names no host")
	}
	c.URL = u
	return nil
}

func (c *call) setMethod(value json.RawMessage) error {
	known := []string{
		http.MethodGet, http.MethodHead, http.MethodPost,
		http.MethodPut, http.MethodPatch, http.MethodDelete,
	}
	var text string
	if json.Unmarshal(value, &text) != nil || !slices.Contains(known, strings.ToUpper(text)) {
		return fmt.Errorf("payload: method must be one of %s", strings.Join(known, ", "))
	}
	c.Method = strings.ToUpper(text)
	return nil
}

// checkHeaders refuses what would break the framing of the request or
// contradict what tq says of the task.
func checkHeaders(headers map[string]string) error {
	ours := []string{
		"Connection", "Content-Length", "Expect", "Keep-Alive", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", headerFence, headerTask, headerAttempt,
	}
	seen := map[string]bool{}
	for name, value := range headers {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !isToken(name):
			return fmt.Errorf("payload: headers: %q is not a name for a header", name)
		case slices.Contains(ours, canonical), strings.HasPrefix(canonical, "Proxy-"):
			return fmt.Errorf("payload: headers: %s cannot be set", canonical)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return fmt.Errorf("payload: headers: the value of %s contains a control character", canonical)
		case seen[canonical]:
			return fmt.Errorf("payload: headers: %s is set twice", canonical)
		default:
			seen[canonical] = true
		}
	}
	return nil
}

// isToken tells a token of RFC 9110.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return false
		}
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// What a request says of its task. The fence rises with each run of the task,
// so that a receiver can refuse the older of two.
const (
	headerFence   = "Tq-Fence"
	headerTask    = "Tq-Task-Id"
	headerAttempt = "Tq-Attempt"
	headerKey     = "Idempotency-Key"
)

// request builds the request of the call. The key is the same for every attempt
// of the task, as a quoted string (RFC 8941), and the payload may set another.
func (c *call) request(ctx context.Context, t *tq.Task) (*http.Request, error) {
	body, kind, err := c.content(t)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("payload: url cannot be requested")
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("User-Agent", "tq")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set(headerKey, strconv.Quote(fmt.Sprintf("tq-%d-%d", t.ID, t.CreatedAt.Milli())))
	req.Header.Set(headerFence, strconv.FormatInt(t.Epoch, 10))
	req.Header.Set(headerTask, strconv.FormatInt(t.ID, 10))
	req.Header.Set(headerAttempt, strconv.Itoa(t.Attempt))
	if user := c.URL.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	return req, nil
}

// content is what the request carries, and its media type: a JSON string as
// plain text, other JSON as it stands, and without a body the task itself, if
// the method takes one.
func (c *call) content(t *tq.Task) ([]byte, string, error) {
	const asJSON = "application/json"
	switch text := ""; {
	case c.Body == nil && slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete}, c.Method):
		return nil, "", nil
	case c.Body == nil:
		b, err := envelope(t)
		return b, asJSON, err
	case c.Body[0] == '"' && json.Unmarshal(c.Body, &text) == nil:
		return []byte(text), "text/plain; charset=utf-8", nil
	}
	return c.Body, asJSON, nil
}

// envelope is the task as a receiver sees it, its payload byte for byte but for
// white space.
func envelope(t *tq.Task) ([]byte, error) {
	b := new(bytes.Buffer)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		ID      int64           `json:"id"`
		Project string          `json:"project"`
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
		Attempt int             `json:"attempt"`
	}{t.ID, t.Project, t.Type, t.Payload, t.Attempt})
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	return b.Bytes(), nil
}
