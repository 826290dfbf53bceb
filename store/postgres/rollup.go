package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Rollups: the sweep folds what of the journal is final into them, one folder at
// a time, and whoever reads adds what is not folded yet. So they are exact as of
// one snapshot, and no transaction of a task writes a row that others write too.

const (
	markRolled = "rolled" // the journal is folded up to here

	rollBite  = 10_000
	rollWait  = 500    // facts that wait to be folded together,
	rollAfter = 10_000 // unless the first of them is so many milliseconds old

	selectRolled = `select coalesce((select n from tq.marks where name = 'rolled'), 0)`
	// selectUnrolled counts the facts of a bite that a fold counts alike: those of
	// a lane and kind, of the same ten seconds, that lasted for times of the same
	// bucket (tq.Histogram; its bounds are among those that stay when so many low
	// bits go). It begins where the task was ready, of a claim, and where it was
	// claimed, of what ends an attempt. Most ends stand right behind
	// their claim: looked for there first, it takes a tenth of the time.
	selectUnrolled = `with bite as materialized (select f.seq, f.lane, f.kind, f.at, case
				when f.kind = 3 then f.due
				when f.kind in (5, 6, 9) then coalesce(
					(select c.at from tq.facts c where c.task_id = f.task_id and c.rev = f.rev - 1 and c.kind = 3),
					(select c.at from tq.facts c where c.task_id = f.task_id and c.rev < f.rev and c.kind = 3 order by c.rev desc limit 1))
			end as since from tq.facts f where f.seq > $1 and f.seq <= $2 order by f.seq limit $3::bigint),
		timed as (select seq, lane, kind, at / 10000 * 10000 as at, greatest(0, at - nullif(since, 0)) as ms, since > 0 as known from bite)
		select max(seq), lane, kind, at, coalesce(known, false), case
			when not known then 0 when ms < 64 then ms when ms < 1024 then ms & ~15 when ms < 16384 then ms & ~255 else ms & ~4095
		end, count(*) from timed group by 2, 3, 4, 5, 6`
	selectToRoll = `select (select count(*) from (select 1 from tq.facts where seq > r.n order by seq limit $2::bigint) f) = $2::bigint
			or coalesce((select at from tq.facts where seq > r.n order by seq limit 1) <= $1::bigint, false)
		from (` + selectRolled + ` as n) r`
	selectRollups = `select at, queue, type, counts from tq.rollups where step = $1 and at >= $2
		and ($3 = '' or queue = $3) and ($4 = '' or type = $4)`
	selectRollup = `select counts from tq.rollups where step = $1 and at = $2 and queue = $3 and type = $4`
	upsertRollup = `insert into tq.rollups (step, at, queue, type, counts) values ($1, $2, $3, $4, $5)
		on conflict (step, at, queue, type) do update set counts = excluded.counts`
	dropRollups = `delete from tq.rollups where step = $1 and at < $2`
)

// Series answers what is folded and, of the same snapshot, what is not yet.
func (s *Store) Series(ctx context.Context, q tq.SeriesQuery) (tq.Rollups, error) {
	out := tq.Rollups{}
	err := s.read(ctx, func(tx pgx.Tx) error {
		clear(out)
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		if err := s.readRollups(ctx, tx, &q, out); err != nil {
			return err
		}
		u := unrolled{upTo: 1<<63 - 1, more: true}
		if err := tx.QueryRow(ctx, s.texts.of(selectRolled)).Scan(&u.after); err != nil {
			return err
		}
		for u.more {
			if err := s.unrolled(ctx, tx, &u, r.now); err != nil {
				return err
			}
			for _, key := range u.bite.Keys() {
				if q.Wants(key) {
					out.Add(key, u.bite[key])
				}
			}
		}
		return nil
	})
	return out, err
}

func (s *Store) readRollups(ctx context.Context, tx pgx.Tx, q *tq.SeriesQuery, out tq.Rollups) error {
	rows, err := tx.Query(ctx, s.texts.of(selectRollups), q.Step, q.From, q.Queue, q.Type)
	if err != nil {
		return err
	}
	key := tq.RollupKey{Step: q.Step}
	var counts string
	_, err = pgx.ForEachRow(rows, []any{&key.At, &key.Queue, &key.Type, &counts}, func() error {
		var n tq.Rollup
		if err := readJSON(counts, &n); err != nil {
			return err
		}
		if q.Wants(key) {
			out.Add(key, &n)
		}
		return nil
	})
	return err
}

// unrolled goes along the journal in bites.
type unrolled struct {
	after, upTo int64
	bite        tq.Rollups
	more        bool
}

// unrolled folds the next bite.
func (s *Store) unrolled(ctx context.Context, tx pgx.Tx, u *unrolled, now int64) error {
	rows, err := tx.Query(ctx, s.texts.of(selectUnrolled), u.after, u.upTo, rollBite)
	if err != nil {
		return err
	}
	u.bite = tq.Rollups{}
	var lane int32
	var kind int16
	var at, ms, n, last, seen int64
	var known bool
	_, err = pgx.ForEachRow(rows, []any{&last, &lane, &kind, &at, &known, &ms, &n}, func() error {
		seen, u.after = seen+n, max(u.after, last)
		name := s.lanes.get(lane).name
		f := tq.RollupFact{Queue: name.queue, Type: name.typ, Kind: kindOf(kind), At: at, More: n - 1}
		if known {
			f.Since = at - ms
		}
		u.bite.Fold(&f, tq.FromMilli(now))
		return nil
	})
	u.more = seen == rollBite
	return err
}

// roll folds a bite of the journal into the rollups when it is time to, and
// reports whether there is more. Whoever comes while another folds leaves it to
// that one.
func (s *Store) roll(ctx context.Context, now int64) (more bool, err error) {
	var due bool
	if err := s.pool.QueryRow(ctx, s.texts.of(selectToRoll), now-rollAfter, rollWait).Scan(&due); err != nil || !due {
		return false, fault("look for what is to be rolled up", err)
	}
	floor, err := s.floor(ctx, s.pool)
	if err != nil {
		return false, fault("roll up the journal", err)
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, lockFolder, s.class(lockFolding).key(1)).Scan(&mine); err != nil || !mine {
			return err
		}
		u := unrolled{upTo: floor}
		if err := tx.QueryRow(ctx, s.texts.of(selectRolled)).Scan(&u.after); err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		if err := s.unrolled(ctx, tx, &u, now); err != nil || len(u.bite) == 0 && !u.more {
			return err
		}
		more = u.more
		return s.addRollups(ctx, tx, &u, now)
	})
	return more, fault("roll up the journal", err)
}

func (s *Store) addRollups(ctx context.Context, tx pgx.Tx, u *unrolled, now int64) error {
	for _, key := range u.bite.Keys() {
		counts, text := tq.Rollup{}, ""
		err := tx.QueryRow(ctx, s.texts.of(selectRollup), key.Step, key.At, key.Queue, key.Type).Scan(&text)
		if err == nil {
			err = readJSON(text, &counts)
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		counts.Add(u.bite[key])
		added, err := json.Marshal(&counts)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.texts.of(upsertRollup), key.Step, key.At, key.Queue, key.Type, string(added)); err != nil {
			return err
		}
	}
	for _, step := range tq.RollupSteps() {
		if _, err := tx.Exec(ctx, s.texts.of(dropRollups), step.Seconds(), step.Floor(tq.FromMilli(now))); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, s.texts.of(setMark), markRolled, u.after)
	return err
}
