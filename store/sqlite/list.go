package sqlite

import (
	"slices"

	"example.com/tq"
)

// Candidates for lists. Queue, type and project mean lanes, and each index that
// is walked begins with the lane; ended tasks are found through their facts,
// live ones in the narrow table they wait in, as long as that is short. If it
// is not, such tasks are many, and a walk from the newest soon meets some.

const (
	// maxListed is how many rows of a narrow table are enumerated for one page.
	maxListed = 5_000
	// maxHeld is how many tasks that run are: an index has them all.
	maxHeld = 20_000
)

const (
	idsAll  = `select id, 0 from tasks where id < ? order by id desc limit ?`
	idsLane = `select id, 0 from tasks where lane = ? and id < ? order by id desc limit ?`
	// The same with how each task stands; none in the inbox has a fact yet.
	standsAs = `select id, ifnull((select status * 2 + (attempt > 0) from facts where task_id = t.id order by rev desc limit 1), 4)`
	someAll  = standsAs + ` from tasks t where id < ? order by id desc limit ?`
	someLane = standsAs + ` from tasks t where lane = ? and id < ? order by id desc limit ?`

	idsParent = `select id, 0 from tasks where parent = ? and id < ? order by id desc limit ?`
	idsKey    = `select id, 0 from tasks where key = ? and id < ? order by id desc limit ?`
	// The first condition is what lets the partial index facts_ended be used.
	idsEnded = `select task_id, 0 from facts where status >= 4 and status = ? and lane = ? and task_id < ?
		order by task_id desc limit ?`
	// Dead tasks by what they died of, and those of which that is not known yet.
	idsCause   = `select id, 0 from dead where cause = ? and cause is not null and lane = ? and id < ? order by id desc limit ?`
	idsUnnamed = `select id, 0 from dead where cause is null and id < ? order by id desc limit ?`
	idsBlocked = `select id, 0 from blocked where id < ? order by id desc limit ?`

	// The newest of each of some lanes, in one statement for all of them.
	headsLane = `select l.value, (select id from tasks where lane = l.value and id < ?1 order by id desc limit 1)
		from json_each(?2) l`
	headsEnded = `select l.value, (select task_id from facts where status >= 4 and status = ?3 and lane = l.value and task_id < ?1
		order by task_id desc limit 1) from json_each(?2) l`
	headsCause = `select l.value, (select id from dead where cause = ?3 and cause is not null and lane = l.value and id < ?1
		order by id desc limit 1) from json_each(?2) l`

	lanesReady = `select r.id, r.lane from json_each(?) l cross join ready r on r.lane = l.value limit ?`
	allReady   = `select id, lane from ready limit ?`
	someDue    = `select id, lane from delayed where run_at <= ? limit ?`
	someLater  = `select id, lane from delayed where run_at > ? limit ?`
	allBlocked = `select id, lane from blocked limit ?`
	// The order of a cross join stays as written: from the few grants to their facts.
	allHeld  = `select f.task_id, f.lane from grants g cross join facts f on f.grant_id = g.id limit ?`
	allInbox = `select id, lane from inbox limit ?`
)

// standing is a status and whether an attempt is behind it, in one number.
type standing int64

func (s standing) status() tq.Status { return statusOf(int64(s) / 2) }
func (s standing) retried() bool     { return s%2 == 1 }

func (l *listing) byKey(key string) fetch {
	return func(before int64, n int) ([]candidate, error) {
		return readCandidates(l.c.sql(idsKey).text(key).int(before).int(int64(n)))
	}
}

// byNumber fetches with a statement whose parameters are those numbers, then
// before, then the limit.
func (l *listing) byNumber(text string, numbers ...int64) fetch {
	return func(before int64, n int) ([]candidate, error) {
		q := l.c.sql(text)
		for _, v := range numbers {
			q.int(v)
		}
		return readCandidates(q.int(before).int(int64(n)))
	}
}

func readIDs(q *stmt) ([]int64, error) {
	var ids []int64
	for q.next() {
		ids = append(ids, q.colInt(0))
	}
	return ids, q.end()
}

