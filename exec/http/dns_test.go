package httpexec_test

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// resolver looks up names by asking a name server that lives in this process
// and answers with what lookup says; it has no IPv6 addresses.
func resolver(lookup func(name string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answerDNS(server, lookup)
		return client, nil
	}}
}

// answerDNS answers questions in the framing of DNS over TCP (RFC 1035 §4.2.2)
// until the other end hangs up.
func answerDNS(conn net.Conn, lookup func(name string) []netip.Addr) {
	defer func() { _ = conn.Close() }()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		question := make([]byte, size)
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := answerTo(question, lookup)
		framed := binary.BigEndian.AppendUint16(nil, uint16(len(answer)))
		if _, err := conn.Write(append(framed, answer...)); err != nil {
			return
		}
	}
}

func answerTo(question []byte, lookup func(name string) []netip.Addr) []byte {
	const header, typeA = 12, 1
	name, end := "", header
	for question[end] != 0 {
		size := int(question[end])
		name += string(question[end+1:end+1+size]) + "."
		end += 1 + size
	}
	kind := binary.BigEndian.Uint16(question[end+1:])
	end += 5 // the name's end, type, class

	var addrs []netip.Addr
	if kind == typeA {
		addrs = lookup(name)
	}
	a := append([]byte{}, question[:2]...)
	a = append(a, 0x84, 0, 0, 1) // an authoritative answer to one question
	a = binary.BigEndian.AppendUint16(a, uint16(len(addrs)))
	a = append(a, 0, 0, 0, 0)
	a = append(a, question[header:end]...)
	for _, addr := range addrs {
		a = append(a, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // the name above, A, IN, for no time
		a = append(a, addr.AsSlice()...)
	}
	return a
}

// serveTLS is a server whose certificate nobody has signed.
func serveTLS(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.hits.Add(1) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the handshake
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
