package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A claim about somebody else's program goes stale. So each names a version, the
// day it was looked at, and where: an address or a command.

var (
	versionCell = regexp.MustCompile(`^\d+(\.\d+)+$`)
	sourceCell  = regexp.MustCompile("https://\\S+|`[^`]+`")
)

func TestEveryClaimAboutAPeerHasAVersionADateAndASource(t *testing.T) {
	t.Parallel()
	page := read(t, filepath.Join(root, "docs/why/comparison.md")).text
	rows := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| queue ") {
			continue
		}
		rows++
		if wrong := badClaim(line); wrong != "" {
			t.Errorf("%s: %s", wrong, line)
		}
	}
	if rows < 15 {
		t.Errorf("the page has %d claims", rows)
	}
}

func TestAClaimWithoutVersionDateOrSourceIsNoticed(t *testing.T) {
	t.Parallel()
	for line, good := range map[string]bool{
		"| River | 0.51.2 | 2026-11-30 | an hour | `grep -rn x` |":    true,
		"| River | newest | 2026-11-30 | an hour | `grep -rn x` |":    false,
		"| River | 0.51.2 | last week | an hour | `grep -rn x` |":     false,
		"| River | 0.51.2 | 2026-11-30 | an hour | everybody knows |": false,
		"| River | 0.51.2 | 2026-11-30 | an hour |":                   false,
	} {
		if (badClaim(line) == "") != good {
			t.Errorf("%s: %q", line, badClaim(line))
		}
	}
}

// badClaim says what a row of a comparison lacks.
func badClaim(row string) string {
	cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(row), `\|`, "¦"), "|")
	if len(cells) != 7 {
		return "want five cells: queue, version, day, claim, source"
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	switch _, err := time.Parse(time.DateOnly, cells[3]); {
	case !versionCell.MatchString(cells[2]):
		return "no version"
	case err != nil:
		return "no day"
	case !sourceCell.MatchString(cells[5]):
		return "neither an address nor a command"
	}
	return ""
}
