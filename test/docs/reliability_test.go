package docs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/tq/test/tally"
)

// The page of what was broken is written by `make torture` from a record of what
// its rigs counted. Here the page is held against that record, and the record
// against what must not be.

const reliabilityPage = "docs/why/reliability.md"

type rigs struct {
	Commit string `json:"commit"`
	Seed   uint64 `json:"seed"`
	Rigs   []struct {
		Campaign int          `json:"campaign"`
		Name     string       `json:"name"`
		Command  string       `json:"command"`
		Counts   tally.Counts `json:"counts"`
		Problem  string       `json:"problem"`
	} `json:"rigs"`
}

// recorded reads what rigs counted. Nothing was run yet, and nothing is claimed,
// when there is neither a record nor the heading in the page.
func recorded(t *testing.T, record, heading string) (all rigs, page string, found bool) {
	t.Helper()
	page = read(t, filepath.Join(root, reliabilityPage)).text
	text, err := os.ReadFile(filepath.Join(root, record))
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(page, heading) {
		return all, page, false
	}
	if err != nil {
		t.Fatalf("read the record: %v", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("read %s: %v", record, err)
	}
	return all, page, true
}

func TestThePageOfReliabilityComesFromItsRecord(t *testing.T) {
	t.Parallel()
	all, page, found := recorded(t, "docs/why/reliability.json", "## All campaigns")
	if !found {
		return
	}
	if all.Commit == "" || all.Seed == 0 || !strings.Contains(page, all.Commit) {
		t.Errorf("the page does not say what was tried: commit %q, seed %d", all.Commit, all.Seed)
	}
	seen := map[int]bool{}
	for _, r := range all.Rigs {
		seen[r.Campaign] = true
		if r.Problem != "" || r.Counts.Bad() > 0 || r.Counts.Attempted == 0 {
			t.Errorf("campaign %d, %s: %+v %s", r.Campaign, r.Name, r.Counts, r.Problem)
		}
		if !strings.Contains(page, "\n| "+r.Name+" | ") || !strings.Contains(page, "\n"+r.Command+"\n") {
			t.Errorf("campaign %d, %s, has no row or no command in the page", r.Campaign, r.Name)
		}
		if cells := rowOf(page, r.Name); len(cells) != 13 || digits(cells[2]) != strconv.Itoa(r.Counts.Attempted) || digits(cells[7]) != strconv.Itoa(r.Counts.Lost) {
			t.Errorf("the row of %s is %q, the record says %+v", r.Name, cells, r.Counts)
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12} {
		if !seen[n] {
			t.Errorf("campaign %d was not run", n)
		}
	}
}

// The record of all figures is made in several sittings: each of its rows is in
// the page, and none hides a loss.
func TestThePageOfReliabilityHasAllOfTheFiguresThatWereRun(t *testing.T) {
	t.Parallel()
	all, page, found := recorded(t, "docs/why/reliability-full.json", "## All of the figures")
	if !found {
		return
	}
	for _, r := range all.Rigs {
		if r.Problem != "" || r.Counts.Bad() > 0 || r.Counts.Attempted == 0 {
			t.Errorf("campaign %d, %s: %+v %s", r.Campaign, r.Name, r.Counts, r.Problem)
		}
		name := strconv.Itoa(r.Campaign) + " " + r.Name
		if cells := rowOf(page, name); len(cells) != 13 || digits(cells[2]) != strconv.Itoa(r.Counts.Attempted) || digits(cells[7]) != strconv.Itoa(r.Counts.Lost) {
			t.Errorf("the row of %s is %q, the record says %+v", name, cells, r.Counts)
		}
	}
}

// rowOf finds the cells of the first row with that name.
func rowOf(page, name string) []string {
	_, after, _ := strings.Cut(page, "\n| "+name+" | ")
	line, _, _ := strings.Cut(after, "\n")
	cells := []string{name}
	for cell := range strings.SplitSeq(strings.TrimSuffix(line, " |"), " | ") {
		cells = append(cells, cell)
	}
	return cells
}

func digits(cell string) string { return strings.ReplaceAll(cell, ",", "") }
