package sqlite

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"example.com/tq"
)

// Whole tasks, as they are carried into another store.

const (
	exportPage = 1_000

	selectExported = `select id from (select id from tasks where id > ?1 order by id limit ?2)
		union select id from (select distinct task_id as id from facts where task_id > ?1 order by task_id limit ?2)
		order by id limit ?2`
	selectWhole = `select lane, prio, max_attempts, created_at, run_at, timeout, parent, key, key_until, on_dep, deps, tags,
		backoff, trace, payload from tasks where id = ?`
	selectWholeFacts = `select seq, rev, kind, status, settles, epoch, attempt, releases, lane, place, due, cancel, at, actor,
		hash, detail, body, grant_id from facts where task_id = ? order by rev`
	selectWaits     = `select parent, stuck from edges where child = ? order by parent`
	selectWholeHeld = `select worker, owner, claim_id, lease, until, deadline from grants where id = ?`
	selectTold      = `select child from cascades where parent = ?`
	selectInboxed   = `select lane, actor from inbox where id = ?`
)

// exporter reads whole tasks in one snapshot.
type exporter struct {
	c     *conn
	lanes *lanes
	grant int64 // of the last fact read
	lane  int64
}

// Export calls each for whole tasks.
func (s *Store) Export(ctx context.Context, q tq.ExportQuery, each func(*tq.Whole) error) error {
	return s.read(ctx, func(c *conn) error {
		x := exporter{c: c, lanes: s.lanes}
		if q.IDs != nil {
			return x.some(ctx, q.IDs, each)
		}
		left := q.Limit
		for after := q.After; ; {
			page := exportPage
			if q.Limit > 0 {
				page = min(page, left)
			}
			ids, err := readIDs(c.sql(selectExported).int(after).int(int64(page)))
			if err != nil || len(ids) == 0 {
				return err
			}
			if err := x.some(ctx, ids, each); err != nil {
				return err
			}
			after, left = ids[len(ids)-1], left-len(ids)
			if q.Limit > 0 && left == 0 {
				return nil
			}
		}
	})
}

func (x *exporter) some(ctx context.Context, ids []int64, each func(*tq.Whole) error) error {
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w, err := x.whole(id)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		if err := each(w); err != nil {
			return err
		}
	}
	return nil
}

// whole reads one task, nil if nothing is left of it.
func (x *exporter) whole(id int64) (*tq.Whole, error) {
	w := &tq.Whole{ID: id}
	x.lane, x.grant = 0, 0
	for _, part := range []func(*tq.Whole) error{x.asked, x.facts, x.told, x.place} {
		if err := part(w); err != nil {
			return nil, err
		}
	}
	if x.lane == 0 {
		return nil, nil
	}
	l, err := x.lanes.get(x.c, x.lane)
	if err != nil || l == nil {
		return nil, err
	}
	w.Queue, w.Type, w.Project = l.queue, l.typ, l.project
	if w.Asked == nil || w.Asked.IdempotencyKey == "" {
		return w, nil
	}
	holder, err := x.number(x.c.sql(selectKeyHolder).text(w.Queue).text(w.Asked.IdempotencyKey))
	w.Keyed = holder == id
	return w, err
}

func (x *exporter) number(q *stmt) (int64, error) {
	var n int64
	if q.next() {
		n = q.colInt(0)
	}
	return n, q.end()
}

func (x *exporter) asked(w *tq.Whole) error {
	q := x.c.sql(selectWhole).int(w.ID)
	if !q.next() {
		return q.end()
	}
	x.lane = q.colInt(0)
	a := &tq.Asked{
		Priority: int(-q.colInt(1)), MaxAttempts: int(q.colInt(2)),
		CreatedAt: tq.FromMilli(q.colInt(3)), RunAt: tq.FromMilli(q.colInt(4)),
		Timeout: tq.Duration(time.Duration(q.colInt(5)) * time.Millisecond), Parent: q.colInt(6),
		IdempotencyKey: q.colText(7), KeyUntil: keyUntilOf(q.colInt(8)), OnDepFailure: policyOf(q.colInt(9)),
		Traceparent: q.colText(13), Payload: q.colText(14),
	}
	deps, tags, backoff := q.colText(10), q.colText(11), q.colText(12)
	err := q.end()
	for _, part := range []struct {
		text string
		into any
	}{{deps, &a.Deps}, {tags, &a.Tags}, {backoff, &a.Backoff}} {
		if err == nil {
			err = readJSON(part.text, part.into)
		}
	}
	w.Asked = a
	return err
}

