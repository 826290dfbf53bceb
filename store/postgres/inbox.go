package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The inbox holds tasks that were written inside somebody else's transaction
// (enqueue_tx.go). The mover, a sweep or the backstop of any process, gives them
// what every new task gets: first fact, edges and place. Until then they are
// pending, without a fact, and whoever touches one moves it in first.

const (
	hasInbox    = `select exists (select 1 from tq.inbox)`
	selectInbox = `select id from tq.inbox order by id limit $1 for update skip locked`
	deleteInbox = `delete from tq.inbox where id = any($1::bigint[])`

	// moveBite is how many tasks one transaction takes out of the inbox.
	moveBite = 1_000
	// txActor is who the first facts of such tasks name.
	txActor = "transaction"
)

// Wake takes in what was committed in callers' transactions (EnqueueTx), in
// this process or another, up to a thousand tasks, and tells those who wait.
// Without it they are found within a second.
func (s *Store) Wake(ctx context.Context) error {
	var waiting bool
	if err := s.pool.QueryRow(ctx, s.texts.of(hasInbox)).Scan(&waiting); err != nil || !waiting {
		return fault("look into the inbox", err)
	}
	return s.write(ctx, nil, func(w *work) error { return w.moveInbox() })
}

// moveInbox takes a bite out of the inbox. What another mover holds is left to
// it.
func (w *work) moveInbox() error {
	rows, err := w.conn.Query(w.ctx, w.texts.of(selectInbox), moveBite)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := w.load(ids); err != nil {
		return err
	}
	if err := w.arrive(ids); err != nil {
		return err
	}
	if len(ids) == moveBite {
		w.dueAt(w.now)
	}
	return w.cascade()
}

// arrive begins the life of those of the tasks that stand in the inbox, and
// before it that of those they wait for. The tasks must have been loaded.
func (w *work) arrive(ids []int64) error {
	arriving, deps, err := w.inInbox(ids)
	if err != nil || len(arriving) == 0 {
		return err
	}
	done, err := w.conn.Exec(w.ctx, w.texts.of(deleteInbox), arriving)
	if err != nil {
		return err
	}
	if done.RowsAffected() != int64(len(arriving)) {
		return errLost // another mover was faster
	}
	if err := w.pin(deps); err != nil {
		return err
	}
	if err := w.drawFor(2 * len(arriving)); err != nil {
		return err
	}
	for _, id := range arriving {
		w.bear(w.find(id), txActor)
	}
	return nil
}

// inInbox answers which tasks have to be moved in along with ids, the oldest
// first, and what else these wait for.
func (w *work) inInbox(ids []int64) (arriving, deps []int64, err error) {
	for next := ids; len(next) > 0; {
		var named []int64
		for _, id := range next {
			if r := w.find(id); r != nil && r.rev == 0 {
				arriving, named = append(arriving, id), append(named, r.asked.deps...)
			}
		}
		slices.Sort(named)
		next = slices.Compact(named)
		deps = append(deps, next...)
		if err := w.load(next); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(arriving)
	slices.Sort(deps)
	arriving = slices.Compact(arriving)
	deps = slices.DeleteFunc(slices.Compact(deps), func(id int64) bool {
		_, moving := slices.BinarySearch(arriving, id)
		return moving
	})
	return arriving, deps, nil
}
