package postgres

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Which rows a claim wants: from the heads of the lines to how many of each.

// line is one half of a lane's line.
type line struct {
	lane int32
	back int16
}

type headRow struct {
	line
	pos int64
}

// choice is how many to take of one line.
type choice struct {
	line
	n int64
}

// choose decides how many of want tasks to take of each line: in each queue high priority
// first, then who is ready longest; the queues in turn, in the order of their
// names behind the one that was served last.
func (c *claiming) choose(want int) ([]choice, error) {
	heads := slices.DeleteFunc(c.heads, func(h headRow) bool {
		return slices.Contains(c.paused, c.Store.lanes.get(h.lane).name.queue)
	})
	if len(heads) == 0 {
		return nil, nil
	}
	if len(heads) == 1 {
		return []choice{{heads[0].line, int64(want)}}, nil
	}
	rows := heads
	if want > 1 {
		var err error
		if rows, err = c.firstRows(heads, want); err != nil {
			return nil, err
		}
	}
	return c.inTurn(rows, want), nil
}

// firstRows reads up to want rows of every line that can matter: those whose
// head is among the first so many heads of their queue.
func (c *claiming) firstRows(heads []headRow, want int) ([]headRow, error) {
	var lanes []int32
	var backs []int16
	var after []int64
	for _, queue := range c.byQueue(heads) {
		for _, h := range queue.rows[:min(len(queue.rows), want)] {
			lanes, backs, after = append(lanes, h.lane), append(backs, h.back), append(after, h.pos-1)
		}
	}
	rows, err := c.conn.Query(c.ctx, c.texts.of(selectFirst), lanes, backs, after, want)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (headRow, error) {
		var h headRow
		return h, r.Scan(&h.lane, &h.back, &h.pos)
	})
}

type queueRows struct {
	name string
	rows []headRow
}

// byQueue groups rows by queue, in turn behind the one that was served last,
// each in the order of its line.
func (c *claiming) byQueue(rows []headRow) []queueRows {
	groups := map[string]*queueRows{}
	for _, h := range rows {
		name := c.Store.lanes.get(h.lane).name.queue
		if groups[name] == nil {
			groups[name] = &queueRows{name: name}
		}
		groups[name].rows = append(groups[name].rows, h)
	}
	var out []queueRows
	for _, g := range groups {
		slices.SortFunc(g.rows, func(a, b headRow) int {
			return cmp.Or(cmp.Compare(c.Store.lanes.get(b.lane).name.prio, c.Store.lanes.get(a.lane).name.prio), cmp.Compare(a.pos, b.pos))
		})
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b queueRows) int { return strings.Compare(a.name, b.name) })
	behind, _ := slices.BinarySearchFunc(out, c.q.After+"\x00", func(g queueRows, name string) int { return strings.Compare(g.name, name) })
	return slices.Concat(out[behind:], out[:behind])
}

func (c *claiming) inTurn(rows []headRow, left int) []choice {
	counts := map[line]int64{}
	queues := c.byQueue(rows)
	for turn := 0; left > 0; turn++ {
		before := left
		for _, g := range queues {
			if turn < len(g.rows) && left > 0 {
				counts[g.rows[turn].line]++
				left--
			}
		}
		if left == before {
			break
		}
	}
	var out []choice
	for l, n := range counts {
		out = append(out, choice{l, n})
	}
	return out
}
