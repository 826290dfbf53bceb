package sqlite

import "sync"

// lane is one queue, type and project, interned: everything narrow names it by
// id. Lanes are never changed or removed.
type lane struct {
	id                  int64
	queue, typ, project string
}

type laneName struct{ queue, typ, project string }

// lanes keeps the committed lanes in memory, for readers and the writer.
type lanes struct {
	mu     sync.RWMutex
	byID   map[int64]*lane
	byName map[laneName]*lane
	last   int64 // highest id known
}

const selectLanes = `select id, queue, type, project from lanes where id > ? order by id`

func newLanes() *lanes {
	return &lanes{byID: make(map[int64]*lane), byName: make(map[laneName]*lane)}
}

// get answers the lane with that id, reading new ones from c. c must be inside
// a transaction that sees the lane.
func (l *lanes) get(c *conn, id int64) (*lane, error) {
	l.mu.RLock()
	found := l.byID[id]
	l.mu.RUnlock()
	if found != nil {
		return found, nil
	}
	if err := l.load(c); err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byID[id], nil
}

// named answers the committed lane of that name, nil when there is none.
func (l *lanes) named(name laneName) *lane {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byName[name]
}

// known answers all lanes in memory, in any order.
func (l *lanes) known() []*lane {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := make([]*lane, 0, len(l.byID))
	for _, n := range l.byID {
		all = append(all, n)
	}
	return all
}

// keep adds lanes that were committed.
func (l *lanes) keep(added []*lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range added {
		l.add(n)
	}
}

// load reads the lanes that were added since. c must not hold uncommitted ones.
func (l *lanes) load(c *conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := c.sql(selectLanes).int(l.last)
	for q.next() {
		l.add(&lane{id: q.colInt(0), queue: q.colText(1), typ: q.colText(2), project: q.colText(3)})
	}
	return q.end()
}

func (l *lanes) add(n *lane) {
	if l.byID[n.id] != nil {
		return
	}
	l.byID[n.id] = n
	l.byName[laneName{n.queue, n.typ, n.project}] = n
	l.last = max(l.last, n.id)
}

// all answers every lane for which keep says yes, in the order of id. It first
// reads those that were added since.
func (l *lanes) all(c *conn, keep func(*lane) bool) ([]*lane, error) {
	if err := l.load(c); err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []*lane
	for id := int64(1); id <= l.last; id++ {
		if n := l.byID[id]; n != nil && keep(n) {
			out = append(out, n)
		}
	}
	return out, nil
}
