package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/tq"
)

// Group commit. Whatever callers ask for while a commit is on its way to the
// disk is run in the next transaction together, and answered after its commit.
// A lone caller waits for nothing: a transaction begins as soon as the one
// before has ended.
//
// The operations of a transaction run without savepoints, which would double
// their price: those that a rule refuses have written nothing. Should one fail
// half way, as on a broken constraint, all is rolled back and run again, each
// operation in a savepoint of its own, so that the broken one fails alone. So
// an operation may run twice and must set its answer anew each time.

const (
	maxOps   = 1_000   // operations in one transaction
	maxBytes = 8 << 20 // of payloads and results in it
)

// writer owns the one connection that writes.
type writer struct {
	s     *Store
	level string // durability
	turns *turnLock
	swept *sweptMark

	conn   *conn // nil: to be opened again after an error
	cache  cache
	others atomic.Int64 // how often somebody else was found to have written

	commits, shared atomic.Int64 // that wrote something, and the calls in them
	failing         atomic.Bool  // the last transaction could not write: nobody can say that he lives

	checkpoints *checkpointer
	logged      int  // bytes, about, since the log was looked at
	dirty       bool // the log may hold something

	mu     sync.Mutex
	queue  []*operation
	closed bool
	wake   chan struct{} // something was queued, or closed
	ended  chan struct{} // run has returned
}

func (s *Store) startWriter(c *conn, turns *turnLock, level string) *writer {
	w := &writer{
		s: s, level: level, turns: turns, conn: c, swept: &sweptMark{file: turns.file},
		wake: make(chan struct{}, 1), ended: make(chan struct{}), checkpoints: startCheckpointer(s.path, level),
	}
	go w.run()
	return w
}

// write runs do in a transaction and answers when that is on disk. size is how
// many bytes of payload it brings. When ctx ends before do began, nothing is
// done.
func (s *Store) write(ctx context.Context, size int, do func(n *turn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.put(&operation{ctx: ctx, size: size, do: do, done: make(chan struct{})})
}

// put has an operation run, see write.
func (s *Store) put(o *operation) error {
	if !s.writer.add(o) {
		return errClosed()
	}
	select {
	case <-o.done:
		return o.err
	case <-o.ctx.Done():
	}
	if o.leave() {
		return o.ctx.Err()
	}
	<-o.done
	return o.err
}

func (w *writer) add(o *operation) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.queue = append(w.queue, o)
	w.signal()
	return true
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// peel takes the next operation from the queue; nil when there is none.
func (w *writer) peel() *operation {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 {
		o := w.queue[0]
		w.queue[0] = nil
		w.queue = w.queue[1:]
		if o.take() {
			return o
		}
		o.answer(o.ctx.Err())
	}
	return nil
}

func (w *writer) state() (waiting int, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue), w.closed
}

// run serves the queue until the store is closed.
func (w *writer) run() {
	defer close(w.ended)
	for {
		waiting, closed := w.state()
		switch {
		case waiting > 0:
			w.serve()
		case closed:
			return
		default:
			w.rest()
		}
	}
}

// serve runs one transaction.
func (w *writer) serve() {
	n, err := w.begin()
	if err != nil {
		w.refuse(fault("begin", err))
		return
	}
	ops, err := n.fill()
	if errors.Is(err, errHalfDone) {
		n, err = w.again(n, ops)
	}
	if err == nil {
		err = n.commit()
	}
	if err == nil && n.forgiven {
		w.swept.commit(n.now)
	}
	w.finish(n, ops, err)
}

// refuse answers all that wait now: there is no transaction to be had.
func (w *writer) refuse(err error) {
	w.failing.Store(true)
	w.mu.Lock()
	waiting := w.queue
	w.queue = nil
	w.mu.Unlock()
	for _, o := range waiting {
		o.answer(err)
	}
}

// finish leaves the transaction, tells the world and answers the callers.
func (w *writer) finish(n *turn, ops []*operation, err error) {
	if err != nil {
		w.failing.Store(true)
		w.abandon(err)
	}
	if n != nil && err == nil {
		w.cache.seq = n.lastSeq
		w.s.lanes.keep(n.added)
	}
	if unlocked := w.turns.unlock(); err == nil && unlocked != nil {
		w.abandon(unlocked)
	}
	if n != nil && err == nil && n.writes > 0 {
		w.failing.Store(false)
		w.commits.Add(1)
		w.shared.Add(int64(len(ops)))
		w.s.publish(n.news())
	}
	for _, o := range ops {
		if err != nil {
			o.err = err
		}
		o.answer(o.err)
	}
	if n != nil && err == nil && n.writes > 0 && w.conn != nil {
		w.tend(n.size)
	}
}