func readCandidates(q *stmt) ([]candidate, error) {
	var all []candidate
	for q.next() {
		all = append(all, candidate{q.colInt(0), standing(q.colInt(1))})
	}
	return all, q.end()
}

// scope is the lanes that a query is confined to, and how many tasks they have.
type scope struct {
	confined bool
	lanes    []*lane
	ids      map[int64]bool
	ended    map[int64]bool // those that have tasks which ended as the query asks
	here     tq.LineCount   // of these lanes
	all      tq.LineCount   // of all lanes
}

// laneList lists lanes as a statement takes them.
func laneList(lanes []*lane) string {
	ids := make([]int64, len(lanes))
	for i, n := range lanes {
		ids[i] = n.id
	}
	return listOf(ids)
}

func (l *listing) scope() (*scope, error) {
	q := &l.q
	in, err := l.lanes.all(l.c, func(n *lane) bool {
		return q.Only.Sees(n.queue, n.typ) && (q.Queue == "" || q.Queue == n.queue) && (q.Type == "" || q.Type == n.typ) &&
			(q.Project == "" || q.Project == n.project)
	})
	s := &scope{
		confined: q.Queue != "" || q.Type != "" || q.Project != "" || q.Only != nil,
		lanes:    in, ids: make(map[int64]bool, len(in)),
	}
	for _, n := range in {
		s.ids[n.id] = true
	}
	return s, err
}

// count reads the counters.
func (l *listing) count(s *scope) error {
	ended := bucketOf(tq.Status(l.q.Status))
	s.ended = make(map[int64]bool)
	q := l.c.sql(selectCounters)
	for q.next() {
		lane, b, n := q.colInt(0), q.colInt(1), q.colInt(2)
		*bucket(&s.all, b) += n
		if s.ids[lane] {
			*bucket(&s.here, b) += n
			s.ended[lane] = s.ended[lane] || b == ended && n > 0
		}
	}
	return q.end()
}

// walk is every task of the lanes.
func (l *listing) walk(s *scope) (idStream, error) {
	all, lane := idsAll, idsLane
	if l.q.Status != "" {
		all, lane = someAll, someLane
	}
	if !s.confined {
		return newRun(l.q.Before, l.byNumber(all)), nil
	}
	heads := l.headsOf(headsLane, l.q.Before, laneList(s.lanes))
	return l.perLane(heads, func(n int64) fetch { return l.byNumber(lane, n) })
}

// ended is every task that ever had that terminal status; one that was rescued
// meanwhile is left out when it is looked at. Of all lanes, of which there may be
// thousands, it comes to that only when the newest tasks do not fill the page.
func (l *listing) ended(s *scope, status tq.Status) (idStream, error) {
	if *bucket(&s.here, bucketOf(status)) == 0 {
		return listed(nil, 0), nil
	}
	inLanes := func(before int64) (idStream, error) {
		lanes := slices.DeleteFunc(s.lanes, func(n *lane) bool { return !s.ended[n.id] })
		heads := l.headsOf(headsEnded, before, laneList(lanes)).int(statusCode(status))
		return l.perLane(heads, func(n int64) fetch { return l.byNumber(idsEnded, statusCode(status), n) })
	}
	if s.confined {
		return inLanes(l.q.Before)
	}
	const recent = 4 // pages
	return &relay{first: newRun(l.q.Before, l.byNumber(someAll)), left: recent * l.limit(), then: inLanes}, nil
}

// died is every dead task of one cause, and those whose cause has no name yet.
func (l *listing) died(s *scope) (idStream, error) {
	heads := l.headsOf(headsCause, l.q.Before, laneList(s.lanes)).text(l.q.Cause)
	runs, err := l.runsOf(heads, func(lane int64) fetch {
		return func(before int64, n int) ([]candidate, error) {
			return readCandidates(l.c.sql(idsCause).text(l.q.Cause).int(lane).int(before).int(int64(n)))
		}
	})
	if err != nil {
		return nil, err
	}
	return newMerge(append(runs, newRun(l.q.Before, l.byNumber(idsUnnamed))))
}

