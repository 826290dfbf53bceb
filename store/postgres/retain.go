package postgres

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Retention walks the journal, since its order is nearly that of time: behind a
// cursor lie only facts that have been dealt with. There is one cursor for each
// terminal status, as each is kept for its own time, one more for each queue
// that keeps that status apart, and one for the facts of deleted tasks. It stops before the first fact that is still too young, and
// looks a little further only because clocks and commits have no strict order.
// What the first fact is does not matter: were only ends of the status looked at,
// the cursors of those that are rare would read all that is written at once.

const (
	walkBite   = 2_000
	walkPiece  = 250
	walkAhead  = 100 // behind the first that is too young
	retireBite = 100
	// A cursor that has passed so many facts is saved even if it found nothing.
	saveEvery = 500
	// Retention is exact to this part of the time that is kept (7 days: one
	// minute), so that a steady stream of tasks that grow old does not ask for
	// a sweep each moment.
	retainExact = 10_000

	never = math.MaxInt64
)

// The marks of the cursors.
const (
	markCompleted = "retain completed"
	markCancelled = "retain cancelled"
	markDead      = "retain dead"
	markDeleted   = "retain deleted"
)

const (
	selectMarks = `select name, n from tq.marks`
	// selectWalk looks at an ended task only when its end is old enough: is the
	// fact its last? Does somebody wait for it? Has not everybody heard of it?
	selectWalk = `select seq, task_id, rev, kind, status, at,
			case when status = $4 then (select queue from tq.lanes l where l.id = f.lane) else '' end,
			old and exists (select 1 from tq.tasks t where t.id = f.task_id)
				and not exists (select 1 from tq.facts n where n.task_id = f.task_id and n.rev > f.rev),
			old and exists (select 1 from tq.edges e where e.parent = f.task_id),
			old and exists (select 1 from tq.cascades c where c.parent = f.task_id)
		from (select *, status = $4 and kind <> 14 and at < $5 old from tq.facts
			where seq > $1 and seq <= $2 order by seq limit $3::bigint) f order by seq`
	lockMark  = `select n from tq.marks where name = $1 for update`
	setMark   = `insert into tq.marks (name, n) values ($1, $2) on conflict (name) do update set n = excluded.n`
	dropFacts = `delete from tq.facts where task_id = any($1::bigint[])`

	// rewindWalks puts cursors back before the ends of tasks that were kept
	// because somebody waited for them, when nobody does any more.
	rewindWalks = `with p as materialized (select distinct p.id from unnest($1::bigint[]) p(id)
			where not exists (select 1 from tq.edges e where e.parent = p.id)),
		f as materialized (select x.status, min(x.seq) seq from p cross join lateral (
			select f.status, f.seq from tq.facts f where f.task_id = p.id order by f.rev desc limit 1) x where x.status >= 4 group by 1)
		update tq.marks m set n = f.seq - 1 from f where m.n >= f.seq and split_part(m.name, '/', 1) =
			case f.status when 4 then 'retain completed' when 5 then 'retain dead' else 'retain cancelled' end`
)

// walk is one cursor.
type walk struct {
	mark   string
	status tq.Status // of facts looked for; "" looks for deleted ones
	queue  string    // the only one looked at; "" looks at all but those in apart
	apart  map[string]bool
	fresh  bool  // the mark is not written yet
	keep   int64 // milliseconds; negative is for ever
	from   int64 // dealt with up to here
	to     int64 // and this far if what was found is done with
	next   int64 // when the first fact that is still too young will be old enough
	found  []ended
	passed int  // facts between from and to
	more   bool // old facts lie behind to
}

// ended is a fact met on the way.
type ended struct {
	seq, task, rev, at    int64
	kind, status          int16
	queue                 string
	last, waited, telling bool
}

// harvest is what is kept no longer.
type harvest struct {
	walks []walk
	next  int64
	more  bool
}

func (h *harvest) due() bool {
	return slices.ContainsFunc(h.walks, func(w walk) bool { return w.fresh || w.due() })
}

