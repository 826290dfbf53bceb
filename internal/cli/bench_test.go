package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq/bench"
)

func TestBenchPrintsWhatItMeasuredAndWhatBecameOfTheTasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := d.ok("bench", "--scenario", "drain,enqueue", "--tasks", "200", "--workers", "1,4", "--for", "500ms")
	for _, want := range []string{
		"enqueue tasks go in", "  4 callers, one at a time", "  4 callers, batches of 1000", "stored in",
		"drain tasks come out", "  worker, 4 at a time, claims ahead", "all 200 exactly once in",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if left := d.ok("list"); left != "" {
		t.Errorf("tasks are left: %s", left)
	}
}

func TestBenchAnswersInJSON(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	lines := strings.Split(d.ok("bench", "--scenario", "recover", "--json"), "\n")
	var s benchSubject
	if err := json.Unmarshal([]byte(lines[0]), &s); err != nil || s.Machine.Cores == 0 || s.Machine.Go == "" {
		t.Errorf("subject %+v: %v", s, err)
	}
	if len(lines) != 2 {
		t.Errorf("want the subject and one measure, got %d lines", len(lines))
	}
	var m bench.Measure
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil {
		t.Fatal(err)
	}
	if m.Scenario != "recover" || m.Latency == nil || m.Delivery.Again != m.Delivery.Tasks {
		t.Errorf("measure: %+v", m)
	}
}

func TestBenchMakesAFileOfItsOwnAndRemovesIt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := newDesk(t)
	d.client = nil
	d.env["XDG_DATA_HOME"] = home
	d.env["TQ_DB"] = filepath.Join(home, "precious.db")
	out := d.ok("bench", "--scenario", "enqueue", "--tasks", "20", "--workers", "2", "--durability", "relaxed")
	if !strings.Contains(out, "SQLite 3.") || !strings.Contains(out, "durability relaxed") {
		t.Errorf("it does not say what it measured")
	}
	if _, err := os.Stat(d.env["TQ_DB"]); err == nil {
		t.Error("the database of TQ_DB was measured unasked")
	}
	left, err := os.ReadDir(filepath.Join(home, "tq"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBenchRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.refused(exitInvalid, `scenario: there is no "nap"`, "bench", "--scenario", "nap")
	d.refused(exitInvalid, "hint: want some of enqueue, drain", "bench", "--scenario", "nap")
	d.refused(exitInvalid, "tasks: is -1", "bench", "--tasks", "-1")
	d.refused(exitInvalid, "callers: is 5000", "bench", "--workers", "5000")
	d.refused(exitInvalid, "this database cannot be held open", "bench", "--scenario", "snapshot")
}

// What a measure looks like, once and for all.
func TestAMeasureIsOneLine(t *testing.T) {
	t.Parallel()
	m := bench.Measure{
		Name: "16 callers, one at a time", Tasks: 20_000, Seconds: 1.5, Rate: 13_333.3, Bytes: 568.4,
		Latency:  &bench.Latency{P50: 0.1234, P95: 12.34, P99: 123.4},
		Delivery: bench.Delivery{Tasks: 20_000, Once: 20_000},
	}
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, "  16 callers, one at a time                13333/s  p50 0.12 ms  p95 12.3 ms  p99 123 ms            568 B/task  all 20000 exactly once in 1.5s"},
		{
			func() { m.Latency, m.Bytes, m.Kept = nil, 0, 0.97 },
			"  16 callers, one at a time                13333/s  0.97 of the rate kept  all 20000 exactly once in 1.5s",
		},
		{
			func() {
				m.Delivery = bench.Delivery{Tasks: 10, Once: 8, Again: 2, Why: map[string]int{"released": 1, "lease expired": 1}}
			},
			"  16 callers, one at a time                13333/s  0.97 of the rate kept  8 once, 2 again: 1 lease expired, 1 released in 1.5s",
		},
		{
			func() { m.Delivery = bench.Delivery{Tasks: 10, Once: 7, Lost: 1, Again: 2, Unexplained: 2} },
			"  16 callers, one at a time                13333/s  0.97 of the rate kept  BROKEN: of 10 tasks 1 lost, 2 run again for no reason in the journal in 1.5s",
		},
	} {
		c.change()
		if got := measureLine(m); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
