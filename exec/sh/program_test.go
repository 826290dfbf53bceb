//go:build unix

package sh_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq/exec/sh"
)

func TestAProgramGetsItsArgumentsAsTheyAre(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			end, err := x.RunProgram(t.Context(), sh.Program{
				Argv: []string{"sh", "-c", `printf '%s|' "$@"; cat; pwd >&2; exit 41`, "-", "$(reboot)", "--", "a b"},
				Dir:  "/", Env: []string{"PATH=" + os.Getenv("PATH")}, Stdin: "in", Stdout: &out, Stderr: &errs,
			})
			if err != nil || end.Failure != "exit status 41" {
				t.Fatalf("ended %+v (%v), want status 41", end, err)
			}
			if out.String() != "$(reboot)|--|a b|in" || errs.String() != "/\n" {
				t.Errorf("stdout %q, stderr %q", &out, &errs)
			}
		})
	}
}

func TestAProgramIsStoppedWhole(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			begun := &trigger{on: "ready", do: stop}
			end, err := x.RunProgram(ctx, sh.Program{
				Argv: []string{"sh", "-c", `trap "" TERM; (trap "" TERM; sleep 300) & echo ready; wait; sleep 300`},
				Env:  []string{"PATH=" + os.Getenv("PATH")}, Stdout: begun, Stderr: begun,
			})
			if err != nil || !end.Stopped || end.Undead {
				t.Errorf("ended %+v (%v), want it stopped", end, err)
			}
		})
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	_, err := supervised().RunProgram(t.Context(), sh.Program{Argv: []string{filepath.Join(t.TempDir(), "none")}})
	if err == nil {
		t.Error("a program that is not there ran")
	}
}

// trigger calls do when it has seen the word.
type trigger struct {
	seen strings.Builder
	on   string
	do   func()
}

func (w *trigger) Write(b []byte) (int, error) {
	w.seen.Write(b)
	if strings.Contains(w.seen.String(), w.on) {
		w.do()
	}
	return len(b), nil
}
