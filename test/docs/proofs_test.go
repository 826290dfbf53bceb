package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The last column of a table of features or promises names what shows it:
// a test (`TestX`), a journey (`test/scripts/x.txtar`, `web/journeys/x.journey.ts`), or a promise of the
// conformance suite (S07: a test of that name in store/storetest, run on every
// engine). What is named must exist.

func TestEveryFeatureNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	features := read(t, filepath.Join(root, "FEATURES.md"))
	rows := tableRows(features.text)
	if len(rows) == 0 {
		t.Fatal("FEATURES.md has no table")
	}
	checkProofs(t, features.path, rows)
}

func TestEveryPromiseInTheReadmeNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	readme := read(t, filepath.Join(root, "README.md"))
	_, section, found := strings.Cut(readme.text, "## What tq promises")
	if !found {
		t.Fatal("README.md has no section \"What tq promises\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	checkProofs(t, readme.path, tableRows(section))
}

func checkProofs(t *testing.T, path string, rows [][]string) {
	t.Helper()
	known := proofs(t)
	for _, row := range rows {
		named := proofName.FindAllString(row[len(row)-1], -1)
		if len(named) == 0 {
			t.Errorf("%s: row %q names no test", path, row[0])
		}
		for _, name := range named {
			if !known[name] && !exists(filepath.Join(root, name)) {
				t.Errorf("%s: row %q names %s, which does not exist", path, row[0], name)
			}
		}
	}
}

var proofName = regexp.MustCompile(`\bTest\w+|\bBenchmark\w+|\bS\d\d\b|\b[\w/-]+\.(?:txtar|journey\.ts)`)

// tableRows returns the cells of every table in a text, without their heads.
func tableRows(text string) [][]string {
	var rows [][]string
	inBody := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			inBody = false
		case strings.HasPrefix(line, "|--"), strings.HasPrefix(line, "| --"):
			inBody = true
		case inBody:
			rows = append(rows, strings.Split(strings.Trim(line, "|"), "|"))
		}
	}
	return rows
}

// proofs collects the names of all tests and benchmarks and of all promises in
// the conformance suite.
func proofs(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") {
			addAll(known, testFunc, text)
		}
		if strings.Contains(filepath.ToSlash(path), "store/storetest/") {
			addAll(known, promiseName, text)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("collect the names of tests: %v", err)
	}
	return known
}

var (
	testFunc    = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	promiseName = regexp.MustCompile(`"(S\d\d) `)
)

func addAll(known map[string]bool, pattern *regexp.Regexp, text []byte) {
	for _, m := range pattern.FindAllSubmatch(text, -1) {
		known[string(m[1])] = true
	}
}

func TestTableRowsAreReadWithoutTheirHeads(t *testing.T) {
	t.Parallel()
	rows := tableRows("| a | b |\n|---|---|\n| 1 | `TestX` |\n\ntext\n")
	if len(rows) != 1 || len(rows[0]) != 2 || strings.TrimSpace(rows[0][1]) != "`TestX`" {
		t.Errorf("rows are %q", rows)
	}
}
