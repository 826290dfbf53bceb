package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Whole tasks, as they are carried into another store: a page of them at once.

const (
	exportPage = 1_000

	selectExported = `select id from ((select id from tq.tasks where id > $1 order by id limit $2::bigint)
		union (select distinct task_id from tq.facts where task_id > $1 order by task_id limit $2::bigint)) u
		order by id limit $2::bigint`
	selectWhole = `select id, lane, max_attempts, created_at, run_at, timeout, coalesce(parent, 0), coalesce(key, ''), key_until, on_dep,
		coalesce(deps, ''), coalesce(tags, ''), coalesce(backoff, ''), coalesce(trace, ''), payload
		from tq.tasks where id = any($1::bigint[])`
	selectWholeFacts = `select task_id, seq, rev, kind, status, settles, epoch, attempt, releases, lane, spot, coalesce(place, 0),
		coalesce(grant_id, 0), cancel, due, at, actor, hash, coalesce(detail, ''), body
		from tq.facts where task_id = any($1::bigint[]) order by task_id, rev`
	selectPromoted = `select id, pos from tq.promoted where id = any($1::bigint[])`
	selectWaits    = `select child, parent, stuck from tq.edges where child = any($1::bigint[]) order by child, parent`
	selectTold     = `select parent, child from tq.cascades where parent = any($1::bigint[])`
	selectInboxed  = `select id from tq.inbox where id = any($1::bigint[])`
	selectKeyed    = `select k.task_id from unnest($1::text[], $2::text[]) u(queue, key)
		join tq.keys k on k.queue = u.queue and k.key = u.key`
	selectWholeHeld = `select id, worker, owner, coalesce(claim_id, ''), lease, until, coalesce(deadline, 0)
		from tq.grants where id = any($1::bigint[])`
)

// exporter reads a page of whole tasks in one snapshot.
type exporter struct {
	*Store
	ctx    context.Context
	tx     pgx.Tx
	tasks  map[int64]*tq.Whole
	grants map[int64]int64 // by task, of those that run
}

// Export calls each for whole tasks.
func (s *Store) Export(ctx context.Context, q tq.ExportQuery, each func(*tq.Whole) error) error {
	return s.read(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setUp, s.synchronous()); err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		if q.IDs != nil {
			for ids := range slices.Chunk(q.IDs, exportPage) {
				if err := s.exportPage(ctx, tx, ids, each); err != nil {
					return err
				}
			}
			return nil
		}
		return s.exportFrom(ctx, tx, q, each)
	})
}

func (s *Store) exportFrom(ctx context.Context, tx pgx.Tx, q tq.ExportQuery, each func(*tq.Whole) error) error {
	left := q.Limit
	for after := q.After; ; {
		page := exportPage
		if q.Limit > 0 {
			page = min(page, left)
		}
		rows, err := tx.Query(ctx, s.texts.of(selectExported), after, page)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := s.exportPage(ctx, tx, ids, each); err != nil {
			return err
		}
		after, left = ids[len(ids)-1], left-len(ids)
		if q.Limit > 0 && left == 0 {
			return nil
		}
	}
}