// abandon rolls back what is left of a transaction, and has the connection
// opened again if that, or the disk, failed.
func (w *writer) abandon(err error) {
	w.cache.good = false
	if w.conn == nil {
		return
	}
	healthy := true
	if !w.conn.raw.AutocommitEnabled() {
		healthy = w.conn.sql(`rollback`).exec() == nil
	}
	if healthy && !poisons(err) {
		return
	}
	_ = w.conn.close() // it has failed before; what counts was rolled back or answered as unknown
	w.conn = nil
}

// begin takes the turn of this process and starts a transaction.
func (w *writer) begin() (*turn, error) {
	if err := w.turns.lock(context.Background()); err != nil {
		return nil, err
	}
	n, err := w.start()
	if err != nil {
		w.abandon(err)
		return nil, join(err, w.turns.unlock())
	}
	return n, nil
}

// start begins a transaction under the lock, with what is due made ready.
func (w *writer) start() (*turn, error) {
	if w.conn == nil {
		c, err := openWriter(w.s.path, w.level)
		if err != nil {
			return nil, err
		}
		w.conn, w.cache = c, cache{}
	}
	if err := w.conn.sql(`begin immediate`).exec(); err != nil {
		return nil, err
	}
	if err := w.refresh(); err != nil {
		return nil, err
	}
	n := &turn{
		writer: w, c: w.conn, now: w.s.now(), lastSeq: w.cache.seq, lastFact: w.cache.seq, next: never,
		counts: make(map[counter]int64), freed: make(map[int64]int64), ready: make(map[*lane]int),
	}
	if n.still() {
		return n, nil
	}
	if err := n.unpack(); err != nil {
		return nil, err
	}
	return n, n.promote()
}

// errHalfDone says that an operation failed after it had written something.
var errHalfDone = errors.New("an operation was left half done")

// fill runs what waits, and what comes meanwhile, up to the limits.
func (n *turn) fill() ([]*operation, error) {
	var ops []*operation
	for len(ops) < maxOps && n.size < maxBytes {
		o := n.peel()
		if o == nil {
			break
		}
		ops = append(ops, o)
		n.size += o.size
		if err := n.perform(o); err != nil {
			return ops, err
		}
	}
	return ops, nil
}

// perform runs one operation. Its refusal is its own; an error is one that
// spoils the transaction.
func (n *turn) perform(o *operation) error {
	before := n.writes
	n.left, n.toTell = tq.MaxCascade, nil
	if o.err = n.refusal(o); o.err != nil {
		return nil
	}
	o.err = o.do(n)
	switch {
	case o.err == nil:
		return nil
	case poisons(o.err):
		return fault("write", o.err)
	case n.writes != before:
		return errHalfDone
	}
	o.err = fault("write", o.err)
	return nil
}

// again rolls back and runs the operations of a spoilt transaction once more,
// carefully.
func (w *writer) again(old *turn, ops []*operation) (*turn, error) {
	w.cache.good = false
	if err := old.c.sql(`rollback`).exec(); err != nil {
		return old, fault("roll back", err)
	}
	n, err := w.start()
	if err != nil {
		return nil, fault("begin", err)
	}
	for _, o := range ops {
		if err := n.performAlone(o); err != nil {
			return n, err
		}
	}
	return n, nil
}

// performAlone runs an operation in a savepoint.
func (n *turn) performAlone(o *operation) error {
	if err := n.c.sql(`savepoint operation`).exec(); err != nil {
		return fault("write", err)
	}
	before := n.mark()
	err := n.perform(o)
	if errors.Is(err, errHalfDone) {
		o.err = fault("write", o.err)
		err = n.c.sql(`rollback to operation`).exec()
		n.reset(before)
		if err == nil {
			err = n.reread(n.cache.version, n.lane)
		}
	}
	if err == nil {
		err = n.c.sql(`release operation`).exec()
	}
	return fault("write", err)
}

// rest waits for something to do.
func (w *writer) rest() {
	var lull <-chan time.Time // never, unless there is a log to take away
	if w.dirty {
		timer := time.NewTimer(quiet)
		defer timer.Stop()
		lull = timer.C
	}
	select {
	case <-lull:
		w.tidy()
	case <-w.wake:
		// Callers that were answered together come back together: let those
		// that are on their way be in the same transaction.
		runtime.Gosched()
	}
}

// close lets the queue run empty and closes the connection.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.signal()
	w.mu.Unlock()
	<-w.ended
	w.checkpoints.close()
	var err error
	if w.conn != nil {
		err = w.conn.close()
	}
	if err != nil {
		err = fmt.Errorf("close the writer: %w", err)
	}
	return join(err, w.turns.close())
}
