package postgres

import (
	"slices"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Pinning: who is about to wait for a task must not miss its end. An enqueue
// that reads "running" while the completion that commits a moment later reads
// "nobody waits" would leave the new task blocked for ever. So the enqueue
// locks the place of each dependency and reads it again; and whoever ends a
// task looks for dependants in a statement after it holds, or has removed, that
// same place.

const (
	lockReady = `select 1 from tq.ready r join unnest($1::int[], $2::smallint[], $3::bigint[]) u(lane, back, pos)
		on r.lane = u.lane and r.back = u.back and r.pos = u.pos order by r.lane, r.back, r.pos for update of r`
	lockDelayed = `select 1 from tq.delayed d join unnest($1::bigint[], $2::bigint[]) u(run_at, id)
		on d.run_at = u.run_at and d.id = u.id order by d.run_at, d.id for update of d`
	lockBlocked = `select 1 from tq.blocked where id = any($1::bigint[]) order by id for update`
	lockAlone   = `select pg_advisory_xact_lock(k) from unnest($1::bigint[]) k`
	lockShared  = `select pg_advisory_xact_lock_shared(k) from unnest($1::bigint[]) k`

	maxPins = 5
)

// pin reads the tasks and holds them where they stand until the commit.
func (w *work) pin(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	for range maxPins {
		if err := w.loadAgain(ids); err != nil {
			return err
		}
		if err := w.arrive(ids); err != nil {
			return err
		}
		before := w.stands(ids)
		locked, err := w.lockPlaces(ids)
		if err != nil || !locked {
			return err // what has completed does not change any more
		}
		if err := w.loadAgain(ids); err != nil {
			return err
		}
		if slices.Equal(before, w.stands(ids)) {
			return nil
		}
	}
	return errLost
}

// loadAgain reads the tasks anew, but for those that begin here.
func (w *work) loadAgain(ids []int64) error {
	old := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		r := w.find(id)
		return r != nil && r.was.rev == 0
	})
	w.forget(old)
	return w.load(old)
}

func (w *work) stands(ids []int64) []stand {
	var all []stand
	for _, id := range ids {
		if r := w.find(id); r != nil {
			all = append(all, r.was)
		}
	}
	return all
}

// lockPlaces reports whether there was anything to lock.
func (w *work) lockPlaces(ids []int64) (bool, error) {
	var grants, ended, pos, runAt, delayed, blocked []int64
	var lanes []int32
	var backs []int16
	for _, id := range ids {
		r := w.find(id)
		switch {
		case r == nil || r.was.rev == 0 || r.state.Status == tq.Completed:
		case r.state.Status == tq.Running:
			grants = append(grants, w.grantClass().key(r.grant))
		case r.state.Status.Terminal():
			ended = append(ended, w.taskClass().key(r.id))
		case r.state.Status == tq.Blocked:
			blocked = append(blocked, id)
		case r.spot == inDelayed:
			runAt, delayed = append(runAt, r.place), append(delayed, id)
		case r.spot != nowhere:
			lanes, backs, pos = append(lanes, r.lane.id), append(backs, back(r.spot)), append(pos, r.place)
		}
	}
	b := new(pgx.Batch)
	w.lockKeys(b, lockAlone, grants)
	w.lockKeys(b, lockShared, ended)
	w.some(b, len(pos), lockReady, lanes, backs, pos)
	w.some(b, len(delayed), lockDelayed, runAt, delayed)
	w.some(b, len(blocked), lockBlocked, blocked)
	if b.Len() == 0 {
		return false, nil
	}
	return true, w.conn.SendBatch(w.ctx, b).Close()
}

func (w *work) lockKeys(b *pgx.Batch, statement string, keys []int64) {
	slices.Sort(keys)
	w.some(b, len(keys), statement, slices.Compact(keys))
}

// shareGrants is the counterpart for those who are about to move running tasks:
// many of these at once do not hinder each other. The locks are taken before
// anything is written; dependants are looked for later still.
func (w *work) shareGrants(rows []*row) {
	var keys []int64
	for _, r := range rows {
		if r.state.Status == tq.Running {
			keys = append(keys, w.grantClass().key(r.grant))
		}
	}
	w.before = append(w.before, func(b *pgx.Batch) { w.lockKeys(b, lockShared, keys) })
}

// holdEnded is the counterpart for those who are about to revive or delete
// ended tasks. It takes the locks at once and reads the tasks again.
func (w *work) holdEnded(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var keys []int64
	for _, id := range ids {
		keys = append(keys, w.taskClass().key(id))
	}
	b := new(pgx.Batch)
	w.lockKeys(b, lockAlone, keys)
	if err := w.conn.SendBatch(w.ctx, b).Close(); err != nil {
		return err
	}
	return w.loadAgain(ids)
}

// lockBlocked holds the counts of blocked tasks and, in the same round trip but a
// later statement, reads them anew.
func (w *work) lockBlocked(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	w.forget(ids)
	b := new(pgx.Batch)
	b.Queue(w.texts.of(lockBlocked), ids)
	w.loadAhead(b, ids)
	if err := w.conn.SendBatch(w.ctx, b).Close(); err != nil {
		return err
	}
	return w.load(ids) // what is of a lane unknown so far
}

func msDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
