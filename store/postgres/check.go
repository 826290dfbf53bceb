package postgres

import (
	"context"
	"fmt"
	"math"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Check walks the whole store in one snapshot and holds every task against the
// invariants, which the hall names (tq.Audit). The places of tasks have no
// index by id, so the narrow tables are read once for each window of tasks; the
// tasks of a window are read in bites of a few round trips each.

const (
	auditWindow   = 250_000 // ids in one window
	auditBite     = 1_000   // facts in one bite, or those of one task
	maxViolations = 1_000   // what is found after them is left out
)

const (
	selectPlaces = `select 1::smallint, id, rev, epoch, attempt from tq.ready where id > $1 and id <= $2
		union all select 2::smallint, id, rev, epoch, attempt from tq.delayed where id > $1 and id <= $2
		union all select 3::smallint, id, rev, epoch, attempt from tq.blocked where id > $1 and id <= $2
		union all select 4::smallint, id, rev, epoch, attempt from tq.dead where id > $1 and id <= $2`
	selectNextID = `select min(id) from (
		(select id from tq.tasks where id > $1 order by id limit 1)
		union all (select task_id from tq.facts where task_id > $1 order by task_id limit 1)) n`

	lostEdges = `select e.child, e.parent::text from tq.edges e where not exists (select 1 from tq.blocked b where b.id = e.child) limit $1::bigint`
	lostKeys  = `select k.task_id, k.key from tq.keys k
		left join tq.tasks t on t.id = k.task_id left join tq.lanes l on l.id = t.lane
		where t.key is distinct from k.key or l.queue is distinct from k.queue limit $1::bigint`
)

// Check names every broken invariant, at most maxViolations of them.
func (s *Store) Check(ctx context.Context) ([]tq.Violation, error) {
	var found []tq.Violation
	err := s.read(ctx, func(tx pgx.Tx) error {
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		k := &checker{taskReader: r}
		if k.audit, err = k.begin(); err != nil {
			return err
		}
		err = k.all()
		found = k.found
		return err
	})
	return found[:min(len(found), maxViolations)], err
}

type checker struct {
	*taskReader
	audit  tq.Audit
	found  []tq.Violation
	places map[int64][]tq.PlaceAudit // of the tasks in the window that were not met yet
}

// begin reads how long expiry could not run: as long may leases be over.
func (k *checker) begin() (tq.Audit, error) {
	marks, err := k.marks(k.ctx, k.tx)
	return tq.Audit{
		Now: tq.FromMilli(k.now).Time, Secret: k.info.Secret,
		Grace: msDuration(k.swept.gap(k.now, marks[markSweep])),
	}, err
}

func (k *checker) broken(invariant string, id int64, format string, args ...any) {
	k.found = append(k.found, tq.Violation{Invariant: invariant, TaskID: id, Detail: fmt.Sprintf(format, args...)})
}

func (k *checker) all() error {
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
	lines, err := k.counted()
	if err != nil {
		return err
	}
	k.found = append(k.found, k.audit.Counts(k.joined(lines))...)
	return nil
}

// walk meets every task and every deleted one that facts are left of.
func (k *checker) walk() error {
	for low := int64(0); len(k.found) < maxViolations; low += auditWindow {
		var first *int64
		if err := k.tx.QueryRow(k.ctx, k.texts.of(selectNextID), low).Scan(&first); err != nil {
			return err
		}
		if first == nil {
			return k.window(low, math.MaxInt64, false)
		}
		if *first > low+auditWindow {
			if err := k.window(low, *first-1, false); err != nil {
				return err
			}
			low = *first - 1
		}
		if err := k.window(low, low+auditWindow, true); err != nil {
			return err
		}
	}
	return nil
}

// window meets the tasks behind low up to high; inhabited says that there are
// some. Of an empty one only the places are looked at.
func (k *checker) window(low, high int64, inhabited bool) error {
	if err := k.readPlaces(low, high); err != nil {
		return err
	}
	for from := low; inhabited && from < high && len(k.found) < maxViolations; {
		to, err := k.bite(from, high)
		if err != nil {
			return err
		}
		from = to
	}
	if len(k.found) >= maxViolations {
		return nil
	}
	for id, places := range k.places {
		k.broken("I1", id, "has a place in %s, but no such task exists", places[0].Place)
	}
	return nil
}

func (k *checker) readPlaces(low, high int64) error {
	rows, err := k.tx.Query(k.ctx, k.texts.of(selectPlaces), low, high)
	if err != nil {
		return err
	}
	k.places = map[int64][]tq.PlaceAudit{}
	names := []string{tq.ReadyPlace, tq.DelayedPlace, tq.BlockedPlace, tq.DeadPlace}
	var table, attempt int16
	var id, rev, epoch int64
	_, err = pgx.ForEachRow(rows, []any{&table, &id, &rev, &epoch, &attempt}, func() error {
		k.places[id] = append(k.places[id], tq.PlaceAudit{
			Place: names[table-1], Rev: rev, Epoch: epoch, Attempt: int(attempt),
		})
		return nil
	})
	return err
}

// strays names the rows that belong to no task that should have them.
func (k *checker) strays(text, invariant, format string) error {
	rows, err := k.tx.Query(k.ctx, k.texts.of(text), maxViolations)
	if err != nil {
		return err
	}
	var id int64
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		k.broken(invariant, id, format, name)
		return nil
	})
	return err
}
