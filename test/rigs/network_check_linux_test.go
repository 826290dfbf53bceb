package rigs

import (
	"errors"
	"net"
	"testing"
	"time"
)

// What the rigs show counts for nothing unless a cut wire is cut.
func TestACutWireIsSilentUntilItIsHealed(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, "one", "two")
	one, two := n.machines[0], n.machines[1]
	l := n.server.listen(serverAddress + ":80")
	t.Cleanup(func() { _ = l.Close() })

	n.cut(one)
	var silence net.Error
	if err := one.dial(l.Addr(), 300*time.Millisecond); !errors.As(err, &silence) || !silence.Timeout() {
		t.Errorf("a cut wire is not silent: %v", err)
	}
	if err := two.dial(l.Addr(), 10*time.Second); err != nil {
		t.Errorf("the other wire was cut too: %v", err)
	}
	n.heal(one)
	if err := one.dial(l.Addr(), 10*time.Second); err != nil {
		t.Errorf("the wire was healed: %v", err)
	}
}

// dial connects to an address and hangs up.
func (m *machine) dial(to net.Addr, within time.Duration) error {
	return m.do(func() error {
		c, err := (&net.Dialer{Timeout: within}).DialContext(m.t.Context(), to.Network(), to.String())
		if err != nil {
			return err
		}
		return c.Close()
	})
}
