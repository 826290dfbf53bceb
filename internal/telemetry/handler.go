package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/tq"
)

// What a scrape answers: the counts of the queues that the caller may see, and
// for one that sees everything what the hub has measured.

// maxQueues is how many queues have labels of their own; the rest is _other.
const (
	maxQueues  = 200
	otherQueue = "_other"
)

// Handler answers GET /metrics. client is the one of the caller; all reports
// whether that sees everything.
func (m *Metrics) Handler(client func(context.Context) tq.Client, all func(context.Context) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stats, err := client(r.Context()).Stats(r.Context(), tq.StatsIn{By: "queue"})
		if err != nil {
			status := http.StatusServiceUnavailable
			if tq.CodeOf(err) == tq.CodeForbidden {
				status = http.StatusForbidden
			}
			http.Error(w, err.Error(), status)
			return
		}
		counted := prometheus.NewRegistry()
		counted.MustRegister(queues(stats))
		from := prometheus.Gatherers{counted}
		if all(r.Context()) {
			from = append(from, m.registry)
		}
		promhttp.HandlerFor(from, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, r)
	})
}

// census is the counts of one scrape.
type census struct {
	depth, oldest, paused, workers *prometheus.GaugeVec

	age map[string]float64 // of the oldest ready task
}

func queues(s tq.StatsOut) prometheus.Collector {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	c := &census{
		age:     map[string]float64{},
		depth:   gauge("tq_queue_depth", "Tasks in a queue by status; retrying ones are scheduled too.", "queue", "status"),
		oldest:  gauge("tq_queue_oldest_ready_age_seconds", "How long the oldest ready task of a queue has been ready.", "queue"),
		paused:  gauge("tq_queue_paused", "1 for a paused queue.", "queue"),
		workers: gauge("tq_workers", "Workers by state.", "state"),
	}
	for i, q := range byDepth(s.Queues) {
		name := q.Queue
		if i >= maxQueues {
			name = otherQueue
		}
		c.add(name, &q)
	}
	c.workers.WithLabelValues("busy").Set(float64(s.Workers.Busy))
	c.workers.WithLabelValues("idle").Set(float64(s.Workers.Idle))
	c.workers.WithLabelValues("lost").Set(float64(s.Workers.Lost))
	return c
}

// byDepth puts the queues with the most to do first, then by name, so that the
// same ones keep their labels while little changes.
func byDepth(all []tq.Stats) []tq.Stats {
	open := func(q *tq.Stats) int64 { return q.Ready + q.Scheduled + q.Blocked + q.Running + q.Dead }
	return slices.SortedFunc(slices.Values(all), func(a, b tq.Stats) int {
		return cmp.Or(cmp.Compare(open(&b), open(&a)), cmp.Compare(a.Queue, b.Queue))
	})
}

func (c *census) add(name string, q *tq.Stats) {
	for status, n := range map[string]int64{
		tq.Ready: q.Ready, tq.Scheduled: q.Scheduled, tq.Retrying: q.Retrying, string(tq.Blocked): q.Blocked,
		string(tq.Running): q.Running, string(tq.Completed): q.Completed, string(tq.Dead): q.Dead, string(tq.Cancelled): q.Cancelled,
	} {
		c.depth.WithLabelValues(name, status).Add(float64(n))
	}
	c.age[name] = max(c.age[name], q.OldestReady.Std().Seconds())
	c.oldest.WithLabelValues(name).Set(c.age[name])
	if q.Paused && name != otherQueue {
		c.paused.WithLabelValues(name).Set(1)
	}
}

// Describe implements prometheus.Collector.
func (c *census) Describe(to chan<- *prometheus.Desc) {
	for _, g := range []*prometheus.GaugeVec{c.depth, c.oldest, c.paused, c.workers} {
		g.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (c *census) Collect(to chan<- prometheus.Metric) {
	for _, g := range []*prometheus.GaugeVec{c.depth, c.oldest, c.paused, c.workers} {
		g.Collect(to)
	}
}
