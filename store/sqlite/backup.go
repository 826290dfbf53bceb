package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// Copies of a whole store: taken while it is in use, put back where nothing is.

// Backup writes the store as it is at one moment into a new file that only this
// user can read. Others go on meanwhile. What was answered before it began is
// in it; of what happens while it runs, a beginning of the journal or nothing.
// A file that is there already is refused (invalid).
func (s *Store) Backup(ctx context.Context, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "the path of the copy: %w", err)
	}
	return intoNewFile(to, func(draft string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		// A connection of its own: a copy takes as long as it takes, and would
		// hold up one of the few that all reads share.
		c, err := openConn(s.path, zs.OpenReadOnly, `pragma trusted_schema = off; pragma temp_store = memory;`)
		if err != nil {
			return fault("open "+s.path, err)
		}
		q := c.sql(`vacuum into ?`).text(draft)
		q.next()
		return fault("copy "+s.path, join(q.end(), c.close()))
	})
}

// Restore puts the copy at from in the place of a store that is not there yet.
// What is no store of tq, or newer than this version knows, is refused (invalid)
// and left as it is.
func Restore(from, to string) error {
	known, err := migrations()
	if err != nil {
		return err
	}
	if _, err := probe(from, len(known)); err != nil {
		return err
	}
	to, err = locate(to)
	if err != nil {
		return err
	}
	return intoNewFile(to, func(draft string) error { return copyFile(from, draft) })
}

// intoNewFile has write fill a file beside path, and moves it there when it is
// whole and on the disk.
func intoNewFile(path string, write func(draft string) error) (err error) {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return tq.Errorf(tq.CodeInvalid, "there is something at %s already", path).
			WithHint("name a file that is not there, or move that one away")
	case !errors.Is(err, fs.ErrNotExist):
		return tq.Errorf(tq.CodeInvalid, "write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*") // 0600
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "write %s: %w", path, err).WithHint("choose a folder you may write to")
	}
	draft := f.Name()
	defer func() {
		if err != nil {
			_ = os.Remove(draft) // half a copy helps nobody
		}
	}()
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", draft, err)
	}
	if err := write(draft); err != nil {
		return err
	}
	if err := syncPath(draft); err != nil {
		return fmt.Errorf("write %s: %w", draft, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncPath(filepath.Dir(path))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "read the copy: %w", err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, in.Close(), out.Close())
}
