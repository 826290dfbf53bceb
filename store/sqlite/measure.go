package sqlite

import (
	"context"
)

// What a measurement asks of an engine beside its tasks.

const (
	selectVersion = `select sqlite_version()`
	selectSize    = `select page_count * page_size from pragma_page_count, pragma_page_size`
)

// Version names the engine and its version.
func (s *Store) Version(ctx context.Context) (string, error) {
	text := ""
	err := s.read(ctx, func(c *conn) error {
		q := c.sql(selectVersion)
		if q.next() {
			text = "SQLite " + q.colText(0)
		}
		return q.end()
	})
	return text, err
}

// Written answers how many bytes the database takes, with what its log holds.
func (s *Store) Written(ctx context.Context) (size int64, err error) {
	err = s.read(ctx, func(c *conn) error {
		q := c.sql(selectSize)
		if q.next() {
			size = q.colInt(0)
		}
		return q.end()
	})
	return size, err
}

// Hold keeps a snapshot open on a connection of its own until it is released:
// what a forgotten read transaction does to a database.
func (s *Store) Hold(context.Context) (release func() error, err error) {
	c, err := s.readers.open()
	if err != nil {
		return nil, fault("hold a snapshot", err)
	}
	if err := c.script(`begin; ` + selectSize); err != nil {
		return nil, join(fault("hold a snapshot", err), c.close())
	}
	return c.close, nil
}

// Commits counts, since the store was opened here, the transactions that wrote
// something and the calls that shared them.
func (s *Store) Commits() (commits, calls int64) {
	return s.writer.commits.Load(), s.writer.shared.Load()
}
