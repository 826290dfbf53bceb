//go:build unix && !linux

package sh

import (
	"os"
	"syscall"
)

// startFamily starts the command in a supervisor. Only its process group can be
// found here: what leaves the group lives on.
func startFamily(p plan) (*family, error) {
	return startGroup(p, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

// alive reports whether a process group has members.
func alive(group int) bool { return syscall.Kill(-group, 0) != syscall.ESRCH }
