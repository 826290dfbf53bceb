package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
	"example.com/tq/store/memory"
)

// Whatever is sent, nothing panics, nothing is a fault of the hub, and a refusal
// is a problem with a code.

// fuzzed is a server without a network, over a store with some tasks. A panic
// that it survives is answered 500, and so a failure here.
type fuzzed struct {
	handler http.Handler
}

func newFuzzed(f *testing.F) fuzzed {
	f.Helper()
	store := memory.Open(memory.Options{})
	broker := tq.New(store, tq.Options{Actor: "tester"})
	s, err := server.New(server.Options{Client: func(context.Context) tq.Client { return broker }, All: broker})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := store.Close(); err != nil {
			f.Errorf("close the store: %v", err)
		}
	})
	for _, queue := range []string{"default", "shop:mail", "shop:print"} {
		if _, err := broker.Enqueue(f.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "a", Queue: queue}}}); err != nil {
			f.Fatal(err)
		}
	}
	return fuzzed{s}
}

// holds sends one request and holds the answer to what is promised of all.
func (z fuzzed) holds(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	z.handler.ServeHTTP(w, r)
	if w.Code >= http.StatusInternalServerError {
		t.Fatalf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	if w.Code < http.StatusBadRequest {
		return w
	}
	var p ops.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Code == "" || p.Status != w.Code {
		t.Fatalf("%s %s: the refusal is %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	return w
}

func FuzzEnqueueBody(f *testing.F) {
	for _, c := range append(poor(), poorFields()...) {
		if len(c.body) < 4_096 {
			f.Add([]byte(c.body))
		}
	}
	f.Add([]byte(`{"type":"a","payload":{"x":[1,2.5e3,"\ud83d\ude00"]},"deps":["$0","key:k",1],"backoff":{"factor":3}}`))
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/v1/tasks", "/v1/tasks/batch", "/v1/jobs"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(string(body)))
			r.Header.Set("Content-Type", "application/json")
			z.holds(t, r)
		}
	})
}

func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "c1", "c", "garbage", "c-1", "czzzzzzzzzzzzz", "czzzzzzzzzzzzzz", "c 1", "\x00", "\xff", "C1", "c+1"} {
		f.Add(seed)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, cursor string) {
		target := "/v1/tasks?cursor=" + url.QueryEscape(cursor)
		z.holds(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
	})
}

// The client has left, so that a stream which is let begin ends at once.
func FuzzLastEventID(f *testing.F) {
	for _, seed := range []string{"", "0", "7", "-1", "9e99", "9223372036854775807", "9223372036854775808", "text", "1.5", " 1", "\x00", "\xff"} {
		f.Add(seed)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, id string) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/facts", http.NoBody)
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Last-Event-ID", id)
		w := httptest.NewRecorder()
		z.handler.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Fatalf("Last-Event-ID %q: %d %s", id, w.Code, w.Body)
		}
	})
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"", "status=ready&limit=5", "status=banana", "queue=a%00b", "queue=shop:*", "type=%ff", "limit=1e9", "limit=0", "limit=-0", "parent=1&parent=2",
		"q=%27%3B+DROP+TABLE+tasks%3B--", "key=k&project=p", "fields=payload", "fields=all", "sort=seq;drop", "%zz=1", "kinds=task.claimed,x", "after=-1", "=", "&&",
	} {
		f.Add(seed)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/v1/tasks", "/v1/facts", "/v1/stats", "/v1/errors", "/v1/jobs"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			r.URL.RawQuery = query
			if !r.URL.Query().Has("wait_seconds") {
				z.holds(t, r)
			}
		}
	})
}

// A payload that is taken comes back byte for byte.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{
		`null`, `"a\u0000b"`, `"\ud800"`, `1e400`, `12345678901234567890`, `1.0e2`, ` [ 1 , 2 ] `, `{"a":1,"a":2}`, nested(128), nested(129),
		"\"\xff\"", "\"\x00\"", `1,"queue":"b"`, `1}{`, `"<img src=x onerror=alert(1)>"`, "\"\u2028\"", "{ \"n\"\t: \"x\" }", `"}"`, ``,
	} {
		f.Add(seed)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, payload string) {
		body := `{"type":"a","payload":` + payload + `}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/tasks", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := z.holds(t, r)
		if w.Code != http.StatusCreated {
			return
		}
		back := z.holds(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, w.Header().Get("Location"), http.NoBody))
		var sent, got struct{ Payload json.RawMessage }
		if err := json.Unmarshal([]byte(body), &sent); err != nil {
			t.Fatalf("%q was taken: %v", body, err)
		}
		if err := json.Unmarshal(back.Body.Bytes(), &got); err != nil || string(got.Payload) != string(sent.Payload) {
			t.Fatalf("%q came back as %q, %v", sent.Payload, got.Payload, err)
		}
	})
}