func (x *exporter) facts(w *tq.Whole) error {
	q := x.c.sql(selectWholeFacts).int(w.ID)
	for q.next() {
		f := tq.WholeFact{
			Seq: q.colInt(0), Rev: q.colInt(1), Kind: kindOf(q.colInt(2)), Status: statusOf(q.colInt(3)),
			Settles: q.colBool(4), Epoch: q.colInt(5), Attempt: int(q.colInt(6)), Releases: int(q.colInt(7)),
			Place: q.colInt(9), Due: tq.FromMilli(q.colInt(10)), Cancel: q.colBool(11), At: tq.FromMilli(q.colInt(12)),
			Actor: q.colText(13), Hash: q.colBytes(14),
		}
		x.lane, x.grant = q.colInt(8), q.colInt(17)
		if err := readJSON(q.colText(15), &f.Detail); err != nil {
			return join(err, q.end())
		}
		if body := q.colText(16); body != "" {
			body = strings.Clone(body)
			f.Body = &body
		}
		w.Facts = append(w.Facts, f)
	}
	return q.end()
}

// place reads what the tables say of a task beyond its facts.
func (x *exporter) place(w *tq.Whole) error {
	last := w.Last()
	switch {
	case w.Asked == nil:
		return nil
	case last == nil:
		q := x.c.sql(selectInboxed).int(w.ID)
		if q.next() {
			w.Inbox = q.colText(1)
		}
		return q.end()
	case last.Status == tq.Blocked:
		q := x.c.sql(selectWaits).int(w.ID)
		for q.next() {
			w.Waits = append(w.Waits, tq.WholeWait{ID: q.colInt(0), Stuck: q.colBool(1)})
		}
		return q.end()
	case last.Status == tq.Running:
		return x.lease(w)
	}
	return nil
}

// told reads whether the dependants of a task still hear of what became of it.
func (x *exporter) told(w *tq.Whole) error {
	q := x.c.sql(selectTold).int(w.ID)
	if q.next() {
		told := q.colInt(0)
		w.Told = &told
	}
	return q.end()
}

func (x *exporter) lease(w *tq.Whole) error {
	q := x.c.sql(selectWholeHeld).int(x.grant)
	if q.next() {
		w.Lease = &tq.WholeLease{
			Worker: q.colText(0), Owner: q.colText(1), ClaimID: q.colText(2),
			Length: tq.Duration(time.Duration(q.colInt(3)) * time.Millisecond),
			Until:  tq.FromMilli(q.colInt(4)), Deadline: tq.FromMilli(q.colInt(5)),
		}
	}
	return q.end()
}

const (
	selectLoose = `select f.task_id from grants g cross join facts f on f.grant_id = g.id
		where f.status = 3 and not exists (select 1 from facts later where later.task_id = f.task_id and later.rev > f.rev)
		union select id from inbox order by 1`
	cursorPrefix = "kept_"
)

// Ledger reads what belongs to no single task.
func (s *Store) Ledger(ctx context.Context) (tq.Ledger, error) {
	var l tq.Ledger
	err := s.read(ctx, func(c *conn) error {
		lines, err := s.counted(c)
		if err != nil {
			return err
		}
		for _, n := range lines {
			l.Counts = append(l.Counts, *n)
		}
		if l.LastSeq, err = c.one(selectLastSeq); err != nil {
			return err
		}
		if l.LastID, err = c.one(selectLastTask); err != nil {
			return err
		}
		if l.Paused, err = readTexts(c.sql(selectPaused)); err != nil {
			return err
		}
		if l.Loose, err = readIDs(c.sql(selectLoose)); err != nil {
			return err
		}
		at, err := cursors(c)
		l.Cursors = make(map[string]int64, len(at))
		for name, seq := range at {
			l.Cursors[strings.TrimPrefix(name, cursorPrefix)] = seq
		}
		return err
	})
	if err == nil {
		l.Workers, err = s.Workers(ctx)
	}
	if err == nil {
		l.Tokens, err = s.Tokens(ctx)
	}
	return l, err
}

const selectBehind = `select child from edges where parent in (select value from json_each(?1))
	union select e.child from cascades c cross join edges e on e.parent = c.parent
	union select id from delayed where run_at <= ?2 order by 1`

// Behind answers which tasks may have changed without a fact of theirs.
func (s *Store) Behind(ctx context.Context, ids []int64) ([]int64, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	var behind []int64
	err = s.read(ctx, func(c *conn) error {
		behind, err = readIDs(c.sql(selectBehind).text(string(text)).int(s.now()))
		return err
	})
	return behind, err
}
