package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every page that the journeys know has a picture in each theme, small enough
// for a repository, and the guide shows it.
func TestEveryPageOfTheDashboardHasItsPictures(t *testing.T) {
	t.Parallel()
	const largest = 100 << 10 // bytes
	list, err := os.ReadFile(filepath.Join(root, "web/journeys/pages.ts"))
	if err != nil {
		t.Fatal(err)
	}
	guide := read(t, filepath.Join(root, "docs/guides/dashboard.md")).text
	names := regexp.MustCompile(`\{ name: "([a-z]+)"`).FindAllStringSubmatch(string(list), -1)
	if len(names) < 10 {
		t.Fatalf("found %d pages in the list of the journeys", len(names))
	}
	for _, m := range names {
		for _, theme := range []string{"light", "dark"} {
			file := "screens/" + m[1] + "-" + theme + ".png"
			info, err := os.Stat(filepath.Join(root, "docs", file))
			switch {
			case err != nil:
				t.Errorf("%v: make web-pictures", err)
			case info.Size() > largest:
				t.Errorf("%s has %d bytes, want at most %d", file, info.Size(), largest)
			case !strings.Contains(guide, "../"+file):
				t.Errorf("docs/guides/dashboard.md does not show %s", file)
			}
		}
	}
}
