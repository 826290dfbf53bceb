package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	expireBite  = 100
	promoteBite = 1000

	// sweepBeat is how often expiry wants to run while leases are held: a gap
	// in it of more than outageGap is an outage (spec S11).
	sweepBeat = time.Second
	outageGap = 2 * time.Second
)

const (
	// nowText is asked for once in a statement: the clock as it stands may give
	// another time at each row, and then no index can be gone by.
	nowText = `(select coalesce($1::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint))`

	// selectDue: is there anything to do, and when will there be.
	selectDue = `select ` + nowText + `,
		(select min(run_at) from tq.delayed), (select min(until) from tq.grants),
		exists (select 1 from tq.cascades), exists (select 1 from tq.inbox), exists (select 1 from tq.deltas),
		exists (select 1 from tq.dead where cause is null),
		coalesce((select n from tq.marks where name = 'sweep at'), 0)`

	// selectExpired: tasks whose lease has run out, those first that did first,
	// of one claim by their ids. The grants stay locked, so that of two sweeps
	// each takes its own.
	selectExpired = `with g as materialized (select id, until, low, high from tq.grants where until < $1 order by until, id limit 100 for update skip locked)
		select c.task_id from g cross join lateral (
			select c.task_id, c.rev from tq.facts c where c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id
			and c.kind in (3, 4)) c
		cross join lateral (select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
		where x.grant_id = g.id and x.status = 3 order by g.until, g.id, c.task_id limit $2::bigint`
	takeDelayed = `with due as (select d.ctid from tq.delayed d where d.run_at <= ` + nowText + ` order by d.run_at, d.id limit $2::bigint for update skip locked),
		gone as (delete from tq.delayed where ctid = any(array(select ctid from due)) returning *)
		select id, lane, run_at, rev, epoch, attempt, releases from gone order by run_at, id`
	selectAnyDue   = `select exists (select 1 from tq.delayed where run_at <= ` + nowText + `)`
	insertPromoted = `insert into tq.promoted (id, lane, pos) select * from unnest($1::bigint[], $2::int[], $3::bigint[])`
)

// promotion is one task that came due.
type promotion struct {
	id, runAt, rev, epoch int64
	lane, releases        int32
	attempt               int16
}

// dueAhead asks in the first round trip whether something came due, for
// transactions that may make tasks ready: what was due before stands before them
// (spec S22), though nobody has swept yet.
func (w *work) dueAhead(b *pgx.Batch) {
	b.Queue(w.texts.of(selectAnyDue), w.clock()).QueryRow(func(row pgx.Row) error { return row.Scan(&w.anyDue) })
}

// promoteDue puts it into its lines.
func (w *work) promoteDue() error {
	if !w.anyDue {
		return nil
	}
	rows, err := w.conn.Query(w.ctx, w.texts.of(takeDelayed), w.clock(), promoteBite)
	if err != nil {
		return err
	}
	due, err := scanPromotions(rows)
	if err != nil || len(due) == 0 {
		return err
	}
	if err := w.promote(due); err != nil {
		return err
	}
	return w.flush()
}

// promoteAhead takes what came due out of delayed in the first round trip.
func (c *claiming) promoteAhead(b *pgx.Batch) {
	b.Queue(c.texts.of(takeDelayed), c.clock(), promoteBite).Query(func(rows pgx.Rows) (err error) {
		c.due, err = scanPromotions(rows)
		return err
	})
}

func scanPromotions(rows pgx.Rows) ([]promotion, error) {
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (promotion, error) {
		var p promotion
		return p, r.Scan(&p.id, &p.lane, &p.runAt, &p.rev, &p.epoch, &p.attempt, &p.releases)
	})
}

// promoted puts them into their lines, where a claim of the same transaction
// finds them.
func (c *claiming) promoted() error {
	if len(c.due) == 0 {
		return nil
	}
	if err := c.promote(c.due); err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	b := new(pgx.Batch)
	c.headsAhead(b)
	return c.conn.SendBatch(c.ctx, b).Close()
}

