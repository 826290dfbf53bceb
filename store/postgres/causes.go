package postgres

import (
	"context"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Causes of death. A dead task has a row in dead as long as it is, written
// behind its last fact: of two who move a task at once, the facts stop one. The
// sweep names what it died of, and whoever reads before that names it for itself.

const (
	insertDead = `insert into tq.dead (id, lane, rev, epoch, attempt, at)
		select id, lane, rev, epoch, attempt, $6 from unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::smallint[])
			u(id, lane, rev, epoch, attempt)`
	deleteDead = `delete from tq.dead where id = any($1::bigint[])`

	selectCauses = `select cause, lane, count(*), min(at), max(at), max(id) from tq.dead
		where cause is not null and ($1 = '' or cause = $1) group by cause, lane`
	selectOfCause = `select id from tq.dead where cause is not null and cause = $1 and lane = any($2::int[])
		order by id desc limit $3::bigint`
	selectUnnamed = `select id from tq.dead where cause is null order by id desc limit $1::bigint`
	countUnnamed  = `select count(*) from tq.dead where cause is null`
	// Who is at another's rows leaves them to that one.
	lockUnnamed = `select id from tq.dead where cause is null order by id desc limit $1::bigint for update skip locked`
	nameCauses  = `update tq.dead d set cause = u.cause from unnest($1::bigint[], $2::text[]) u(id, cause) where d.id = u.id`
)

// deadColumns are the rows of those that died.
type deadColumns struct {
	id, rev, epoch []int64
	lane           []int32
	attempt        []int16
}

func (c *deadColumns) add(r *row) {
	c.id, c.lane, c.rev = append(c.id, r.id), append(c.lane, r.lane.id), append(c.rev, r.rev)
	c.epoch, c.attempt = append(c.epoch, r.state.Epoch), append(c.attempt, int16(r.state.Attempt))
}

// collectDead queues the rows of those that died, and takes away those of tasks
// that were dead and are no more. It queues nothing where nobody died.
func (w *work) collectDead(b *pgx.Batch) {
	var died deadColumns
	var left []int64
	for _, r := range w.order {
		dead := r.state.Status == tq.Dead && !r.deleted
		switch {
		case dead && r.was.status != tq.Dead:
			died.add(r)
		case !dead && r.was.status == tq.Dead:
			left = append(left, r.id)
		}
	}
	w.some(b, len(left), deleteDead, left)
	w.some(b, len(died.id), insertDead, died.id, died.lane, died.rev, died.epoch, died.attempt, w.now)
}

// Causes counts what has a name in the index, and names the rest.
func (s *Store) Causes(ctx context.Context, q tq.CauseQuery) (tq.Causes, error) {
	var out tq.Causes
	err := s.read(ctx, func(tx pgx.Tx) error {
		out = tq.Causes{}
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		c := causesReader{r, &q, &out}
		if err := c.named(); err != nil {
			return err
		}
		return c.unnamed()
	})
	return out, err
}

// causesReader answers one CauseQuery in one snapshot.
type causesReader struct {
	*taskReader
	q   *tq.CauseQuery
	out *tq.Causes
}

func (r *causesReader) named() error {
	queues, ids := map[int32]string{}, []int32{}
	for _, l := range r.lanes.all(func(l *lane) bool { return r.q.Selects(l.name.queue, l.name.typ, l.name.project) }) {
		queues[l.id], ids = l.name.queue, append(ids, l.id)
	}
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectCauses), r.q.Fingerprint)
	if err != nil {
		return err
	}
	var n tq.CauseLine
	var in int32
	var first, last int64
	_, err = pgx.ForEachRow(rows, []any{&n.Fingerprint, &in, &n.Dead, &first, &last, &n.Newest}, func() error {
		queue, selected := queues[in]
		if selected {
			n.Queue, n.FirstAt, n.LastAt = queue, tq.FromMilli(first), tq.FromMilli(last)
			r.out.Lines = append(r.out.Lines, n)
		}
		return nil
	})
	if err != nil || r.q.Fingerprint == "" {
		return err
	}
	rows, err = r.tx.Query(r.ctx, r.texts.of(selectOfCause), r.q.Fingerprint, ids, tq.MaxBatch)
	if err != nil {
		return err
	}
	r.out.IDs, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return err
}

// unnamed reads the newest that have no name yet.
func (r *causesReader) unnamed() error {
	rows, err := r.tx.Query(r.ctx, r.texts.of(selectUnnamed), r.q.Unnamed())
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(ids) == 0 {
		return err
	}
	if len(ids) == r.q.Unnamed() {
		if err := r.tx.QueryRow(r.ctx, r.texts.of(countUnnamed)).Scan(&r.out.Unnamed); err != nil {
			return err
		}
		r.out.Unnamed -= int64(len(ids))
	}
	for len(ids) > 0 {
		bite := ids[:min(tq.NameBite, len(ids))]
		ids = ids[len(bite):]
		tasks, err := r.tasks(bite)
		if err != nil {
			return err
		}
		for i := range tasks {
			r.out.Name(r.q, []tq.Task{tasks[i].Task})
		}
	}
	return nil
}

// name says of a bite of the dead what they died of, and reports whether there
// may be more.
func (s *Store) name(ctx context.Context) (more bool, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, s.texts.of(lockUnnamed), tq.NameBite)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil || len(ids) == 0 {
			return err
		}
		more = len(ids) == tq.NameBite
		r, err := s.reader(ctx, tx)
		if err != nil {
			return err
		}
		tasks, err := r.tasks(ids)
		if err != nil {
			return err
		}
		causes := make([]string, len(tasks))
		for i := range tasks {
			ids[i], causes[i] = tasks[i].ID, tq.CauseOf(&tasks[i].Task)
		}
		_, err = tx.Exec(ctx, s.texts.of(nameCauses), ids[:len(tasks)], causes)
		return err
	})
	return more, fault("name causes of death", err)
}
