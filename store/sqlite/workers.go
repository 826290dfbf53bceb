package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"example.com/tq"
)

// The registry of workers, as far as it is written.

// seenWorker is what the registry says of a worker.
type seenWorker struct {
	info  tq.WorkerInfo
	owner string
	at    int64
}

// maxSeen is how many workers are remembered; the table is asked no more often
// for being forgotten.
const maxSeen = 1_000

const (
	upsertWorker = `insert into workers (id, name, host, version, owner, types, queues, slots, draining, started_at, seen_at)
		values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
		on conflict (id) do update set name = ?2, host = ?3, version = ?4, owner = ifnull(nullif(?5, ''), owner),
			types = ?6, queues = ?7, slots = ?8, draining = ?9, seen_at = ?10`
)

// saw writes the registry row of a worker that says who it is. Calls of one
// worker that share a transaction write it once.
func (n *turn) saw(info tq.WorkerInfo, owner string) error {
	if info.ID == "" {
		return nil
	}
	old, known := n.cache.seen[info.ID]
	owner = cmp.Or(owner, old.owner)
	if known && old.at == n.now && old.owner == owner && sameWorker(&old.info, &info) {
		return nil
	}
	types, err := jsonList(info.Types)
	if err != nil {
		return err
	}
	queues, err := jsonList(info.Queues)
	if err != nil {
		return err
	}
	if len(n.cache.seen) >= maxSeen {
		clear(n.cache.seen)
	}
	n.cache.seen[info.ID] = seenWorker{info: info, owner: owner, at: n.now}
	return n.exec(n.c.sql(upsertWorker).text(info.ID).text(info.Name).text(info.Host).text(info.Version).text(owner).
		text(types).text(queues).int(int64(info.Slots)).bool(info.Draining).int(n.now))
}

func jsonList(words []string) (string, error) {
	if len(words) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(words)
	return string(b), err
}

func sameWorker(a, b *tq.WorkerInfo) bool {
	return a.Name == b.Name && a.Host == b.Host && a.Version == b.Version && a.Slots == b.Slots &&
		a.Draining == b.Draining && slices.Equal(a.Types, b.Types) && slices.Equal(a.Queues, b.Queues)
}

// RemoveWorker takes a worker out of the registry and ends its leases.
func (s *Store) RemoveWorker(ctx context.Context, id, actor string) error {
	return s.write(ctx, 0, func(n *turn) error {
		known, err := n.number(n.c.sql(`select count(*) from workers where id = ?`).text(id))
		if err != nil {
			return err
		}
		if known == 0 {
			return tq.Errorf(tq.CodeNotFound, "no worker %s", id).WithHint("see who is there: tq workers")
		}
		delete(n.cache.seen, id)
		if err := n.exec(n.c.sql(`delete from workers where id = ?`).text(id)); err != nil {
			return err
		}
		if err := n.expireAll(id, actor); err != nil {
			return err
		}
		return n.did(tq.ActWorkerRemoved, "", actor, tq.FactDetail{Note: id})
	})
}
