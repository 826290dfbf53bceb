package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/tq"
)

// Counts and the registry of workers.

// The buckets of the table counters.
const (
	countReady = iota + 1
	countScheduled
	countRetrying // of the scheduled
	countBlocked
	countStuck // of the blocked
	countRunning
	countCompleted
	countDead
	countCancelled
)

const (
	selectCounters = `select lane, bucket, n from counters`
	selectPaused   = `select queue from paused order by queue`
	selectDue      = `select lane, run_at, attempt from delayed where run_at <= ? limit ?`
	// The first few of each priority of some lanes: what was given back stands
	// before those that have been ready for longer.
	selectHeads = `with recursive heads (lane, prio, n) as (
			select l.value, (select prio from ready where lane = l.value order by prio limit 1), 1 from json_each(?1) l
			union all
			select h.lane, (select prio from ready where lane = h.lane and prio > h.prio order by prio limit 1), h.n + 1
				from heads h where h.prio is not null and h.n < ?2)
		select h.lane, (select min(ready_at) from (select ready_at from ready where lane = h.lane and prio = h.prio order by pos limit ?3))
		from heads h where h.prio is not null`

	selectWorkers = `select id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at
		from workers order by seen_at desc, id`
	// From the grants, of which there are never more than running tasks.
	selectRunning = `select g.worker, f.task_id from grants g cross join facts f on f.grant_id = g.id
		where f.status = 3
			and not exists (select 1 from facts later where later.task_id = f.task_id and later.rev > f.rev)
		limit ?`
)

const (
	maxPrios   = 64      // priorities of one lane looked at for its oldest ready task
	maxHeads   = 32      // tasks of each, fewer when there are so many lanes that all would be more than
	allHeads   = 20_000  // for one priority of each
	maxRunning = 100_000 // running tasks shown in the registry
)

// Queues counts everything, from the counters that the writer keeps.
func (s *Store) Queues(ctx context.Context) (tq.Census, error) {
	var out tq.Census
	err := s.read(ctx, func(c *conn) error {
		lines, err := s.counted(c)
		if err == nil {
			err = s.oldestReady(c, lines)
		}
		if err == nil {
			err = countDue(c, lines, s.now())
		}
		if err != nil {
			return err
		}
		for _, n := range lines {
			out.Lines = append(out.Lines, *n)
		}
		out.Paused, err = readTexts(c.sql(selectPaused))
		return err
	})
	slices.SortFunc(out.Lines, func(a, b tq.LineCount) int {
		return cmp.Or(strings.Compare(a.Queue, b.Queue), strings.Compare(a.Type, b.Type), strings.Compare(a.Project, b.Project))
	})
	return out, err
}

func readTexts(q *stmt) ([]string, error) {
	var out []string
	for q.next() {
		out = append(out, q.colText(0))
	}
	return out, q.end()
}

// counted answers the counters of every lane, by its id.
func (s *Store) counted(c *conn) (map[int64]*tq.LineCount, error) {
	all, err := s.lanes.all(c, func(*lane) bool { return true })
	if err != nil {
		return nil, err
	}
	lines := make(map[int64]*tq.LineCount, len(all))
	for _, n := range all {
		lines[n.id] = &tq.LineCount{Queue: n.queue, Type: n.typ, Project: n.project}
	}
	q := c.sql(selectCounters)
	for q.next() {
		if n := lines[q.colInt(0)]; n != nil {
			*bucket(n, q.colInt(1)) = q.colInt(2)
		}
	}
	return lines, q.end()
}

func bucket(n *tq.LineCount, b int64) *int64 {
	switch b {
	case countReady:
		return &n.Ready
	case countScheduled:
		return &n.Scheduled
	case countRetrying:
		return &n.Retrying
	case countBlocked:
		return &n.Blocked
	case countStuck:
		return &n.BlockedByDead
	case countRunning:
		return &n.Running
	case countCompleted:
		return &n.Completed
	case countDead:
		return &n.Dead
	case countCancelled:
		return &n.Cancelled
	}
	return new(int64)
}

// countDue moves what has come due, but not been moved by a writer yet, to the
// ready ones. Of a large wave it sees the first part.
func countDue(c *conn, lines map[int64]*tq.LineCount, now int64) error {
	q := c.sql(selectDue).int(now).int(maxWalk)
	for q.next() {
		n := lines[q.colInt(0)]
		if n == nil {
			continue
		}
		n.Ready++
		n.Scheduled--
		if q.colInt(2) > 0 {
			n.Retrying--
		}
		older(n, q.colInt(1))
	}
	return q.end()
}

// oldestReady looks at the heads of each priority of each lane.
func (s *Store) oldestReady(c *conn, lines map[int64]*tq.LineCount) error {
	var in []int64
	for id, n := range lines {
		if n.Ready > 0 {
			in = append(in, id)
		}
	}
	if len(in) == 0 {
		return nil
	}
	slices.Sort(in)
	heads := max(1, min(maxHeads, allHeads/int64(len(in))))
	q := c.sql(selectHeads).text(listOf(in)).int(maxPrios).int(heads)
	for q.next() {
		older(lines[q.colInt(0)], q.colInt(1))
	}
	return q.end()
}

func older(n *tq.LineCount, ms int64) {
	if at := tq.FromMilli(ms); n.OldestReady.IsZero() || at.Before(n.OldestReady.Time) {
		n.OldestReady = at
	}
}

// Workers lists the registry, newest seen first.
func (s *Store) Workers(ctx context.Context) ([]tq.WorkerRow, error) {
	var out []tq.WorkerRow
	err := s.read(ctx, func(c *conn) error {
		rows, err := readWorkers(c)
		if err != nil || len(rows) == 0 {
			return err
		}
		running, err := readRunning(c)
		for i := range rows {
			rows[i].Running = running[rows[i].ID]
			slices.Sort(rows[i].Running)
		}
		out = rows
		return err
	})
	return out, err
}

// readRunning answers the running tasks by the id of who holds them.
func readRunning(c *conn) (map[string][]int64, error) {
	held := make(map[string][]int64)
	q := c.sql(selectRunning).int(maxRunning)
	for q.next() {
		worker := q.colText(0)
		held[worker] = append(held[worker], q.colInt(1))
	}
	return held, q.end()
}

func readWorkers(c *conn) ([]tq.WorkerRow, error) {
	var out []tq.WorkerRow
	q := c.sql(selectWorkers)
	for q.next() {
		w := tq.WorkerRow{Owner: q.colText(4), StartedAt: tq.FromMilli(q.colInt(9)), SeenAt: tq.FromMilli(q.colInt(10))}
		w.ID, w.Name, w.Host, w.Version = q.colText(0), q.colText(1), q.colText(2), q.colText(3)
		w.Slots, w.Draining = int(q.colInt(7)), q.colBool(8)
		err := readJSON(q.colText(5), &w.Types)
		if err == nil {
			err = readJSON(q.colText(6), &w.Queues)
		}
		if err != nil {
			return nil, join(err, q.end())
		}
		out = append(out, w)
	}
	return out, q.end()
}
