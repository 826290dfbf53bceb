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
// A file that is there already is refused (invalid). Report hears now and then
// how many bytes of how many are written; it may be nil.
func (s *Store) Backup(ctx context.Context, to string, report func(done, of int64)) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "the path of the copy: %w", err)
	}
	return intoNewFile(to, func(draft string) error {
		// A connection of its own: a copy takes as long as it takes, and would
		// hold up one of the few that all reads share.
		c, err := openConn(s.path, zs.OpenReadOnly, `pragma trusted_schema = off; pragma temp_store = memory;`)
		if err != nil {
			return fault("open "+s.path, err)
		}
		if err = join(c.copyInto(ctx, draft, report), c.close()); ctx.Err() != nil {
			return ctx.Err()
		}
		return fault("copy "+s.path, err)
	})
}

// copyPages is how many pages are copied between two looks at whether somebody
// still waits: some milliseconds.
const copyPages = 1_000

// copyInto fills a new database with what is in this one, page by page out of
// one snapshot.
func (c *conn) copyInto(ctx context.Context, draft string, report func(done, of int64)) (err error) {
	to, err := openConn(draft, zs.OpenReadWrite, `pragma synchronous = off`) // who called syncs it
	if err != nil {
		return err
	}
	defer func() { err = join(err, to.close()) }()
	size, err := c.one(`pragma page_size`)
	if err != nil {
		return err
	}
	if err := c.script(`begin; select 1 from sqlite_schema`); err != nil {
		return err
	}
	defer func() { err = join(err, c.script(`rollback`)) }()
	pages, err := zs.NewBackup(to.raw, "main", c.raw, "main")
	if err != nil {
		return err
	}
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = pages.Step(copyPages)
		if of := int64(pages.PageCount()); err == nil && report != nil {
			report(size*(of-int64(pages.Remaining())), size*of)
		}
	}
	if err = join(err, pages.Close()); err != nil || ctx.Err() != nil {
		return err
	}
	return to.script(`pragma journal_mode = delete`) // who may only read it needs no log beside it
}

// Restore puts the copy at from in the place of a store that is not there yet.
// What is no store of tq, or newer than this version knows, is refused (invalid)
// and left as it is. Report hears how many bytes of how many are written; it may
// be nil.
func Restore(ctx context.Context, from, to string, report func(done, of int64)) error {
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
	return intoNewFile(to, func(draft string) error { return copyFile(ctx, from, draft, report) })
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

func copyFile(ctx context.Context, from, to string, report func(done, of int64)) error {
	in, err := os.Open(from)
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "read the copy: %w", err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	var of int64
	if info, err := in.Stat(); err == nil {
		of = info.Size()
	}
	for done := int64(0); err == nil; {
		if err = ctx.Err(); err != nil {
			break
		}
		var n int64
		n, err = io.CopyN(out, in, copyPart)
		if done += n; report != nil {
			report(done, max(done, of))
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, in.Close(), out.Close())
}

// copyPart is what is copied between two reports, in bytes.
const copyPart = 4 << 20
