package postgres

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// boundUnanswered lets the kernel end a connection when what was sent over it
// is not acknowledged for so long (TCP_USER_TIMEOUT, RFC 5482).
func boundUnanswered(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var refused error
	err := c.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unansweredFor.Milliseconds()))
	})
	return errors.Join(err, refused)
}
