//go:build unix

package sqlite

import (
	"syscall"
	"testing"
	"time"
)

// userTime is what this process has spent in user code.
func userTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano())
}
