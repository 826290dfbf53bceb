package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The page: every figure in it is computed here from the record.

const pageHead = `# How fast it is

<!-- Written by ` + "`make bench-peers`" + ` from performance.json: measure again instead of editing. -->

tq beside other queues: same machine, same run, same number of the same tasks of 200 bytes whose handlers do nothing. All are durable: an answer means that the disk has it. tq writes a fact for everything that happens to a task, keeps results and fences every lease meanwhile; the rates include that. Trust the ratios: absolute figures are those of one machine, and of what else it did.

![Tasks a second, tq and its peers](performance.svg)

`

const legend = `What the words mean:

- **enqueue N**: tasks a second by N callers that put in one with each call; **enqueue batch**: a thousand with each call.
- **by hand N**: tasks a second by N callers that each claim one task, run it and settle it, as scripts do. **drain batch**: by one caller, a hundred at a time. **worker N**: by a worker with N hands; that of tq claims ahead when tasks are short, peers have their own ways. **drain best**: the fastest way of each system.
- **pick-up**: from the answer of an enqueue to the beginning of its handler, in an idle queue.
- **log bytes**: what PostgreSQL writes to its log for a task, from enqueue to end.
- **tq ÷ best**: tq by the best peer in that row; for times and bytes the other way round, so that more is always better.

A peer's drain ends when its last task has begun, that of tq when the last one is settled. Each figure is the median of all rounds.
`

// page is the text of the page.
func (r *record) page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, m := range r.Runs {
		m.section(&b)
	}
	b.WriteString(strings.TrimPrefix(r.targetTable(), "\n") + "\n## How it was measured\n\n" + legend + "\n")
	fmt.Fprintf(&b, "%d interleaved rounds, each system in a process of its own, up to %s tasks or %g s for each measure; %s", r.Rounds, thousands(float64(r.Tasks)), r.Seconds, r.Made)
	if r.Commit != "" {
		fmt.Fprintf(&b, ", tq at %s", r.Commit)
	}
	fmt.Fprintf(&b, ". Servers: %s. Settings:\n\n", r.Servers)
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		fmt.Fprintf(&b, "- %s: %s\n", name, r.Settings[name])
	}
	fmt.Fprintf(&b, "\nTo measure again, on a machine that does nothing else (not run here: it takes a quarter of an hour):\n\n```sh not-run\n%s\n```\n\n", r.Command)
	b.WriteString("It needs Go, a C compiler, Node.js with npm, redis-server and the server programs of PostgreSQL; it starts and removes its own servers. `tq bench` measures tq alone, on any database.\n")
	return b.String()
}

func (m *measured) section(b *strings.Builder) {
	title := "On a disk"
	about := fmt.Sprintf("A write and its fsync took %.2f ms here when nobody else wrote.", m.Machine.Fsync)
	if m.Disk == "memory" {
		title = "Where syncing costs nothing"
		about = "The same on a disk in memory, with the same settings: what the programs themselves cost."
	}
	fmt.Fprintf(b, "## %s\n\n%s %d × %s, %s, %s", title, about, m.Machine.Cores, m.Machine.CPU, m.Machine.System, m.Machine.Go)
	if m.Load != "" {
		fmt.Fprintf(b, "; load average %s", m.Load)
	}
	b.WriteString(".\n")
	if m.busy() {
		b.WriteString("\n**The machine was busy with other work meanwhile**, which costs those most who talk most to a server: take these figures for a first impression and measure on a quiet one.\n")
	}
	for _, group := range []string{onPostgres, onSQLite} {
		fmt.Fprintf(b, "\n### %s\n\n", group)
		m.table(b, group)
	}
	b.WriteString("\n")
}

// busy reports whether more was running than a measure alone runs.
func (m *measured) busy() bool {
	before, _, _ := strings.Cut(m.Load, " ")
	load, err := strconv.ParseFloat(before, 64)
	return err == nil && load > float64(2*m.Machine.Cores)
}

// table has a row for each measure and a column for each system.
func (m *measured) table(b *strings.Builder, group string) {
	names := systemsOf(group)
	fmt.Fprintf(b, "| | %s | tq ÷ best |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---:|", len(names)+1))
	for _, row := range rows() {
		if cells, ok := m.cells(row, names); ok {
			fmt.Fprintf(b, "| %s | %s |\n", row.name, strings.Join(cells, " | "))
		}
	}
}

// systemsOf lists those of a group, tq first; Redis stands beside SQLite, as a
// yardstick.
func systemsOf(group string) []string {
	var names []string
	for _, name := range order() {
		g := systems()[name].group
		if g == group || g == onRedis && group == onSQLite {
			names = append(names, name)
		}
	}
	return names
}

// row is one line of the tables.
type row struct {
	name string
	of   func(m *measured, system string) float64
	less bool // less is better
	unit string
}

func rows() []row {
	rate := func(measure string) func(*measured, string) float64 {
		return func(m *measured, system string) float64 { return m.median(system, measure).Rate }
	}
	all := []row{}
	for _, name := range []string{
		"enqueue 1", "enqueue 16", "enqueue 100", "enqueue batch", "by hand 16", "by hand 100", "drain batch", "worker 16", "worker 100", "worker 1000",
	} {
		all = append(all, row{name: name, of: rate(name)})
	}
	return append(all,
		row{name: "drain best", of: (*measured).bestDrain},
		row{name: "pick-up p50", less: true, unit: " ms", of: func(m *measured, s string) float64 { return m.median(s, "pick-up").P50 }},
		row{name: "pick-up p99", less: true, unit: " ms", of: func(m *measured, s string) float64 { return m.median(s, "pick-up").P99 }},
		row{name: "log bytes", less: true, of: (*measured).logBytes},
	)
}

func (m *measured) median(system, measure string) sample {
	for _, r := range m.Results {
		if r.System == system && r.Measure == measure {
			return r.Median
		}
	}
	return sample{}
}

// drains tells the measures that empty a queue.
func drains(measure string) bool {
	return measure != "pick-up" && !strings.HasPrefix(measure, "enqueue")
}

func (m *measured) bestDrain(system string) float64 {
	best := 0.0
	for _, r := range m.Results {
		if r.System == system && drains(r.Measure) {
			best = max(best, r.Median.Rate)
		}
	}
	return best
}

// logBytes is the least that any drain of the system took.
func (m *measured) logBytes(system string) float64 {
	least := 0.0
	for _, r := range m.Results {
		if b := r.Median.Bytes; r.System == system && drains(r.Measure) && b > 0 && (least == 0 || b < least) {
			least = b
		}
	}
	return least
}

// cells are those of one row; none when nobody was measured.
func (m *measured) cells(r row, names []string) ([]string, bool) {
	var cells []string
	ours, best := r.of(m, names[0]), 0.0
	measured := ours > 0
	for i, name := range names {
		v := r.of(m, name)
		cells = append(cells, figure(v, r.unit))
		if i > 0 && v > 0 && (best == 0 || r.less == (v < best)) {
			best = v
		}
		measured = measured || v > 0
	}
	ratio := ""
	if ours > 0 && best > 0 {
		ratio = fmt.Sprintf("%.1f", ours/best)
		if r.less {
			ratio = fmt.Sprintf("%.1f", best/ours)
		}
	}
	return append(cells, ratio), measured
}

func figure(v float64, unit string) string {
	switch {
	case v == 0:
		return ""
	case unit != "":
		return fmt.Sprintf("%.2f%s", v, unit)
	}
	return thousands(v)
}

// thousands writes a number without decimals, in groups of three digits.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