// headsOf begins a statement that answers the newest task of each lane.
func (l *listing) headsOf(text string, before int64, lanes string) *stmt {
	return l.c.sql(text).int(below(before)).text(lanes)
}

// perLane merges the lanes. Their heads come from one statement, since of
// thousands of lanes a page takes from few.
func (l *listing) perLane(heads *stmt, f func(lane int64) fetch) (idStream, error) {
	runs, err := l.runsOf(heads, f)
	if err != nil {
		return nil, err
	}
	return newMerge(runs)
}

func (l *listing) runsOf(heads *stmt, f func(lane int64) fetch) ([]*run, error) {
	var runs []*run
	for heads.next() {
		if id := heads.colInt(1); id != 0 {
			runs = append(runs, begun(id, f(heads.colInt(0))))
		}
	}
	return runs, heads.end()
}

func (l *listing) blocked(s *scope) (idStream, error) {
	if !s.confined {
		return newRun(l.q.Before, l.byNumber(idsBlocked)), nil
	}
	c := &collection{scope: s, most: maxListed}
	if c.expects(s.here.Blocked, s.all.Blocked) {
		return l.collected(c, c.take(l.c.sql(allBlocked)))
	}
	return l.collected(c, nil)
}

func (l *listing) running(s *scope) (idStream, error) {
	c := &collection{scope: s, most: maxHeld}
	if c.expects(s.here.Running, s.all.Running) {
		return l.collected(c, c.take(l.c.sql(allHeld)))
	}
	return l.collected(c, nil)
}

// waiting is pending and its labels. A due row of delayed is ready, whether it
// was moved already or not.
func (l *listing) waiting(s *scope) (idStream, error) {
	c := &collection{scope: s, most: maxListed}
	now := l.now.UnixMilli()
	var err error
	if l.q.Status == string(tq.Pending) || l.q.Status == tq.Ready {
		if c.expects(s.here.Ready, s.here.Ready) {
			err = l.takeReady(c)
		}
		if err == nil {
			err = c.take(l.c.sql(someDue).int(now))
		}
	}
	later := s.here.Scheduled
	if l.q.Status == tq.Retrying {
		later = s.here.Retrying
	}
	if err == nil && l.q.Status != tq.Ready && c.expects(later, s.all.Scheduled) {
		err = c.take(l.c.sql(someLater).int(now))
	}
	if err == nil {
		err = c.take(l.c.sql(allInbox))
	}
	return l.collected(c, err)
}

func (l *listing) takeReady(c *collection) error {
	if !c.scope.confined {
		return c.take(l.c.sql(allReady))
	}
	return c.take(l.c.sql(lanesReady).text(laneList(c.scope.lanes)))
}

// collected is the stream of a collection, or a walk if that grew too long.
func (l *listing) collected(c *collection, err error) (idStream, error) {
	switch {
	case err != nil:
		return nil, err
	case c.full():
		return l.walk(c.scope)
	}
	return listed(c.ids, l.q.Before), nil
}

// collection gathers ids of some lanes, in any order, from at most so many rows.
type collection struct {
	scope *scope
	most  int64
	ids   []int64
	rows  int64
}

func (c *collection) full() bool { return c.rows > c.most }

// expects says how many rows of these lanes a table has, and how many of it
// would have to be read. It answers whether that is worth it.
func (c *collection) expects(here, read int64) bool {
	switch {
	case here == 0 || c.full():
		return false
	case c.rows+read > c.most:
		c.rows = c.most + 1
		return false
	}
	return true
}

// take runs a statement whose last parameter is its limit.
func (c *collection) take(q *stmt) error {
	q.int(max(0, c.most+1-c.rows))
	for q.next() {
		c.rows++
		if c.scope.ids[q.colInt(1)] {
			c.ids = append(c.ids, q.colInt(0))
		}
	}
	return q.end()
}
