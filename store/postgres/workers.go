package postgres

import (
	"context"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	// upsertWorker writes the registry row when it says something new, or when
	// it is a while since the worker was heard of.
	upsertWorker = `insert into tq.workers as w (id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
		on conflict (id) do update set name = excluded.name, host = excluded.host, version = excluded.version,
			owner = case when excluded.owner = '' then w.owner else excluded.owner end,
			types = excluded.types, queues = excluded.queues, slots = excluded.slots, draining = excluded.draining, seen_at = excluded.seen_at
		where w.seen_at < excluded.seen_at - $11::bigint or w.seen_at > excluded.seen_at or excluded.owner not in ('', w.owner)
			or (w.name, w.host, w.version, w.types, w.queues, w.slots, w.draining) is distinct from
				(excluded.name, excluded.host, excluded.version, excluded.types, excluded.queues, excluded.slots, excluded.draining)`
	deleteWorker  = `delete from tq.workers where id = $1 returning 1`
	selectHolding = `select c.task_id from tq.grants g
		join tq.facts c on c.seq > coalesce(g.low, g.id * 1024) and c.seq < coalesce(g.high, (g.id + 1) * 1024) and c.grant_id = g.id and c.kind in (3, 4)
		cross join lateral (select f.grant_id, f.status from tq.facts f where f.task_id = c.task_id order by f.rev desc limit 1) x
		where g.worker = $1 and x.grant_id = g.id and x.status = 3 order by c.task_id`
	removeBite = 250
)

// seen writes the registry row of a worker that says who it is.
func (w *work) seen(info tq.WorkerInfo, owner string) {
	if info.ID == "" || !w.presence.due(&info, owner, w.now, w.seenEvery()) {
		return
	}
	types, queues := info.Types, info.Queues
	if types == nil {
		types = []string{}
	}
	if queues == nil {
		queues = []string{}
	}
	w.others = append(w.others, func(b *pgx.Batch) {
		b.Queue(w.texts.of(upsertWorker), info.ID, info.Name, info.Host, info.Version, owner, types, queues,
			info.Slots, info.Draining, w.now, w.seenEvery())
	})
}

// seenEvery is how old, in milliseconds, the registry may be about when a worker
// was seen: a row that each of its calls changes grows a long tail of old
// versions while a snapshot is held. A test's clock stands still on its own.
func (s *Store) seenEvery() int64 {
	if s.o.Clock != nil {
		return 0
	}
	return 1_000
}

// RemoveWorker takes a worker out of the registry and ends its leases.
func (s *Store) RemoveWorker(ctx context.Context, id, actor string) error {
	defer s.presence.forget(id)
	return s.write(ctx, nil, func(w *work) error {
		var gone int
		err := w.conn.QueryRow(w.ctx, w.texts.of(deleteWorker), id).Scan(&gone)
		if err == pgx.ErrNoRows {
			return tq.Errorf(tq.CodeNotFound, "no worker %s", id).WithHint("see who is there: tq workers")
		}
		if err != nil {
			return err
		}
		rows, err := w.conn.Query(w.ctx, w.texts.of(selectHolding), id)
		if err != nil {
			return err
		}
		held, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		if err := w.expireAll(held, actor); err != nil {
			return err
		}
		return w.did(tq.ActWorkerRemoved, "", actor, tq.FactDetail{Note: id})
	})
}

// did collects an act without a task.
func (w *work) did(kind tq.Kind, queue, actor string, d tq.FactDetail) error {
	detail, err := detailText(d)
	w.acts = append(w.acts, actLine{kind, queue, actor, detail})
	return err
}
