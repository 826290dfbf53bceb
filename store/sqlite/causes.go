package sqlite

import (
	"context"

	"example.com/tq"
)

// Causes of death. A dead task has a row in dead as long as it is; the sweep
// names what it died of, and whoever reads before that names it for itself.

const (
	selectCauses = `select cause, lane, count(*), min(at), max(at), max(id) from dead
		where cause is not null and (?1 is null or cause = ?1) group by cause, lane`
	// The newest of one cause; ?2 is a JSON array of lanes.
	selectOfCause = `select d.id from dead d where d.cause = ?1 and d.cause is not null
		and d.lane in (select value from json_each(?2)) order by d.id desc limit ?3`
	selectUnnamed = `select id from dead where cause is null order by id desc limit ?`
	countUnnamed  = `select count(*) from dead where cause is null`
	existsUnnamed = `select exists (select 1 from dead where cause is null)`
	nameCause     = `update dead set cause = ?2 where id = ?1`
)

// Causes counts what has a name in the index, and names the rest.
func (s *Store) Causes(ctx context.Context, q tq.CauseQuery) (tq.Causes, error) {
	var out tq.Causes
	err := s.read(ctx, func(c *conn) error {
		out = tq.Causes{}
		r := causesReader{s.taskReader(c), &q, &out}
		if err := r.named(); err != nil {
			return err
		}
		return r.unnamed()
	})
	return out, err
}

// causesReader answers one CauseQuery in one snapshot.
type causesReader struct {
	taskReader
	q   *tq.CauseQuery
	out *tq.Causes
}

func (r *causesReader) named() error {
	in, err := r.lanes.all(r.c, func(l *lane) bool { return r.q.Selects(l.queue, l.typ, l.project) })
	if err != nil {
		return err
	}
	queues := make(map[int64]string, len(in))
	for _, l := range in {
		queues[l.id] = l.queue
	}
	rows := r.c.sql(selectCauses).textOrNull(r.q.Fingerprint)
	for rows.next() {
		queue, selected := queues[rows.colInt(1)]
		if !selected {
			continue
		}
		r.out.Lines = append(r.out.Lines, tq.CauseLine{
			Fingerprint: rows.colText(0), Queue: queue, Dead: rows.colInt(2),
			FirstAt: tq.FromMilli(rows.colInt(3)), LastAt: tq.FromMilli(rows.colInt(4)), Newest: rows.colInt(5),
		})
	}
	if err := rows.end(); err != nil || r.q.Fingerprint == "" {
		return err
	}
	r.out.IDs, err = readIDs(r.c.sql(selectOfCause).text(r.q.Fingerprint).text(laneList(in)).int(tq.MaxBatch))
	return err
}

// unnamed reads the newest that have no name yet.
func (r *causesReader) unnamed() error {
	ids, err := readIDs(r.c.sql(selectUnnamed).int(int64(r.q.Unnamed())))
	if err != nil || len(ids) == 0 {
		return err
	}
	rows := r.c.sql(countUnnamed)
	if rows.next() {
		r.out.Unnamed = rows.colInt(0) - int64(len(ids))
	}
	if err := rows.end(); err != nil {
		return err
	}
	for _, id := range ids {
		t, err := r.task(id)
		if err != nil {
			return err
		}
		if t != nil {
			r.out.Name(r.q, []tq.Task{*t})
		}
	}
	return nil
}

func unnamedLeft(c *conn) (bool, error) {
	q := c.sql(existsUnnamed)
	left := q.next() && q.colBool(0)
	return left, q.end()
}

// name says of a bite of the dead what they died of.
func (n *turn) name() error {
	ids, err := readIDs(n.c.sql(selectUnnamed).int(tq.NameBite))
	if err != nil {
		return err
	}
	r := n.s.taskReader(n.c)
	for _, id := range ids {
		t, err := r.task(id)
		if err != nil {
			return err
		}
		cause := ""
		if t != nil {
			cause = tq.CauseOf(t)
		}
		if err := n.exec(n.c.sql(nameCause).int(id).text(cause)); err != nil {
			return err
		}
	}
	return nil
}
