package sqlite

import (
	"slices"

	"example.com/tq"
)

// Retention walks the journal, since its order is that of time: behind a cursor
// lie only facts that have been dealt with. There is one cursor for each
// terminal status, as each is kept for its own time, one more for each queue
// that keeps that status apart, and one for the facts of deleted tasks
// (cursors.go). It stops before the first fact that is still too young, and
// looks a little further only because the clock may have been turned back.
// What the first fact is does not matter: were only ends of the status looked at,
// the cursors of those that are rare would read all that is written at once.

const (
	walkBite   = 2_000
	walkPiece  = 100
	walkAhead  = 100 // behind the first that is too young
	retireBite = 100
	// A cursor that has passed so many facts is saved even if it found nothing.
	saveEvery = 500
	// Retention is exact to this part of the time that is kept (7 days: one
	// minute), so that a steady stream of tasks that grow old does not ask for
	// a sweep each moment.
	retainExact = 10_000
)

// walk is one cursor.
type walk struct {
	meta   string
	status tq.Status // of facts looked for; "" looks for deleted ones
	queue  string    // the only one looked at; "" looks at all but those in apart
	apart  map[string]bool
	fresh  bool  // the cursor is not written down yet
	keep   int64 // milliseconds; negative is for ever
	from   int64 // dealt with up to here
	to     int64 // and this far if what was found is done with
	next   int64 // when the first fact that is still too young will be old enough
	found  []mark
	passed int  // facts between from and to
	more   bool // old facts lie behind to
}

