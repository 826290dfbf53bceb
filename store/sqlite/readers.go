package sqlite

import (
	"context"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// readers is a pool of read-only connections, opened when first needed.
type readers struct {
	path  string
	slots chan *conn // nil: not opened yet
	ended chan struct{}
}

const readerPragmas = `
	pragma trusted_schema = off;
	pragma cell_size_check = on;
	pragma temp_store = memory;
	pragma cache_size = -8000;
	pragma query_only = on;`

func newReaders(path string, n int) *readers {
	r := &readers{path: path, slots: make(chan *conn, n), ended: make(chan struct{})}
	for range n {
		r.slots <- nil
	}
	return r
}

func (r *readers) open() (*conn, error) {
	return openConn(r.path, zs.OpenReadOnly, readerPragmas)
}

func (r *readers) take(ctx context.Context) (*conn, error) {
	select {
	case <-r.ended:
		return nil, errClosed()
	default:
	}
	select {
	case c := <-r.slots:
		if c != nil {
			return c, nil
		}
		c, err := r.open()
		if err != nil {
			r.slots <- nil
			return nil, fault("open a reader", err)
		}
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.ended:
		return nil, errClosed()
	}
}

// give puts a connection back. One that met an error of the disk is opened anew.
func (r *readers) give(c *conn, err error) {
	if err != nil && poisons(err) {
		_ = c.close() // it only read
		c = nil
	}
	r.slots <- c
}

// close waits for readers at work and closes all.
func (r *readers) close() error {
	close(r.ended)
	var first error
	for range cap(r.slots) {
		c := <-r.slots
		if c == nil {
			continue
		}
		if err := c.close(); first == nil {
			first = err
		}
	}
	return first
}

// read runs fn on a reader. All that fn reads is one snapshot. A read that has
// begun is not cut short from outside: the driver would do that from another
// goroutine on the memory of this connection. Every read is bounded, and check,
// the one long one, looks at ctx itself. Errors of SQLite come back as *tq.Error.
func (s *Store) read(ctx context.Context, fn func(c *conn) error) error {
	c, err := s.readers.take(ctx)
	if err != nil {
		return err
	}
	err = snapshot(c, fn)
	if !c.raw.AutocommitEnabled() {
		err = join(err, c.sql(`rollback`).exec())
	}
	s.readers.give(c, err)
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	return fault("read", err)
}

func snapshot(c *conn, fn func(c *conn) error) error {
	if err := c.sql(`begin`).exec(); err != nil {
		return err
	}
	if err := fn(c); err != nil {
		return err
	}
	return c.sql(`commit`).exec()
}

func errClosed() error {
	return tq.Errorf(tq.CodeUnavailable, "the store is closed")
}
