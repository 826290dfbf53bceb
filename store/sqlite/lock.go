package sqlite

import (
	"context"
	"os"
	"time"

	"example.com/tq"
)

// Processes that write to one file take turns through an OS lock on a file
// beside it. SQLite's own lock is polled by those who wait, so a busy process
// would starve the others; here the kernel wakes whoever waits.

// turnWait is how long a writer waits for its turn before it gives up; turns
// are milliseconds, so somebody is stopped while holding it.
const turnWait = 10 * time.Second

type turnLock struct {
	file    *os.File
	pending chan error // a blocking wait that an earlier call gave up on
}

func openTurnLock(path string) (*turnLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &turnLock{file: f}, nil
}

// lock takes the turn. The wait in the kernel cannot be cancelled, so when ctx
// ends or turnWait is over it goes on in the background and the next call takes
// it over.
func (l *turnLock) lock(ctx context.Context) error {
	if l.pending == nil {
		err := takeLock(l.file, false)
		if err == nil {
			return nil
		}
		if err != errLocked {
			return tq.Errorf(tq.CodeUnavailable, "lock %s: %w", l.file.Name(), err)
		}
		got := make(chan error, 1)
		l.pending = got
		go func() { got <- takeLock(l.file, true) }()
	}
	patience := time.NewTimer(turnWait)
	defer patience.Stop()
	select {
	case err := <-l.pending:
		l.pending = nil
		if err != nil {
			return tq.Errorf(tq.CodeUnavailable, "lock %s: %w", l.file.Name(), err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return passing(tq.Errorf(tq.CodeUnavailable, "another process has kept %s locked for %s", l.file.Name(), turnWait),
			"a stopped tq process holds it; end or resume that one")
	}
}

// try takes the turn if nobody else has it or waits for it here.
func (l *turnLock) try() bool {
	return l.pending == nil && takeLock(l.file, false) == nil
}

func (l *turnLock) unlock() error { return dropLock(l.file) }

// close gives the lock up. A wait still in the kernel keeps the file open until
// it ends, with the other holder's turn or with the process: a descriptor that
// somebody waits on must not be given away to another file.
func (l *turnLock) close() error {
	if l.pending == nil {
		return l.file.Close()
	}
	go func() {
		got := <-l.pending
		_ = join(got, l.file.Close()) // nobody is left to tell
	}()
	return nil
}