func (w *walk) due() bool { return len(w.found) > 0 || w.passed >= saveEvery }

// The marks of retention. One that a queue has for itself begins where that of
// all queues stands, in the transaction that leaves the queue out of the latter;
// so no end of a task is between them. It stays for ever: should the queue lose
// its own time again, its mark goes on with that of all.

const plantMark = `insert into tq.marks (name, n) values ($1, least($2, coalesce((select n from tq.marks where name = $3), 0)))
	on conflict (name) do nothing`

// walks lists the walks along the journal, those that keep for ever as well.
func walks(at map[string]int64, keep tq.Retention) []walk {
	all := []walk{{mark: markDeleted, keep: milli(cmp.Or(keep.Facts, tq.KeepFacts)), from: at[markDeleted]}}
	for _, status := range []tq.Status{tq.Completed, tq.Cancelled, tq.Dead} {
		name := markOf(status)
		rest := walk{mark: name, status: status, keep: milli(keep.Of("", status)), from: at[name], apart: map[string]bool{}}
		for _, queue := range keep.Apart(status) {
			rest.apart[queue] = true
		}
		for other := range at {
			if queue, ok := strings.CutPrefix(other, name+"/"); ok {
				rest.apart[queue] = true
			}
		}
		for _, queue := range slices.Sorted(maps.Keys(rest.apart)) {
			own := walk{mark: name + "/" + queue, status: status, queue: queue, keep: milli(keep.Of(queue, status)), from: rest.from}
			if n, known := at[own.mark]; known {
				own.from = n
			} else {
				own.fresh = true
			}
			all = append(all, own)
		}
		all = append(all, rest)
	}
	return all
}

func (w *walk) covers(queue string) bool {
	if w.queue != "" {
		return queue == w.queue
	}
	return !w.apart[queue]
}

// plant writes marks that are not there yet.
func (w *work) plant(all []walk) error {
	for i := range all {
		own := &all[i]
		if !own.fresh {
			continue
		}
		if _, err := w.conn.Exec(w.ctx, w.texts.of(plantMark), own.mark, own.from, markOf(own.status)); err != nil {
			return err
		}
	}
	return nil
}

func markOf(s tq.Status) string {
	switch s {
	case tq.Cancelled:
		return markCancelled
	case tq.Dead:
		return markDead
	}
	return markCompleted
}

func milli(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return d.Milliseconds()
}

// reap looks for what is kept no longer. It goes no further than the floor:
// behind it, facts may yet appear.
func (s *Store) reap(ctx context.Context, keep tq.Retention, now int64) (harvest, error) {
	h := harvest{next: never}
	floor, err := s.floor(ctx, s.pool)
	if err != nil {
		return h, fault("look for what is old", err)
	}
	err = s.read(ctx, func(tx pgx.Tx) error {
		h = harvest{next: never}
		marks, err := s.marks(ctx, tx)
		if err != nil {
			return err
		}
		for _, w := range walks(marks, keep) {
			if w.keep >= 0 {
				if err := w.look(ctx, s, tx, floor, now); err != nil {
					return err
				}
				if w.next != never {
					h.next = min(h.next, max(w.next, now+w.keep/retainExact))
				}
				h.more = h.more || w.more
			}
			h.walks = append(h.walks, w)
		}
		return nil
	})
	return h, err
}

func (s *Store) marks(ctx context.Context, q querier) (map[string]int64, error) {
	rows, err := q.Query(ctx, s.texts.of(selectMarks))
	if err != nil {
		return nil, err
	}
	marks := map[string]int64{}
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		marks[name] = n
		return nil
	})
	return marks, err
}

