package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"testing"
)

// gate stands between one store and its server and lets the store's round trips
// pass one by one: all that a client sends up to where it waits for an answer.
type gate struct {
	t       *testing.T
	server  string // host:port
	url     string // that of the server, through the gate
	arrived chan struct{}
	pass    chan struct{}
	open    chan struct{} // closed while round trips pass unasked
}

func newGate(t *testing.T, address string) *gate {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, server: u.Host, arrived: make(chan struct{}), pass: make(chan struct{}), open: make(chan struct{})}
	u.Host = l.Addr().String()
	g.url = u.String()
	close(g.open)
	t.Cleanup(func() { _ = l.Close() }) // ends accept
	go g.accept(l)
	return g
}

// shut holds back what is sent from now on; the store must be at rest.
func (g *gate) shut() { g.open = make(chan struct{}) }

// free lets everything pass again.
func (g *gate) free() { close(g.open) }

func (g *gate) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return // closed
		}
		server, err := new(net.Dialer).DialContext(g.t.Context(), "tcp", g.server)
		if err != nil {
			_ = client.Close() // the test is over
			return
		}
		go func() {
			_, _ = io.Copy(client, server) // until either ends
			_ = client.Close()
		}()
		go func() {
			_ = g.forward(client, server) // until either ends
			_ = server.Close()
		}()
	}
}

// forward sends on what a client says, a round trip at a time.
func (g *gate) forward(client io.Reader, server io.Writer) error {
	hello, err := message(client, 0)
	if err == nil {
		_, err = server.Write(hello)
	}
	for err == nil {
		var trip []byte
		for asks := false; !asks && err == nil; {
			var m []byte
			m, err = message(client, 1)
			trip = append(trip, m...)
			// Sync, Query, a password and the farewell: what is answered, or ends all.
			asks = err == nil && bytes.IndexByte([]byte("SQpX"), m[0]) >= 0
		}
		if err == nil && trip[0] != 'X' && !bytes.Contains(trip, []byte("-- ping")) {
			g.wait()
		}
		_, err2 := server.Write(trip)
		err = errors.Join(err, err2)
	}
	return err
}

// message is the next one of the protocol: some bytes that name its type, then
// its length, which counts itself.
func message(r io.Reader, named int) ([]byte, error) {
	head := make([]byte, named+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[named:])-4)
	_, err := io.ReadFull(r, body)
	return slices.Concat(head, body), err
}

func (g *gate) wait() {
	open := g.open
	select {
	case <-open:
		return
	default:
	}
	select {
	case <-open:
	case g.arrived <- struct{}{}:
		select {
		case <-open:
		case <-g.pass:
		}
	}
}
