package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// Copies of a whole store: taken while it is in use, put back where nothing is.

// Backup writes the store as it is at one moment into a new file that only this
// user can read. Others go on meanwhile. What was answered before it began is
// in it; of what happens while it runs, a beginning of the journal or nothing.
// A file that is there already is refused (invalid). Report hears now and then
// how many bytes are written and about how many there will be; it may be nil.
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
		size, err := c.one(sizeInUse)
		if err == nil {
			growing(draft, size, report, func() { err = c.copyInto(ctx, draft) })
		}
		if err = join(err, c.close()); ctx.Err() != nil {
			return ctx.Err()
		}
		return fault("copy "+s.path, err)
	})
}

// sizeInUse is that of what is copied: pages that are free are left out.
const sizeInUse = `select (p.page_count - f.freelist_count) * s.page_size
	from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`

// copyInto fills a new database with what is in this one.
func (c *conn) copyInto(ctx context.Context, draft string) error {
	c.raw.SetInterrupt(ctx.Done())
	defer c.raw.SetInterrupt(nil)
	q := c.sql(`vacuum into ?`).text(draft)
	q.next()
	return q.end()
}

// growthEvery is how often somebody who waits for a copy is told of it.
const growthEvery = 100 * time.Millisecond

// growing tells report how far the file at path has grown while do fills it, as
// SQLite does not say.
func growing(path string, of int64, report func(done, of int64), do func()) {
	if report == nil {
		do()
		return
	}
	done, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		ticker := time.NewTicker(growthEvery)
		defer ticker.Stop()
		for {
			if info, err := os.Stat(path); err == nil {
				report(min(info.Size(), of), of)
			}
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	do()
	close(done)
	<-told
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
