package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// work is one transaction: what it read, and what it will write. Rows are read
// once and changed here, however many events meet them; collect turns the
// difference into statements.
type work struct {
	*Store
	ctx  context.Context
	conn *pgxpool.Conn

	now     int64
	asked   time.Time // here, when now was
	batch   int64
	ordinal int64
	newest  int64 // the highest seq of a fact that was read
	stale   bool  // a lower one was given out after that

	rows       map[int64]*row
	order      []*row // as they were read or made
	facts      []factLine
	grants     []grantLine
	fresh      []*newRow
	freed      []keyLine         // keys to delete
	taken      []keyLine         // keys to insert
	holders    map[keyName]int64 // who holds the keys of tasks to be rescued, as of now
	edges      []edgeLine
	spent      []edgeLine // edges to delete
	marks      []edgeLine // edges whose stuck changes
	acts       []actLine
	drawn      []int64 // numbers still unused
	unpromoted []int64 // left ready, had come there by promotion
	told       []int64 // ended: their dependants are to be told
	expired    int
	left       int // dependants that may still be told
	news       tq.News
	orphans    []int64            // cancelled while blocked: their edges go
	before     []func(*pgx.Batch) // statements that come first
	others     []func(*pgx.Batch) // statements that fit no list
	last       []func(*pgx.Batch) // statements that come last
	extra      map[deltaKey]int64 // counts that no row shows
	bereft     []int64            // named by those that wait no longer

	anyDue               bool // something came due and was not in its line yet
	forgave              bool // leases were put off here
	sweptNow, sweptSaved bool // expiry could run, and the store says so
}

type factLine struct {
	id, rev, seq int64
	lane         int32
	step         tq.StepFact
	epoch        int64
	attempt      int
	releases     int
	spot         int16
	place, grant int64
	due          int64
	cancel       bool
	actor        string
	hash, body   []byte
	detail       tq.FactDetail
}

type grantLine struct {
	id                     int64
	worker, owner, claimID string
	part                   int
	lease, until, deadline int64
	high                   int64 // above the seqs of its facts, 0 for as far as its batch goes
}

type keyLine struct {
	queue, key string
	id         int64
}

type edgeLine struct {
	parent, child int64
	policy        int16
	stuck         int16
}

type actLine struct {
	kind   tq.Kind
	queue  string
	actor  string
	detail string
}

type deltaKey struct {
	lane   int32
	bucket int16
}

var errUnknownLane = errors.New("a lane is not known yet")

func newWork(ctx context.Context, s *Store, conn *pgxpool.Conn) *work {
	return &work{
		Store: s, ctx: ctx, conn: conn, left: tq.MaxCascade,
		rows: map[int64]*row{}, extra: map[deltaKey]int64{},
	}
}

// seq is the next free one. One number serves perBatch of them. The facts of a
// task stand in the journal in the order of their revs: who reads a fact that
// was written under a later number than its own goes on with a new one.
func (w *work) seq() int64 {
	w.ordinal++
	if w.ordinal >= perBatch {
		w.nextBatch()
	}
	w.stale = w.stale || w.lastSeq() <= w.newest
	return w.lastSeq()
}

func (w *work) lastSeq() int64 { return w.batch*perBatch + w.ordinal }

// nextBatch goes on with one of the numbers that were drawn ahead, see draw.
func (w *work) nextBatch() {
	w.ordinal = 1
	if len(w.drawn) > 0 {
		w.batch, w.drawn = w.drawn[0], w.drawn[1:]
	}
}

// draw makes sure that n more numbers can be had, one more than perBatch − 1
// seqs take, and that the present one is above all that was read. It must come
// before they are needed.
func (w *work) draw(n int) error {
	old := w.lastSeq() < w.newest
	if old {
		w.drawn = nil
		n++
	}
	if n -= len(w.drawn); n <= 0 || w.ordinal == 0 && n == 1 && !old {
		return nil
	}
	rows, err := w.conn.Query(w.ctx, w.texts.of(`select nextval('tq.batches') from generate_series(1, $1::int)`), n)
	if err != nil {
		return err
	}
	more, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	w.drawn = append(w.drawn, more...)
	slices.Sort(w.drawn)
	if old && err == nil {
		w.nextBatch()
		w.ordinal = 0
	}
	return err
}

// drawFor makes sure that n seqs can be had.
func (w *work) drawFor(n int) error { return w.draw((n + int(w.ordinal)) / (perBatch - 1)) }

// load reads those of the tasks that are not known yet; unknown ids are left
// out. A lane of another process is read along.
func (w *work) load(ids []int64) error {
	var missing []int64
	for _, id := range ids {
		if w.rows[id] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	found, err := w.query(slices.Compact(missing))
	if errors.Is(err, errUnknownLane) {
		if err := w.lanes.load(w.ctx, w.Store, w.conn); err != nil {
			return err
		}
		found, err = w.query(slices.Compact(missing))
	}
	for _, r := range found {
		w.keep(r)
	}
	return err
}

func (w *work) query(ids []int64) ([]*row, error) {
	rows, err := w.conn.Query(w.ctx, w.texts.of(selectRows), ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, w.collectRow)
}

// loadAhead reads rows in the first round trip. One of an unknown lane is left
// for load.
func (w *work) loadAhead(b *pgx.Batch, ids []int64) {
	b.Queue(w.texts.of(selectRows), ids).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, w.collectRow)
		if errors.Is(err, errUnknownLane) {
			return nil
		}
		for _, r := range found {
			w.keep(r)
		}
		return err
	})
}

func (w *work) collectRow(rows pgx.CollectableRow) (*row, error) { return w.scanRow(rows) }

// forget makes load read the tasks again.
func (w *work) forget(ids []int64) {
	gone := map[int64]bool{}
	for _, id := range ids {
		gone[id] = true
		delete(w.rows, id)
	}
	w.order = slices.DeleteFunc(w.order, func(r *row) bool { return gone[r.id] })
}

func (w *work) keep(r *row) {
	w.rows[r.id] = r
	w.order = append(w.order, r)
}

// find is the task of that id, nil if there is none; it must have been loaded.
func (w *work) find(id int64) *row {
	r := w.rows[id]
	if r == nil || r.deleted {
		return nil
	}
	return r
}

// flush writes what is collected without committing, so that what follows
// reads it.
func (w *work) flush() error {
	b := new(pgx.Batch)
	if err := w.collect(b); err != nil {
		return err
	}
	if b.Len() == 0 {
		return nil
	}
	return w.conn.SendBatch(w.ctx, b).Close()
}

// freeKey undoes a key that was taken here, or deletes it.
func (w *work) freeKey(r *row) {
	name := r.keyName()
	if w.holders[name] == r.id {
		delete(w.holders, name)
	}
	line := keyLine{name.queue, name.key, r.id}
	if i := slices.Index(w.taken, line); i >= 0 {
		w.taken = slices.Delete(w.taken, i, i+1)
		return
	}
	w.freed = append(w.freed, line)
}

func (w *work) count(lane int32, bucket int16, n int64) {
	w.extra[deltaKey{lane, bucket}] += n
}
