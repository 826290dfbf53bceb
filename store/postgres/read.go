package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Lists of tasks. Each filter has a stream of candidates that is much shorter
// than the table (list.go); they are read in pieces, held against the whole
// query and left out or shown. A walk that finds too little ends after maxWalk
// rows with a short page, or earlier when they take too long.

const (
	maxWalk    = 20_000 // candidates looked at for one page
	minWalk    = 100    // so many at least, however long they take
	firstPiece = 64
	maxPiece   = 1_000
	// walkTime is how long a walk may take before it reads no further piece.
	walkTime = 60 * time.Millisecond
)

// Tasks reads tasks, newest first, in one snapshot.
func (s *Store) Tasks(ctx context.Context, q tq.TaskQuery) (tq.TaskPage, error) {
	var page tq.TaskPage
	err := s.read(ctx, func(tx pgx.Tx) error {
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		l := &listing{taskReader: r, q: q, begun: s.wall()}
		l.payload = q.Payload || q.Search != "" || q.Where.WantsPayload()
		if page, err = l.page(); err != nil {
			return err
		}
		page.Tasks, err = l.tell()
		return err
	})
	return page, err
}

// listing is one TaskQuery being answered.
type listing struct {
	*taskReader
	q     tq.TaskQuery
	begun time.Time
	found []shown // so far
}

func (l *listing) limit() int {
	if len(l.q.IDs) > 0 {
		return len(l.q.IDs)
	}
	return min(cmp.Or(max(0, l.q.Limit), tq.DefaultPage), tq.MaxPage)
}

// page finds candidates until it is full, they end, or the walk has been long
// enough, and says how it ended.
func (l *listing) page() (tq.TaskPage, error) {
	var p tq.TaskPage
	next, err := l.candidates()
	if err != nil {
		return p, err
	}
	before, looked, piece := cmp.Or(l.q.Before, math.MaxInt64), 0, firstPiece
	for {
		ids, err := next(before, piece)
		if err != nil || len(ids) == 0 {
			return p, err
		}
		tasks, err := l.tasks(ids)
		if err != nil {
			return p, err
		}
		for i := range tasks {
			if !l.selects(&tasks[i].Task) || !l.picks(&tasks[i]) {
				continue
			}
			if len(l.found) == l.limit() {
				p.More, p.Next = true, l.found[len(l.found)-1].ID
				return p, nil
			}
			l.found = append(l.found, tasks[i])
		}
		before, looked = ids[len(ids)-1], looked+len(ids)
		if l.enough(looked) {
			p.More, p.Next, p.Searched = true, before, looked
			return p, nil
		}
		piece = min(2*piece, maxPiece)
	}
}

// enough reports whether a walk has been long enough.
func (l *listing) enough(looked int) bool {
	switch {
	case len(l.q.IDs) > 0:
		return false // who names tasks is answered for each, however long it takes
	case looked >= maxWalk:
		return true
	}
	return looked >= minWalk && l.wall().Sub(l.begun) > walkTime
}

// tell shows what was found as it was asked for.
func (l *listing) tell() ([]tq.Task, error) {
	if l.q.Relation && len(l.found) > 0 {
		if err := l.relations(l.found, l.q.Only); err != nil {
			return nil, err
		}
	}
	var tasks []tq.Task
	for i := range l.found {
		t := &l.found[i].Task
		if !l.q.Payload {
			t.Payload, t.Result = nil, nil
		}
		tasks = append(tasks, *t)
	}
	return tasks, nil
}

// selects holds one task against the query. What is retrying is scheduled too.
func (l *listing) selects(t *tq.Task) bool {
	q := &l.q
	return q.Only.Sees(t.Queue, t.Type) &&
		(q.Queue == "" || q.Queue == t.Queue) &&
		(q.Type == "" || q.Type == t.Type) &&
		(q.Project == "" || q.Project == t.Project) &&
		(q.Parent == 0 || q.Parent == t.Parent) &&
		(q.Key == "" || q.Key == t.IdempotencyKey) &&
		l.stands(t) && l.has(t)
}

// picks asks the filter of the query.
func (l *listing) picks(t *shown) bool {
	where := l.q.Where
	if where.WantsDeps() {
		for _, id := range t.deps {
			t.Deps = append(t.Deps, tq.Dep{ID: id})
		}
		defer func() { t.Deps = nil }()
	}
	return where.Picks(&t.Task, tq.FromMilli(l.now).Time)
}

func (l *listing) stands(t *tq.Task) bool {
	label := t.Label(tq.FromMilli(l.now).Time)
	switch l.q.Status {
	case "":
		return true
	case tq.Scheduled:
		return label == tq.Scheduled || label == tq.Retrying
	case tq.Ready, tq.Retrying:
		return label == l.q.Status
	}
	return string(t.Status) == l.q.Status
}

func (l *listing) has(t *tq.Task) bool {
	return l.q.Search == "" || strings.Contains(string(t.Payload), l.q.Search) || strings.Contains(t.LastError, l.q.Search)
}

// fetch answers at most n candidates below before, from high to low.
type fetch func(before int64, n int) ([]int64, error)

// candidates picks the shortest stream of ids that holds all the query selects.
func (l *listing) candidates() (fetch, error) {
	q := &l.q
	switch status := tq.Status(q.Status); {
	case len(q.IDs) > 0:
		return listed(slices.Clone(q.IDs)), nil
	case q.Key != "":
		return l.query(idsKey, q.Key), nil
	case q.Parent != 0:
		return l.query(idsParent, q.Parent), nil
	case status == "":
		return l.walk(), nil
	case status == tq.Dead && q.Cause != "":
		return l.query(idsCause, l.inLanes(), q.Cause), nil
	case status.Terminal():
		return l.query(idsEnded, l.inLanes(), statusCode(status)), nil
	case status == tq.Blocked:
		return l.collected(someBlocked, l.inLanes(), maxWalk+1)
	case status == tq.Running:
		return l.collected(someHeld, l.inLanes(), maxWalk+1)
	}
	return l.collected(someWaiting, l.inLanes(), maxWalk+1)
}

// listed is the stream of ids that were collected in any order.
func listed(ids []int64) fetch {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return func(before int64, n int) ([]int64, error) {
		rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id >= before })
		return rest[:min(n, len(rest))], nil
	}
}
