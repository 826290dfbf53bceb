package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What agents say of themselves is recorded in testdata/help; make agent-help
// does it anew, with the versions that package.json there names.
func TestProfilesCallAgentsAsTheirHelpSays(t *testing.T) {
	t.Parallel()
	recorded, err := filepath.Glob("testdata/help/*.txt")
	if err != nil || len(recorded) < 4 {
		t.Fatalf("recorded are %v (%v)", recorded, err)
	}
	for _, file := range recorded {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ProfileOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []ask{{dir: "DIR"}, {dir: "DIR", model: "MODEL", session: "SESSION", yolo: true}} {
			checkHelp(t, string(text), p.argv(a))
		}
	}
}

// checkHelp wants each flag, and each word that is not ours, in the help.
func checkHelp(t *testing.T, help string, argv []string) {
	t.Helper()
	given := map[string]bool{"DIR": true, "MODEL": true, "SESSION": true, follow: true, "--": true, "-": true}
	for _, arg := range argv {
		word, _, _ := strings.Cut(arg, "=")
		if given[word] {
			continue
		}
		if !regexp.MustCompile(`(^|[\s,\["(|])` + regexp.QuoteMeta(word) + `($|[\s,=\])"|<\[.])`).MatchString(help) {
			t.Errorf("%s: the help does not know %s", strings.Join(argv, " "), word)
		}
	}
}
