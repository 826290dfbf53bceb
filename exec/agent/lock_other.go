//go:build !unix

package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errBusy says that an agent is at work in the repository.
var errBusy = errors.New("another agent works here")

// lock takes the repository for one attempt: a file that is open here cannot
// be removed by anybody else.
func (r *repo) lock() (*os.File, error) {
	path := filepath.Join(r.gitDir, "tq-agent.lock")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errBusy
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, errBusy
	}
	if err != nil {
		return nil, fmt.Errorf("lock the repository: %w", err)
	}
	return f, nil
}

// ours trusts the permissions of the folder.
func ours(fs.FileInfo) bool { return true }
