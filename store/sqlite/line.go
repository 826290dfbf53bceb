package sqlite

import (
	"cmp"
	"slices"
)

// What the writer keeps in memory of the ready tasks: for each lane that has
// any, the first few in their order, so that a claim reads no index to find out
// which comes next. It mirrors table ready and is dropped whenever somebody
// else has written (cache.go).

// spot is one row of ready.
type spot struct {
	prio, pos         int64
	id, rev, epoch    int64
	attempt, releases int64
	readyAt           int64
}

func (a *spot) compare(b *spot) int {
	return cmp.Or(cmp.Compare(a.prio, b.prio), cmp.Compare(a.pos, b.pos))
}

// line is the ready tasks of one lane.
type line struct {
	lane  *lane
	spots []spot // the first ones
	whole bool   // there are no others
	piece int64  // how many to read next
	at    int    // its index in its queue's lines
}

const (
	firstSpots = 2
	maxSpots   = 64 // spots kept of one line
)

const selectReady = `select prio, pos, id, rev, epoch, attempt, releases, ready_at from ready
	where lane = ? and (prio, pos) > (?, ?) order by prio, pos limit ?`

// spot answers the i-th task of the line, nil when it has no more.
func (l *line) spot(c *conn, i int) (*spot, error) {
	for i >= len(l.spots) && !l.whole {
		if err := l.read(c); err != nil {
			return nil, err
		}
	}
	if i >= len(l.spots) {
		return nil, nil
	}
	return &l.spots[i], nil
}

// read appends the next piece.
func (l *line) read(c *conn) error {
	prio, pos := int64(-1<<62), int64(0)
	if k := len(l.spots); k > 0 {
		prio, pos = l.spots[k-1].prio, l.spots[k-1].pos
	}
	l.piece = min(maxSpots, max(firstSpots, 4*l.piece))
	q := c.sql(selectReady).int(l.lane.id).int(prio).int(pos).int(l.piece)
	got := int64(0)
	for ; q.next(); got++ {
		l.spots = append(l.spots, spot{
			prio: q.colInt(0), pos: q.colInt(1), id: q.colInt(2), rev: q.colInt(3), epoch: q.colInt(4),
			attempt: q.colInt(5), releases: q.colInt(6), readyAt: q.colInt(7),
		})
	}
	l.whole = got < l.piece
	return q.end()
}

// insert notes a new row.
func (l *line) insert(s spot) {
	i, _ := slices.BinarySearchFunc(l.spots, s, func(a, b spot) int { return a.compare(&b) })
	if i == len(l.spots) && !l.whole {
		return
	}
	l.spots = slices.Insert(l.spots, i, s)
	if len(l.spots) > 2*maxSpots {
		l.spots, l.whole = l.spots[:maxSpots], false
	}
}

// remove notes that a row is gone.
func (l *line) remove(prio, pos int64) {
	i, found := slices.BinarySearchFunc(l.spots, spot{prio: prio, pos: pos}, func(a, b spot) int { return a.compare(&b) })
	switch {
	case !found:
	case i == 0:
		l.spots = l.spots[1:]
	default:
		l.spots = slices.Delete(l.spots, i, i+1)
	}
}

func (l *line) empty() bool { return l.whole && len(l.spots) == 0 }

// lines are those of all lanes that may have ready tasks, by queue.
type lines struct {
	byLane map[int64]*line
	queues map[string][]*line
	names  []string // of the queues, sorted
}

func newLines() *lines {
	return &lines{byLane: make(map[int64]*line), queues: make(map[string][]*line)}
}

// open answers the line of a lane. One that is not there yet is as the table
// says: empty, or not read yet.
func (ls *lines) open(n *lane, whole bool) *line {
	if l := ls.byLane[n.id]; l != nil {
		return l
	}
	all := ls.queues[n.queue]
	if len(all) == 0 {
		i, _ := slices.BinarySearch(ls.names, n.queue)
		ls.names = slices.Insert(ls.names, i, n.queue)
	}
	l := &line{lane: n, whole: whole, at: len(all)}
	ls.byLane[n.id] = l
	ls.queues[n.queue] = append(all, l)
	return l
}

// drop forgets a line that is empty.
func (ls *lines) drop(l *line) {
	delete(ls.byLane, l.lane.id)
	all := ls.queues[l.lane.queue]
	last := all[len(all)-1]
	all[l.at], last.at = last, l.at
	all[len(all)-1] = nil
	all = all[:len(all)-1]
	if len(all) > 0 {
		ls.queues[l.lane.queue] = all
		return
	}
	delete(ls.queues, l.lane.queue)
	if i, found := slices.BinarySearch(ls.names, l.lane.queue); found {
		ls.names = slices.Delete(ls.names, i, i+1)
	}
}
