package test

import (
	"strconv"
	"testing"
	"time"
)

// What the pages of the dashboard ask a hub for, and how long it takes: `make
// bench-pages` prints it beside 1,000,000 tasks, and with N=10000000 beside ten
// times as many, in lanes as a team has them (a hundred queues of three types)
// and in ten thousand. What each of these reads is bounded, see store/sqlite.

// page is one page with its questions, those of web/src/api/queries.ts.
type page struct {
	name  string
	paths []string
}

func dashboard() []page {
	const (
		running = "/v1/tasks?status=running&limit=100"
		hour    = "/v1/series?range_seconds=3600"
	)
	return []page{
		{"overview", []string{"/v1/overview", "/v1/errors", "/v1/workers", running, hour, "/v1/facts?last=true&limit=1000"}},
		{"tasks", []string{
			"/v1/tasks?limit=100", "/v1/stats", "/v1/tasks?limit=100&filter=status:dead", "/v1/stats?queue=q7",
			"/v1/tasks?limit=100&filter=queue:q7+status:pending", "/v1/tasks?limit=100&filter=tag:slow",
		}},
		{"task", []string{"/v1/tasks/77", "/v1/tasks/77/explain", "/v1/tasks/77/facts?limit=1000", "/v1/tasks?parent=77&limit=100"}},
		{"queues", []string{"/v1/overview"}},
		{"queue", []string{"/v1/overview", "/v1/errors?queue=q7", "/v1/workers", "/v1/tasks?queue=q7&status=running&limit=50", hour + "&queue=q7"}},
		{"fleet", []string{"/v1/workers", running, "/v1/overview", "/v1/repos"}},
		{"dead", []string{"/v1/errors", "/v1/overview"}},
		{"cause", []string{"/v1/errors?fingerprint=cause7"}},
		{"settings", []string{"/v1/tokens", "/v1/overview"}},
	}
}

func BenchmarkPages(b *testing.B) {
	const million = 1_000_000
	n := listed(b)
	target := 20 * time.Millisecond
	if n > million {
		target = listingTarget
	}
	for _, lanes := range []int{300, manyLanes} {
		b.Run(strconv.Itoa(lanes)+"-lanes", func(b *testing.B) {
			h, c := hubOfMany(b, n, lanes)
			defer h.stop()
			for _, p := range dashboard() {
				b.Run(p.name, func(b *testing.B) {
					for _, path := range p.paths {
						b.Run(path, func(b *testing.B) { ask(b, c, h.url+path, target) })
					}
				})
			}
		})
	}
}
