package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The page of figures is written by `make bench-peers` from a record of what was
// measured. Here its tables are read back and held against that record.

const (
	figuresPage   = "docs/why/performance.md"
	figuresRecord = "docs/why/performance.json"
)

type figures struct {
	Runs []struct {
		Disk    string `json:"disk"`
		Results []struct {
			System  string `json:"system"`
			Measure string `json:"measure"`
			Median  struct {
				Rate  float64 `json:"rate"`
				P50   float64 `json:"p50_ms"`
				P99   float64 `json:"p99_ms"`
				Bytes float64 `json:"bytes_per_task"`
				Lost  int     `json:"lost"`
				Again int     `json:"again"`
			} `json:"median"`
		} `json:"results"`
	} `json:"runs"`
}

// readFigures answers each figure that was measured, by run, measure and system.
func readFigures(t *testing.T) []map[[2]string]float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, figuresRecord))
	if err != nil {
		t.Fatalf("read the record: %v", err)
	}
	var f figures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatalf("read the record: %v", err)
	}
	var runs []map[[2]string]float64
	for _, run := range f.Runs {
		all := map[[2]string]float64{}
		for _, r := range run.Results {
			m := r.Median
			if m.Lost > 0 || m.Again > 0 {
				t.Errorf("%s, %s, %s: %d tasks lost, %d run again", run.Disk, r.System, r.Measure, m.Lost, m.Again)
			}
			all[[2]string{r.Measure, r.System}] = m.Rate
			all[[2]string{"pick-up p50", r.System}] += m.P50
			all[[2]string{"pick-up p99", r.System}] += m.P99
			if r.Measure != "pick-up" && !strings.HasPrefix(r.Measure, "enqueue") {
				best, least := [2]string{"drain best", r.System}, [2]string{"log bytes", r.System}
				all[best] = max(all[best], m.Rate)
				if m.Bytes > 0 && (all[least] == 0 || m.Bytes < all[least]) {
					all[least] = m.Bytes
				}
			}
		}
		runs = append(runs, all)
	}
	return runs
}

func TestEveryFigureOfThePageComesFromItsRecord(t *testing.T) {
	t.Parallel()
	runs := readFigures(t)
	_, text, _ := strings.Cut(read(t, filepath.Join(root, figuresPage)).text, "\n## ")
	sections := strings.Split(text, "\n## ")
	if len(runs) == 0 || len(sections) != len(runs)+2 {
		t.Fatalf("%d runs were recorded, the page has %d sections", len(runs), len(sections))
	}
	for i, run := range runs {
		checkFigures(t, run, sections[i])
	}
	checkTargets(t, runs[0], sections[len(runs)])
}

// checkTargets works the ratios to River out again, and whether they are missed.
func checkTargets(t *testing.T, run map[[2]string]float64, section string) {
	t.Helper()
	rows := regexp.MustCompile(`(?m)^\| PostgreSQL, (.*) ÷ River's \| ([0-9.]+) \| [0-9.]+ \| ([0-9.]+) \| .* \| (.*) \|$`).FindAllStringSubmatch(section, -1)
	if len(rows) < 6 {
		t.Errorf("the page compares %d rows with targets", len(rows))
	}
	for _, row := range rows {
		must, err := strconv.ParseFloat(row[2], 64)
		told, err2 := strconv.ParseFloat(row[3], 64)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		got := run[[2]string{row[1], "tq on PostgreSQL"}] / run[[2]string{row[1], "River"}]
		missed := got < must
		if row[1] == "log bytes" {
			missed = got > must
		}
		if math.Abs(got-told) > 0.01 || missed != strings.Contains(row[4], "missed") {
			t.Errorf("%s: the record has %.3f, the page %s", row[1], got, row[0])
		}
	}
}

// checkFigures holds the tables of one section against its run.
func checkFigures(t *testing.T, run map[[2]string]float64, section string) {
	t.Helper()
	var systems []string
	checked := 0
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "" {
			systems = cells[1 : len(cells)-1]
			continue
		}
		checkRow(t, run, cells, systems)
		checked++
	}
	if checked == 0 {
		t.Error("a section has no table")
	}
}

// checkRow checks the figures of a row, and its ratio: ours by the best other,
// the other way round where less is better.
func checkRow(t *testing.T, run map[[2]string]float64, cells, systems []string) {
	t.Helper()
	less := strings.HasPrefix(cells[0], "pick-up") || cells[0] == "log bytes"
	ours, best := run[[2]string{cells[0], systems[0]}], 0.0
	for i, system := range systems {
		v := run[[2]string{cells[0], system}]
		if want := written(cells[0], v); cells[i+1] != want {
			t.Errorf("%s of %s: the page says %q, the record %q", cells[0], system, cells[i+1], want)
		}
		if i > 0 && v > 0 && (best == 0 || less == (v < best)) {
			best = v
		}
	}
	want := ""
	if ours > 0 && best > 0 {
		want = fmt.Sprintf("%.1f", ours/best)
		if less {
			want = fmt.Sprintf("%.1f", best/ours)
		}
	}
	if got := cells[len(cells)-1]; got != want {
		t.Errorf("%s: the page says tq is %q times the best, the record %q", cells[0], got, want)
	}
}

// written is how the page writes a figure.
func written(measure string, v float64) string {
	if v == 0 {
		return ""
	}
	if strings.HasPrefix(measure, "pick-up") {
		return fmt.Sprintf("%.2f ms", v)
	}
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
