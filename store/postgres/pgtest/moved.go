package pgtest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is the folder of the data, for those that look at the disk below it.
func (c *Cluster) Dir() string { return c.dir }

// Moved is the cluster as a copy of its file system at parent holds it: with
// what was on disk when the copy was made, whoever was running then. Launch
// starts it beside the first.
func (c *Cluster) Moved(parent string) (*Cluster, error) {
	m := &Cluster{parent: parent, dir: filepath.Join(parent, filepath.Base(c.dir)), bin: c.bin, log: new(bytes.Buffer)}
	// Its process is not the one of the copy.
	if err := os.Remove(filepath.Join(m.data(), "postmaster.pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return m, m.listenAnywhere()
}
