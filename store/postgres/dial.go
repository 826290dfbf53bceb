package postgres

import (
	"net"
	"time"
)

// A server that goes without a word, as a host that loses its power or a wire
// that is cut, would hold a flush and all who wait for it until the flush is
// given up. So what is sent has to be acknowledged within unansweredFor, and an
// idle connection is asked whether the other end is still there.
const (
	unansweredFor = 15 * time.Second // what was sent and not acknowledged
	quietFor      = 10 * time.Second // before an idle connection is probed
	probeEvery    = 5 * time.Second
	probes        = 3
)

// dialer connects to a server over TCP or a socket of this machine.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout:         timeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: quietFor, Interval: probeEvery, Count: probes},
		Control:         boundUnanswered,
	}
}
