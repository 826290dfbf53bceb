package sqlite

import (
	"cmp"
	"math"
	"slices"
	"time"

	"example.com/tq"
)

// Which tasks a claim gets: in each queue the highest priority first, then who
// is ready longest; several queues in turn, one task each, in the order of
// their names behind the one that was served last (spec S22, S47).

// walker goes along one line without taking anything yet.
type walker struct {
	*line
	i int
}

// pick chooses up to q.Max ready tasks.
func (n *turn) pick(q *tq.ClaimQuery) ([]pick, error) {
	queues := n.walkers(q)
	var picked []pick
	for len(picked) < q.Max && len(queues) > 0 {
		left := queues[:0]
		for _, walkers := range queues {
			if len(picked) == q.Max {
				break
			}
			p, err := n.best(walkers)
			if err != nil {
				return nil, err
			}
			if p == nil {
				continue
			}
			picked = append(picked, *p)
			left = append(left, walkers)
		}
		queues = left
	}
	return picked, nil
}

// walkers answers those of each queue that has lines q asks for.
func (n *turn) walkers(q *tq.ClaimQuery) [][]walker {
	names := n.cache.lines.names
	if len(q.Queues) > 0 {
		names = slices.Sorted(slices.Values(q.Queues))
		names = slices.Compact(names)
	}
	behind, found := slices.BinarySearch(names, q.After)
	if found {
		behind++
	}
	var all [][]walker
	for i := range names {
		name := names[(behind+i)%len(names)]
		if n.cache.paused[name] {
			continue
		}
		var walkers []walker
		for _, l := range n.cache.lines.queues[name] {
			if wanted(l.lane, q) {
				walkers = append(walkers, walker{line: l})
			}
		}
		if len(walkers) > 0 {
			all = append(all, walkers)
		}
	}
	return all
}

// wanted reports whether q asks for tasks of that type and project.
func wanted(n *lane, q *tq.ClaimQuery) bool {
	switch {
	case q.Project != "" && q.Project != n.project,
		!q.Only.Sees(n.queue, n.typ),
		len(q.Types) > 0 && !slices.Contains(q.Types, n.typ),
		len(q.Types) == 0 && slices.Contains(q.NotTypes, n.typ):
		return false
	}
	return true
}

// best takes the task that comes first of all the lines of a queue; nil when
// there is none.
func (n *turn) best(walkers []walker) (*pick, error) {
	var first *walker
	var at *spot
	for i := range walkers {
		w := &walkers[i]
		s, err := w.spot(n.c, w.i)
		if err != nil {
			return nil, err
		}
		if s != nil && (at == nil || s.compare(at) < 0) {
			first, at = w, s
		}
	}
	if first == nil {
		return nil, nil
	}
	first.i++
	return &pick{spot: *at, lane: first.lane}, nil
}

// dueLook is how many scheduled tasks a claim that got nothing looks at for the
// next that concerns it.
const dueLook = 100

const selectNextDue = `select run_at, lane from delayed order by run_at limit ?`

// nextOf is how long until the next task that q asks for is due, 0 for none. It
// may be too short when many others are due before.
func (n *turn) nextOf(q *tq.ClaimQuery) (time.Duration, error) {
	if n.cache.delayed == never {
		return 0, nil
	}
	rows := n.c.sql(selectNextDue).int(dueLook)
	seen, runAt := 0, int64(math.MaxInt64)
	for rows.next() {
		seen++
		id := rows.colInt(1)
		l, err := n.lane(id)
		if err != nil {
			return 0, cmp.Or(rows.end(), err)
		}
		if seen == dueLook || n.claims(l, q) {
			runAt = rows.colInt(0)
			break
		}
	}
	if err := rows.end(); err != nil || runAt == math.MaxInt64 {
		return 0, err
	}
	return msDuration(max(1, runAt-n.now)), nil
}

// claims reports whether q would take tasks of that lane.
func (n *turn) claims(l *lane, q *tq.ClaimQuery) bool {
	return !n.cache.paused[l.queue] && (len(q.Queues) == 0 || slices.Contains(q.Queues, l.queue)) && wanted(l, q)
}
