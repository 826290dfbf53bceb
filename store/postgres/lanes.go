package postgres

import (
	"context"
	"sync"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// lane is one queue, type, project and priority, interned. Lanes are never
// changed or removed. The SQL function enqueue may make one of a name that
// another transaction is just making (migrations/0003): then there are two, and
// whoever selects lanes by name gets both.
type lane struct {
	id   int32
	name laneName
}

type laneName struct {
	queue, typ, project string
	prio                int16 // as in tq.NewTask; small comes first in the table, see prioKey
}

// prioKey is how a priority is stored: high first, and both ends fit.
func prioKey(priority int16) int16 { return -1 - priority }

// lanes keeps what was read of the table.
type lanes struct {
	mu     sync.RWMutex
	byID   map[int32]*lane
	byName map[laneName]*lane
}

const (
	selectLanes = `select id, queue, type, project, prio from tq.lanes order by id`
	insertLanes = `insert into tq.lanes (queue, type, project, prio)
		select * from unnest($1::text[], $2::text[], $3::text[], $4::smallint[]) u(queue, type, project, prio)
		where not exists (select 1 from tq.lanes l
			where l.queue = u.queue and l.type = u.type and l.project = u.project and l.prio = u.prio)`
)

func newLanes() *lanes { return &lanes{byID: map[int32]*lane{}, byName: map[laneName]*lane{}} }

// load reads the lanes. All of them: ids are not handed out in commit order.
// The lock is not held while the server is asked: who waits for a connection
// would wait for those who hold one and want the lock.
func (l *lanes) load(ctx context.Context, s *Store, q querier) error {
	rows, err := q.Query(ctx, s.texts.of(selectLanes))
	if err != nil {
		return err
	}
	read, err := pgx.CollectRows(rows, scanLane)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range read {
		if l.byID[n.id] != nil {
			continue
		}
		l.byID[n.id] = n
		if l.byName[n.name] == nil {
			l.byName[n.name] = n
		}
	}
	return err
}

func scanLane(rows pgx.CollectableRow) (*lane, error) {
	n := new(lane)
	err := rows.Scan(&n.id, &n.name.queue, &n.name.typ, &n.name.project, &n.name.prio)
	n.name.prio = prioKey(n.name.prio)
	return n, err
}

// get answers the lane with that id, nil if it is not known yet.
func (l *lanes) get(id int32) *lane {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byID[id]
}

func (l *lanes) named(n laneName) *lane {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byName[n]
}

// all answers every known lane that keep wants.
func (l *lanes) all(keep func(*lane) bool) []*lane {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []*lane
	for _, n := range l.byID {
		if keep(n) {
			out = append(out, n)
		}
	}
	return out
}

// lanesFor makes sure that every task has its lane, in a statement of its own:
// a lane without tasks does no harm.
func (s *Store) lanesFor(ctx context.Context, tasks []tq.NewTask) error {
	missing := map[laneName]bool{}
	for i := range tasks {
		if n := nameOf(&tasks[i]); s.lanes.named(n) == nil {
			missing[n] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var queues, types, projects []string
	var prios []int16
	for n := range missing {
		queues, types, projects = append(queues, n.queue), append(types, n.typ), append(projects, n.project)
		prios = append(prios, prioKey(n.prio))
	}
	b := new(pgx.Batch) // one transaction
	b.Queue(lockAlone, []int64{s.class(lockLanes).key(0)})
	b.Queue(s.texts.of(insertLanes), queues, types, projects, prios)
	if err := s.pool.SendBatch(ctx, b).Close(); err != nil {
		return fault("add lanes", err)
	}
	return fault("read lanes", s.lanes.load(ctx, s, s.pool))
}

func nameOf(n *tq.NewTask) laneName {
	return laneName{n.Queue, n.Type, n.Project, int16(n.Priority)}
}
