package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"

	modernc "modernc.org/sqlite"
)

// The database/sql handle for callers who keep their own tables in the same
// file and want to enqueue in their own transactions (tx.go). It must be ours:
// two copies of SQLite in one process drop each other's locks on the file, and
// committed rows are lost. The driver here is the same copy that the store
// itself uses.

// DB opens the file at path, and creates it when there is none, as a
// database/sql handle whose transactions EnqueueTx accepts. Its transactions
// begin immediate and take turns with the store's writers, so keep them short:
// nobody else writes meanwhile. Tables of your own may live in the file beside
// tq's, whose you may read but not write.
func DB(path string, o Options) (*sql.DB, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	path, err := locate(path)
	if err != nil {
		return nil, err
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	base, err := modernc.NewConnector(dsn(path, o.Durability))
	if err != nil {
		return nil, fault("open "+path, err)
	}
	return sql.OpenDB(&connector{Connector: base, path: path, waker: &waker{path: path + wakeSuffix}}), nil
}

func dsn(path, durability string) string {
	level := "full"
	if durability == Relaxed {
		level = "normal"
	}
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "synchronous(" + level + ")", "trusted_schema(0)", "temp_store(memory)"},
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// connector opens the connections of one handle, and marks each as ours.
type connector struct {
	driver.Connector
	path  string
	waker *waker
}

// Close ends what the handle's connections share.
func (c *connector) Close() error { return c.waker.close() }

// ourMark is a temporary table: it belongs to the one connection, is never
// written to the file, and no other driver's connection has it.
const ourMark = `create temp table tq_connection (of text)`

// Connect opens one connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner := opened.(innerConn)
	if _, err := inner.ExecContext(ctx, ourMark, nil); err != nil {
		return nil, join(err, inner.Close())
	}
	return &dbConn{innerConn: inner, of: c}, nil
}

// innerConn is all that the driver's connections can do.
type innerConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// dbConn is a connection whose transactions wait for their turn (lock.go).
type dbConn struct {
	innerConn
	of       *connector
	turn     *turnLock // nil: not opened yet
	enqueued bool      // in the transaction at work
}

// BeginTx begins a transaction once the file is free. One that only reads waits
// for nobody.
func (c *dbConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly {
		return c.innerConn.BeginTx(ctx, o)
	}
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	tx, err := c.innerConn.BeginTx(ctx, o)
	if err != nil {
		c.unlock()
		return nil, err
	}
	c.enqueued = false
	return &dbTx{Tx: tx, conn: c}, nil
}

// ExecContext notes that somebody is to be woken after the commit.
func (c *dbConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.enqueued = c.enqueued || text == insertInbox
	return c.innerConn.ExecContext(ctx, text, args)
}

// lock takes the turn. A wait that was given up may still be in the kernel and
// would take the turn for nobody; dropping its file gives that turn back.
func (c *dbConn) lock(ctx context.Context) error {
	if c.turn == nil {
		turn, err := openTurnLock(c.of.path + lockSuffix)
		if err != nil {
			return err
		}
		c.turn = turn
	}
	err := c.turn.lock(ctx)
	if err != nil {
		err = join(err, c.turn.close())
		c.turn = nil
	}
	return err
}

// unlock gives the turn on. Closing the file does so too, should that fail.
func (c *dbConn) unlock() {
	if c.turn.unlock() != nil {
		_ = c.turn.close() // nothing more can be done, and what was committed stays
		c.turn = nil
	}
}

// Unwrap answers the driver's own connection.
func (c *dbConn) Unwrap() driver.Conn { return c.innerConn }

// Close closes the connection and gives up its turn.
func (c *dbConn) Close() error {
	err := c.innerConn.Close()
	if c.turn != nil {
		err = join(err, c.turn.close())
	}
	return err
}

// dbTx gives the turn on when it ends.
type dbTx struct {
	driver.Tx
	conn *dbConn
}

// Commit makes the transaction last, and wakes who waits for its tasks.
func (t *dbTx) Commit() error {
	err := t.Tx.Commit()
	t.conn.unlock()
	if err == nil && t.conn.enqueued {
		t.conn.of.waker.poke()
	}
	return err
}

// Rollback takes everything back.
func (t *dbTx) Rollback() error {
	defer t.conn.unlock()
	return t.Tx.Rollback()
}
