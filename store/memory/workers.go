package memory

import (
	"cmp"
	"context"
	"slices"

	tq "example.com/tq"
)

// Workers lists the registry, newest seen first.
func (s *Store) Workers(ctx context.Context) ([]tq.WorkerRow, error) {
	var out []tq.WorkerRow
	err := s.read(ctx, func(tq.Time) {
		for _, row := range s.workers {
			w := *row
			w.Running = s.heldBy(w.ID)
			out = append(out, w)
		}
	})
	slices.SortFunc(out, func(a, b tq.WorkerRow) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

func (s *Store) heldBy(worker string) []int64 {
	var ids []int64
	for _, t := range s.tasks {
		if t.lease != nil && t.lease.worker == worker {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// seen writes the registry row of a worker that says who it is.
func (w *writer) seen(info tq.WorkerInfo, owner string) {
	if info.ID == "" {
		return
	}
	row := w.workers[info.ID]
	if row == nil {
		row = &tq.WorkerRow{StartedAt: w.now}
		w.workers[info.ID] = row
	}
	info.Types, info.Queues = slices.Clone(info.Types), slices.Clone(info.Queues)
	row.WorkerInfo, row.SeenAt = info, w.now
	row.Owner = cmp.Or(owner, row.Owner)
}

// RemoveWorker takes a worker out of the registry and ends its leases.
func (s *Store) RemoveWorker(ctx context.Context, id, actor string) error {
	return s.write(ctx, func(w *writer) error {
		if w.workers[id] == nil {
			return tq.Errorf(tq.CodeNotFound, "no worker %s", id).WithHint("see who is there: tq workers")
		}
		delete(w.workers, id)
		for _, task := range w.heldBy(id) {
			w.expireOne(w.find(task), actor)
		}
		w.cascade()
		w.did(tq.ActWorkerRemoved, "", actor, tq.FactDetail{Note: id})
		return nil
	})
}
