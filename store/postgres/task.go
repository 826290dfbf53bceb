package postgres

import (
	"context"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Tasks as every door shows them, many in one round trip: their rows, which
// never change, what their facts say, and the grants that hold them.

const selectTasks = `select t.id, t.lane, t.max_attempts, t.created_at, t.run_at, t.timeout, coalesce(t.parent, 0), coalesce(t.key, ''),
		t.on_dep, coalesce(t.deps, ''), coalesce(t.tags, ''), coalesce(t.backoff, ''), coalesce(t.trace, ''),
		case when $2::bool then coalesce(t.payload, '') else '' end,
		coalesce(f.status, 0::smallint), coalesce(f.epoch, 0), coalesce(f.attempt, 0::smallint), coalesce(f.cancel, false),
		coalesce(f.due, t.run_at), coalesce(f.at, t.created_at), coalesce(f.detail, ''),
		case when $2::bool and f.kind = 5 then f.body end,
		coalesce(c.at, 0), coalesce(e.body, ''), coalesce(e.detail, ''), coalesce(h.at, 0), coalesce(h.detail, ''),
		coalesce(g.until, 0), coalesce(g.owner, ''), coalesce(g.worker, '')
	from unnest($1::bigint[]) with ordinality u(id, ord)
	join tq.tasks t on t.id = u.id
	left join lateral (select * from tq.facts f where f.task_id = t.id order by f.rev desc limit 1) f on true
	left join lateral (select c.rev, c.at from tq.facts c where c.task_id = t.id and c.kind = 3 order by c.rev desc limit 1) c on f.epoch > 0
	left join lateral (select e.body, e.detail from tq.facts e where e.task_id = t.id and (e.kind = 6 or e.kind = 9 and e.body <> '')
		order by e.rev desc limit 1) e on f.epoch > 0
	left join lateral (select h.at, h.detail from tq.facts h where h.task_id = t.id and h.kind = 4 and h.rev > c.rev
		and (h.detail like '%"note"%' or h.detail like '%"fraction"%') order by h.rev desc limit 1) h on c.rev is not null
	left join tq.grants g on g.id = f.grant_id and f.status = 3
	order by u.ord`

// taskReader reads tasks in one snapshot.
type taskReader struct {
	*Store
	ctx     context.Context
	tx      pgx.Tx
	now     int64
	payload bool // fill Payload and Result too
}

// shown is a task and the ids it waits for.
type shown struct {
	tq.Task
	deps []int64
}

func (s *Store) reader(ctx context.Context, tx pgx.Tx) (*taskReader, error) {
	r := &taskReader{Store: s, ctx: ctx, tx: tx}
	err := tx.QueryRow(ctx, `select `+nowText, s.clock()).Scan(&r.now)
	return r, err
}

// tasks reads those that exist, in the order of ids.
func (r *taskReader) tasks(ids []int64) ([]shown, error) {
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectTasks), ids, r.payload)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, r.scan)
}

// taskScan is where one row of selectTasks is read into.
type taskScan struct {
	lane                                   int32
	maxAttempts, onDep, status, attempt    int16
	created, runAt, timeout, due, at       int64
	started, noted, until                  int64
	deps, tags, backoff, payload, detail   string
	failure, failDetail, note, owner, name string
	result                                 *string
}

func (r *taskReader) scan(rows pgx.CollectableRow) (shown, error) {
	var t shown
	var x taskScan
	err := rows.Scan(&t.ID, &x.lane, &x.maxAttempts, &x.created, &x.runAt, &x.timeout, &t.Parent, &t.IdempotencyKey,
		&x.onDep, &x.deps, &x.tags, &x.backoff, &t.Traceparent, &x.payload,
		&x.status, &t.Epoch, &x.attempt, &t.CancelRequested, &x.due, &x.at, &x.detail, &x.result,
		&x.started, &x.failure, &x.failDetail, &x.noted, &x.note, &x.until, &x.owner, &x.name)
	if err != nil {
		return t, err
	}
	l, err := r.lane(x.lane)
	if err != nil {
		return t, err
	}
	t.Queue, t.Type, t.Project, t.Priority = l.name.queue, l.name.typ, l.name.project, int(l.name.prio)
	t.Status, t.Attempt, t.MaxAttempts = statusOf(x.status), int(x.attempt), int(x.maxAttempts)
	t.CreatedAt, t.RunAt, t.StartedAt = tq.FromMilli(x.created), tq.FromMilli(x.due), tq.FromMilli(x.started)
	t.Timeout = tq.Duration(time.Duration(x.timeout) * time.Millisecond)
	return t, r.complete(&t, &x)
}

// lane answers a lane that may be newer than what is known.
func (r *taskReader) lane(id int32) (*lane, error) {
	if l := r.lanes.get(id); l != nil {
		return l, nil
	}
	if err := r.lanes.load(r.ctx, r.Store, r.tx); err != nil {
		return nil, err
	}
	if l := r.lanes.get(id); l != nil {
		return l, nil
	}
	return nil, errUnknownLane
}

