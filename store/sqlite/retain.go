package sqlite

import (
	"cmp"
	"slices"
	"time"

	"example.com/tq"
)

// Retention walks the journal, since its order is that of time: behind a cursor
// lie only facts that have been dealt with. There is one cursor for each
// terminal status, as each is kept for its own time, and one for the facts of
// deleted tasks. A look reads at most walkBite facts on each.

const (
	walkBite   = 2_000
	retireBite = 100
	// A cursor that has passed so many facts is saved even if it found nothing.
	saveEvery = 500
	// retainBeat is how often retention asks for a sweep by itself.
	retainBeat = int64(time.Second / time.Millisecond)
)

// walk is one cursor.
type walk struct {
	meta   string
	status tq.Status // of facts looked for; "" looks for deleted ones
	keep   int64     // milliseconds; negative is for ever
	from   int64     // dealt with up to here
	to     int64     // and this far if what was found is done with
	next   int64     // when the first fact that is still too young will be old enough
	found  []mark
	passed int  // facts between from and to
	more   bool // old facts lie behind to
}

// mark is a fact that was found.
type mark struct{ seq, task, rev int64 }

// harvest is what is kept no longer.
type harvest struct {
	walks []walk
	next  int64
	more  bool
}

func (h *harvest) due() bool {
	return slices.ContainsFunc(h.walks, func(w walk) bool { return w.due() })
}

func (w *walk) due() bool { return len(w.found) > 0 || w.passed >= saveEvery }

func walks(keep tq.Retention) []walk {
	return []walk{
		{meta: metaCompleted, status: tq.Completed, keep: keepFor(keep.Completed, tq.KeepEnded)},
		{meta: metaCancelled, status: tq.Cancelled, keep: keepFor(keep.Cancelled, tq.KeepEnded)},
		{meta: metaDead, status: tq.Dead, keep: keepFor(keep.Dead, -1)},
		{meta: metaDeleted, keep: keepFor(keep.Facts, tq.KeepFacts)},
	}
}

func keepFor(asked, usual time.Duration) int64 {
	d := cmp.Or(asked, usual)
	if d < 0 {
		return -1
	}
	return d.Milliseconds()
}

const selectWalk = `select seq, task_id, rev, kind, status, at from facts where seq > ? order by seq limit ?`

// reap looks for what is kept no longer.
func reap(c *conn, keep tq.Retention, now int64) (harvest, error) {
	h := harvest{next: never}
	for _, w := range walks(keep) {
		if w.keep < 0 {
			continue
		}
		var err error
		if w.from, err = c.metaInt(w.meta); err != nil {
			return h, err
		}
		if err := w.look(c, now); err != nil {
			return h, err
		}
		if w.next != never {
			h.next = min(h.next, max(w.next, now+retainBeat))
		}
		h.more = h.more || w.more
		h.walks = append(h.walks, w)
	}
	return h, nil
}

// look goes along the journal as far as it is old enough.
func (w *walk) look(c *conn, now int64) error {
	w.to, w.next = w.from, never
	q := c.sql(selectWalk).int(w.from).int(walkBite)
	for len(w.found) < retireBite && q.next() {
		if at := q.colInt(5) + w.keep; at >= now {
			w.next = at + 1
			return q.end()
		}
		w.to = q.colInt(0)
		w.passed++
		kind := kindOf(q.colInt(3))
		if w.wants(kind, statusOf(q.colInt(4))) {
			w.found = append(w.found, mark{seq: w.to, task: q.colInt(1), rev: q.colInt(2)})
		}
	}
	w.more = len(w.found) == retireBite || w.passed == walkBite
	return q.end()
}

func (w *walk) wants(k tq.Kind, s tq.Status) bool {
	if w.status == "" {
		return k == tq.FactDeleted
	}
	return s == w.status && k != tq.FactDeleted
}

const (
	anyCascade = `select exists (select 1 from cascades where parent = ?)`
	dropFacts  = `delete from facts where task_id = ?`
	selectSeq  = `select seq from facts where task_id = ? and rev = ?`
)

// retire deletes tasks that ended long ago and that nobody waits for.
func (n *turn) retire(h *harvest) (deleted int, err error) {
	for i := range h.walks {
		w := &h.walks[i]
		if w.status == "" || !w.due() {
			continue
		}
		if still, err := n.stands(w); err != nil || !still {
			return deleted, err
		}
		for _, m := range w.found {
			if deleted == retireBite {
				w.to = m.seq - 1
				break
			}
			gone, wait, err := n.retireOne(w, m)
			if err != nil {
				return deleted, err
			}
			if wait {
				w.to = m.seq - 1
				break
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

// retireOne deletes a task if the fact found is its last. wait says that its
// dependants do not all know of its end yet: the cursor must not pass it.
func (n *turn) retireOne(w *walk, m mark) (gone, wait bool, err error) {
	t, err := n.subject(m.task)
	if err != nil || t == nil || t.rev != m.rev || t.state.Status != w.status {
		return false, false, err
	}
	telling, err := n.number(n.c.sql(anyCascade).int(m.task))
	if err != nil || telling != 0 {
		return false, telling != 0, err
	}
	_, err = n.happen(t, tq.EventDelete, tq.Arg{}, act{actor: systemActor})
	if isRefusal(err) {
		return false, false, nil // it is looked at again when nobody waits for it any more
	}
	return err == nil, false, err
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
	for _, w := range walks(tq.Retention{}) {
		if w.status != t.state.Status {
			continue
		}
		at, err := n.c.metaInt(w.meta)
		if err != nil || at < seq {
			return err
		}
		n.writes++
		return n.c.setMetaInt(w.meta, seq-1)
	}
	return nil
}
