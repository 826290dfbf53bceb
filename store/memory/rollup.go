package memory

import (
	"context"
	"maps"

	tq "example.com/tq"
)

// Series answers rollups, which are kept as each fact is written.
func (s *Store) Series(ctx context.Context, q tq.SeriesQuery) (tq.Rollups, error) {
	out := tq.Rollups{}
	err := s.read(ctx, func(tq.Time) {
		for key, n := range s.rollups {
			if q.Wants(key) {
				out.Add(key, n)
			}
		}
	})
	return out, err
}

// dropRollups drops what is kept no longer.
func (w *writer) dropRollups() {
	floors := map[int64]int64{}
	for _, step := range tq.RollupSteps() {
		floors[step.Seconds()] = step.Floor(w.now)
	}
	maps.DeleteFunc(w.rollups, func(key tq.RollupKey, _ *tq.Rollup) bool { return key.At < floors[key.Step] })
}

// since is when what a fact of that kind ends began.
func (t *task) since(k tq.Kind) tq.Time {
	if k == tq.FactClaimed {
		return t.readyAt
	}
	return t.started
}
