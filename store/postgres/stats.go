package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Counts and the registry of workers.

const (
	selectCounts = `select lane, bucket, sum(n)::bigint from (
			select lane, bucket, n from tq.counters
			union all
			select d.lane, d.bucket, d.n from tq.deltas d
			where d.seq > coalesce((select n from tq.marks where name = 'folded'), 0)) c
		group by 1, 2`
	selectWaiting = `select lane, run_at, attempt from tq.delayed where run_at <= $1 order by run_at limit $2::bigint`

	// selectOldest looks at the first few of each line: what was given back
	// stands before those that have been ready for longer.
	selectOldest = `select u.lane, min(h.ready_at) from unnest($1::int[], $2::bigint[]) u(lane, after)
		cross join lateral (values (0::smallint, u.after), (1::smallint, 0::bigint)) v(back, after)
		cross join lateral (select r.ready_at from tq.ready r where r.lane = u.lane and r.back = v.back and r.pos > v.after
			order by r.lane, r.back, r.pos limit 32) h group by 1`

	selectWorkers = `select id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at
		from tq.workers order by seen_at desc, id`
	selectRunning = `select g.worker, c.task_id from tq.grants g
		join tq.facts c on c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id and c.kind in (3, 4)
		cross join lateral (select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
		where x.grant_id = g.id and x.status = 3 order by 2 limit 100000`

	// foldDeltas adds what is final to the counters, by one at a time.
	lockFolder   = `select pg_try_advisory_xact_lock($1)`
	selectFolded = `select coalesce((select n from tq.marks where name = 'folded'), 0)`
	foldDeltas   = `insert into tq.counters (lane, bucket, n)
		select lane, bucket, sum(n) from tq.deltas where seq > $1 and seq <= $2 group by 1, 2 order by 1, 2
		on conflict (lane, bucket) do update set n = tq.counters.n + excluded.n`
	deleteDeltas = `delete from tq.deltas where seq <= $1`
)

const markFolded = "folded"

// Queues counts everything, exactly as of one snapshot.
func (s *Store) Queues(ctx context.Context) (tq.Census, error) {
	var out tq.Census
	err := s.read(ctx, func(tx pgx.Tx) error {
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		lines, err := r.counted()
		if err == nil {
			err = r.oldestReady(lines)
		}
		if err == nil {
			err = r.countDue(lines)
		}
		if err != nil {
			return err
		}
		out.Lines = s.joined(lines)
		rows, err := tx.Query(ctx, s.texts.of(selectPaused))
		if err != nil {
			return err
		}
		out.Paused, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return out, err
}

// joined brings the priorities of one queue, type and project together.
func (s *Store) joined(lines map[int32]*tq.LineCount) []tq.LineCount {
	byName := map[laneName]*tq.LineCount{}
	for id, n := range lines {
		name := s.lanes.get(id).name
		name.prio = 0
		sum := byName[name]
		if sum == nil {
			sum = &tq.LineCount{Queue: n.Queue, Type: n.Type, Project: n.Project}
			byName[name] = sum
		}
		for b := int16(bucketReady); b <= bucketCancelled; b++ {
			*bucket(sum, b) += *bucket(n, b)
		}
		if !n.OldestReady.IsZero() {
			older(sum, n.OldestReady.Milli())
		}
	}
	out := make([]tq.LineCount, 0, len(byName))
	for _, n := range byName {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b tq.LineCount) int {
		return cmp.Or(strings.Compare(a.Queue, b.Queue), strings.Compare(a.Type, b.Type), strings.Compare(a.Project, b.Project))
	})
	return out
}

// counted answers the counts of every lane, by its id. What is retrying is
// scheduled too.
func (r *taskReader) counted() (map[int32]*tq.LineCount, error) {
	lines := map[int32]*tq.LineCount{}
	for _, n := range r.lanes.all(func(*lane) bool { return true }) {
		lines[n.id] = &tq.LineCount{Queue: n.name.queue, Type: n.name.typ, Project: n.name.project}
	}
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectCounts))
	if err != nil {
		return nil, err
	}
	var id int32
	var b int16
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &b, &n}, func() error {
		if line := lines[id]; line != nil {
			*bucket(line, b) += n
			if b == bucketRetrying {
				line.Scheduled += n
			}
		}
		return nil
	})
	return lines, err
}

