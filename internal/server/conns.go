package server

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	maxConns     = 16_384
	farewells    = 64 // connections over the limit that are told so at the same time
	farewellTime = time.Second
)

// fullAnswer is what a connection over the limit hears before it is closed.
const fullAnswer = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n" +
	"Retry-After: 5\r\nConnection: close\r\n\r\n" +
	`{"status":503,"code":"unavailable","detail":"the hub has as many connections as it takes","hint":"try again in a few seconds; reuse connections"}` + "\n"

// bounded accepts at most limit connections at a time. One more is told so and
// closed: left in the kernel's queue, it would hang without a word. The server
// says by state when one has ended; the connections themselves stay what they
// are, since the server looks whether they are of TLS.
type bounded struct {
	net.Listener
	limit   int64
	open    atomic.Int64
	telling chan struct{}
}

func newBounded(l net.Listener, limit int) *bounded {
	return &bounded{Listener: l, limit: int64(limit), telling: make(chan struct{}, farewells)}
}

func (l *bounded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.limit {
			return c, nil
		}
		l.open.Add(-1)
		l.sendAway(c)
	}
}

// state is told of all that becomes of an accepted connection.
func (l *bounded) state(_ net.Conn, now http.ConnState) {
	if now == http.StateClosed || now == http.StateHijacked {
		l.open.Add(-1)
	}
}

func (l *bounded) sendAway(c net.Conn) {
	select {
	case l.telling <- struct{}{}:
		go func() {
			defer func() { <-l.telling }()
			tellFull(c)
		}()
	default:
		_ = c.Close() // too many to be told
	}
}

// tellFull answers without having read the question, and then waits for its end:
// a connection that is closed with something unread loses what was sent last.
func tellFull(c net.Conn) {
	defer func() { _ = c.Close() }() // nothing was promised
	if c.SetDeadline(time.Now().Add(farewellTime)) != nil {
		return
	}
	if _, err := c.Write([]byte(fullAnswer)); err != nil {
		return
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c, maxHeader)) // until the caller has left
	}
}
