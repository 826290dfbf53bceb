package postgres

import (
	"cmp"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Taking rows out of their lines, and how far the cursors may move behind them.

const (
	// takeReady removes up to n rows of each line that nobody else is taking,
	// and answers for each line whether some were passed over. It draws a number
	// that is above those of all facts of these tasks.
	takeReady = `with u as materialized (select * from unnest($1::int[], $2::smallint[], $3::bigint[], $4::bigint[]) u(lane, back, after, n)),
		free as materialized (select x.ctid from u cross join lateral (
			select r.ctid from tq.ready r where r.lane = u.lane and r.back = u.back and r.pos > u.after
			order by r.lane, r.back, r.pos limit u.n for update skip locked) x),
		seen as materialized (select u.lane, u.back, s.last from u cross join lateral (select max(r.pos) last from (
			select r.pos from tq.ready r where r.lane = u.lane and r.back = u.back and r.pos > u.after
			order by r.lane, r.back, r.pos limit u.n) r) s),
		gone as (delete from tq.ready r where r.ctid = any(array(select ctid from free))
			returning r.lane, r.back, r.pos, r.id, r.rev, r.epoch, r.attempt, r.releases, r.due, r.ready_at)
		select (select nextval('tq.batches')), g.*, (select s.last from seen s where s.lane = g.lane and s.back = g.back),
			t.max_attempts, t.created_at, t.run_at, t.timeout, coalesce(t.parent, 0), coalesce(t.key, ''), t.key_until, t.on_dep,
			coalesce(t.deps, ''), coalesce(t.tags, ''), coalesce(t.backoff, ''), coalesce(t.payload, ''), coalesce(t.trace, '')
		from gone g join tq.tasks t on t.id = g.id`
)

// takenRow is one row that left its line, with the task that it is.
type takenRow struct {
	headRow
	row  *row
	task tq.Task
	seen int64 // the last row of its line that was in sight

	batch int64 // the number drawn for all that were taken together
}

// remove takes the chosen numbers of rows out of their lines and notes how far
// the cursors may move.
func (c *claiming) remove(choices []choice) ([]takenRow, error) {
	slices.SortFunc(choices, func(a, b choice) int { return cmp.Or(cmp.Compare(a.lane, b.lane), cmp.Compare(a.back, b.back)) })
	var lanes []int32
	var backs []int16
	var after, n []int64
	for _, x := range choices {
		lanes, backs, n = append(lanes, x.lane), append(backs, x.back), append(n, x.n)
		from := int64(0)
		if x.back == 0 {
			from = c.cursors.of(x.lane)
		}
		after = append(after, from)
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(takeReady), lanes, backs, after, n)
	if err != nil {
		return nil, err
	}
	taken, err := pgx.CollectRows(rows, c.scanTaken)
	c.moveCursors(taken)
	return taken, err
}

func (c *claiming) scanTaken(rows pgx.CollectableRow) (takenRow, error) {
	r := new(row)
	t := takenRow{row: r}
	var attempt, maxAttempts, keyUntil, onDep int16
	var releases int32
	var created int64
	var deps, tags, backoff, payload string
	err := rows.Scan(&t.batch, &t.lane, &t.back, &t.pos, &r.id, &r.rev, &r.state.Epoch, &attempt, &releases, &r.due, &r.runAt, &t.seen,
		&maxAttempts, &created, &r.asked.runAt, &r.asked.timeout, &t.task.Parent, &r.asked.key, &keyUntil, &onDep,
		&deps, &tags, &backoff, &payload, &t.task.Traceparent)
	if err == nil {
		err = readJSON(deps, &r.asked.deps)
	}
	if err == nil {
		err = readJSON(tags, &t.task.Tags)
	}
	if err == nil {
		err = readJSON(backoff, &r.state.Backoff)
	}
	r.lane, r.place, r.spot = c.Store.lanes.get(t.lane), t.pos, inReady+t.back
	r.asked.keyUntil, r.asked.onDep = keyUntilOf(keyUntil), policyOf(onDep)
	r.state.Status, r.state.Attempt, r.state.MaxAttempts = tq.Pending, int(attempt), int(maxAttempts)
	r.state.Releases = int(releases)
	r.was = r.stand()
	r.was.status = "" // its row has left already
	t.task.CreatedAt = tq.FromMilli(created)
	if payload != "" {
		t.task.Payload = []byte(payload)
	}
	return t, err
}

// moveCursors: a line whose rows in sight were all taken ends at the last.
func (c *claiming) moveCursors(taken []takenRow) {
	top := map[line]int64{}
	for _, t := range taken {
		top[t.line] = max(top[t.line], t.pos)
	}
	for _, t := range taken {
		if t.back == 0 && top[t.line] == t.seen {
			c.moves[t.lane] = t.seen
		}
	}
}
