package sqlite

import (
	"maps"
	"math"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// turn is one write transaction: what operations read and change the store
// through. Counters, grants that lose tasks and the news are gathered and
// written, or told, once at its end.
type turn struct {
	*writer
	c      *conn
	now    int64 // milliseconds, read once when the transaction had begun
	writes int   // statements that changed something
	due    int   // tasks that were made ready at its beginning
	size   int   // bytes of payload that its operations bring

	forgiven bool // it was seen to that an outage expires nobody

	lastSeq  int64             // the newest seq given out
	lastFact int64             // the newest that a row of facts, acts or grants carries
	counts   map[counter]int64 // changes of the counters
	freed    map[int64]int64   // grants and how many of their tasks they lost
	added    []*lane           // lanes first used in this turn
	ready    map[*lane]int     // what became claimable
	ended    bool              // a task reached a terminal status
	next     int64             // the earliest moment something was put off to; never if none

	// Of the operation at work: tasks that ended and whose dependants do not
	// know yet, and how many of these it may still tell.
	toTell []int64
	left   int
}

// never is later than every time.
const never = math.MaxInt64

// systemActor is who does what nobody asked for by name.
const systemActor = "tq"

type counter struct{ lane, bucket int64 }

func (n *turn) exec(q *stmt) error {
	n.writes++
	return q.exec()
}

// seq gives out the next number of the journal. Who does not write it into
// facts, acts or grants leaves a gap that close remembers.
func (n *turn) seq() int64 {
	n.lastSeq++
	return n.lastSeq
}

func (n *turn) count(lane, bucket, by int64) { n.counts[counter{lane, bucket}] += by }

// putOff notes that something is due at that time.
func (n *turn) putOff(at int64) { n.next = min(n.next, at) }

const (
	addCounter = `insert into counters (lane, bucket, n) values (?, ?, ?)
		on conflict (lane, bucket) do update set n = n + excluded.n`
	endGrant    = `delete from grants where id = ? and held <= ?`
	shrinkGrant = `update grants set held = held - ? where id = ?`
)

// close writes what was gathered. Nothing may change behind it but the commit.
func (n *turn) close() error {
	for key, by := range n.counts {
		if by == 0 {
			continue
		}
		if err := n.exec(n.c.sql(addCounter).int(key.lane).int(key.bucket).int(by)); err != nil {
			return err
		}
	}
	if err := n.closeGrants(); err != nil {
		return err
	}
	if n.lastSeq == n.lastFact {
		return nil
	}
	n.writes++
	return n.c.setMetaInt(metaSeq, n.lastSeq)
}

// closeGrants takes the tasks that left from their grants and ends those that
// hold none any more.
func (n *turn) closeGrants() error {
	for grant, by := range n.freed {
		if err := n.exec(n.c.sql(endGrant).int(grant).int(by)); err != nil {
			return err
		}
		if n.c.raw.Changes() > 0 {
			continue
		}
		if err := n.exec(n.c.sql(shrinkGrant).int(by).int(grant)); err != nil {
			return err
		}
	}
	return nil
}

// commit makes it last. One that fails while it syncs may or may not have
// reached the disk.
func (n *turn) commit() error {
	if n.writes == 0 {
		return fault("end a transaction", n.c.sql(`rollback`).exec())
	}
	if err := n.close(); err != nil {
		return fault("write", err)
	}
	err := n.c.sql(`commit`).exec()
	switch zs.ErrCode(err) {
	case zs.ResultIOErrFsync, zs.ResultIOErrDirFsync, zs.ResultIOErrTruncate, zs.ResultIOErrUnlock:
		return passing(tq.Errorf(tq.CodeOutcomeUnknown, "commit: %w", err),
			"repeat the call: with a key, claim id or token that is safe")
	}
	return fault("commit", err)
}

// news is what the commit of this turn changed for those who wait.
func (n *turn) news() tq.News {
	news := tq.News{Ended: n.ended}
	for l, count := range n.ready {
		news.Ready = append(news.Ready, tq.Place{Queue: l.queue, Type: l.typ, Project: l.project, N: count})
	}
	if n.next != never {
		news.Due = tq.FromMilli(n.next)
	}
	return news
}

// keep is what a turn has to remember to forget an operation.
type keep struct {
	writes            int
	lastSeq, lastFact int64
	counts            map[counter]int64
	freed             map[int64]int64
	added             int
	ready             map[*lane]int
	ended, forgiven   bool
	next              int64
}

func (n *turn) mark() keep {
	return keep{
		writes: n.writes, lastSeq: n.lastSeq, lastFact: n.lastFact, counts: maps.Clone(n.counts), freed: maps.Clone(n.freed),
		added: len(n.added), ready: maps.Clone(n.ready), ended: n.ended, forgiven: n.forgiven, next: n.next,
	}
}

func (n *turn) reset(k keep) {
	n.writes, n.lastSeq, n.lastFact, n.counts, n.freed = k.writes, k.lastSeq, k.lastFact, k.counts, k.freed
	n.added, n.ready, n.ended, n.forgiven, n.next = n.added[:k.added], k.ready, k.ended, k.forgiven, k.next
}
