package sqlite

import (
	"context"
	"sync"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// readers is a pool of read-only connections, opened when first needed. The one
// used last is used next: what it has read before is still in its memory.
type readers struct {
	path  string
	slots chan struct{} // one for each connection that may be in use
	ended chan struct{}

	mu   sync.Mutex
	idle []*conn
}

const readerPragmas = `
	pragma trusted_schema = off;
	pragma cell_size_check = on;
	pragma temp_store = memory;
	pragma cache_size = -16000;
	pragma query_only = on;`

func newReaders(path string, n int) *readers {
	r := &readers{path: path, slots: make(chan struct{}, n), ended: make(chan struct{})}
	for range n {
		r.slots <- struct{}{}
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
	case <-r.slots:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.ended:
		return nil, errClosed()
	}
	if c := r.last(); c != nil {
		return c, nil
	}
	c, err := r.open()
	if err != nil {
		r.slots <- struct{}{}
		return nil, fault("open a reader", err)
	}
	return c, nil
}

// last takes the idle connection that was used last; nil if there is none.
func (r *readers) last() *conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := len(r.idle) - 1
	if i < 0 {
		return nil
	}
	c := r.idle[i]
	r.idle = r.idle[:i]
	return c
}

// give puts a connection back. One that met an error of the disk is opened anew.
func (r *readers) give(c *conn, err error) {
	if err != nil && poisons(err) {
		_ = c.close() // it only read
	} else {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	}
	r.slots <- struct{}{}
}

// close waits for readers at work and closes all.
func (r *readers) close() error {
	close(r.ended)
	for range cap(r.slots) {
		<-r.slots
	}
	var first error
	for c := r.last(); c != nil; c = r.last() {
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
