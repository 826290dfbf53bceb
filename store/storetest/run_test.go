package storetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What elsewhere sends a reader to must be there.
func TestElsewhereNamesWhatExists(t *testing.T) {
	t.Parallel()
	const root = "../.."
	tests := testsUnder(t, root)
	for n, where := range elsewhere() {
		for _, name := range regexp.MustCompile(`\b(Test|Benchmark)[A-Z]\w*`).FindAllString(where, -1) {
			if !tests[name] {
				t.Errorf("S%d is said to be shown by %s, which does not exist", n, name)
			}
		}
		for _, path := range regexp.MustCompile(`\b(store|test)/[\w./]*\w`).FindAllString(where, -1) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil && path != "store/postgres" { // which comes later
				t.Errorf("S%d is said to be shown in %s: %v", n, path, err)
			}
		}
	}
}

// testsUnder are the names of all tests and benchmarks of the module.
func testsUnder(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatalf("read the tests of the module: %v", err)
	}
	return names
}
