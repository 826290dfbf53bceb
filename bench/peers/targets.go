package main

import (
	"fmt"
	"strings"
)

// target is a ratio, or a time, that tq is to reach on a disk.
type target struct {
	what      string
	must, aim float64
	less      bool // less is better
	unit      string
	of        func(m *measured) float64 // 0: not measured
}

// targets were set before anything was built, by what prototypes reached.
func targets() []target {
	const pg, lite = "tq on PostgreSQL", "tq on SQLite"
	rate := func(ours, measure, peer, theirs string) func(*measured) float64 {
		return func(m *measured) float64 { return ratio(m.median(ours, measure).Rate, m.median(peer, theirs).Rate) }
	}
	best := func(ours, peer string) func(*measured) float64 {
		return func(m *measured) float64 { return ratio(m.bestDrain(ours), m.bestDrain(peer)) }
	}
	return []target{
		{what: "PostgreSQL, worker 100 ÷ River's", must: 3, aim: 8, of: rate(pg, "worker 100", "River", "worker 100")},
		{what: "PostgreSQL, drain best ÷ River's", must: 2.2, aim: 6, of: best(pg, "River")},
		{what: "PostgreSQL, drain best ÷ graphile-worker's", must: 1.5, aim: 4, of: best(pg, "graphile-worker")},
		{what: "PostgreSQL, enqueue 16 ÷ River's", must: 3, aim: 4.5, of: rate(pg, "enqueue 16", "River", "enqueue 16")},
		{what: "PostgreSQL, enqueue 100 ÷ River's", must: 8, aim: 13, of: rate(pg, "enqueue 100", "River", "enqueue 100")},
		{what: "PostgreSQL, enqueue batch ÷ River's", must: 0.9, aim: 1.8, of: rate(pg, "enqueue batch", "River", "enqueue batch")},
		{what: "PostgreSQL, pick-up p50", must: 3, aim: 1.5, less: true, unit: " ms", of: func(m *measured) float64 { return m.median(pg, "pick-up").P50 }},
		{what: "PostgreSQL, pick-up p99", must: 10, aim: 5, less: true, unit: " ms", of: func(m *measured) float64 { return m.median(pg, "pick-up").P99 }},
		{what: "PostgreSQL, log bytes ÷ River's", must: 0.65, aim: 0.33, less: true, of: func(m *measured) float64 { return ratio(m.logBytes(pg), m.logBytes("River")) }},
		{what: "SQLite, enqueue 16 ÷ goqite's", must: 5, aim: 7, of: rate(lite, "enqueue 16", "goqite", "enqueue 16")},
		{what: "SQLite, by hand 16 ÷ goqite's", must: 5, aim: 14, of: rate(lite, "by hand 16", "goqite", "by hand 16")},
		{what: "SQLite, drain batch ÷ goqite's best", must: 8, aim: 40, of: func(m *measured) float64 {
			return ratio(m.median(lite, "drain batch").Rate, m.bestDrain("goqite"))
		}},
		{what: "SQLite, pick-up p99", must: 2, aim: 1, less: true, unit: " ms", of: func(m *measured) float64 { return m.median(lite, "pick-up").P99 }},
	}
}

func ratio(ours, theirs float64) float64 {
	if theirs == 0 {
		return 0
	}
	return ours / theirs
}

const aboutTargets = `
## What we want to reach

Set before anything was built, by what prototypes reached beside peers in their usual settings; here peers run with the best that we found for them. What is missed has its profile, and what we would do next, in [where the time goes](drain.md).

`

// targetTable says what is reached, by the run on a disk.
func (r *record) targetTable() string {
	var b strings.Builder
	b.WriteString(aboutTargets + "| | must | aim | on a disk | in memory | |\n|---|---:|---:|---:|---:|---|\n")
	for _, x := range targets() {
		disk, memory := x.on(r, "disk"), x.on(r, "memory")
		if disk > 0 {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", x.what, x.text(x.must), x.text(x.aim), x.text(disk), x.text(memory), x.verdict(disk))
		}
	}
	return b.String()
}

func (x *target) on(r *record, disk string) float64 {
	for _, m := range r.Runs {
		if m.Disk == disk {
			return x.of(m)
		}
	}
	return 0
}

func (x *target) text(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g%s", float64(int(v*100+0.5))/100, x.unit)
}

func (x *target) verdict(v float64) string {
	switch {
	case x.reached(v, x.aim):
		return "aim reached"
	case x.reached(v, x.must):
		return "reached"
	}
	return "**missed**"
}

func (x *target) reached(v, bound float64) bool {
	if x.less {
		return v <= bound
	}
	return v >= bound
}
