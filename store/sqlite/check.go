package sqlite

import (
	"context"
	"fmt"
	"math"

	"example.com/tq"
)

// Check walks the whole store in one snapshot and holds every task against the
// invariants, which the hall names (tq.Audit). The places of tasks have no
// index by id, so tasks are taken in windows and the narrow tables are read
// once for each.

const (
	auditWindow   = 250_000 // ids in one window
	maxViolations = 1_000   // what is found after them is left out
)

const (
	nextTask  = `select id from tasks where id > ? order by id limit 1`
	nextFacts = `select task_id from facts where task_id > ? order by task_id limit 1`

	placesReady   = `select id, rev, epoch, attempt from ready where id > ? and id <= ?`
	placesDelayed = `select id, rev, epoch, attempt from delayed where id > ? and id <= ?`
	placesBlocked = `select id, rev, epoch, attempt from blocked where id > ? and id <= ?`
	placesDead    = `select id, rev, epoch, attempt from dead where id > ? and id <= ?`

	lostEdges = `select child, parent from edges where not exists (select 1 from blocked where id = child) limit ?`
	lostKeys  = `select k.task_id, k.key from keys k
		left join tasks t on t.id = k.task_id left join lanes l on l.id = t.lane
		where t.key is not k.key or l.queue is not k.queue limit ?`
)

// Check names every broken invariant, at most maxViolations of them.
func (s *Store) Check(ctx context.Context) ([]tq.Violation, error) {
	var found []tq.Violation
	err := s.read(ctx, func(c *conn) error {
		k := &checker{
			ctx:        ctx,
			taskReader: s.taskReader(c),
			audit:      tq.Audit{Now: s.info.Now(), Secret: s.info.Secret},
		}
		gap, err := s.writer.swept.gap(s.now())
		k.audit.Grace = msDuration(gap) // nobody could expire what ran out meanwhile
		if err == nil {
			err = k.file()
		}
		if err == nil && len(k.found) == 0 {
			err = k.all(s)
		}
		found = k.found
		return err
	})
	return found[:min(len(found), maxViolations)], err
}

type checker struct {
	ctx context.Context
	taskReader
	audit  tq.Audit
	found  []tq.Violation
	places map[int64][]tq.PlaceAudit // of the tasks in the window that were not met yet
}

func (k *checker) broken(invariant string, id int64, format string, args ...any) {
	k.found = append(k.found, tq.Violation{Invariant: invariant, TaskID: id, Detail: fmt.Sprintf(format, args...)})
}

// file asks SQLite whether the file is whole; the rows of a damaged one are not
// judged.
func (k *checker) file() error {
	q := k.c.sql(`pragma quick_check`)
	for q.next() {
		if text := q.colText(0); text != "ok" {
			k.broken("file", 0, "the file is damaged: %s", text)
		}
	}
	return q.end()
}

func (k *checker) all(s *Store) error {
	err := k.walk()
	if err == nil {
		err = k.strays(lostEdges, "I8", "an edge to task %s is left over")
	}
	if err == nil {
		err = k.strays(lostKeys, "I11", "key %q names it, but is not its key")
	}
	if err != nil || len(k.found) >= maxViolations {
		return err
	}
	lines, err := s.counted(k.c)
	if err != nil {
		return err
	}
	kept := make([]tq.LineCount, 0, len(lines))
	for _, n := range lines {
		kept = append(kept, *n)
	}
	k.found = append(k.found, k.audit.Counts(kept)...)
	return nil
}

// walk meets every task and every deleted one that facts are left of.
func (k *checker) walk() error {
	for low := int64(0); ; low += auditWindow {
		id, err := k.after(low)
		if err != nil {
			return err
		}
		high := low + auditWindow
		if id == 0 {
			high = math.MaxInt64
		}
		if err := k.window(low, high, id); err != nil {
			return err
		}
		if id == 0 || len(k.found) >= maxViolations {
			return nil
		}
		if id > high {
			low = id - 1 - auditWindow
		}
	}
}

// window meets the tasks behind low up to high, of which first is the first.
func (k *checker) window(low, high, first int64) error {
	if err := k.readPlaces(low, high); err != nil {
		return err
	}
	for id := first; id != 0 && id <= high && len(k.found) < maxViolations; {
		if k.ctx.Err() != nil {
			return k.ctx.Err()
		}
		if err := k.meet(id); err != nil {
			return err
		}
		delete(k.places, id)
		next, err := k.after(id)
		if err != nil {
			return err
		}
		id = next
	}
	if len(k.found) >= maxViolations {
		return nil
	}
	for id, places := range k.places {
		k.broken("I1", id, "has a place in %s, but no such task exists", places[0].Place)
	}
	return nil
}

// after is the next id behind id of a task or of facts; 0 at the end.
func (k *checker) after(id int64) (int64, error) {
	task, err := k.number(nextTask, id)
	if err != nil {
		return 0, err
	}
	facts, err := k.number(nextFacts, id)
	switch {
	case task == 0:
		return facts, err
	case facts == 0:
		return task, err
	}
	return min(task, facts), err
}

// number answers the one integer of a query with one parameter, 0 for none.
func (k *checker) number(text string, arg int64) (int64, error) {
	q := k.c.sql(text).int(arg)
	var n int64
	if q.next() {
		n = q.colInt(0)
	}
	return n, q.end()
}

func (k *checker) readPlaces(low, high int64) error {
	k.places = make(map[int64][]tq.PlaceAudit)
	for _, table := range []struct{ text, place string }{
		{placesReady, tq.ReadyPlace},
		{placesDelayed, tq.DelayedPlace},
		{placesBlocked, tq.BlockedPlace},
		{placesDead, tq.DeadPlace},
	} {
		q := k.c.sql(table.text).int(low).int(high)
		for q.next() {
			id := q.colInt(0)
			k.places[id] = append(k.places[id], tq.PlaceAudit{
				Place: table.place, Rev: q.colInt(1), Epoch: q.colInt(2), Attempt: int(q.colInt(3)),
			})
		}
		if err := q.end(); err != nil {
			return err
		}
	}
	return nil
}

// strays names the rows that belong to no task that should have them.
func (k *checker) strays(text, invariant, format string) error {
	q := k.c.sql(text).int(maxViolations)
	for q.next() {
		k.broken(invariant, q.colInt(0), format, q.colText(1))
	}
	return q.end()
}
