//go:build unix

package sqlite

import (
	"fmt"
	"sync"
	"syscall"

	"example.com/tq"
)

// fillSmallDisk writes until the file may not grow any more, then lets it grow
// again and goes on, all in one process.
func fillSmallDisk(s *Store) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	unlimited := limit.Cur
	limit.Cur = 600 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	var mu sync.Mutex
	full := 0
	for i := 0; full < 5; i++ {
		err := enqueueOne(s, &mu, i)
		switch {
		case tq.CodeOf(err) == tq.CodeUnavailable:
			full++
		case err != nil:
			return fmt.Errorf("on a full disk: %w (%s)", err, tq.CodeOf(err))
		}
	}
	say(&mu, "full")
	limit.Cur = unlimited
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for i := range 20 {
		if err := enqueueOne(s, &mu, 1_000_000+i); err != nil {
			return fmt.Errorf("when there is room again: %w", err)
		}
	}
	say(&mu, "recovered")
	return nil
}
