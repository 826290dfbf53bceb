package move

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// The page of moves, docs/why/moving.md, is written from what `make copy` saw;
// no figure of it is typed.

const (
	why        = "../../docs/why"
	recordName = "moving.json"
	pageName   = "moving.md"
)

var update = flag.Bool("update", false, "write the page of moves anew from its record")

// seen is what one move was seen to do.
type seen struct {
	Way     string      `json:"way"`
	Made    string      `json:"made"`
	Commit  string      `json:"commit"`
	Machine string      `json:"machine"`
	Tasks   int         `json:"tasks"`   // there at the end
	Run     int         `json:"run"`     // of them, by workers meanwhile
	Workers int         `json:"workers"` // that did so
	Kills   int         `json:"kills"`
	Took    tq.Duration `json:"took_seconds"` // from its first start to its end, checks of both included
	Pause   tq.Duration `json:"pause_seconds"`
	Lost    int         `json:"lost"`
	Doubled int         `json:"doubled"`
	Found   int         `json:"found"` // by the checks of both
}

// record writes what was seen into the record and the page, in a run that was
// asked to (make copy).
func record(t *testing.T, s seen) {
	t.Helper()
	if os.Getenv("TQ_COPY_RECORD") == "" {
		return
	}
	s.Made = time.Now().UTC().Format(time.DateOnly)
	s.Machine = fmt.Sprintf("%d processors, %s/%s, Linux %s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, said(t, "uname", "-r"), runtime.Version())
	all := slices.DeleteFunc(recorded(t), func(other seen) bool { return other.Way == s.Way })
	all = append(all, s)
	slices.SortFunc(all, func(a, b seen) int { return strings.Compare(a.Way, b.Way) })
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{recordName: string(text) + "\n", pageName: page(all)} {
		if err := os.WriteFile(filepath.Join(why, name), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func said(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func recorded(t *testing.T) []seen {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(why, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var all []seen
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatalf("read what moves did: %v", err)
	}
	return all
}

const pageHead = `# What a move does to work that goes on

<!-- Written by ` + "`make copy`" + ` from moving.json: run it again instead of editing. -->

A store is filled with tasks of every kind, and ` + "`tq copy`" + ` moves it to the other engine while workers go on with tasks that keep coming. The copy is killed with ` + "`kill -9`" + ` again and again, at a stage that chance picks, and begun again. At the end every task that was acknowledged is looked for, runs are counted, and both stores are checked.

| from and to | tasks | run meanwhile | workers | killed | took | held for | lost | run twice | found by checks |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`

const pageFoot = `
- **took**: from the first start to the end, the kills, the comparison of every row and the checks of both stores included.
- **held for**: how long nobody could write, at the end. Calls of that moment wait, and are answered at the new place.
- **run twice**: tasks whose handler was called more than once; that is allowed, but a move is no reason for it.

It takes its time and a machine of its own, so it is not run here:

` + "```sh not-run\nmake copy           # 1,000,000 tasks, both ways\nmake copy N=50000\n```\n"

// page is the text of the page.
func page(all []seen) string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %s | %d | %d | %d |\n", s.Way, s.Tasks, s.Run, s.Workers, s.Kills,
			s.Took.Std(), s.Pause.Std().Round(time.Millisecond), s.Lost, s.Doubled, s.Found)
	}
	b.WriteString("\n")
	for _, s := range all {
		fmt.Fprintf(&b, "%s: %s, tq at %s, %s.\n", s.Way, s.Made, s.Commit, s.Machine)
	}
	b.WriteString(pageFoot)
	return b.String()
}

func TestThePageOfMovesComesFromItsRecord(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	if *update {
		if err := os.WriteFile(filepath.Join(why, pageName), []byte(page(all)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(why, pageName))
	if len(all) == 0 && errors.Is(err, fs.ErrNotExist) {
		return // nothing was measured yet, and nothing is claimed
	}
	if err != nil || string(text) != page(all) {
		t.Errorf("the page is not that of its record (%v); run make copy instead of editing", err)
	}
	for _, s := range all {
		if s.Lost > 0 || s.Doubled > 0 || s.Found > 0 || s.Pause.Std() > mostPause {
			t.Errorf("what stands on the page must not be: %+v", s)
		}
	}
}
