//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// errLocked says that another process has the lock.
const errLocked = syscall.EWOULDBLOCK

// takeLock takes the lock on f. Without wait it answers errLocked when another
// process has it.
func takeLock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return flock(f, how)
}

func dropLock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}

// openToOthers reports whether others may write to a file of that mode.
func openToOthers(mode os.FileMode) bool { return mode.Perm()&0o022 != 0 }