// mark is a fact met on the way.
type mark struct {
	seq, task, rev, at int64
	wanted             bool
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

const (
	selectWalk = `select seq, task_id, rev, kind, status, at, lane from facts where seq > ? order by seq limit ?`
	// Is the fact still the last of a task? Does somebody wait for it? Has not
	// everybody heard of its end?
	selectRipe = `select
		exists (select 1 from tasks where id = ?1) and not exists (select 1 from facts where task_id = ?1 and rev > ?2),
		exists (select 1 from edges where parent = ?1),
		exists (select 1 from cascades where parent = ?1)`
)

// reap looks for what is kept no longer.
func (s *Store) reap(c *conn, keep tq.Retention, now int64) (harvest, error) {
	h := harvest{next: never}
	all, err := walks(c, keep)
	if err != nil {
		return h, err
	}
	for _, w := range all {
		if w.keep >= 0 {
			if err := w.look(c, s.lanes, now); err != nil {
				return h, err
			}
			if w.next != never {
				h.next = min(h.next, max(w.next, now+w.keep/retainExact))
			}
			h.more = h.more || w.more
		}
		h.walks = append(h.walks, w)
	}
	return h, nil
}

// look goes along the journal.
func (w *walk) look(c *conn, l *lanes, now int64) error {
	w.to, w.next = w.from, never
	last, stopped, ahead := w.from, false, 0
	for seen := 0; seen < walkBite && len(w.found) < retireBite; {
		facts, err := w.read(c, l, last)
		if err != nil || len(facts) == 0 {
			return err
		}
		for i := range facts {
			f := &facts[i]
			ripe, stop, err := w.judge(c, f, now)
			if err != nil {
				return err
			}
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

func (w *walk) read(c *conn, l *lanes, after int64) ([]mark, error) {
	q := c.sql(selectWalk).int(after).int(walkPiece)
	var facts []mark
	var in []int64
	for q.next() {
		facts = append(facts, mark{
			seq: q.colInt(0), task: q.colInt(1), rev: q.colInt(2),
			wanted: w.wants(kindOf(q.colInt(3)), statusOf(q.colInt(4))), at: q.colInt(5),
		})
		in = append(in, q.colInt(6))
	}
	if err := q.end(); err != nil || w.queue == "" && len(w.apart) == 0 {
		return facts, err
	}
	for i := range facts {
		lane, err := l.get(c, in[i])
		if err != nil {
			return nil, err
		}
		facts[i].wanted = facts[i].wanted && w.covers(lane.queue)
	}
	return facts, nil
}

func (w *walk) covers(queue string) bool {
	if w.queue != "" {
		return queue == w.queue
	}
	return !w.apart[queue]
}

// judge reports whether what the fact ended may go now, and whether the cursor
// must stop before it because it may go later.
func (w *walk) judge(c *conn, f *mark, now int64) (ripe, stop bool, err error) {
	switch {
	case f.at+w.keep >= now:
		w.next = min(w.next, f.at+w.keep+1)
		return false, true, nil
	case !f.wanted:
		return false, false, nil
	case w.status == "":
		return true, false, nil
	}
	q := c.sql(selectRipe).int(f.task).int(f.rev)
	kept := false
	if q.next() {
		ripe, kept, stop = q.colBool(0), q.colBool(1), q.colBool(2)
	}
	return ripe && !kept && !stop, stop, q.end()
}

func (w *walk) wants(k tq.Kind, s tq.Status) bool {
	if w.status == "" {
		return k == tq.FactDeleted
	}
	return s == w.status && k != tq.FactDeleted
}

const (
	dropFacts = `delete from facts where task_id = ?`
	selectSeq = `select seq from facts where task_id = ? and rev = ?`
)

// retire deletes tasks that ended long ago and that nobody waits for.
func (n *turn) retire(h *harvest) (deleted int, err error) {
	if err := n.plant(h.walks); err != nil {
		return 0, err
	}
	for i := range h.walks {
		w := &h.walks[i]
		if w.status == "" || !w.due() {
			continue
		}
		if still, err := n.stands(w); err != nil || !still {
			return deleted, err
		}
		for _, m := range w.found {
			gone, err := n.retireOne(w, m)
			if err != nil {
				return deleted, err
			}
			if gone {
				deleted++
			}
		}
		if err := n.save(w); err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// retireOne deletes a task if the fact found is still its last. One that is kept
// because somebody waits for it is looked at again when nobody does any more.
func (n *turn) retireOne(w *walk, m mark) (gone bool, err error) {
	t, err := n.subject(m.task)
	if err != nil || t == nil || t.rev != m.rev || t.state.Status != w.status {
		return false, err
	}
	_, err = n.happen(t, tq.EventDelete, tq.Arg{}, act{actor: systemActor})
	if isRefusal(err) {
		return false, nil
	}
	return err == nil, err
}

// stands reports whether the cursor is still where the look found it; if not,
// another sweep or a rewind came between, and the next look does it.
func (n *turn) stands(w *walk) (bool, error) {
	at, err := n.c.metaInt(w.meta)
	return at == w.from, err
}

// save moves a cursor to where the walk has come.
func (n *turn) save(w *walk) error {
	n.writes++
	return n.c.setMetaInt(w.meta, w.to)
}

// forget drops the facts of tasks that were deleted long ago.
func (n *turn) forget(h *harvest) error {
	if n.cache.move.Phase == tq.PhaseCopying {
		return nil // what is gone without a fact would stay on the other side
	}
	for i := range h.walks {
		w := &h.walks[i]
		if w.status != "" || !w.due() {
			continue
		}
		if still, err := n.stands(w); err != nil || !still {
			return err
		}
		for _, m := range w.found {
			if err := n.exec(n.c.sql(dropFacts).int(m.task)); err != nil {
				return err
			}
		}
		if len(w.found) > 0 {
			// The newest seq may have gone; it is not to be given out again.
			n.writes++
			if err := n.c.setMetaInt(metaSeq, n.lastSeq); err != nil {
				return err
			}
		}
		if err := n.save(w); err != nil {
			return err
		}
	}
	return nil
}

// reconsider puts the cursor back before the end of a task that was kept because
// somebody waited for it, when nobody does any more.
func (n *turn) reconsider(id int64) error {
	t, err := n.subject(id)
	if err != nil || t == nil || !t.state.Status.Terminal() {
		return err
	}
	dependants, err := n.number(n.c.sql(countDependants).int(id))
	if err != nil || dependants > 0 {
		return err
	}
	seq, err := n.number(n.c.sql(selectSeq).int(id).int(t.rev))
	if err != nil {
		return err
	}
	return n.exec(n.c.sql(rewindCursors).text(cursorOf(t.state.Status, "")).int(seq - 1))
}
