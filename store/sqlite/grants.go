package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"example.com/tq"
)

// Leases: one grant for the tasks of a claim that have the same timeout, one of
// its own for a task that was extended apart from its claim.

const (
	// sweepBeat is how often expiry wants to run while leases are held, and
	// outageGap the gap in it that counts as an outage (spec S11), both in
	// milliseconds.
	sweepBeat = 1_000
	outageGap = int64(tq.OutageGap / time.Millisecond)
	// markEvery is how old the mark in the file may be.
	markEvery = 100
)

// sweptMark remembers when expiry could run last: exactly in this process, and
// for other processes and later ones as the modification time of the lock file.
// So neither an idle store nor one with long leases is ever written to only to
// say that somebody is watching.
type sweptMark struct {
	mu      sync.Mutex
	file    *os.File
	at      int64
	unsaved bool // the file could not be marked, though a commit counts on it
}

// gap is how long expiry has not run. A mark that could not be saved is tried
// again first: who asks has changed nothing yet and may be refused.
func (m *sweptMark) gap(now int64) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unsaved {
		if err := m.save(); err != nil {
			return 0, err
		}
		m.unsaved = false
	}
	saved, err := m.saved()
	return max(0, now-max(m.at, saved)), err
}

// commit says that a transaction of that time saw to expiry. What passed since
// then it did not see, and transactions come one after the other: so its time
// stands, though the clock has gone on or was turned back meanwhile.
func (m *sweptMark) commit(at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(at, at)
}

// watch says that somebody looked at that time and found nothing to expire. Who
// was held up on the way here does not turn the mark back; only a clock that
// was turned back does.
func (m *sweptMark) watch(at int64, clock func() int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := clock()
	m.set(min(now, max(m.at, at)), now)
}

func (m *sweptMark) set(at, now int64) {
	m.at = at
	saved, err := m.saved()
	if err == nil && (saved > now || at-saved >= markEvery) {
		err = m.save()
	}
	m.unsaved = err != nil
}

func (m *sweptMark) save() error {
	at := time.UnixMilli(m.at)
	err := os.Chtimes(m.file.Name(), at, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // swept away by hand: the next process makes a new one
	}
	return err
}

func (m *sweptMark) saved() (int64, error) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixMilli(), nil
}

const (
	anyGrant   = `select exists (select 1 from grants)`
	delayGrant = `update grants set until = min(until + min(?1, lease), ifnull(deadline, until + min(?1, lease)))`
)

// forgive sees to it that an outage expires nobody: if expiry could not run for
// a while, the leases last longer by that, at most by their own length, since
// their holders could not reach us (spec S11). Only the commit makes it count.
func (n *turn) forgive() error {
	if n.forgiven {
		return nil
	}
	gap, err := n.swept.gap(n.now)
	if err != nil {
		return err
	}
	if gap > outageGap {
		held, err := n.c.one(anyGrant)
		if err != nil {
			return err
		}
		if held != 0 {
			if err := n.exec(n.c.sql(delayGrant).int(gap)); err != nil {
				return err
			}
		}
	}
	n.forgiven = true
	return nil
}

// grant is a row of grants.
type grant struct {
	id, held        int64
	worker, owner   string
	claimID         string
	lease           int64 // milliseconds
	until, deadline int64 // deadline: 0 is none
}

const (
	insertGrant = `insert into grants (id, held, worker, owner, claim_id, lease, until, deadline)
		values (?, ?, ?, ?, ?, ?, ?, ?)`
	updateGrant = `update grants set lease = ?, until = ? where id = ?`
	selectGrant = `select held, worker, owner, claim_id, lease, until, deadline from grants where id = ?`
	selectOver  = `select id, until, deadline from grants where until < ? order by until, id limit ?`
	selectHeld  = `select distinct task_id from facts where grant_id = ? order by task_id`
)

// last makes g last from now for lease, never past its deadline.
func (g *grant) last(now, lease int64) {
	g.lease, g.until = lease, now+lease
	if g.deadline != 0 {
		g.until = min(g.until, g.deadline)
	}
}

// timedOut reports whether the attempt's timeout is what ends the lease.
func (g *grant) timedOut() bool { return g.deadline != 0 && g.until >= g.deadline }

func (n *turn) insertGrant(g *grant) error {
	n.lastFact = max(n.lastFact, g.id)
	return n.exec(n.c.sql(insertGrant).int(g.id).int(g.held).text(g.worker).text(g.owner).textOrNull(g.claimID).
		int(g.lease).int(g.until).intOrNull(g.deadline))
}

// grant reads a grant; held counts what it holds at this moment.
func (n *turn) grant(id int64) (*grant, error) {
	q := n.c.sql(selectGrant).int(id)
	if !q.next() {
		return nil, q.end()
	}
	g := &grant{
		id: id, held: q.colInt(0) - n.freed[id], worker: q.colText(1), owner: q.colText(2),
		lease: q.colInt(4), until: q.colInt(5), deadline: q.colInt(6),
	}
	if !q.colNull(3) {
		g.claimID = q.colText(3)
	}
	return g, q.end()
}

// heldBy answers the tasks that a grant holds, in the order of their ids.
func (n *turn) heldBy(grant int64) ([]*subject, error) {
	ids, err := readIDs(n.c.sql(selectHeld).int(grant))
	if err != nil {
		return nil, err
	}
	var held []*subject
	for _, id := range ids {
		t, err := n.subject(id)
		if err != nil {
			return nil, err
		}
		if t != nil && t.state.Status == tq.Running && t.grant == grant {
			held = append(held, t)
		}
	}
	return held, nil
}

// over answers grants that have run out, those first that did first.
func (n *turn) over(limit int) ([]grant, error) {
	q := n.c.sql(selectOver).int(n.now).int(int64(limit))
	var all []grant
	for q.next() {
		all = append(all, grant{id: q.colInt(0), until: q.colInt(1), deadline: q.colInt(2)})
	}
	return slices.Clip(all), q.end()
}
