package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/tq"
)

// Store is a store that is measured: how long it takes, and what it cannot do.
// What it refuses by the rules is no error of its.
func (m *Metrics) Store(s tq.Store) tq.Store {
	if counts, ok := s.(committer); ok {
		m.registry.MustRegister(
			tally("tq_store_commits_total", "Transactions that wrote for callers.",
				func() int64 { commits, _ := counts.Commits(); return commits }),
			tally("tq_store_commit_calls_total", "Calls that were written; divided by the commits, how many share one.",
				func() int64 { _, calls := counts.Commits(); return calls }),
		)
	}
	return &store{Store: s, m: m}
}

// committer is a store that commits the calls of several callers together.
type committer interface {
	Commits() (commits, calls int64)
}

func tally(name, help string, count func() int64) prometheus.CounterFunc {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
		func() float64 { return float64(count()) })
}

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
