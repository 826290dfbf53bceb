package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// One address for both eras of the protocol. Revision 2026-07-28 knows no
// sessions: a request is all there is, and closing it is its cancellation.
// Those before it begin with a handshake, and cancel by a notification. The SDK
// serves each with a handler of its own; which one is told by a header, or by
// the body of a client that forgot it.

const (
	statelessSince = "2026-07-28"
	versionHeader  = "Mcp-Protocol-Version"
	sessionHeader  = "Mcp-Session-Id"
	nameHeader     = "Mcp-Name"

	maxBody     = 1 << 20
	maxBatch    = 100 // calls in one request, of clients old enough to send many
	bodyTimeout = 30 * time.Second
)

func (s *Server) serveBothEras() {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	s.sessions = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: s.HostsChecked, Logger: nil,
	})
	s.requests = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: s.HostsChecked,
	})
}

// said is what the front reads of a request before the SDK does.
type said struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		TaskID    string          `json:"taskId"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      map[string]any  `json:"_meta"`
	} `json:"params"`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r)
	if err != nil {
		protocolError(w, nil, err)
		return
	}
	var m said
	_ = json.Unmarshal(body, &m) // the SDK says what is wrong
	caller := s.Caller(r.Context())
	session, known := s.owners.open(caller.Name, r.Header.Get(sessionHeader))
	if !known {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set(sessionHeader, session)
	if session == "" {
		r.Header.Del(sessionHeader)
	}
	if err := m.check(r.Header, body); err != nil {
		protocolError(w, m.ID, err)
		return
	}
	if m.Method == "notifications/cancelled" {
		s.calls.cancel(callKey{caller.Name + "/" + session, string(m.Params.RequestID)})
	}
	leave, err := s.admit(r, &m)
	if err != nil {
		protocolError(w, m.ID, err)
		return
	}
	defer leave()
	s.serve(w, r, &m, caller, s.keyOf(caller, session, &m))
}

// isStream reports whether the answer to a request does not end by itself.
func (m *said) isStream(r *http.Request) bool {
	return r.Method == http.MethodGet || m.Method == "subscriptions/listen"
}

// admit holds streams and sessions to their numbers.
func (s *Server) admit(r *http.Request, m *said) (leave func(), err error) {
	if m.isStream(r) {
		leave, err := s.Place(r.Context())
		if err != nil {
			return nil, &httpError{http.StatusTooManyRequests, err.Error()}
		}
		return leave, nil
	}
	opens := r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "" && !m.stateless(r.Header)
	if opens && s.sessionsOpen() >= maxSessions {
		return nil, &httpError{http.StatusTooManyRequests, "too many sessions are open: end some, or speak revision 2026-07-28, which has none"}
	}
	return func() {}, nil
}

func (s *Server) sessionsOpen() int {
	n := 0
	for range s.sdk.Sessions() {
		n++
	}
	return n
}

// keyOf is how a client may cancel a call later: only within a session.
func (s *Server) keyOf(caller Caller, session string, m *said) callKey {
	if session == "" || m.ID == nil {
		return callKey{}
	}
	return callKey{caller.Name + "/" + session, string(m.ID)}
}

// serve hands a request to the SDK with a stamp on it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, m *said, caller Caller, key callKey) {
	c, name := s.calls.begin(r.Context(), caller, key)
	if m.isStream(r) {
		defer s.calls.untilHangUp(c)()
	}
	out := &writer{ResponseWriter: &sessionWriter{ResponseWriter: w, owners: &s.owners, owner: caller.Name}, call: c}
	c.hold, c.probe = out.hold, out.sign
	defer s.calls.end(c, name)
	defer out.end()
	r = r.WithContext(context.WithValue(c.ctx, callInContext{}, c))
	r.Header.Set(stamp, name)
	handler := s.sessions
	if m.stateless(r.Header) {
		handler = s.requests
	}
	handler.ServeHTTP(out, r)
}

// stateless reports whether a request is of the newer era.
func (m *said) stateless(h http.Header) bool {
	if h.Get(versionHeader) >= statelessSince {
		return true
	}
	v, _ := m.Params.Meta[sdk.MetaKeyProtocolVersion].(string)
	return v >= statelessSince
}

// check refuses what the SDK lets pass.
func (m *said) check(h http.Header, body []byte) error {
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		var rows []json.RawMessage
		if json.Unmarshal(body, &rows) == nil && len(rows) > maxBatch {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a batch of more than 100 calls is not taken"}
		}
	}
	ofTask := slices.Contains([]string{"tasks/get", "tasks/update", "tasks/cancel"}, m.Method)
	if ofTask && m.stateless(h) && h.Get(nameHeader) != m.Params.TaskID {
		return &jsonrpc.Error{Code: sdk.CodeHeaderMismatch, Message: "header mismatch: Mcp-Name is not the taskId of the request"}
	}
	return nil
}

// readBody reads all of a request, within its limits of size and time.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost || r.Body == nil {
		return nil, nil
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, &httpError{http.StatusUnsupportedMediaType, "Content-Encoding is not taken, send the body as it is"}
	}
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout)) // a recorder in tests has none
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, &httpError{http.StatusRequestEntityTooLarge, "the request is larger than 1048576 bytes"}
	case err != nil:
		return nil, &httpError{http.StatusBadRequest, "the request ended early"}
	}
	return body, nil
}

// httpError is a refusal that has a status of its own.
type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

// protocolError answers an error of the protocol, before the SDK was asked.
func protocolError(w http.ResponseWriter, id json.RawMessage, err error) {
	status, wire := http.StatusBadRequest, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	var own *httpError
	if errors.As(err, &own) {
		status = own.status
	}
	_ = errors.As(err, &wire)
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": wire}) // the client is gone
}
