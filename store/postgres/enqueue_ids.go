package postgres

import (
	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Ids of new tasks. A batch that is refused, or only repeats keys, shall leave
// no gap. So where that may happen the rows get provisional ids, higher than
// every real one and in the same order, and are numbered at the end.

const provisional = int64(1) << 61

const selectNewest = `select case when is_called then last_value else 0 end from tq.task_ids`

// certain reports whether no row of the batch can be refused, so that how many
// tasks are born hangs on the keys alone.
func (e *enqueuing) certain() bool {
	for n := range e.tasks() {
		if len(n.Deps) > 0 || n.Parent != 0 || n.IdempotencyKey != "" && n.OnMismatch == tq.MismatchError {
			return false
		}
	}
	return true
}

func (e *enqueuing) keyless() int {
	rows := 0
	for n := range e.tasks() {
		if n.IdempotencyKey == "" {
			rows++
		}
	}
	return rows
}

// nextID is a real one as long as some were drawn.
func (e *enqueuing) nextID() int64 {
	if len(e.ids) == 0 {
		e.unnumbered++
		return provisional + int64(e.unnumbered)
	}
	id := e.ids[0]
	e.ids = e.ids[1:]
	return id
}

// known is the id that stands for a task in this batch. A row may be named by the
// id that it is going to have, as on an engine that gives ids at once.
func (e *enqueuing) known(id int64) int64 {
	row := id - e.newest
	if e.find(id) != nil || row < 1 || row > int64(e.unnumbered) {
		return id
	}
	e.foretold = true
	return provisional + row
}

// number draws ids for the rows that have provisional ones.
func (e *enqueuing) number() error {
	if e.unnumbered == 0 {
		return nil
	}
	rows, err := e.conn.Query(e.ctx, e.texts.of(drawIDs), e.unnumbered)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	if e.foretold && ids[len(ids)-1] != e.newest+int64(len(ids)) {
		return errLost
	}
	e.renumber(ids)
	return nil
}

// renumber writes real ids wherever provisional ones stand.
func (e *enqueuing) renumber(ids []int64) {
	real := func(id *int64) {
		if *id > provisional {
			*id = ids[*id-provisional-1]
		}
	}
	for _, r := range e.fresh {
		real(&r.id)
		for i := range r.asked.deps {
			real(&r.asked.deps[i])
		}
		if r.task.IdempotencyKey != "" {
			r.body = bodyHash(r.task, r.asked.deps)
		}
	}
	for i := range e.facts {
		real(&e.facts[i].id)
		real(&e.facts[i].detail.Cause)
	}
	for i := range e.edges {
		real(&e.edges[i].parent)
		real(&e.edges[i].child)
	}
	for i := range e.taken {
		real(&e.taken[i].id)
	}
	for i := range e.freed {
		real(&e.freed[i].id)
	}
	for i := range e.orphans {
		real(&e.orphans[i])
	}
	for _, p := range e.parts {
		for i := range p.out {
			real(&p.out[i].ID)
		}
	}
}
