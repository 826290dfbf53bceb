package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/tq"
	"example.com/tq/internal/server"
	"example.com/tq/store/memory"
	"example.com/tq/store/storetest"
	"example.com/tq/test/tally"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hub is a server over an empty store in memory whose clock stands still, and
// short words for what tests ask of it.
type hub struct {
	t      *testing.T
	clock  *storetest.Clock
	store  tq.Store
	broker *tq.Broker
	server *server.Server
	url    string
	http   *http.Client
	stop   context.CancelFunc // ends serving

	asked, broke atomic.Int64 // requests, and those that the hub did not understand itself
}

func newHub(t *testing.T, change ...func(*server.Options)) *hub {
	t.Helper()
	clock := storetest.NewClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	store := memory.Open(memory.Options{Clock: clock.Now})
	h := &hub{t: t, clock: clock, store: store, broker: tq.New(store, tq.Options{Actor: "tester"})}
	o := server.Options{Client: func(context.Context) tq.Client { return h.broker }, All: h.broker, Version: "test"}
	for _, f := range change {
		f(&o)
	}
	o.Ops = operations()
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.server = s
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	h.url, h.http, h.stop = "http://"+l.Addr().String(), &http.Client{Transport: &http.Transport{}}, stop
	t.Cleanup(func() {
		n := int(h.asked.Load())
		tally.Counts{Attempted: n, Acknowledged: n, OK: n - int(h.broke.Load()), Unexpected: int(h.broke.Load())}.Log(t)
		h.http.CloseIdleConnections()
		stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return h
}

// reply is what a request was answered.
type reply struct {
	*http.Response
	body string
}

// do sends a request with a body of JSON, and headers as name, value.
func (h *hub) do(method, path, body string, headers ...string) reply {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return h.send(r)
}

func (h *hub) send(r *http.Request) reply {
	h.t.Helper()
	answer, err := h.http.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	h.asked.Add(1)
	if answer.StatusCode == http.StatusInternalServerError {
		h.broke.Add(1)
	}
	return reply{answer, string(b)}
}

// want fails the test unless the answer has that status.
func (h *hub) want(r reply, status int) reply {
	h.t.Helper()
	if r.StatusCode != status {
		h.t.Fatalf("%s %s: got %d %s, want %d", r.Request.Method, r.Request.URL.Path, r.StatusCode, r.body, status)
	}
	return r
}

func (h *hub) get(path string) reply {
	h.t.Helper()
	return h.want(h.do("GET", path, ""), http.StatusOK)
}

// into reads the body as JSON.
func into[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("read %s: %v", r.body, err)
	}
	return v
}

func (h *hub) claim(body string) tq.ClaimOut {
	h.t.Helper()
	return into[tq.ClaimOut](h.t, h.want(h.do("POST", "/v1/claims", body), http.StatusOK))
}

// live runs what a hub does beside answering, until the test ends.
func (h *hub) live() {
	h.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(h.t.Context()))
	ran := make(chan error, 1)
	go func() { ran <- h.broker.Run(ctx) }()
	h.t.Cleanup(func() {
		stop()
		if err := <-ran; err != nil && ctx.Err() == nil {
			h.t.Errorf("run the broker: %v", err)
		}
	})
}

// enqueueN makes n tasks.
func (h *hub) enqueueN(n int, like tq.NewTask) {
	h.t.Helper()
	for n > 0 {
		batch := slices.Repeat([]tq.NewTask{like}, min(n, tq.MaxBatch))
		if _, err := h.broker.Enqueue(h.t.Context(), tq.EnqueueIn{Tasks: batch}); err != nil {
			h.t.Fatal(err)
		}
		n -= len(batch)
	}
}
