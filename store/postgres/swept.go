package postgres

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// sweptMark remembers when expiry could run last: exactly in this process, and
// to half a second for other processes and later ones. So an idle store is not
// written to only to say that somebody is watching.
type sweptMark struct {
	mu    sync.Mutex
	at    int64
	saved int64
	asked time.Time // here, when at was
}

const (
	markSweep = "sweep at"
	// markEvery is how old the saved mark may be, in milliseconds.
	markEvery = 500

	selectSweepAt = `select coalesce((select n from tq.marks where name = 'sweep at'), 0), exists (select 1 from tq.grants)`
	insertSweepAt = `insert into tq.marks (name, n) values ('sweep at', 0) on conflict do nothing`
	// updateSweepAt leaves the row alone while another transaction writes it: a
	// process that is stopped in the middle of one must hold up nobody. A mark
	// ahead of the clock, which was turned back then, is set back; one that others
	// have set since this transaction read the clock is not.
	updateSweepAt = `with m as (select name from tq.marks where name = 'sweep at' and (n < $2::bigint - 500 or n > ` + nowText + `) for update skip locked)
		update tq.marks set n = $2::bigint where name = (select name from m)`
	casSweepAt    = `update tq.marks set n = $2 where name = 'sweep at' and n = $1`
	forgiveGrants = `update tq.grants set until = least(until + least($1::bigint, lease), coalesce(deadline, until + $1::bigint))`
)

// gap is how long expiry has not run; saved is what the store says.
func (m *sweptMark) gap(now, saved int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, now-max(m.at, saved))
}

// fresh reports whether it is only a moment ago that expiry could run, as far as
// this process knows by itself.
func (m *sweptMark) fresh(now int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saved <= now && now-m.saved < markEvery && m.at <= now && now-m.at < markEvery
}

// set says that expiry could run at now, which was asked then, and whether that
// is saved. Who asked before the last and says so later has nothing to add.
func (m *sweptMark) set(now int64, asked time.Time, saved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if asked.Before(m.asked) {
		return
	}
	m.at, m.asked = now, asked
	if saved {
		m.saved = now
	}
}

// forgive notes that expiry can run. If it could not for a while, the leases
// last longer by that, at most by their own length: their holders could not
// reach us (spec S11). Of several who see the gap one does it.
func (w *work) forgive() error {
	if w.swept.fresh(w.now) {
		w.sweptNow = true
		return nil
	}
	var at int64
	var held bool
	if err := w.conn.QueryRow(w.ctx, w.texts.of(selectSweepAt)).Scan(&at, &held); err != nil {
		return err
	}
	w.sweptNow, w.sweptSaved = true, true
	gap := w.swept.gap(w.now, at)
	if !held || gap <= outageGap.Milliseconds() {
		w.last = append(w.last, func(b *pgx.Batch) { b.Queue(w.texts.of(updateSweepAt), w.clock(), w.now) })
		return nil
	}
	won, err := w.conn.Exec(w.ctx, w.texts.of(casSweepAt), at, w.now)
	if err == nil && won.RowsAffected() > 0 {
		w.forgave = true
		_, err = w.conn.Exec(w.ctx, w.texts.of(forgiveGrants), gap)
	}
	return err
}

// dueRow is what a look at the store says is to be done.
type dueRow struct {
	now, sweepAt                int64
	delayed, until              *int64
	cascades, inbox, countsOpen bool
	unnamed                     bool // it is not said yet of all the dead what they died of
	outage                      bool // expiry has not run for too long
}

func (d *dueRow) work() bool {
	return d.delayed != nil && *d.delayed <= d.now || d.until != nil && (*d.until < d.now || d.outage) || d.cascades || d.inbox
}
