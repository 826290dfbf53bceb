package postgres

import (
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// What a transaction writes, as statements over arrays: first what leaves its
// place, then what takes one, then the facts. A place that is not where it was
// read means that somebody else was first: such a statement divides by zero, so
// that the commit sent along with it does not take place.

const (
	deleteReady = `with gone as (delete from tq.ready r using unnest($2::int[], $3::smallint[], $4::bigint[], $5::bigint[]) u(lane, back, pos, id)
		where r.lane = u.lane and r.back = u.back and r.pos = u.pos and r.id = u.id returning 1)
		select 1 / (count(*) = $1::bigint)::int from gone`
	deleteDelayed = `with gone as (delete from tq.delayed d using unnest($2::bigint[], $3::bigint[]) u(run_at, id)
		where d.run_at = u.run_at and d.id = u.id returning 1)
		select 1 / (count(*) = $1::bigint)::int from gone`
	deleteBlocked = `with gone as (delete from tq.blocked where id = any($2::bigint[]) returning 1)
		select 1 / (count(*) = $1::bigint)::int from gone`
	deletePromoted = `delete from tq.promoted where id = any($1::bigint[])`
	deleteTasks    = `delete from tq.tasks where id = any($1::bigint[])`

	// The rows of most transactions are alike in most columns. One that has the
	// same value everywhere travels as its first alone, see shared: unnest gives
	// null to the other rows, and they take the first. That halves an insert.
	insertReady = `insert into tq.ready (lane, back, pos, id, rev, epoch, attempt, releases, due, ready_at)
		select coalesce(lane, ($1)[1]), coalesce(back, ($2)[1]), pos, id, coalesce(rev, ($5)[1]), coalesce(epoch, ($6)[1]),
			coalesce(attempt, ($7)[1]), coalesce(releases, ($8)[1]), coalesce(due, ($9)[1]), coalesce(ready_at, ($10)[1])
		from unnest($1::int[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
			$7::smallint[], $8::int[], $9::bool[], $10::bigint[])
			u(lane, back, pos, id, rev, epoch, attempt, releases, due, ready_at)`
	insertDelayed = `insert into tq.delayed (run_at, id, lane, rev, epoch, attempt, releases)
		select * from unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::smallint[], $7::int[])`
	insertBlocked = `insert into tq.blocked (id, lane, open, stuck, rev, epoch, attempt, run_at)
		select * from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::smallint[], $8::bigint[])
		on conflict (id) do update set open = excluded.open, stuck = excluded.stuck, rev = excluded.rev, epoch = excluded.epoch, attempt = excluded.attempt`
	insertTasks = `insert into tq.tasks (id, lane, max_attempts, created_at, run_at, timeout, parent, key, key_body, key_until, on_dep, deps, tags, backoff, payload, trace)
		select id, coalesce(lane, ($2)[1]), coalesce(max, ($3)[1]), $14, coalesce(run_at, ($4)[1]), coalesce(timeout, ($5)[1]),
			nullif(coalesce(parent, ($6)[1]), 0), nullif(coalesce(key, ($7)[1]), ''), body, coalesce(until, ($8)[1]),
			coalesce(on_dep, ($9)[1]), nullif(coalesce(deps, ($10)[1]), ''), nullif(coalesce(tags, ($11)[1]), ''),
			nullif(coalesce(backoff, ($12)[1]), ''), nullif(payload, ''), nullif(coalesce(trace, ($16)[1]), '')
		from unnest($1::bigint[], $2::int[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::smallint[],
			$9::smallint[], $10::text[], $11::text[], $12::text[], $13::text[], $15::bytea[], $16::text[])
			u(id, lane, max, run_at, timeout, parent, key, until, on_dep, deps, tags, backoff, payload, body, trace)`
	insertFacts = `insert into tq.facts (task_id, rev, seq, kind, status, settles, epoch, attempt, releases, lane, spot, place, grant_id,
			cancel, due, at, actor, hash, detail, body)
		select id, coalesce(rev, ($2)[1]), seq, coalesce(kind, ($4)[1]), coalesce(status, ($5)[1]), coalesce(settles, ($6)[1]),
			coalesce(epoch, ($7)[1]), coalesce(attempt, ($8)[1]), coalesce(releases, ($9)[1]), coalesce(lane, ($10)[1]),
			coalesce(spot, ($11)[1]), nullif(coalesce(place, ($12)[1]), 0), nullif(coalesce(grant_id, ($13)[1]), 0),
			coalesce(cancel, ($14)[1]), coalesce(due, ($20)[1]), $19, coalesce(actor, ($15)[1]), hash,
			nullif(coalesce(detail, ($17)[1]), ''), body
		from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::smallint[], $6::bool[], $7::bigint[], $8::smallint[],
			$9::int[], $10::int[], $11::smallint[], $12::bigint[], $13::bigint[], $14::bool[], $15::text[], $16::bytea[], $17::text[], $18::text[], $20::bigint[])
			u(id, rev, seq, kind, status, settles, epoch, attempt, releases, lane, spot, place, grant_id, cancel, actor, hash, detail, body, due)`
	insertGrants = `insert into tq.grants (id, worker, owner, claim_id, part, lease, until, deadline, high)
		select id, worker, owner, nullif(claim_id, ''), part, lease, until, nullif(deadline, 0), nullif(high, 0)
		from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
			u(id, worker, owner, claim_id, part, lease, until, deadline, high)`
	deleteKeys = `delete from tq.keys k using unnest($1::text[], $2::text[], $3::bigint[]) u(queue, key, id)
		where k.queue = u.queue and k.key = u.key and k.task_id = u.id`
	insertKeys = `insert into tq.keys (queue, key, task_id)
		select * from unnest($1::text[], $2::text[], $3::bigint[]) order by 1, 2`
	insertEdges = `insert into tq.edges (parent, child, policy, stuck)
		select * from unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::smallint[])`
	deleteEdges = `delete from tq.edges e using unnest($1::bigint[], $2::bigint[]) u(parent, child)
		where e.parent = u.parent and e.child = u.child`
	updateEdges = `update tq.edges e set stuck = u.stuck from unnest($1::bigint[], $2::bigint[], $3::smallint[]) u(parent, child, stuck)
		where e.parent = u.parent and e.child = u.child`
	deleteOrphans = `delete from tq.edges where child = any($1::bigint[])`
	insertActs    = `insert into tq.acts (seq, kind, queue, actor, at, detail) values ($1, $2, $3, $4, $5, nullif($6, ''))`
	insertDeltas  = `insert into tq.deltas (seq, lane, bucket, n)
		select $1, * from unnest($2::int[], $3::smallint[], $4::bigint[])`
)

// collect queues every statement that the transaction needs and forgets what it
// queued.
func (w *work) collect(b *pgx.Batch) error {
	if w.stale {
		return errLost
	}
	for _, queue := range w.before {
		queue(b)
	}
	w.before = nil
	w.leave(b)
	w.collectTasks(b)
	w.collectKeys(b)
	w.take(b)
	w.collectGrants(b)
	if err := w.collectFacts(b); err != nil {
		return err
	}
	w.collectDead(b)
	w.collectSpent(b)
	w.collectEdges(b)
	for _, a := range w.acts {
		b.Queue(w.texts.of(insertActs), w.seq(), string(a.kind), a.queue, a.actor, w.now, a.detail)
	}
	w.collectDeltas(b)
	for _, queue := range w.others {
		queue(b)
	}
	for _, queue := range w.last {
		queue(b)
	}
	w.acts, w.others, w.last = nil, nil, nil
	w.order = slices.DeleteFunc(w.order, func(r *row) bool { return r.deleted })
	for _, r := range w.order {
		r.was = r.stand()
	}
	return nil
}

// moved reports whether the narrow row of r has to be written anew.
func (r *row) moved() bool { return r.deleted || r.stand() != r.was }

// leave queues the removal of what is no longer where it was read.
func (w *work) leave(b *pgx.Batch) {
	var ready struct {
		lane     []int32
		back     []int16
		pos, ids []int64
	}
	var runAt, delayed, blocked, deleted []int64
	promoted := w.unpromoted
	w.unpromoted = nil
	for _, r := range w.order {
		if !r.moved() {
			continue
		}
		switch {
		case r.was.status == tq.Pending && r.was.spot == inDelayed:
			runAt, delayed = append(runAt, r.was.place), append(delayed, r.id)
		case r.was.status == tq.Pending && r.was.spot != nowhere:
			ready.lane, ready.back = append(ready.lane, r.lane.id), append(ready.back, back(r.was.spot))
			ready.pos, ready.ids = append(ready.pos, r.was.place), append(ready.ids, r.id)
		case r.was.status == tq.Blocked && r.state.Status != tq.Blocked:
			blocked = append(blocked, r.id)
		}
		if r.was.due {
			promoted = append(promoted, r.id)
		}
		if r.deleted {
			deleted = append(deleted, r.id)
		}
	}
	w.exact(b, len(ready.ids), deleteReady, ready.lane, ready.back, ready.pos, ready.ids)
	w.exact(b, len(delayed), deleteDelayed, runAt, delayed)
	w.exact(b, len(blocked), deleteBlocked, blocked)
	w.some(b, len(promoted), deletePromoted, promoted)
	w.some(b, len(deleted), deleteTasks, deleted)
}

func back(spot int16) int16 {
	if spot == inBack {
		return 1
	}
	return 0
}

// some queues a statement when there is something for it, exact one that must
// meet n rows.
func (w *work) some(b *pgx.Batch, n int, statement string, args ...any) {
	if n > 0 {
		b.Queue(w.texts.of(statement), args...)
	}
}

func (w *work) exact(b *pgx.Batch, n int, statement string, args ...any) {
	w.some(b, n, statement, append([]any{int64(n)}, args...)...)
}

// take queues the narrow rows of those that stand somewhere new.
func (w *work) take(b *pgx.Batch) {
	var ready readyColumns
	var delayed delayedColumns
	var blocked blockedColumns
	for _, r := range w.order {
		switch {
		case r.deleted || !r.moved():
		case r.state.Status == tq.Blocked:
			blocked.add(r)
		case r.state.Status == tq.Pending && r.spot == inDelayed:
			delayed.add(r)
		case r.state.Status == tq.Pending:
			ready.add(r)
		}
	}
	w.some(b, len(ready.id), insertReady, shared(ready.lane), shared(ready.back), ready.pos, ready.id, shared(ready.rev),
		shared(ready.epoch), shared(ready.attempt), shared(ready.releases), shared(ready.due), shared(ready.at))
	w.some(b, len(delayed.id), insertDelayed, delayed.runAt, delayed.id, delayed.lane, delayed.rev, delayed.epoch,
		delayed.attempt, delayed.releases)
	w.some(b, len(blocked.id), insertBlocked, blocked.id, blocked.lane, blocked.open, blocked.stuck, blocked.rev,
		blocked.epoch, blocked.attempt, blocked.runAt)
}

type readyColumns struct {
	lane                    []int32
	back, attempt           []int16
	releases                []int32
	pos, id, rev, epoch, at []int64
	due                     []bool
}

func (c *readyColumns) add(r *row) {
	c.lane, c.back, c.pos = append(c.lane, r.lane.id), append(c.back, back(r.spot)), append(c.pos, r.place)
	c.id, c.rev, c.epoch = append(c.id, r.id), append(c.rev, r.rev), append(c.epoch, r.state.Epoch)
	c.attempt, c.releases = append(c.attempt, int16(r.state.Attempt)), append(c.releases, int32(r.state.Releases))
	c.due, c.at = append(c.due, r.due), append(c.at, r.readyAt)
}

type delayedColumns struct {
	runAt, id, rev, epoch []int64
	lane, releases        []int32
	attempt               []int16
}

func (c *delayedColumns) add(r *row) {
	c.runAt, c.id, c.lane = append(c.runAt, r.runAt), append(c.id, r.id), append(c.lane, r.lane.id)
	c.rev, c.epoch = append(c.rev, r.rev), append(c.epoch, r.state.Epoch)
	c.attempt, c.releases = append(c.attempt, int16(r.state.Attempt)), append(c.releases, int32(r.state.Releases))
}

type blockedColumns struct {
	id, rev, epoch, runAt []int64
	lane, open, stuck     []int32
	attempt               []int16
}

func (c *blockedColumns) add(r *row) {
	c.id, c.lane = append(c.id, r.id), append(c.lane, r.lane.id)
	c.open, c.stuck = append(c.open, int32(r.state.OpenDeps)), append(c.stuck, int32(r.stuck))
	c.rev, c.epoch, c.runAt = append(c.rev, r.rev), append(c.epoch, r.state.Epoch), append(c.runAt, r.asked.runAt)
	c.attempt = append(c.attempt, int16(r.state.Attempt))
}

func (w *work) collectGrants(b *pgx.Batch) {
	var id, lease, until, deadline, high []int64
	var worker, owner, claim []string
	var part []int32
	for _, g := range w.grants {
		id, worker, owner, claim = append(id, g.id), append(worker, g.worker), append(owner, g.owner), append(claim, g.claimID)
		part, lease = append(part, int32(g.part)), append(lease, g.lease)
		until, deadline, high = append(until, g.until), append(deadline, g.deadline), append(high, g.high)
	}
	w.some(b, len(id), insertGrants, id, worker, owner, claim, part, lease, until, deadline, high)
	w.grants = nil
}

func (w *work) collectKeys(b *pgx.Batch) {
	queue, key, id := keyColumns(w.freed)
	w.some(b, len(id), deleteKeys, queue, key, id)
	queue, key, id = keyColumns(w.taken)
	w.some(b, len(id), insertKeys, queue, key, id)
	w.freed, w.taken = nil, nil
}

func keyColumns(lines []keyLine) (queue, key []string, id []int64) {
	for _, k := range lines {
		queue, key, id = append(queue, k.queue), append(key, k.key), append(id, k.id)
	}
	return queue, key, id
}

func (w *work) collectEdges(b *pgx.Batch) {
	parent, child, _, _ := edgeColumns(w.spent)
	w.some(b, len(parent), deleteEdges, parent, child)
	parent, child, _, stuck := edgeColumns(w.marks)
	w.some(b, len(parent), updateEdges, parent, child, stuck)
	w.some(b, len(w.orphans), deleteOrphans, w.orphans)
	parent, child, policy, stuck := edgeColumns(w.edges)
	w.some(b, len(parent), insertEdges, parent, child, policy, stuck)
	w.some(b, len(w.bereft), rewindWalks, w.bereft)
	w.edges, w.spent, w.marks, w.orphans, w.bereft = nil, nil, nil, nil, nil
}

func edgeColumns(lines []edgeLine) (parent, child []int64, policy, stuck []int16) {
	for _, e := range lines {
		parent, child = append(parent, e.parent), append(child, e.child)
		policy, stuck = append(policy, e.policy), append(stuck, e.stuck)
	}
	return parent, child, policy, stuck
}

// collectDeltas queues what the counts have changed by.
func (w *work) collectDeltas(b *pgx.Batch) {
	for _, r := range w.order {
		if r.was.rev > 0 {
			w.count(r.lane.id, r.was.bucket, -1)
			w.count(r.lane.id, bucketStuck, -stuckCount(r.was.status, r.was.stuck))
		}
		if !r.deleted && r.rev > 0 {
			w.count(r.lane.id, r.bucket(), 1)
			w.count(r.lane.id, bucketStuck, stuckCount(r.state.Status, r.stuck))
		}
	}
	var lanes []int32
	var buckets []int16
	var n []int64
	for k, v := range w.extra {
		if v != 0 {
			lanes, buckets, n = append(lanes, k.lane), append(buckets, k.bucket), append(n, v)
		}
	}
	clear(w.extra)
	w.some(b, len(n), insertDeltas, w.lastSeq(), lanes, buckets, n)
}

func stuckCount(s tq.Status, stuck int) int64 {
	if s == tq.Blocked && stuck > 0 {
		return 1
	}
	return 0
}

func (w *work) collectFacts(b *pgx.Batch) error {
	if len(w.facts) == 0 {
		return nil
	}
	var c factColumns
	for i := range w.facts {
		if err := c.add(&w.facts[i]); err != nil {
			return err
		}
	}
	b.Queue(w.texts.of(insertFacts), c.id, shared(c.rev), c.seq, shared(c.kind), shared(c.status), shared(c.settles),
		shared(c.epoch), shared(c.attempt), shared(c.releases), shared(c.lane), shared(c.spot), shared(c.place),
		shared(c.grant), shared(c.cancel), shared(c.actor), sparse(c.hash, noBytes), shared(c.detail), sparse(c.body, noText), w.now, shared(c.due))
	w.facts = nil
	return nil
}

type factColumns struct {
	id, rev, seq, epoch, place, grant []int64
	due                               []int64
	kind, status, attempt, spot       []int16
	releases, lane                    []int32
	settles, cancel                   []bool
	actor, detail                     []string
	hash                              [][]byte
	body                              []*string
}

func (c *factColumns) add(f *factLine) error {
	detail, err := detailText(f.detail)
	if err != nil {
		return err
	}
	c.id, c.rev, c.seq, c.epoch = append(c.id, f.id), append(c.rev, f.rev), append(c.seq, f.seq), append(c.epoch, f.epoch)
	c.place, c.grant, c.due = append(c.place, f.place), append(c.grant, f.grant), append(c.due, f.due)
	c.kind, c.status = append(c.kind, kindCode(f.step.Kind)), append(c.status, statusCode(f.step.Status))
	c.attempt, c.spot = append(c.attempt, int16(f.attempt)), append(c.spot, f.spot)
	c.releases, c.lane = append(c.releases, int32(f.releases)), append(c.lane, f.lane)
	c.settles, c.cancel = append(c.settles, f.step.Settles), append(c.cancel, f.cancel)
	c.actor, c.detail, c.hash = append(c.actor, f.actor), append(c.detail, detail), append(c.hash, f.hash)
	c.body = append(c.body, textOrNull(f.body))
	return nil
}

func textOrNull(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}
