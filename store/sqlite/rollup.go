package sqlite

import (
	"context"
	"encoding/json"

	"example.com/tq"
)

// Rollups: the sweep folds the journal into them a bite at a time, and whoever
// reads adds what is not folded yet. So they are exact at any time, and no
// commit of a task writes a row that others write too.

const (
	metaRolled = "rolled" // the journal is folded up to here

	rollBite  = 1_000
	rollWait  = 500    // facts that wait to be folded together,
	rollAfter = 10_000 // unless the first of them is so many milliseconds old

	// When it began: of a claim, ready; of what ends an attempt, claimed.
	selectUnrolled = `select f.seq, f.lane, f.kind, f.at, case
			when f.kind = 3 then f.due
			when f.kind in (5, 6, 9) then (select c.at from facts c
				where c.task_id = f.task_id and c.rev < f.rev and c.kind = 3 order by c.rev desc limit 1)
		end from facts f where f.seq > ? order by f.seq limit ?`
	selectToRoll = `select (select count(*) from (select 1 from facts where seq > ?1 limit ?2)),
		(select at from facts where seq > ?1 order by seq limit 1)`
	selectRollup  = `select counts from rollups where step = ? and at = ? and queue = ? and type = ?`
	selectRollups = `select at, queue, type, counts from rollups where step = ?1 and at >= ?2
		and (?3 is null or queue = ?3) and (?4 is null or type = ?4)`
	upsertRollup = `insert into rollups (step, at, queue, type, counts) values (?, ?, ?, ?, ?)
		on conflict (step, at, queue, type) do update set counts = excluded.counts`
	dropRollups = `delete from rollups where step = ? and at < ?`
)

// Series answers what is folded and, of the same snapshot, what is not yet.
func (s *Store) Series(ctx context.Context, q tq.SeriesQuery) (tq.Rollups, error) {
	out := tq.Rollups{}
	err := s.read(ctx, func(c *conn) error {
		if err := readRollups(c, &q, out); err != nil {
			return err
		}
		after, err := c.metaInt(metaRolled)
		for more := true; more && err == nil; {
			var bite tq.Rollups
			bite, after, more, err = s.unrolled(c, after)
			for _, key := range bite.Keys() {
				if q.Wants(key) {
					out.Add(key, bite[key])
				}
			}
		}
		return err
	})
	return out, err
}

func readRollups(c *conn, q *tq.SeriesQuery, out tq.Rollups) error {
	rows := c.sql(selectRollups).int(q.Step).int(q.From).textOrNull(q.Queue).textOrNull(q.Type)
	for rows.next() {
		key := tq.RollupKey{Step: q.Step, At: rows.colInt(0), Queue: rows.colText(1), Type: rows.colText(2)}
		var n tq.Rollup
		if err := readJSON(rows.colText(3), &n); err != nil {
			return join(err, rows.end())
		}
		if q.Wants(key) {
			out.Add(key, &n)
		}
	}
	return rows.end()
}

// unrolled folds the next bite of the journal behind after; it ends at last.
func (s *Store) unrolled(c *conn, after int64) (out tq.Rollups, last int64, more bool, err error) {
	out, last = tq.Rollups{}, after
	now, seen := tq.FromMilli(s.now()), 0
	rows := c.sql(selectUnrolled).int(after).int(rollBite)
	for rows.next() {
		seen++
		last = rows.colInt(0)
		in, err := s.lanes.get(c, rows.colInt(1))
		if err != nil {
			return nil, 0, false, join(err, rows.end())
		}
		out.Fold(&tq.RollupFact{
			Queue: in.queue, Type: in.typ, Kind: kindOf(rows.colInt(2)), At: rows.colInt(3), Since: rows.colInt(4),
		}, now)
	}
	return out, last, seen == rollBite, rows.end()
}

// toRoll reports whether it is time to fold.
func toRoll(c *conn, now int64) (bool, error) {
	after, err := c.metaInt(metaRolled)
	if err != nil {
		return false, err
	}
	q := c.sql(selectToRoll).int(after).int(rollWait)
	due := false
	if q.next() {
		due = q.colInt(0) == rollWait || q.colInt(0) > 0 && q.colInt(1) <= now-rollAfter
	}
	return due, q.end()
}

// roll folds a bite of the journal into the rollups.
func (n *turn) roll() error {
	after, err := n.c.metaInt(metaRolled)
	if err != nil {
		return err
	}
	bite, last, _, err := n.s.unrolled(n.c, after)
	if err != nil || last == after {
		return err
	}
	for _, key := range bite.Keys() {
		if err := n.addRollup(key, bite[key]); err != nil {
			return err
		}
	}
	for _, step := range tq.RollupSteps() {
		if err := n.exec(n.c.sql(dropRollups).int(step.Seconds()).int(step.Floor(tq.FromMilli(n.now)))); err != nil {
			return err
		}
	}
	n.writes++
	return n.c.setMetaInt(metaRolled, last)
}

func (n *turn) addRollup(key tq.RollupKey, add *tq.Rollup) error {
	var counts tq.Rollup
	q := n.c.sql(selectRollup).int(key.Step).int(key.At).text(key.Queue).text(key.Type)
	if q.next() {
		if err := readJSON(q.colText(0), &counts); err != nil {
			return join(err, q.end())
		}
	}
	if err := q.end(); err != nil {
		return err
	}
	counts.Add(add)
	text, err := json.Marshal(&counts)
	if err != nil {
		return err
	}
	return n.exec(n.c.sql(upsertRollup).int(key.Step).int(key.At).text(key.Queue).text(key.Type).text(string(text)))
}
