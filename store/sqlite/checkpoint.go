package sqlite

import (
	"sync/atomic"
	"time"
)

// Checkpoints move what the write-ahead log holds into the database. SQLite
// would do it inside a commit, while callers wait. Here most of it is done
// beside the writer, on a connection of its own; the writer finishes what was
// added meanwhile, between two transactions, so that the log begins anew; and
// when nothing has been written for a while, it leaves no log at all.

const (
	// lookEvery is after about how many bytes the length of the log is looked
	// at, guessing that a commit writes commitBytes and its payloads; longLog
	// is how many pages (of 4 KiB) call for a checkpoint.
	lookEvery   = 4 << 20
	commitBytes = 64 << 10
	longLog     = 4_096
	// quiet is how long nothing is written before the log is taken away.
	quiet = time.Second
)

const (
	logLength = `pragma wal_checkpoint(noop)` // answers whether busy, pages in the log, pages moved
	moveLog   = `pragma wal_checkpoint(passive)`
	endLog    = `pragma wal_checkpoint(truncate)`
)

// checkpointer moves pages beside the writer.
type checkpointer struct {
	path, level string
	ask         chan struct{}
	ended       chan struct{}
	moved       atomic.Bool // it has, and the writer may finish
}

func startCheckpointer(path, level string) *checkpointer {
	k := &checkpointer{path: path, level: level, ask: make(chan struct{}, 1), ended: make(chan struct{})}
	go k.run()
	return k
}

// run serves requests until ask is closed. An error counts for nothing: the log
// grows on, and the next request tries again.
func (k *checkpointer) run() {
	defer close(k.ended)
	for range k.ask {
		c, err := openWriter(k.path, k.level)
		if err != nil {
			continue
		}
		if c.script(moveLog) == nil {
			k.moved.Store(true)
		}
		_ = c.close() // it has nothing to lose
	}
}

func (k *checkpointer) request() {
	select {
	case k.ask <- struct{}{}:
	default:
	}
}

func (k *checkpointer) close() {
	close(k.ask)
	<-k.ended
}

// tend looks after the log behind a commit. What goes wrong here shows in the
// next transaction, if it matters.
func (w *writer) tend(payloads int) {
	w.dirty = true
	if w.logged += commitBytes + payloads; w.logged < lookEvery {
		return
	}
	w.logged = 0
	if w.checkpoints.moved.Swap(false) {
		_ = w.conn.script(moveLog)
		return
	}
	if w.unmoved() >= longLog {
		w.checkpoints.request()
	}
}

// unmoved is how many pages of the log are not in the database yet.
func (w *writer) unmoved() int64 {
	q := w.conn.sql(logLength)
	pages := int64(0)
	if q.next() {
		pages = q.colInt(1) - q.colInt(2)
	}
	if q.end() != nil {
		return 0
	}
	return pages
}

// tidy takes the log away when nothing has happened for a while. Readers at
// work, or another process at its turn, make it stay.
func (w *writer) tidy() {
	w.dirty = false
	if w.conn == nil || !w.turns.try() {
		return
	}
	w.conn.raw.SetBusyTimeout(0)
	_ = w.conn.script(endLog)
	w.conn.raw.SetBusyTimeout(busyWait)
	_ = w.turns.unlock() // what was locked here is given back at the latest with the next turn
}
