package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

func TestOneConnectionTooManyIsToldSoAndTheNextIsServed(t *testing.T) {
	t.Parallel()
	store := memory.Open(memory.Options{})
	broker := tq.New(store, tq.Options{})
	s, err := New(Options{Client: func(context.Context) tq.Client { return broker }, Conns: 2})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	first, second := ask(t, l), ask(t, l)
	first.wants(http.StatusOK)
	second.wants(http.StatusOK)
	third := ask(t, l)
	third.wants(http.StatusServiceUnavailable)
	first.close()
	for { // the hub learns of it a little later
		next := ask(t, l)
		if next.status() == http.StatusOK {
			return
		}
		next.close()
	}
}

// line is one connection with one question on it.
type line struct {
	t *testing.T
	net.Conn
}

func ask(t *testing.T, l net.Listener) line {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // some are closed already
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return line{t, c}
}

func (l line) status() int {
	l.t.Helper()
	_, _ = l.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")) // one too many may be closed by now
	answer := make([]byte, 4096)
	n, err := l.Read(answer)
	switch text := string(answer[:n]); {
	case strings.HasPrefix(text, "HTTP/1.1 200 "):
		return http.StatusOK
	case strings.HasPrefix(text, "HTTP/1.1 503 ") && strings.Contains(text, "Retry-After: 5\r\n") && strings.Contains(text, `"hint"`):
		return http.StatusServiceUnavailable
	default:
		l.t.Fatalf("heard %q, %v", text, err)
	}
	return 0
}

func (l line) wants(status int) {
	l.t.Helper()
	if got := l.status(); got != status {
		l.t.Errorf("answered %d, want %d", got, status)
	}
}

func (l line) close() {
	l.t.Helper()
	if err := l.Close(); err != nil {
		l.t.Error(err)
	}
}
