package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// Lists of tasks. Each filter has a stream of candidates that is much shorter
// than the table (list.go); a candidate is read, held against the whole query
// and left out or shown. A walk that finds too little ends after maxWalk rows
// with a short page, or earlier when they take too long.

const (
	maxWalk   = 20_000   // candidates looked at for one page
	minWalk   = 100      // so many at least, however long they take
	maxSearch = 64 << 20 // bytes searched for one page
	// walkTime is how long a walk may take, by the store's clock.
	walkTime = 60 * time.Millisecond
)

// Tasks reads tasks, newest first, in one snapshot.
func (s *Store) Tasks(ctx context.Context, q tq.TaskQuery) (tq.TaskPage, error) {
	var page tq.TaskPage
	err := s.read(ctx, func(c *conn) error {
		l := &listing{q: q, taskReader: s.taskReader(c), clock: s.info.Now}
		l.payload, l.only = q.Payload || q.Search != "" || q.Where.WantsPayload(), q.Only
		ids, err := l.candidates()
		if err == nil {
			page, err = l.page(ids)
		}
		return err
	})
	return page, err
}

func (s *Store) taskReader(c *conn) taskReader {
	return taskReader{c: c, lanes: s.lanes, now: s.info.Now()}
}

// listing is one TaskQuery being answered.
type listing struct {
	taskReader
	q     tq.TaskQuery
	clock func() time.Time
	bytes int // searched so far
}

func (l *listing) limit() int {
	if len(l.q.IDs) > 0 {
		return len(l.q.IDs)
	}
	return min(cmp.Or(max(0, l.q.Limit), tq.DefaultPage), tq.MaxPage)
}

// page takes candidates until it is full, they end, or the walk has been long
// enough.
func (l *listing) page(ids idStream) (tq.TaskPage, error) {
	var p tq.TaskPage
	last := int64(0)
	for looked := 0; ; looked++ {
		c, err := ids.next()
		if err != nil || c.id == 0 {
			return p, err
		}
		if l.enough(looked) {
			p.More, p.Next = true, last
			if len(p.Tasks) < l.limit() {
				p.Searched = looked
			}
			return p, nil
		}
		t, err := l.look(c)
		if err != nil {
			return p, err
		}
		if t != nil && len(p.Tasks) == l.limit() {
			p.More, p.Next = true, p.Tasks[len(p.Tasks)-1].ID
			return p, nil
		}
		if t != nil {
			p.Tasks = append(p.Tasks, *t)
		}
		last = c.id
	}
}

// enough reports whether a walk has been long enough.
func (l *listing) enough(looked int) bool {
	const pace = 20 // candidates between two looks at the clock
	switch {
	case len(l.q.IDs) > 0:
		return false // who names tasks is answered for each, however long it takes
	case looked >= maxWalk || l.bytes > maxSearch:
		return true
	case looked < minWalk || looked%pace != 0:
		return false
	}
	return l.clock().Sub(l.now) > walkTime
}

// look reads one candidate; nil when the query does not select it.
func (l *listing) look(c candidate) (*tq.Task, error) {
	if c.standing != 0 && !l.mayStandAs(c.standing.status(), c.standing.retried()) {
		return nil, nil
	}
	row, err := l.row(c.id)
	if err != nil || row == nil || !l.asked(&row.task) {
		return nil, err
	}
	t, err := l.fill(row, l.mayStand)
	if err != nil || t == nil || !l.stands(t) || !l.has(t) || !l.picks(t, row.deps) {
		return nil, err
	}
	if !l.q.Payload {
		t.Payload, t.Result = nil, nil
	}
	if l.q.Relation {
		err = l.relations(t, row.deps)
	}
	return t, err
}

// asked holds what never changes against the query.
func (l *listing) asked(t *tq.Task) bool {
	q := &l.q
	return q.Only.Sees(t.Queue, t.Type) &&
		(q.Queue == "" || q.Queue == t.Queue) &&
		(q.Type == "" || q.Type == t.Type) &&
		(q.Project == "" || q.Project == t.Project) &&
		(q.Parent == 0 || q.Parent == t.Parent) &&
		(q.Key == "" || q.Key == t.IdempotencyKey)
}

// mayStand holds the status against the query, before run_at is known.
func (l *listing) mayStand(t *tq.Task) bool { return l.mayStandAs(t.Status, t.Attempt > 0) }

func (l *listing) mayStandAs(s tq.Status, retried bool) bool {
	switch l.q.Status {
	case "":
		return true
	case tq.Retrying:
		return s == tq.Pending && retried
	case tq.Ready, tq.Scheduled:
		return s == tq.Pending
	}
	return string(s) == l.q.Status
}

// stands holds the label against the query. What is retrying is scheduled too.
func (l *listing) stands(t *tq.Task) bool {
	switch label := t.Label(l.now); l.q.Status {
	case tq.Scheduled:
		return label == tq.Scheduled || label == tq.Retrying
	case tq.Ready, tq.Retrying:
		return label == l.q.Status
	}
	return true
}

// has searches the payload and the last error.
func (l *listing) has(t *tq.Task) bool {
	if l.q.Search == "" {
		return true
	}
	l.bytes += len(t.Payload) + len(t.LastError)
	return strings.Contains(string(t.Payload), l.q.Search) || strings.Contains(t.LastError, l.q.Search)
}

// picks asks the filter of the query.
func (l *listing) picks(t *tq.Task, deps []int64) bool {
	where := l.q.Where
	if where == nil {
		return true
	}
	if where.WantsDeps() {
		for _, id := range deps {
			t.Deps = append(t.Deps, tq.Dep{ID: id})
		}
		defer func() { t.Deps = nil }()
	}
	if where.WantsPayload() {
		l.bytes += len(t.Payload)
	}
	return where.Picks(t, l.now)
}

// candidates picks the shortest stream that holds all the query selects.
func (l *listing) candidates() (idStream, error) {
	q := &l.q
	switch {
	case len(q.IDs) > 0:
		return listed(slices.Clone(q.IDs), 0), nil
	case q.Key != "":
		return newRun(q.Before, l.byKey(q.Key)), nil
	case q.Parent != 0:
		return newRun(q.Before, l.byNumber(idsParent, q.Parent)), nil
	}
	s, err := l.scope()
	if err != nil {
		return nil, err
	}
	switch {
	case q.Status == "":
		return l.walk(s)
	case q.Cause != "" && q.Status == string(tq.Dead):
		return l.died(s)
	}
	if err := l.count(s); err != nil {
		return nil, err
	}
	switch status := tq.Status(q.Status); {
	case status.Terminal():
		return l.ended(s, status)
	case status == tq.Blocked:
		return l.blocked(s)
	case status == tq.Running:
		return l.running(s)
	}
	return l.waiting(s)
}
