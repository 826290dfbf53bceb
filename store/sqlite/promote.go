package sqlite

// What every transaction begins with, beside the inbox (inbox.go): tasks whose
// time has come go from delayed to ready. In bites, so that a backlog never
// stops the writer.

const promoteBite = 1_000

const (
	selectDueRows = `select run_at, id, lane, prio, rev, epoch, attempt, releases from delayed
		where run_at <= ? order by run_at, id limit ?`
	moveFact = `update facts set place = ? where task_id = ? and rev = ?`
)

// dueRow is one row of delayed.
type dueRow struct {
	runAt, lane int64
	spot        spot
}

// promote makes due tasks ready, in the order of run_at and id. Their place in
// line is a fresh seq without a fact.
func (n *turn) promote() error {
	if n.cache.delayed > n.now {
		return nil
	}
	rows, err := n.dueRows()
	if err != nil {
		return err
	}
	for i := range rows {
		if err := n.promoteOne(&rows[i]); err != nil {
			return err
		}
	}
	n.due = len(rows)
	if err := n.readDue(n.c); err != nil {
		return err
	}
	if len(rows) == promoteBite {
		n.putOff(n.now)
	}
	return nil
}

func (n *turn) dueRows() ([]dueRow, error) {
	q := n.c.sql(selectDueRows).int(n.now).int(promoteBite)
	var rows []dueRow
	for q.next() {
		rows = append(rows, dueRow{runAt: q.colInt(0), lane: q.colInt(2), spot: spot{
			id: q.colInt(1), prio: q.colInt(3), rev: q.colInt(4), epoch: q.colInt(5),
			attempt: q.colInt(6), releases: q.colInt(7), readyAt: q.colInt(0),
		}})
	}
	return rows, q.end()
}

func (n *turn) promoteOne(r *dueRow) error {
	r.spot.pos = n.seq()
	if err := n.exec(n.c.sql(deleteDelayed).int(r.runAt).int(r.spot.id)); err != nil {
		return err
	}
	if err := n.exec(n.c.sql(moveFact).int(r.spot.pos).int(r.spot.id).int(r.spot.rev)); err != nil {
		return err
	}
	n.count(r.lane, countScheduled, -1)
	if r.spot.attempt > 0 {
		n.count(r.lane, countRetrying, -1)
	}
	return n.stand(r.lane, r.spot)
}
