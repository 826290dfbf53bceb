package sqlite

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	zs "zombiezen.com/go/sqlite"
)

// The statement interface: all that the rest of the package knows of the
// driver. A statement is prepared once for each connection, its parameters are
// bound in order, and end must be called when its rows were read:
//
//	q := c.sql(selectLane).int(id)
//	for q.next() {
//		… q.colText(0) …
//	}
//	return q.end()

// busyWait is how long a statement waits for a lock that somebody holds who
// does not take part in our own turns (lock.go).
const busyWait = 10 * time.Second

type conn struct {
	raw   *zs.Conn
	stmts map[string]*stmt
	steps int // rows asked for, by all statements
}

type stmt struct {
	of    *conn
	raw   *zs.Stmt
	bound int
	open  bool
	err   error
}

// openConn opens an existing database file.
func openConn(path string, flags zs.OpenFlags, pragmas string) (*conn, error) {
	raw, err := zs.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	c := &conn{raw: raw, stmts: make(map[string]*stmt)}
	raw.SetBusyTimeout(busyWait)
	// SetDefensive of the driver is not for use: it passes one argument where
	// SQLite reads two, and SQLite then writes through the missing pointer.
	if err := c.script(pragmas); err != nil {
		return nil, join(err, c.close())
	}
	return c, nil
}

// script runs statements that have no parameters and no rows of interest, one
// after the other and none of them kept.
func (c *conn) script(text string) error {
	for text = strings.TrimSpace(text); text != ""; {
		q, rest, err := c.raw.PrepareTransient(text)
		if err != nil {
			return err
		}
		text = strings.TrimSpace(text[len(text)-rest:])
		if err := runAll(q); err != nil {
			return err
		}
	}
	return nil
}

func runAll(q *zs.Stmt) error {
	more, err := true, error(nil)
	for more && err == nil {
		more, err = q.Step()
	}
	if final := q.Finalize(); err == nil {
		err = final
	}
	return err
}

func (c *conn) close() error { return c.raw.Close() }

// sql starts the statement with that text.
func (c *conn) sql(text string) *stmt {
	q := c.stmts[text]
	if q == nil {
		q = &stmt{of: c}
		if q.raw, q.err = c.raw.Prepare(text); q.err != nil {
			return q
		}
		c.stmts[text] = q
	}
	q.bound = 0
	return q
}

func (q *stmt) int(v int64) *stmt {
	if q.raw != nil {
		q.bound++
		q.raw.BindInt64(q.bound, v)
	}
	return q
}

func (q *stmt) bool(v bool) *stmt {
	if v {
		return q.int(1)
	}
	return q.int(0)
}

func (q *stmt) text(v string) *stmt {
	if q.raw != nil {
		q.bound++
		q.raw.BindText(q.bound, v)
	}
	return q
}

func (q *stmt) blob(v []byte) *stmt {
	if q.raw != nil {
		q.bound++
		q.raw.BindBytes(q.bound, v)
	}
	return q
}

// bytesAsText binds bytes that are valid UTF-8 as text.
func (q *stmt) bytesAsText(v []byte) *stmt { return q.text(unsafe.String(unsafe.SliceData(v), len(v))) }

func (q *stmt) null() *stmt {
	if q.raw != nil {
		q.bound++
		q.raw.BindNull(q.bound)
	}
	return q
}

// textOrNull binds null for the empty string, intOrNull for 0.
func (q *stmt) textOrNull(v string) *stmt {
	if v == "" {
		return q.null()
	}
	return q.text(v)
}

func (q *stmt) intOrNull(v int64) *stmt {
	if v == 0 {
		return q.null()
	}
	return q.int(v)
}

// next steps to the next row.
func (q *stmt) next() bool {
	if q.err != nil {
		return false
	}
	q.open = true
	q.of.steps++
	row, err := q.raw.Step()
	q.err = err
	return row && err == nil
}

// end finishes the statement and answers the first error it met.
func (q *stmt) end() error {
	err := q.err
	q.err = nil
	if q.raw == nil || !q.open {
		return err
	}
	q.open = false
	if reset := q.raw.Reset(); err == nil {
		err = reset
	}
	return err
}

// exec runs a statement that answers no rows.
func (q *stmt) exec() error {
	q.next()
	return q.end()
}

func (q *stmt) colInt(i int) int64   { return q.raw.ColumnInt64(i) }
func (q *stmt) colBool(i int) bool   { return q.raw.ColumnInt64(i) != 0 }
func (q *stmt) colText(i int) string { return q.raw.ColumnText(i) }
func (q *stmt) colNull(i int) bool   { return q.raw.ColumnIsNull(i) }

// colBytes copies a text or blob column; nil for null.
func (q *stmt) colBytes(i int) []byte {
	if q.colNull(i) {
		return nil
	}
	b := make([]byte, q.raw.ColumnLen(i))
	q.raw.ColumnBytes(i, b)
	return b
}

// one answers the single integer of a query without parameters.
func (c *conn) one(text string) (int64, error) {
	q := c.sql(text)
	var n int64
	if q.next() {
		n = q.colInt(0)
	}
	return n, q.end()
}

// join adds the error of cleaning up to err, if any.
func join(err, second error) error {
	switch {
	case second == nil:
		return err
	case err == nil:
		return second
	}
	return fmt.Errorf("%w; then %w", err, second)
}