func (r *taskReader) complete(t *shown, x *taskScan) error {
	var last, fail, note tq.FactDetail
	for _, part := range []struct {
		text string
		into any
	}{
		{x.deps, &t.deps},
		{x.tags, &t.Tags},
		{x.backoff, &t.Backoff},
		{x.detail, &last},
		{x.failDetail, &fail},
		{x.note, &note},
	} {
		if err := readJSON(part.text, part.into); err != nil {
			return err
		}
	}
	t.OnDepFailure = policyOf(x.onDep)
	if x.payload != "" {
		t.Payload = []byte(x.payload)
	}
	if x.result != nil && *x.result != "" {
		t.Result = []byte(*x.result)
	}
	if t.LastError = x.failure; t.LastError == "" {
		t.LastError = fail.Error
	}
	if t.Status.Terminal() {
		t.EndedAt = tq.FromMilli(x.at)
	}
	if t.Status == tq.Dead || t.Status == tq.Cancelled {
		t.Reason = last.Reason
	}
	if x.noted != 0 {
		t.Progress = &tq.Progress{At: tq.FromMilli(x.noted), Fraction: note.Fraction, Note: note.Note}
	}
	if t.Status == tq.Running && x.until != 0 {
		t.Lease = &tq.Lease{
			Worker: x.name, Owner: x.owner, Until: tq.FromMilli(x.until),
			SecondsLeft: tq.Duration(msDuration(max(0, x.until-r.now))),
		}
	}
	return nil
}

const (
	// Without facts a task is new, and without a task there is no status.
	selectEnds = `select u.who, u.id, coalesce(f.lane, 0), coalesce(f.status, (select 2::smallint from tq.tasks t where t.id = u.id)),
			case when f.status = 4 then coalesce(f.body, '') else '' end
		from unnest($1::bigint[], $2::bigint[]) with ordinality u(who, id, ord)
		left join lateral (select lane, status, body from tq.facts f where f.task_id = u.id order by f.rev desc limit 1) f on true
		order by u.ord`

	// selectTrees counts the tasks of each tree by status, level by level.
	selectTrees = `select u.who, x.lane, x.status, x.n from unnest($1::bigint[]) with ordinality u(id, who)
		cross join lateral (
			with recursive tree (id) as (
				select id from tq.tasks where parent = u.id
				union all
				select t.id from tree join tq.tasks t on t.parent = tree.id),
			part as (select id from tree limit $2::bigint)
			select t.lane, coalesce(f.status, 2::smallint) status, count(*) n from part join tq.tasks t on t.id = part.id
			left join lateral (select status from tq.facts f where f.task_id = part.id order by f.rev desc limit 1) f on true
			group by 1, 2) x`
)

// maxDepResults is how many bytes of its dependencies' results a task shows;
// the rest can be read from them.
const maxDepResults = tq.MaxBatchBytes

// relations adds what tasks have to do with others: those they wait for and those
// they begot; no results, and no children, outside those rights.
func (r *taskReader) relations(all []shown, only *tq.Rights) error {
	if err := r.ends(all, only); err != nil {
		return err
	}
	return r.children(all, only)
}

func (r *taskReader) ends(all []shown, only *tq.Rights) error {
	var who, ids []int64
	for i := range all {
		for _, id := range all[i].deps {
			who, ids = append(who, int64(i)), append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectEnds), who, ids)
	if err != nil {
		return err
	}
	spent := map[int64]int{} // bytes, by task
	var d tq.Dep
	var of int64
	var status *int16
	var lane int32
	var result string
	_, err = pgx.ForEachRow(rows, []any{&of, &d.ID, &lane, &status, &result}, func() error {
		d.Status, d.Result = "", nil
		if status != nil {
			d.Status = statusOf(*status)
		}
		if r.sees(lane, only) && result != "" && spent[of]+len(result) <= maxDepResults {
			d.Result = []byte(result)
			spent[of] += len(result)
		}
		all[of].Deps = append(all[of].Deps, d)
		return nil
	})
	return err
}

// sees reports whether tasks of a lane are within those rights.
func (r *taskReader) sees(lane int32, only *tq.Rights) bool {
	l := r.lanes.get(lane)
	return only == nil || l != nil && only.Sees(l.name.queue, l.name.typ)
}

func (r *taskReader) children(all []shown, only *tq.Rights) error {
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectTrees), ids, tq.MaxTree)
	if err != nil {
		return err
	}
	var who int64
	var lane int32
	var status int16
	var n int
	_, err = pgx.ForEachRow(rows, []any{&who, &lane, &status, &n}, func() error {
		if !r.sees(lane, only) {
			return nil
		}
		t := &all[who-1]
		if t.Children == nil {
			t.Children = map[tq.Status]int{}
		}
		t.Children[statusOf(status)] += n
		return nil
	})
	return err
}
