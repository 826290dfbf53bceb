package sqlite

import (
	"os"

	"golang.org/x/sys/windows"
)

// errLocked says that another process has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

// lockedByte lies far behind whatever the file holds: here a locked byte cannot
// be read by others.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// takeLock takes the lock on f. Without wait it answers errLocked when another
// process has it.
func takeLock(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockedByte())
}

func dropLock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte())
}

// openToOthers cannot be told from a mode here: who may write is in the file's
// access list.
func openToOthers(os.FileMode) bool { return false }
