//go:build !linux

package postgres

import "syscall"

// boundUnanswered leaves it to the kernel's own patience: the option is Linux's.
func boundUnanswered(string, string, syscall.RawConn) error { return nil }
