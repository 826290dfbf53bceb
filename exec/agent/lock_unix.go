//go:build unix

package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errBusy says that an agent is at work in the repository.
var errBusy = errors.New("another agent works here")

// lock takes the repository for one attempt. The lock ends when the file is
// closed here and in the watch over the agent, which inherits it.
func (r *repo) lock() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(r.gitDir, "tq-agent.lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the repository: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close() // nothing was written
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errBusy
	}
	return nil, fmt.Errorf("lock the repository: %w", err)
}

// ours reports whether a file belongs to the user of this process.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
