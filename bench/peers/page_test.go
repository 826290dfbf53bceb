package main

import (
	"strings"
	"testing"
)

func aRun() *measured {
	m := &measured{Disk: "disk"}
	add := func(system, measure string, x sample) {
		x.Measure = measure
		m.add(system, x)
	}
	add("tq on SQLite", "enqueue 16", sample{Rate: 30_000})
	add("tq on SQLite", "enqueue 16", sample{Rate: 10_000})
	add("tq on SQLite", "enqueue 16", sample{Rate: 12_345.6, Lost: 1})
	add("goqite", "enqueue 16", sample{Rate: 2_000})
	add("backlite", "enqueue 16", sample{Rate: 2_469.12})
	add("tq on SQLite", "by hand 16", sample{Rate: 5_000})
	add("tq on SQLite", "worker 16", sample{Rate: 20_000})
	add("goqite", "by hand 100", sample{Rate: 2_000})
	add("tq on PostgreSQL", "pick-up", sample{P50: 2, P99: 5})
	add("River", "pick-up", sample{P50: 10, P99: 30})
	add("graphile-worker", "pick-up", sample{P50: 4, P99: 10})
	m.finish()
	return m
}

func TestThePageHasMediansAndRatios(t *testing.T) {
	t.Parallel()
	page := (&record{Runs: []*measured{aRun()}, Command: "make bench-peers"}).page()
	for _, want := range []string{
		"| enqueue 16 | 12,346 | 2,000 | 2,469 |  | 5.0 |",
		"| drain best | 20,000 | 2,000 |  |  | 10.0 |",
		"| pick-up p50 | 2.00 ms | 10.00 ms | 4.00 ms |  | 2.0 |",
		"| pick-up p99 | 5.00 ms | 30.00 ms | 10.00 ms |  | 2.0 |",
		"make bench-peers",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
}

func TestAMedianForgetsNoTaskThatWasLost(t *testing.T) {
	t.Parallel()
	if m := aRun().median("tq on SQLite", "enqueue 16"); m.Lost != 1 || m.Rate != 12_345.6 {
		t.Errorf("median: %+v", m)
	}
}

func TestTheChartHasABarForEachSystem(t *testing.T) {
	t.Parallel()
	chart := (&record{Runs: []*measured{aRun()}}).chart()
	for _, want := range []string{"tq on SQLite", "goqite", "12,346", "<svg", "</svg>"} {
		if !strings.Contains(chart, want) {
			t.Errorf("%q is not in the chart", want)
		}
	}
}

func TestTheCounterSeesWhatIsLostAndWhatComesTwice(t *testing.T) {
	t.Parallel()
	c := newCounter(3)
	for _, number := range []int{0, 2, 2} {
		c.ran(number)
	}
	if c.done() != 2 || c.again() != 1 {
		t.Errorf("done %d, again %d", c.done(), c.again())
	}
}

func TestWhatIsMissedIsSaid(t *testing.T) {
	t.Parallel()
	m := aRun()
	for _, x := range []struct {
		system, measure string
		rate            float64
	}{
		{"tq on PostgreSQL", "worker 100", 2_000},
		{"River", "worker 100", 1_000},
		{"tq on PostgreSQL", "enqueue batch", 950},
		{"River", "enqueue batch", 1_000},
		{"tq on PostgreSQL", "enqueue 16", 5_000},
		{"River", "enqueue 16", 1_000},
	} {
		m.add(x.system, sample{Measure: x.measure, Rate: x.rate})
	}
	m.finish()
	page := (&record{Runs: []*measured{m}}).page()
	for _, want := range []string{
		"| PostgreSQL, worker 100 ÷ River's | 3 | 8 | 2 |  | **missed** |",
		"| PostgreSQL, enqueue batch ÷ River's | 0.9 | 1.8 | 0.95 |  | reached |",
		"| PostgreSQL, enqueue 16 ÷ River's | 3 | 4.5 | 5 |  | aim reached |",
		"| PostgreSQL, pick-up p99 | 10 ms | 5 ms | 5 ms |  | aim reached |",
		"| SQLite, enqueue 16 ÷ goqite's | 5 | 7 | 6.17 |  | reached |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
}