func (s *Store) exportPage(ctx context.Context, tx pgx.Tx, ids []int64, each func(*tq.Whole) error) error {
	x := &exporter{Store: s, ctx: ctx, tx: tx, tasks: map[int64]*tq.Whole{}, grants: map[int64]int64{}}
	for _, part := range []func([]int64) error{x.asked, x.facts, x.places, x.waits, x.inboxed, x.keyed, x.leases} {
		if err := part(ids); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if w := x.tasks[id]; w != nil {
			if err := each(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows calls f for each row that a statement about ids answers, read into to.
func (x *exporter) rows(statement string, ids []int64, to []any, f func() error) error {
	rows, err := x.tx.Query(x.ctx, x.texts.of(statement), ids)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, to, f)
	return err
}

// of answers the task of that id; it is begun when its lane is known.
func (x *exporter) of(id int64, laneID int32) *tq.Whole {
	if w := x.tasks[id]; w != nil {
		return w
	}
	w := &tq.Whole{ID: id}
	if l := x.lanes.get(laneID); l != nil {
		w.Queue, w.Type, w.Project = l.name.queue, l.name.typ, l.name.project
	}
	x.tasks[id] = w
	return w
}

func (x *exporter) asked(ids []int64) error {
	var id, created, runAt, timeout, parent int64
	var laneID int32
	var most, until, onDep int16
	var key, deps, tags, backoff, trace string
	var payload *string
	to := []any{&id, &laneID, &most, &created, &runAt, &timeout, &parent, &key, &until, &onDep, &deps, &tags, &backoff, &trace, &payload}
	return x.rows(selectWhole, ids, to, func() error {
		a := &tq.Asked{
			MaxAttempts: int(most), CreatedAt: tq.FromMilli(created), RunAt: tq.FromMilli(runAt),
			Timeout: tq.Duration(time.Duration(timeout) * time.Millisecond), Parent: parent, IdempotencyKey: key,
			KeyUntil: keyUntilOf(until), OnDepFailure: policyOf(onDep), Traceparent: trace,
		}
		if l := x.lanes.get(laneID); l != nil {
			a.Priority = int(l.name.prio)
		}
		if payload != nil {
			a.Payload = *payload
		}
		x.of(id, laneID).Asked = a
		if err := readJSON(deps, &a.Deps); err != nil {
			return err
		}
		if err := readJSON(tags, &a.Tags); err != nil {
			return err
		}
		return readJSON(backoff, &a.Backoff)
	})
}

func (x *exporter) facts(ids []int64) error {
	var id, seq, rev, epoch, place, grant, due, at int64
	var kind, status, attempt, spot int16
	var releases, laneID int32
	var settles, cancel bool
	var actor, detail string
	var hash []byte
	var body *string
	to := []any{
		&id, &seq, &rev, &kind, &status, &settles, &epoch, &attempt, &releases, &laneID, &spot, &place,
		&grant, &cancel, &due, &at, &actor, &hash, &detail, &body,
	}
	return x.rows(selectWholeFacts, ids, to, func() error {
		f := tq.WholeFact{
			Seq: seq, Rev: rev, Kind: kindOf(kind), Status: statusOf(status), Settles: settles, Epoch: epoch, Attempt: int(attempt),
			Releases: int(releases), Cancel: cancel, Due: tq.FromMilli(due), At: tq.FromMilli(at), Actor: actor,
		}
		if spot == inReady || spot == inBack {
			f.Place = place
		}
		if settles && len(hash) > 0 {
			f.Hash = slices.Clone(hash)
		}
		// An expired lease has its text in the detail as well.
		if body != nil && *body != "" && f.Kind != tq.FactLeaseExpired {
			text := strings.Clone(*body)
			f.Body = &text
		}
		w := x.of(id, laneID)
		if x.grants[id] = grant; f.Status != tq.Running {
			delete(x.grants, id)
		}
		w.Facts = append(w.Facts, f)
		return readJSON(detail, &w.Last().Detail)
	})
}

// places adds where tasks stand that have come due, and whose dependants are
// still being told.
func (x *exporter) places(ids []int64) error {
	var id, n int64
	err := x.rows(selectPromoted, ids, []any{&id, &n}, func() error {
		if w := x.tasks[id]; w != nil && w.Last() != nil && w.Last().Status == tq.Pending {
			w.Last().Place = n
		}
		return nil
	})
	if err != nil {
		return err
	}
	return x.rows(selectTold, ids, []any{&id, &n}, func() error {
		if w := x.tasks[id]; w != nil {
			told := n
			w.Told = &told
		}
		return nil
	})
}

func (x *exporter) waits(ids []int64) error {
	var child, parent int64
	var stuck int16
	return x.rows(selectWaits, ids, []any{&child, &parent, &stuck}, func() error {
		if w := x.tasks[child]; w != nil {
			w.Waits = append(w.Waits, tq.WholeWait{ID: parent, Stuck: stuck != 0})
		}
		return nil
	})
}

func (x *exporter) inboxed(ids []int64) error {
	var id int64
	return x.rows(selectInboxed, ids, []any{&id}, func() error {
		if w := x.tasks[id]; w != nil {
			w.Inbox = txActor
		}
		return nil
	})
}

func (x *exporter) keyed([]int64) error {
	var queues, keys []string
	for _, w := range x.tasks {
		if w.Asked != nil && w.Asked.IdempotencyKey != "" {
			queues, keys = append(queues, w.Queue), append(keys, w.Asked.IdempotencyKey)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := x.tx.Query(x.ctx, x.texts.of(selectKeyed), queues, keys)
	if err != nil {
		return err
	}
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		if w := x.tasks[id]; w != nil {
			w.Keyed = true
		}
		return nil
	})
	return err
}

func (x *exporter) leases([]int64) error {
	holds := map[int64][]int64{}
	var grants []int64
	for id, grant := range x.grants {
		holds[grant] = append(holds[grant], id)
		grants = append(grants, grant)
	}
	if len(grants) == 0 {
		return nil
	}
	var grant, length, until, deadline int64
	var worker, owner, claim string
	to := []any{&grant, &worker, &owner, &claim, &length, &until, &deadline}
	return x.rows(selectWholeHeld, grants, to, func() error {
		for _, id := range holds[grant] {
			x.tasks[id].Lease = &tq.WholeLease{
				Worker: worker, Owner: owner, ClaimID: claim, Length: tq.Duration(time.Duration(length) * time.Millisecond),
				Until: tq.FromMilli(until), Deadline: tq.FromMilli(deadline),
			}
		}
		return nil
	})
}

const (
	selectLoose = `select c.task_id id from tq.grants g
		join tq.facts c on c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id
		cross join lateral (select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
		where x.grant_id = g.id and x.status = 3 union select id from tq.inbox order by 1`
	selectDrawn  = `select last_value from tq.batches`
	cursorPrefix = "retain "
)

// Ledger reads what belongs to no single task.
func (s *Store) Ledger(ctx context.Context) (tq.Ledger, error) {
	var l tq.Ledger
	err := s.read(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setUp, s.synchronous()); err != nil {
			return err
		}
		return s.readLedger(ctx, tx, &l)
	})
	if err == nil {
		l.Workers, err = s.Workers(ctx)
	}
	if err == nil {
		l.Tokens, err = s.Tokens(ctx)
	}
	return l, err
}

func (s *Store) readLedger(ctx context.Context, tx pgx.Tx, l *tq.Ledger) error {
	r, err := s.reader(ctx, tx)
	if err != nil {
		return err
	}
	if err := s.lanes.load(ctx, s, tx); err != nil {
		return err
	}
	lines, err := r.counted()
	if err != nil {
		return err
	}
	l.Counts = s.joined(lines)
	rows, err := tx.Query(ctx, s.texts.of(selectPaused))
	if err != nil {
		return err
	}
	if l.Paused, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, s.texts.of(selectLoose)); err != nil {
		return err
	}
	if l.Loose, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		return err
	}
	var batch int64
	if err := tx.QueryRow(ctx, s.texts.of(selectDrawn)).Scan(&batch); err != nil {
		return err
	}
	l.LastSeq = batch*perBatch + perBatch - 1
	if err := tx.QueryRow(ctx, s.texts.of(selectNewest)).Scan(&l.LastID); err != nil {
		return err
	}
	marks, err := s.marks(ctx, tx)
	l.Cursors = map[string]int64{}
	for name, seq := range marks {
		if name, ours := strings.CutPrefix(name, cursorPrefix); ours {
			l.Cursors[name] = seq
		}
	}
	return err
}

const selectBehind = `select child from tq.edges where parent = any($1::bigint[])
	union select e.child from tq.cascades c join tq.edges e on e.parent = c.parent
	union select id from tq.delayed where run_at <= $2::bigint order by 1`

// Behind answers which tasks may have changed without a fact of theirs.
func (s *Store) Behind(ctx context.Context, ids []int64) ([]int64, error) {
	var behind []int64
	err := s.read(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setUp, s.synchronous()); err != nil {
			return err
		}
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, s.texts.of(selectBehind), ids, r.now)
		if err != nil {
			return err
		}
		behind, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	return behind, err
}