// promote collects the rows of what came due, in the order of run_at and id. No
// fact is written: where they stand now, promoted knows.
func (w *work) promote(due []promotion) error {
	if err := w.drawFor(len(due)); err != nil {
		return err
	}
	var ready readyColumns
	for _, p := range due {
		pos := w.seq()
		ready.lane, ready.back, ready.pos = append(ready.lane, p.lane), append(ready.back, 0), append(ready.pos, pos)
		ready.id, ready.rev, ready.epoch = append(ready.id, p.id), append(ready.rev, p.rev), append(ready.epoch, p.epoch)
		ready.attempt, ready.releases = append(ready.attempt, p.attempt), append(ready.releases, p.releases)
		ready.due, ready.at = append(ready.due, true), append(ready.at, p.runAt)
		from := int16(bucketScheduled)
		if p.attempt > 0 {
			from = bucketRetrying
		}
		w.count(p.lane, from, -1)
		w.count(p.lane, bucketReady, 1)
		if l := w.lanes.get(p.lane); l != nil {
			w.news.Ready = addPlace(w.news.Ready, l.name)
		}
	}
	w.others = append(w.others, func(b *pgx.Batch) {
		b.Queue(w.texts.of(insertReady), ready.lane, ready.back, ready.pos, ready.id, ready.rev, ready.epoch,
			ready.attempt, ready.releases, ready.due, ready.at)
		b.Queue(w.texts.of(insertPromoted), ready.id, ready.lane, ready.pos)
	})
	return nil
}

// expire ends leases that have run out, and what follows from it.
func (w *work) expire(limit int) error {
	rows, err := w.conn.Query(w.ctx, w.texts.of(selectExpired), w.now, limit)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(ids) == 0 {
		return err
	}
	w.expired += len(ids)
	return w.expireAll(ids, systemActor)
}

func (w *work) expireAll(ids []int64, actor string) error {
	if err := w.load(ids); err != nil {
		return err
	}
	if err := w.drawFor(3 * len(ids)); err != nil {
		return err
	}
	var rows []*row
	for _, id := range ids {
		if r := w.find(id); r != nil && r.state.Status == tq.Running {
			rows = append(rows, r)
		}
	}
	w.shareGrants(rows)
	if err := w.countExpiries(rows); err != nil {
		return err
	}
	if err := w.lookUpCancels(); err != nil {
		return err
	}
	for _, r := range rows {
		w.expireOne(r, actor)
	}
	return w.cascade()
}

