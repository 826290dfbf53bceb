package telemetry

import (
	"context"
	"time"

	"example.com/tq"
)

// Store is a store that is measured: how long it takes, and what it cannot do.
// What it refuses by the rules is no error of its.
func (m *Metrics) Store(s tq.Store) tq.Store { return &store{Store: s, m: m} }

type store struct {
	tq.Store
	m *Metrics
}

func (s *store) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	return timed(s.m, ctx, "enqueue", func() ([]tq.Enqueued, error) { return s.Store.Enqueue(ctx, tasks, actor) })
}

func (s *store) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	return timed(s.m, ctx, "claim", func() (tq.Claims, error) { return s.Store.Claim(ctx, q) })
}

func (s *store) Change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	return timed(s.m, ctx, "change", func() ([]tq.Changed, error) { return s.Store.Change(ctx, changes) })
}

func (s *store) Extend(ctx context.Context, x tq.Extension) ([]tq.Changed, error) {
	return timed(s.m, ctx, "extend", func() ([]tq.Changed, error) { return s.Store.Extend(ctx, x) })
}

func (s *store) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	return timed(s.m, ctx, "sweep", func() (tq.Swept, error) { return s.Store.Sweep(ctx, keep) })
}

func (s *store) Tasks(ctx context.Context, q tq.TaskQuery) (tq.TaskPage, error) {
	return timed(s.m, ctx, "tasks", func() (tq.TaskPage, error) { return s.Store.Tasks(ctx, q) })
}

func (s *store) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	return timed(s.m, ctx, "facts", func() ([]tq.Fact, error) { return s.Store.Facts(ctx, q) })
}

func (s *store) Queues(ctx context.Context) (tq.Census, error) {
	return timed(s.m, ctx, "queues", func() (tq.Census, error) { return s.Store.Queues(ctx) })
}

func (s *store) Series(ctx context.Context, q tq.SeriesQuery) (tq.Rollups, error) {
	return timed(s.m, ctx, "series", func() (tq.Rollups, error) { return s.Store.Series(ctx, q) })
}

func timed[T any](m *Metrics, ctx context.Context, method string, do func() (T, error)) (T, error) { //nolint:revive // the metrics are what this is about
	began := time.Now()
	out, err := do()
	m.storeCalls.WithLabelValues(method).Observe(time.Since(began).Seconds())
	switch code := tq.CodeOf(err); code {
	case tq.CodeUnavailable, tq.CodeOutcomeUnknown, tq.CodeInternal:
		if ctx.Err() == nil {
			m.storeErrors.WithLabelValues(string(code)).Inc()
		}
	}
	return out, err
}
