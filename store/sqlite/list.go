package sqlite

import "example.com/tq"

// Candidates for lists. Queue, type and project mean lanes, and each index that
// is walked begins with the lane; ended tasks are found through their facts,
// live ones in the narrow table they wait in, as long as that is short.

const (
	idsAll    = `select id from tasks where id < ? order by id desc limit ?`
	idsLane   = `select id from tasks where lane = ? and id < ? order by id desc limit ?`
	idsParent = `select id from tasks where parent = ? and id < ? order by id desc limit ?`
	idsKey    = `select id from tasks where key = ? and id < ? order by id desc limit ?`
	// The first condition is what lets the partial index facts_ended be used.
	idsEnded = `select task_id from facts where status >= 4 and status = ? and lane = ? and task_id < ?
		order by task_id desc limit ?`
	idsBlocked = `select id from blocked where id < ? order by id desc limit ?`

	someReady   = `select id, lane from ready where lane = ? limit ?`
	allReady    = `select id, lane from ready limit ?`
	someDue     = `select id, lane from delayed where run_at <= ? limit ?`
	someLater   = `select id, lane from delayed where run_at > ? limit ?`
	someBlocked = `select id, lane from blocked limit ?`
	// The order of a cross join stays as written: from the few grants to their facts.
	someHeld  = `select f.task_id, f.lane from grants g cross join facts f on f.grant_id = g.id limit ?`
	someInbox = `select id, lane from inbox limit ?`
)

func (l *listing) byKey(key string) fetch {
	return func(before int64, n int) ([]int64, error) {
		return readIDs(l.c.sql(idsKey).text(key).int(before).int(int64(n)))
	}
}

// byNumber fetches with a statement whose parameters are those numbers, then
// before, then the limit.
func (l *listing) byNumber(text string, numbers ...int64) fetch {
	return func(before int64, n int) ([]int64, error) {
		q := l.c.sql(text)
		for _, v := range numbers {
			q.int(v)
		}
		return readIDs(q.int(before).int(int64(n)))
	}
}

func readIDs(q *stmt) ([]int64, error) {
	var ids []int64
	for q.next() {
		ids = append(ids, q.colInt(0))
	}
	return ids, q.end()
}

// inLanes answers whether the query is confined to some lanes, and to which.
func (l *listing) inLanes() (confined bool, in []*lane, err error) {
	q := &l.q
	in, err = l.lanes.all(l.c, func(n *lane) bool {
		return (q.Queue == "" || q.Queue == n.queue) && (q.Type == "" || q.Type == n.typ) &&
			(q.Project == "" || q.Project == n.project)
	})
	return q.Queue != "" || q.Type != "" || q.Project != "", in, err
}

// walk is every task of the lanes.
func (l *listing) walk() (idStream, error) {
	confined, in, err := l.inLanes()
	if err != nil {
		return nil, err
	}
	if !confined {
		return newRun(l.q.Before, l.byNumber(idsAll)), nil
	}
	return l.perLane(in, func(n *lane) fetch { return l.byNumber(idsLane, n.id) })
}

// ended is every task that ever had that terminal status; one that was rescued
// meanwhile is left out when it is looked at.
func (l *listing) ended(s tq.Status) (idStream, error) {
	_, in, err := l.inLanes()
	if err != nil {
		return nil, err
	}
	return l.perLane(in, func(n *lane) fetch { return l.byNumber(idsEnded, statusCode(s), n.id) })
}

func (l *listing) perLane(in []*lane, f func(*lane) fetch) (idStream, error) {
	runs := make([]*run, len(in))
	for i, n := range in {
		runs[i] = newRun(l.q.Before, f(n))
	}
	return newMerge(runs)
}

func (l *listing) blocked() (idStream, error) {
	confined, in, err := l.inLanes()
	if err != nil {
		return nil, err
	}
	if !confined {
		return newRun(l.q.Before, l.byNumber(idsBlocked)), nil
	}
	c := newCollection(in)
	return l.collected(c, c.take(l.c.sql(someBlocked)))
}

func (l *listing) running() (idStream, error) {
	_, in, err := l.inLanes()
	if err != nil {
		return nil, err
	}
	c := newCollection(in)
	return l.collected(c, c.take(l.c.sql(someHeld)))
}

// waiting is pending and its labels. A due row of delayed is ready, whether it
// was moved already or not.
func (l *listing) waiting() (idStream, error) {
	confined, in, err := l.inLanes()
	if err != nil {
		return nil, err
	}
	c := newCollection(in)
	now := l.now.UnixMilli()
	if l.q.Status == string(tq.Pending) || l.q.Status == tq.Ready {
		err = l.takeReady(c, confined, in)
		if err == nil {
			err = c.take(l.c.sql(someDue).int(now))
		}
	}
	if err == nil && l.q.Status != tq.Ready {
		err = c.take(l.c.sql(someLater).int(now))
	}
	if err == nil {
		err = c.take(l.c.sql(someInbox))
	}
	return l.collected(c, err)
}

func (l *listing) takeReady(c *collection, confined bool, in []*lane) error {
	if !confined {
		return c.take(l.c.sql(allReady))
	}
	for _, n := range in {
		if err := c.take(l.c.sql(someReady).int(n.id)); err != nil {
			return err
		}
	}
	return nil
}

// collected is the stream of a collection, or a walk if that grew too long.
func (l *listing) collected(c *collection, err error) (idStream, error) {
	switch {
	case err != nil:
		return nil, err
	case c.full():
		return l.walk()
	}
	return listed(c.ids, l.q.Before), nil
}

// collection gathers ids of some lanes, in any order, from at most maxWalk rows.
type collection struct {
	lanes map[int64]bool
	ids   []int64
	rows  int
}

func newCollection(in []*lane) *collection {
	c := &collection{lanes: make(map[int64]bool, len(in))}
	for _, n := range in {
		c.lanes[n.id] = true
	}
	return c
}

func (c *collection) full() bool { return c.rows > maxWalk }

// take runs a statement whose last parameter is its limit.
func (c *collection) take(q *stmt) error {
	q.int(int64(maxWalk + 1 - min(c.rows, maxWalk)))
	for q.next() {
		c.rows++
		if c.lanes[q.colInt(1)] {
			c.ids = append(c.ids, q.colInt(0))
		}
	}
	return q.end()
}