// look goes along the journal.
func (w *walk) look(ctx context.Context, s *Store, q querier, floor, now int64) error {
	w.to, w.next = w.from, never
	last, stopped, ahead := w.from, false, 0
	piece := walkAhead + 1 // enough where nothing is old
	for seen := 0; seen < walkBite && len(w.found) < retireBite; piece = walkPiece {
		rows, err := q.Query(ctx, s.texts.of(selectWalk), last, floor, piece, statusCode(w.status), now-w.keep)
		if err != nil {
			return err
		}
		facts, err := pgx.CollectRows(rows, scanEnded)
		if err != nil || len(facts) == 0 {
			return err
		}
		for i := range facts {
			f := &facts[i]
			ripe, stop := w.judge(f, now)
			if ripe {
				w.found = append(w.found, *f)
			}
			if stopped = stopped || stop; !stopped {
				w.to = f.seq
				w.passed++
			} else if ahead++; ahead == walkAhead {
				return nil
			}
		}
		seen, last = seen+len(facts), facts[len(facts)-1].seq
	}
	w.more = !stopped
	return nil
}

func scanEnded(rows pgx.CollectableRow) (ended, error) {
	var f ended
	err := rows.Scan(&f.seq, &f.task, &f.rev, &f.kind, &f.status, &f.at, &f.queue, &f.last, &f.waited, &f.telling)
	return f, err
}

// judge reports whether what the fact ended may go now, and whether the cursor
// must stop before it because it may go later.
func (w *walk) judge(f *ended, now int64) (ripe, stop bool) {
	switch {
	case f.at+w.keep >= now:
		w.next = min(w.next, f.at+w.keep+1)
		return false, true
	case !w.wants(kindOf(f.kind), f.status) || !w.covers(f.queue):
		return false, false
	case w.status == "":
		return true, false
	}
	return f.last && !f.waited && !f.telling, f.telling
}

func (w *walk) wants(k tq.Kind, status int16) bool {
	if w.status == "" {
		return k == tq.FactDeleted
	}
	return status == statusCode(w.status) && k != tq.FactDeleted
}

// retire deletes what was found, and answers how many tasks.
func (s *Store) retire(ctx context.Context, h *harvest) (deleted int, err error) {
	if !h.due() {
		return 0, nil
	}
	err = s.write(ctx, nil, func(w *work) error {
		deleted = 0
		if err := w.plant(h.walks); err != nil {
			return err
		}
		for i := range h.walks {
			n, err := w.retire(&h.walks[i])
			if deleted += n; err != nil {
				return err
			}
		}
		return nil
	})
	return deleted, err
}

func (w *work) retire(along *walk) (deleted int, err error) {
	if !along.due() {
		return 0, nil
	}
	if still, err := w.stillAt(along); err != nil || !still {
		return 0, err
	}
	var ids []int64
	revs := map[int64]int64{}
	for _, f := range along.found {
		ids, revs[f.task] = append(ids, f.task), f.rev
	}
	if along.status == "" {
		m, err := w.move(w.ctx, w.conn)
		if err != nil || m.Phase == tq.PhaseCopying {
			return 0, err // what is gone without a fact would stay on the other side
		}
	}
	if along.status == "" {
		_, err = w.conn.Exec(w.ctx, w.texts.of(dropFacts), ids)
	} else {
		deleted, err = w.retireTasks(ids, revs)
	}
	if err != nil {
		return deleted, err
	}
	_, err = w.conn.Exec(w.ctx, w.texts.of(setMark), along.mark, along.to)
	return deleted, err
}

// stillAt reports whether the cursor is still where the look found it; if not,
// another sweep or a rewind came between, and the next look does it.
func (w *work) stillAt(along *walk) (bool, error) {
	var n int64
	err := w.conn.QueryRow(w.ctx, w.texts.of(lockMark), along.mark).Scan(&n)
	if err == pgx.ErrNoRows {
		err = nil
	}
	return n == along.from, err
}

// retireTasks deletes those tasks whose last fact is still the one found.
func (w *work) retireTasks(ids []int64, revs map[int64]int64) (int, error) {
	if err := w.load(ids); err != nil {
		return 0, err
	}
	if err := w.drawFor(len(ids)); err != nil {
		return 0, err
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool {
		r := w.find(id)
		return r == nil || r.rev != revs[id]
	})
	n, err := w.deleteEnded(ids, systemActor)
	if err != nil {
		return 0, err
	}
	return n, w.flush()
}
