package sqlite

import "example.com/tq"

// cache is what the writer knows of the tables without asking. It holds as long
// as nobody else has written and nothing was rolled back: SQLite counts the
// commits of others in data_version, which is read when the lock is held.
type cache struct {
	good    bool
	version int64

	lines    *lines
	seq      int64           // the newest given out
	lastTask int64           // the newest id given out
	delayed  int64           // no run_at in delayed is earlier; never when it is empty
	edges    bool            // there may be dependencies that are open
	inbox    bool            // there may be tasks that were enqueued elsewhere
	paused   map[string]bool // queues

	seen map[string]seenWorker // what the registry says

	move    tq.Move // the mark of a move
	strange bool    // the secret is not the one this process knows
}

const (
	selectOpenLanes = `with recursive l (lane) as (
			select min(lane) from ready
			union all
			select (select min(lane) from ready where lane > l.lane) from l where l.lane is not null)
		select lane from l where lane is not null`
	selectLastSeq = `select max(ifnull((select value from meta where name = 'seq'), 0),
		ifnull((select max(seq) from facts), 0), ifnull((select max(seq) from acts), 0),
		ifnull((select max(id) from grants), 0))`
	selectLastTask = `select ifnull((select seq from sqlite_sequence where name = 'tasks'), 0)`
	selectFirstDue = `select run_at from delayed order by run_at limit 1`
	anyEdges       = `select exists (select 1 from edges)`
	anyInbox       = `select exists (select 1 from inbox)`
	dataVersion    = `pragma data_version`
)

// refresh makes sure that the cache holds, inside a transaction that holds the
// lock and has changed nothing yet.
func (w *writer) refresh() error {
	version, err := w.conn.one(dataVersion)
	if err != nil || w.cache.good && w.cache.version == version {
		return err
	}
	if w.cache.good {
		w.others.Add(1)
	}
	if err := w.s.lanes.load(w.conn); err != nil {
		return err
	}
	return w.reread(version, func(id int64) (*lane, error) { return w.s.lanes.get(w.conn, id) })
}

// reread reads everything anew.
func (w *writer) reread(version int64, lane func(id int64) (*lane, error)) error {
	w.cache = cache{version: version, lines: newLines(), paused: make(map[string]bool), seen: make(map[string]seenWorker)}
	if err := w.readLines(w.conn, lane); err != nil {
		return err
	}
	for _, step := range []func(c *conn) error{w.readNumbers, w.readPaused, w.readDue, w.readMove} {
		if err := step(w.conn); err != nil {
			return err
		}
	}
	w.cache.good = true
	return nil
}

func (w *writer) readLines(c *conn, lane func(id int64) (*lane, error)) error {
	q := c.sql(selectOpenLanes)
	var ids []int64
	for q.next() {
		ids = append(ids, q.colInt(0))
	}
	if err := q.end(); err != nil {
		return err
	}
	for _, id := range ids {
		l, err := lane(id)
		if err != nil {
			return err
		}
		w.cache.lines.open(l, false)
	}
	return nil
}

func (w *writer) readNumbers(c *conn) (err error) {
	if w.cache.seq, err = c.one(selectLastSeq); err != nil {
		return err
	}
	if w.cache.lastTask, err = c.one(selectLastTask); err != nil {
		return err
	}
	edges, err := c.one(anyEdges)
	if err != nil {
		return err
	}
	inbox, err := c.one(anyInbox)
	w.cache.edges, w.cache.inbox = edges != 0, inbox != 0
	return err
}

func (w *writer) readPaused(c *conn) error {
	q := c.sql(selectPaused)
	for q.next() {
		w.cache.paused[q.colText(0)] = true
	}
	return q.end()
}

func (w *writer) readDue(c *conn) error {
	w.cache.delayed = never
	q := c.sql(selectFirstDue)
	if q.next() {
		w.cache.delayed = q.colInt(0)
	}
	return q.end()
}
