package docs

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated documents anew")

const promisesPage = "docs/reference/promises.md"

const promisesHead = `# What tq promises, number by number

<!-- Generated from the names of the tests in store/storetest: make docs -->

Each line is the name of a test in ` + "`store/storetest`" + `, which runs on every engine. Code and tests cite the numbers. What one store and one client cannot show stands behind the word *elsewhere*, with where it is shown.
`

func TestThePageOfPromisesIsFresh(t *testing.T) {
	t.Parallel()
	fresh(t, promisesPage, promisesText(t))
}

// fresh compares a generated page with what it should be, or writes it.
func fresh(t *testing.T, page, want string) {
	t.Helper()
	path := filepath.Join(root, page)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatalf("write %s: %v", page, err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read %s: %v", page, err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: make docs", page)
	}
}

// promisesText is the page as the suite has it now.
func promisesText(t *testing.T) string {
	t.Helper()
	lines := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(root, "store/storetest/*.go"))
	if err != nil {
		t.Fatalf("list the suite: %v", err)
	}
	for _, file := range files {
		text := read(t, file).text
		for _, m := range promiseLine.FindAllStringSubmatch(text, -1) {
			lines[m[1]] = append(lines[m[1]], m[2])
		}
		for _, m := range elsewhereLine.FindAllStringSubmatch(text, -1) {
			number := fmt.Sprintf("S%02s", m[1])
			lines[number] = append(lines[number], "*elsewhere*: "+m[2])
		}
	}
	if len(lines) == 0 {
		t.Fatal("found no promise in store/storetest")
	}
	var page strings.Builder
	page.WriteString(promisesHead)
	for _, number := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&page, "\n## %s\n\n", number)
		slices.SortStableFunc(lines[number], elsewhereLast)
		for _, line := range lines[number] {
			fmt.Fprintf(&page, "- %s\n", line)
		}
	}
	return page.String()
}

var (
	promiseLine   = regexp.MustCompile(`\{"(S\d\d) ([^"]+)",`)
	elsewhereLine = regexp.MustCompile(`(?m)^\t\t(\d+): +"([^"]+)",$`)
)

// elsewhereLast keeps the order of the suite, but for what is shown elsewhere.
func elsewhereLast(a, b string) int {
	switch here, there := strings.HasPrefix(a, "*elsewhere*"), strings.HasPrefix(b, "*elsewhere*"); {
	case here == there:
		return 0
	case here:
		return 1
	}
	return -1
}
