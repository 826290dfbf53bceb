package postgres

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAServerThatGoesWithoutAWordIsNoticedInSeconds(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // it has served
	conn, err := dialer(time.Second).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // nothing was sent over it
	for name, want := range map[int]int{
		unix.TCP_USER_TIMEOUT: 15_000, unix.TCP_KEEPIDLE: 10, unix.TCP_KEEPINTVL: 5, unix.TCP_KEEPCNT: 3,
	} {
		if got := option(t, conn.(*net.TCPConn), name); got != want {
			t.Errorf("option %d of a connection is %d, want %d", name, got, want)
		}
	}
}

func option(t *testing.T, conn *net.TCPConn, name int) (value int) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var refused error
	if err := raw.Control(func(fd uintptr) {
		value, refused = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, name)
	}); err != nil || refused != nil {
		t.Fatal(err, refused)
	}
	return value
}
