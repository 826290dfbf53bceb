package cli

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
)

// refuser is a database server that asks for a password and lets nobody in, for
// the reason of that SQLSTATE.
func refuser(t *testing.T, state, says string) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // ends the loop
	frame := func(kind byte, body string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			length := make([]byte, 4)
			_, _ = io.ReadFull(c, length) // what was asked does not matter, the answer is no
			_, _ = io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(length))-4)
			_, _ = c.Write(frame('E', "SFATAL\x00VFATAL\x00C"+state+"\x00M"+says+"\x00\x00"))
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// Bad input 73: a wrong password, database or host is said, and the password is
// not.
func TestAServerThatLetsNobodyInIsNamedWithoutThePassword(t *testing.T) {
	t.Parallel()
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	const secret = "hunter2canary"
	for says, host := range map[string]string{
		"password authentication failed": refuser(t, "28P01", `password authentication failed for user "ann"`),
		"does not exist":                 refuser(t, "3D000", `database "nowhere" does not exist`),
		"connect":                        closed.Addr().String(),
	} {
		for _, given := range []string{
			"postgres://ann:" + secret + "@" + host + "/nowhere?sslmode=disable",
			"postgres://ann@" + host + "/nowhere?sslmode=disable&password=" + secret,
		} {
			for _, more := range [][]string{nil, {"--json"}} {
				d := newDesk(t)
				d.client = nil
				got := d.run(append([]string{"list", "--db", given}, more...)...)
				if got.code != exitUnavailable || !strings.Contains(got.err, says) {
					t.Errorf("%s: exit %d, %q", says, got.code, got.err)
				}
				if strings.Contains(got.out+got.err, secret) {
					t.Errorf("%s: the password is shown: %q", says, got.err)
				}
			}
		}
	}
}
