package sqlite

import (
	"context"

	"example.com/tq"
)

// The inbox holds tasks that were written inside somebody else's transaction
// (tx.go). Whoever writes next gives them what every new task gets: first fact,
// edges, place and counters. Until then they are pending, without a fact.

// unpackBite is how many tasks one transaction takes out of the inbox.
const unpackBite = 1_000

const (
	arrivalRows = `select i.id, i.actor, t.lane, t.prio, t.max_attempts, t.run_at, t.key, t.key_until, t.on_dep, t.deps
		from inbox i join tasks t on t.id = i.id`
	selectInbox   = arrivalRows + ` order by i.id limit ?`
	selectArrival = arrivalRows + ` where i.id = ?`
	selectInInbox = `select 1 from inbox where id = ?`
	deleteInbox   = `delete from inbox where id = ?`
)

// Wake takes in what was committed in callers' transactions (EnqueueTx), in
// this process or another, and tells those who wait.
func (s *Store) Wake(ctx context.Context) error {
	return s.write(ctx, 0, func(*turn) error { return nil })
}

// arrival is a task from the inbox.
type arrival struct {
	subject
	actor string
	asked tq.NewTask
	deps  []int64
}

// unpack takes a bite out of the inbox. What is left waits for the next
// transaction, which the sweep is told to begin at once.
func (n *turn) unpack() error {
	if !n.cache.inbox {
		return nil
	}
	arrivals, err := readArrivals(n.c.sql(selectInbox).int(unpackBite))
	if err != nil {
		return err
	}
	for i := range arrivals {
		n.left, n.toTell = tq.MaxCascade, nil
		if err := n.arrive(&arrivals[i]); err != nil {
			return err
		}
		if err := n.tell(); err != nil {
			return err
		}
	}
	n.cache.inbox = len(arrivals) == unpackBite
	if n.cache.inbox {
		n.putOff(n.now)
	}
	return nil
}

// unpacked takes one task out before its turn, because something happens to it;
// nil when it is not there.
func (n *turn) unpacked(id int64) (*subject, error) {
	arrivals, err := readArrivals(n.c.sql(selectArrival).int(id))
	if err != nil || len(arrivals) == 0 {
		return nil, err
	}
	a := &arrivals[0]
	return &a.subject, n.arrive(a)
}

// statusInInbox answers pending for what is there, else "".
func (n *turn) statusInInbox(id int64) (tq.Status, error) {
	there, err := n.number(n.c.sql(selectInInbox).int(id))
	if there == 0 {
		return "", err
	}
	return tq.Pending, err
}

func readArrivals(q *stmt) ([]arrival, error) {
	var all []arrival
	for q.next() {
		a := arrival{actor: q.colText(1), subject: subject{
			id: q.colInt(0), lane: q.colInt(2), prio: q.colInt(3), first: q.colInt(5), due: q.colInt(5),
			key: q.colText(6), keyUntil: keyUntilOf(q.colInt(7)), policy: policyOf(q.colInt(8)),
		}}
		a.asked.MaxAttempts = int(q.colInt(4))
		if err := readJSON(q.colText(9), &a.deps); err != nil {
			return nil, join(err, q.end())
		}
		all = append(all, a)
	}
	return all, q.end()
}

// arrive begins the life of a task from the inbox. A dependency that was
// deleted meanwhile holds nothing back.
func (n *turn) arrive(a *arrival) error {
	canceller := int64(0)
	for _, id := range a.deps {
		status, err := n.standing(id)
		if err != nil {
			return err
		}
		if status == "" {
			continue
		}
		switch effect := tq.DepEffect(status, a.policy); effect {
		case tq.StillOpen, tq.Stuck:
			a.edges = append(a.edges, edge{parent: id, stuck: effect == tq.Stuck})
		case tq.Cancels:
			canceller = id
		}
	}
	step := tq.Birth(&a.asked, len(a.edges), canceller != 0)
	step.Delay = msDuration(max(0, a.first-n.now))
	if err := n.exec(n.c.sql(deleteInbox).int(a.id)); err != nil {
		return err
	}
	return n.apply(&a.subject, step, act{actor: a.actor, detail: tq.FactDetail{Cause: canceller}})
}

// standing is the status of any task, "" when there is none.
func (n *turn) standing(id int64) (tq.Status, error) {
	code, err := n.number(n.c.sql(selectStatus).int(id))
	switch {
	case err != nil:
		return "", err
	case code != 0:
		return statusOf(code), nil
	case !n.cache.inbox:
		return "", nil
	}
	return n.statusInInbox(id)
}
