// Package telemetry measures a hub: what Prometheus scrapes, and log lines. It
// goes around the one Call and around the store; nothing in here changes what
// they answer. Labels are bounded: queues by number, all else by kind.
package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Metrics of one hub. All of them are in a registry of its own.
type Metrics struct {
	registry *prometheus.Registry

	calls       *prometheus.HistogramVec // by operation and code
	storeCalls  *prometheus.HistogramVec // by method of the store
	storeErrors *prometheus.CounterVec   // by code
	facts       *prometheus.CounterVec   // by kind
	attempts    *prometheus.CounterVec   // by outcome
	expired     prometheus.Counter
	lag         prometheus.Gauge
	refused     *prometheus.CounterVec // by reason
	leased      *prometheus.CounterVec // by whether anything came
	streams     prometheus.Gauge
}

// times are the buckets of every duration, in seconds.
func times() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
}

// New makes the metrics of a hub of that version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: histogram("tq_operation_duration_seconds",
			"How long operations took, waiting included.", "operation", "code"),
		storeCalls: histogram("tq_store_duration_seconds",
			"How long the store took to claim, to settle (change), to enqueue and so on.", "method"),
		storeErrors: counter("tq_store_errors_total", "Calls that the store could not do.", "code"),
		facts:       counter("tq_facts_total", "Facts written to the journal, by whatever process.", "kind"),
		attempts:    counter("tq_task_attempts_total", "Attempts that ended.", "outcome"),
		expired: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tq_lease_expired_total", Help: "Leases that ran out.",
		}),
		lag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tq_fact_lag_seconds", Help: "How old the last fact was when this hub read it.",
		}),
		refused: counter("tq_refused_total", "Requests that were refused before they were read.", "reason"),
		leased:  counter("tq_claims_total", "Claims, by whether they got anything.", "got"),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tq_event_streams", Help: "Open streams of events; a browser has one for all its tabs.",
		}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "tq_build_info", Help: "1, labelled with the version."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(
		m.calls, m.storeCalls, m.storeErrors, m.facts, m.attempts, m.expired, m.lag, m.refused, m.leased, m.streams, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.touch()
	return m
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: times()}, labels)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Refused counts a request that the gate refused.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// Streamed counts a stream of events as open until done is called.
func (m *Metrics) Streamed() (done func()) {
	m.streams.Inc()
	return m.streams.Dec
}

// Call is the one Call of a door.
type Call = func(ctx context.Context, o *ops.Op, raw []byte) (any, error)

// Around measures a Call.
func (m *Metrics) Around(next Call) Call {
	return func(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
		began := time.Now()
		out, err := next(ctx, o, raw)
		m.calls.WithLabelValues(o.Name, codeOf(ctx, err)).Observe(time.Since(began).Seconds())
		if claims, ok := out.(tq.ClaimOut); ok && err == nil {
			m.leased.WithLabelValues(yesNo(len(claims.Tasks) > 0)).Inc()
		}
		return out, err
	}
}

// codeOf is "ok", "gone" for a caller who has left, or the code of err.
func codeOf(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "ok"
	case ctx.Err() != nil:
		return "gone"
	}
	return string(tq.CodeOf(err))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// touch makes every metric with a known set of labels show, so that a rate has
// a beginning and a dashboard no gaps.
func (m *Metrics) touch() {
	for _, k := range tq.Kinds() {
		m.facts.WithLabelValues(string(k))
	}
	for _, o := range []string{"completed", "failed", "released", "cancelled", "lease_expired"} {
		m.attempts.WithLabelValues(o)
	}
	for _, c := range []tq.Code{tq.CodeUnavailable, tq.CodeOutcomeUnknown, tq.CodeInternal} {
		m.storeErrors.WithLabelValues(string(c))
	}
	for _, o := range ops.Table() {
		m.calls.WithLabelValues(o.Name, "ok")
	}
	for _, method := range []string{"enqueue", "claim", "change", "extend"} {
		m.storeCalls.WithLabelValues(method)
	}
	m.leased.WithLabelValues("yes")
	m.leased.WithLabelValues("no")
	m.refused.WithLabelValues(string(tq.CodeUnauthenticated))
}
