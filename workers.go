package tq

import (
	"context"
	"slices"
	"time"
)

// The registry of workers, as callers see it.

// lostAfter is how long a worker may be unheard of before it counts as lost.
// A live one is heard at least each 55 s, by the long poll of its claims.
const lostAfter = time.Minute

// maxShown is how many running tasks one answer tells about.
const maxShown = 10_000

// Workers implements Client: a caller sees the workers that serve a queue of
// its own, and what they run there.
func (b *Broker) Workers(ctx context.Context, _ WorkersIn) (WorkersOut, error) {
	if err := b.may(CanRead); err != nil {
		return WorkersOut{}, err
	}
	rows, err := b.workers(ctx)
	if err != nil {
		return WorkersOut{}, err
	}
	held, err := b.held(ctx, rows)
	if err != nil {
		return WorkersOut{}, err
	}
	out := WorkersOut{Workers: make([]WorkerView, len(rows))}
	for i, w := range rows {
		v := WorkerView{WorkerRow: w, State: b.workerState(&w)}
		v.Running = nil
		for _, id := range w.Running {
			if lease, ok := held[id]; ok {
				v.Running = append(v.Running, id)
				v.Leases = append(v.Leases, lease)
			}
		}
		out.Workers[i] = v
	}
	return out, nil
}

func (b *Broker) workerState(w *WorkerRow) string {
	switch {
	case b.info.Now().Sub(w.SeenAt.Time) > lostAfter:
		return "lost"
	case w.Draining:
		return "draining"
	case len(w.Running) > 0:
		return "busy"
	}
	return "polling"
}

// held answers what the workers run, as far as the caller can see it.
func (b *Broker) held(ctx context.Context, rows []WorkerRow) (map[int64]HeldLease, error) {
	var ids []int64
	for i := range rows {
		ids = append(ids, rows[i].Running...)
	}
	held := make(map[int64]HeldLease, len(ids))
	for some := range slices.Chunk(ids[:min(len(ids), maxShown)], MaxPage) {
		page, err := b.store.Tasks(ctx, TaskQuery{IDs: some, Limit: len(some), Only: b.sight()})
		if err != nil {
			return nil, err
		}
		for i := range page.Tasks {
			if t := &page.Tasks[i]; t.Lease != nil {
				held[t.ID] = HeldLease{
					TaskID: t.ID, Queue: t.Queue, Type: t.Type, Attempt: t.Attempt,
					Until: t.Lease.Until, Left: t.Lease.SecondsLeft, Progress: t.Progress,
				}
			}
		}
	}
	return held, nil
}

// workers answers the registry as far as the caller can see it. One that named
// no queues is within the rights it came with, which are written down for it
// (within); in this process it serves all.
func (b *Broker) workers(ctx context.Context) ([]WorkerRow, error) {
	rows, err := b.store.Workers(ctx)
	if err != nil || b.only.SeesAll() {
		return rows, err
	}
	return slices.DeleteFunc(rows, func(w WorkerRow) bool {
		return len(w.Queues) > 0 && !slices.ContainsFunc(w.Queues, b.shares)
	}), nil
}

// shares reports whether some queue fits the pattern and the caller's rights.
func (b *Broker) shares(pattern string) bool {
	return b.only.SeesQueue(pattern) ||
		slices.ContainsFunc(b.only.Queues, func(own string) bool { return fits(pattern, own) })
}

// within writes down which queues a worker serves that names none: those of its
// rights.
func (b *Broker) within(w WorkerInfo) WorkerInfo {
	if w.ID != "" && len(w.Queues) == 0 && b.only != nil && !slices.Contains(b.only.Queues, Any) {
		w.Queues = b.only.Queues
	}
	return w
}

// servesQueue reports whether a worker's queues, which may be patterns, hold
// one.
func servesQueue(w *WorkerInfo, queue string) bool {
	return slices.ContainsFunc(w.Queues, func(pattern string) bool { return fits(pattern, queue) })
}

// mayRemove answers not_found for a worker that serves, or may hold, what the
// caller cannot see.
func (b *Broker) mayRemove(ctx context.Context, id string) error {
	if b.only.SeesAll() {
		return nil
	}
	rows, err := b.store.Workers(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		w := &rows[i]
		if w.ID != id || len(w.Queues) == 0 || slices.ContainsFunc(w.Queues, func(q string) bool { return !b.only.SeesQueue(q) }) {
			continue
		}
		held, err := b.held(ctx, rows[i:i+1])
		if err != nil || len(held) == len(w.Running) {
			return err
		}
	}
	return Errorf(CodeNotFound, "no worker %s", id).WithHint("see who is there: tq workers")
}