// countExpiries reads how often the leases of tasks ran out before; one in its
// first attempt has none behind it.
func (w *work) countExpiries(rows []*row) error {
	var ids []int64
	for _, r := range rows {
		if r.state.Attempt > 1 {
			ids = append(ids, r.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := w.conn.Query(w.ctx, w.texts.of(selectExpiries), ids)
	if err != nil {
		return err
	}
	var id int64
	var n int
	_, err = pgx.ForEachRow(found, []any{&id, &n}, func() error {
		w.find(id).state.Expiries = n
		return nil
	})
	return err
}

func (w *work) expireOne(r *row, actor string) {
	arg := tq.Arg{
		Epoch:    r.state.Epoch,
		TimedOut: r.limit > 0 && r.until >= r.limit && r.until < w.now,
		Jitter:   tq.Jitter(r.id, r.state.Epoch),
	}
	a := act{actor: actor}
	if arg.TimedOut {
		a.detail.Error = fmt.Sprintf("timed out after %s s", strconv.FormatFloat(msDuration(r.asked.timeout).Seconds(), 'f', -1, 64))
	}
	w.event(r, tq.EventExpire, arg, a)
}

func (s *Store) lookDue(ctx context.Context) (dueRow, error) {
	var d dueRow
	asked := time.Now()
	err := s.pool.QueryRow(ctx, s.texts.of(selectDue), s.clock()).
		Scan(&d.now, &d.delayed, &d.until, &d.cascades, &d.inbox, &d.countsOpen, &d.unnamed, &d.sweepAt)
	if err != nil || d.until == nil {
		return d, fault("look for what is due", err)
	}
	if d.outage = s.swept.gap(d.now, d.sweepAt) > outageGap.Milliseconds(); d.outage {
		return d, nil
	}
	saved := d.sweepAt > d.now || d.now-d.sweepAt >= markEvery
	if saved {
		_, err = s.pool.Exec(ctx, s.texts.of(updateSweepAt), s.clock(), d.now)
	}
	if err == nil {
		s.swept.set(d.now, asked, saved)
	}
	return d, fault("note the sweep", err)
}

// Sweep does a bounded bite of what is due. It looks first: a store where
// nothing is due is not written to.
func (s *Store) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	d, err := s.lookDue(ctx)
	if err != nil {
		return tq.Swept{}, err
	}
	var out tq.Swept
	if d.work() {
		if out, err = s.sweepDue(ctx); err != nil {
			return out, err
		}
	}
	if d.countsOpen {
		if err := s.fold(ctx); err != nil {
			return out, err
		}
	}
	rolls, err := s.roll(ctx, d.now)
	if err != nil {
		return out, err
	}
	names := false
	if d.unnamed {
		if names, err = s.name(ctx); err != nil {
			return out, err
		}
	}
	old, err := s.reap(ctx, keep, d.now)
	if err != nil {
		return out, err
	}
	if out.Deleted, err = s.retire(ctx, &old); err != nil {
		return out, err
	}
	if old.due() {
		if old, err = s.reap(ctx, keep, d.now); err != nil {
			return out, err
		}
	}
	out.More = out.More || rolls || names || old.more || old.due()
	return out, s.planNext(ctx, &out, old.next)
}

func (s *Store) sweepDue(ctx context.Context) (tq.Swept, error) {
	var out tq.Swept
	err := s.write(ctx, nil, func(w *work) error {
		out = tq.Swept{}
		return w.sweep(&out)
	})
	return out, err
}

func (w *work) sweep(out *tq.Swept) error {
	if err := w.forgive(); err != nil {
		return err
	}
	if err := w.moveInbox(); err != nil {
		return err
	}
	rows, err := w.conn.Query(w.ctx, w.texts.of(takeDelayed), w.now, promoteBite)
	if err != nil {
		return err
	}
	due, err := scanPromotions(rows)
	if err != nil {
		return err
	}
	if err := w.promote(due); err != nil {
		return err
	}
	// What holds nothing any more goes first, or expiry would look at nothing else.
	var old int
	if err := w.conn.QueryRow(w.ctx, w.texts.of(deleteGrants), w.now, grantBite).Scan(&old); err != nil {
		return err
	}
	if err := w.expire(expireBite); err != nil {
		return err
	}
	if err := w.sweepCascades(); err != nil {
		return err
	}
	out.Due, out.Expired, out.Cascade = len(due), w.expired, tq.MaxCascade-w.left
	out.More = len(due) == promoteBite || w.expired == expireBite || w.left == 0 || old == grantBite
	return w.flush()
}

func (w *work) sweepCascades() error {
	if err := w.flush(); err != nil {
		return err
	}
	rows, err := w.conn.Query(w.ctx, w.texts.of(takeCascades))
	if err != nil {
		return err
	}
	var parents, after []int64
	var parent, child int64
	if _, err := pgx.ForEachRow(rows, []any{&parent, &child}, func() error {
		parents, after = append(parents, parent), append(after, child)
		return nil
	}); err != nil || len(parents) == 0 {
		return err
	}
	if _, err := w.conn.Exec(w.ctx, w.texts.of(deleteCascades), parents); err != nil {
		return err
	}
	if err := w.load(parents); err != nil {
		return err
	}
	if err := w.tell(parents, after, nil); err != nil {
		return err
	}
	return w.cascade()
}

// planNext says when to come again.
func (s *Store) planNext(ctx context.Context, out *tq.Swept, retire int64) error {
	if out.More {
		return nil
	}
	d, err := s.lookDue(ctx)
	if err != nil {
		return err
	}
	var next time.Duration
	at := func(ms int64) {
		if wait := max(time.Millisecond, msDuration(ms)); next == 0 || wait < next {
			next = wait
		}
	}
	if retire != never {
		at(retire - d.now)
	}
	if d.delayed != nil {
		at(*d.delayed - d.now)
	}
	if d.until != nil {
		at(min(sweepBeat.Milliseconds(), *d.until-d.now+1))
	}
	if d.cascades || d.inbox {
		at(0)
	}
	out.NextDue = next
	return nil
}
