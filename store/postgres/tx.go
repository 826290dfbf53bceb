package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// One transaction of ours: it begins with the settings, the floor lock, the
// clock and a number, in one round trip, and is run again when somebody else
// was first. Nothing in it depends on the session, so a pooler may stand in
// between.

const (
	// setUp also pins how statements are planned: all of them go from a few
	// given rows through an index, whatever the statistics of the moment say
	// (a plan that went through the facts of all time took 28 ms a settle). What
	// has no index, as a sequence, then looks so dear that it would be compiled
	// first, for a second: hence no jit.
	setUp = `select set_config('synchronous_commit', $1, true),
		set_config('lock_timeout', '3s', true), set_config('statement_timeout', '30s', true),
		set_config('idle_in_transaction_session_timeout', '10s', true),
		set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
		set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`
	lockFloor = `select pg_advisory_xact_lock_shared($1::bigint | (select last_value from tq.batches))`
	drawBatch = `select nextval('tq.batches'), (extract(epoch from clock_timestamp()) * 1000)::bigint`

	// patience is for how long a transaction is tried anew, reconnects for how
	// long a lost connection is replaced: a restarting server may take a moment.
	patience   = 20 * time.Second
	reconnects = 3 * time.Second
	firstWait  = 2 * time.Millisecond
	lastWait   = 100 * time.Millisecond
	endTimeout = 2 * time.Second
)

// ahead queues what is read in the first round trip; nil is nothing.
type ahead func(w *work, b *pgx.Batch)

// write runs f as one transaction and tells the watchers after the commit. Both
// may be run several times; what f changes outside of w it must set anew.
func (s *Store) write(ctx context.Context, first ahead, f func(w *work) error) error {
	began, wait := time.Now(), firstWait
	for {
		w, err := s.try(ctx, first, f)
		if err == nil {
			s.after(w)
			return nil
		}
		if codeOf(err) == codeShut {
			if err = s.refusal(ctx, err); !errors.Is(err, errLost) {
				return err
			}
		}
		if time.Since(began) > retriedFor(err) || ctx.Err() != nil {
			return fault("write", err)
		}
		pause(ctx, time.Duration(float64(wait)*(0.5+rand.Float64())))
		wait = min(2*wait, lastWait)
	}
}

// retriedFor is for how long a transaction that ended with err is tried anew.
func retriedFor(err error) time.Duration {
	switch {
	case again(err):
		return patience
	case lost(err):
		return reconnects
	}
	return -1
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// try is one attempt. While it holds its connection it must not ask for
// another: with as many callers as connections all would wait for ever.
func (s *Store) try(ctx context.Context, first ahead, f func(w *work) error) (*work, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	w := newWork(ctx, s, conn)
	err = w.begin(first)
	if err == nil {
		err = f(w)
	}
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		w.abandon(err)
		return nil, err
	}
	return w, nil
}

func (w *work) begin(first ahead) error {
	w.asked = time.Now()
	b := new(pgx.Batch)
	b.Queue("begin")
	b.Queue(setUp, w.synchronous())
	b.Queue(w.texts.of(lockFloor), w.floorClass().key(0))
	b.Queue(w.texts.of(drawBatch)).QueryRow(func(row pgx.Row) error { return row.Scan(&w.batch, &w.now) })
	if first != nil {
		first(w, b)
	}
	if err := w.conn.SendBatch(w.ctx, b).Close(); err != nil {
		return err
	}
	if w.o.Clock != nil {
		w.now = w.o.Clock().UnixMilli()
	}
	return nil
}

// clock is the test's clock for statements that are sent before ours is known,
// nil for the server's.
func (s *Store) clock() *int64 {
	if s.o.Clock == nil {
		return nil
	}
	now := s.o.Clock().UnixMilli()
	return &now
}

// wall is the time by which this process measures itself.
func (s *Store) wall() time.Time {
	if s.o.Clock == nil {
		return time.Now()
	}
	return s.o.Clock()
}

func (s *Store) synchronous() string {
	if s.o.Durability == Relaxed {
		return "off"
	}
	return "on"
}

// commit writes what is collected and commits, in one round trip. A statement
// that the server refuses keeps the commit behind it from taking place; any
// other error leaves open whether it did.
func (w *work) commit() error {
	b := new(pgx.Batch)
	if err := w.collect(b); err != nil {
		return err
	}
	b.Queue("commit")
	err := w.conn.SendBatch(w.ctx, b).Close()
	if err == nil || refused(err) {
		return err
	}
	return tq.Errorf(tq.CodeOutcomeUnknown, "the connection was lost during the commit: %w", err).
		WithHint("repeat the call: with the same key, claim id or token it is done once")
}

// abandon ends a transaction that went wrong. A connection that is lost, or
// whose server no longer takes writes, is closed, and those beside it with it.
func (w *work) abandon(err error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(w.ctx), endTimeout)
	defer stop()
	if gone(err) {
		w.pool.Reset()
		w.drop(ctx)
		return
	}
	if w.conn.Conn().IsClosed() {
		return
	}
	if _, err := w.conn.Exec(ctx, "rollback"); err != nil {
		w.drop(ctx)
	}
}

func (w *work) drop(ctx context.Context) {
	if err := w.conn.Conn().Close(ctx); err != nil {
		return // it is closed either way
	}
}

// read runs f in one read-only snapshot.
func (s *Store) read(ctx context.Context, f func(tx pgx.Tx) error) error {
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	began, wait := time.Now(), firstWait
	for {
		err := pgx.BeginTxFunc(ctx, s.pool, o, f)
		if err == nil || !gone(err) && !lost(err) || time.Since(began) > reconnects || ctx.Err() != nil {
			return fault("read", err)
		}
		s.pool.Reset()
		pause(ctx, wait)
		wait = min(2*wait, lastWait)
	}
}
