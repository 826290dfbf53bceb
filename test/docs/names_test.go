package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestMakeTargetsInTheDocumentsExist(t *testing.T) {
	t.Parallel()
	makefile := read(t, filepath.Join(root, "Makefile")).text
	for _, p := range pages(t) {
		for _, m := range makeTarget.FindAllStringSubmatch(p.text, -1) {
			if !strings.Contains("\n"+makefile, "\n"+m[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", p.path, m[1])
			}
		}
	}
}

// makeTarget finds `make x` in code, and "make x" at the start of a line of it.
var makeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z-]*)")

func TestLinksInTheDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			at := filepath.Join(root, filepath.Dir(p.path), target)
			if _, err := os.Stat(at); err != nil {
				t.Errorf("%s: link to %s: %v", p.path, m[1], err)
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