func bucket(n *tq.LineCount, b int16) *int64 {
	switch b {
	case bucketReady:
		return &n.Ready
	case bucketScheduled:
		return &n.Scheduled
	case bucketRetrying:
		return &n.Retrying
	case bucketBlocked:
		return &n.Blocked
	case bucketStuck:
		return &n.BlockedByDead
	case bucketRunning:
		return &n.Running
	case bucketCompleted:
		return &n.Completed
	case bucketDead:
		return &n.Dead
	case bucketCancelled:
		return &n.Cancelled
	}
	return new(int64)
}

// countDue moves what has come due, but not been moved by a writer yet, to the
// ready ones. Of a large wave it sees the first part.
func (r *taskReader) countDue(lines map[int32]*tq.LineCount) error {
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectWaiting), r.now, maxWalk)
	if err != nil {
		return err
	}
	var id int32
	var at int64
	var attempt int16
	_, err = pgx.ForEachRow(rows, []any{&id, &at, &attempt}, func() error {
		n := lines[id]
		if n == nil {
			return nil
		}
		n.Ready++
		n.Scheduled--
		if attempt > 0 {
			n.Retrying--
		}
		older(n, at)
		return nil
	})
	return err
}

func (r *taskReader) oldestReady(lines map[int32]*tq.LineCount) error {
	var ids []int32
	var after []int64
	for id, n := range lines {
		if n.Ready > 0 {
			ids, after = append(ids, id), append(after, r.cursors.of(id))
		}
	}
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectOldest), ids, after)
	if err != nil {
		return err
	}
	var id int32
	var at int64
	_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error {
		older(lines[id], at)
		return nil
	})
	return err
}

func older(n *tq.LineCount, ms int64) {
	if at := tq.FromMilli(ms); n.OldestReady.IsZero() || at.Before(n.OldestReady.Time) {
		n.OldestReady = at
	}
}

// fold adds the deltas up to the floor to the counters. Whoever comes while
// another folds leaves it to that one.
func (s *Store) fold(ctx context.Context) error {
	floor, err := s.floor(ctx, s.pool)
	if err != nil {
		return fault("fold the counts", err)
	}
	return fault("fold the counts", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, lockFolder, s.class(lockFolding).key(0)).Scan(&mine); err != nil || !mine {
			return err
		}
		var from int64
		if err := tx.QueryRow(ctx, s.texts.of(selectFolded)).Scan(&from); err != nil || from >= floor {
			return err
		}
		_, fold := tx.Exec(ctx, s.texts.of(foldDeltas), from, floor)
		_, drop := tx.Exec(ctx, s.texts.of(deleteDeltas), floor)
		_, save := tx.Exec(ctx, s.texts.of(setMark), markFolded, floor)
		return errors.Join(fold, drop, save)
	}))
}

// Workers lists the registry, newest seen first.
func (s *Store) Workers(ctx context.Context) ([]tq.WorkerRow, error) {
	var out []tq.WorkerRow
	err := s.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, s.texts.of(selectWorkers))
		if err != nil {
			return err
		}
		if out, err = pgx.CollectRows(rows, scanWorker); err != nil || len(out) == 0 {
			return err
		}
		if rows, err = tx.Query(ctx, s.texts.of(selectRunning)); err != nil {
			return err
		}
		held := map[string][]int64{}
		var worker string
		var id int64
		_, err = pgx.ForEachRow(rows, []any{&worker, &id}, func() error {
			held[worker] = append(held[worker], id)
			return nil
		})
		for i := range out {
			out[i].Running = held[out[i].ID]
		}
		return err
	})
	return out, err
}

func scanWorker(rows pgx.CollectableRow) (tq.WorkerRow, error) {
	var w tq.WorkerRow
	var started, seen int64
	err := rows.Scan(&w.ID, &w.Name, &w.Host, &w.Version, &w.Owner, &w.Types, &w.Queues, &w.Slots, &w.Draining, &started, &seen)
	w.StartedAt, w.SeenAt = tq.FromMilli(started), tq.FromMilli(seen)
	return w, err
}
