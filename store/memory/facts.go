package memory

import (
	"cmp"
	"context"
	"slices"

	tq "example.com/tq"
)

// Facts reads the journal in the order of Seq.
func (s *Store) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	var out []tq.Fact
	limit := cmp.Or(q.Limit, tq.DefaultPage)
	err := s.read(ctx, func(tq.Time) {
		for _, r := range s.journal {
			if tells(&q, &r.Fact) {
				out = append(out, r.Fact)
			}
		}
	})
	switch {
	case len(out) <= limit:
		return out, err
	case q.Last:
		return slices.Clone(out[len(out)-limit:]), err
	}
	return slices.Clone(out[:limit]), err
}

func tells(q *tq.FactQuery, f *tq.Fact) bool {
	switch {
	case f.Seq <= q.After,
		!seen(q.Only, f),
		q.TaskID != 0 && q.TaskID != f.TaskID,
		q.Queue != "" && q.Queue != f.Queue,
		q.Type != "" && q.Type != f.Type,
		len(q.Kinds) > 0 && !slices.Contains(q.Kinds, f.Kind):
		return false
	}
	return true
}

// seen holds a fact against rights; one of an act without a queue is for those
// who see everything.
func seen(only *tq.Rights, f *tq.Fact) bool {
	switch {
	case f.TaskID != 0:
		return only.Sees(f.Queue, f.Type)
	case f.Queue != "":
		return only.SeesQueue(f.Queue)
	}
	return only.SeesAll()
}

// did writes an administrative act, which has no task.
func (w *writer) did(kind tq.Kind, queue, actor string, d tq.FactDetail) {
	w.journal = append(w.journal, &record{Fact: tq.Fact{
		Seq: w.next(), Queue: queue, Kind: kind, Actor: actor, At: w.now, Detail: d,
	}})
}
