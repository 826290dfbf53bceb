//go:build unix

package sh_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/exec/sh"
)

// witness is a named pipe that processes hold open (exec 9>"$WITNESS"): it
// hears what they say, and ends when the last of them is gone.
type witness struct {
	path string
	said chan string
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{path: filepath.Join(t.TempDir(), "witness"), said: make(chan string, 16)}
	if err := syscall.Mkfifo(w.path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.said)
		f, err := os.Open(w.path) // waits for the first that holds it
		if err != nil {
			return
		}
		defer func() { _ = f.Close() }()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			w.said <- lines.Text()
		}
	}()
	t.Cleanup(func() { // lets a witness go that was never needed
		if f, err := os.OpenFile(w.path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
		}
	})
	return w
}

// hear waits for the next word.
func (w *witness) hear(t *testing.T) string {
	t.Helper()
	select {
	case word, ok := <-w.said:
		if !ok {
			t.Fatal("everybody is gone, and nothing was said")
		}
		return word
	case <-time.After(patience):
		t.Fatal("nothing was said")
	}
	return ""
}

// allGone waits until nobody is left.
func (w *witness) allGone(t *testing.T) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-w.said:
			if !ok {
				return
			}
		case <-deadline:
			t.Fatal("some process lives on")
		}
	}
}

// watched is a payload whose processes hold the witness as descriptor 9.
func (w *witness) watched(cmd string) json.RawMessage {
	return object(map[string]any{"cmd": `exec 9>"$WITNESS"; ` + cmd, "env": map[string]string{"WITNESS": w.path}})
}

// start runs the payload; its outcome comes on the channel, stop ends it.
func start(t *testing.T, x *sh.Executor, payload json.RawMessage) (outcome <-chan error, stop context.CancelCauseFunc) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	c := make(chan error, 1)
	go func() {
		_, err := x.Execute(ctx, &tq.Task{ID: 1, Payload: payload})
		c <- err
	}()
	return c, cancel
}

func await(t *testing.T, outcome <-chan error) error {
	t.Helper()
	select {
	case err := <-outcome:
		return err
	case <-time.After(patience):
		t.Fatal("Execute does not return")
	}
	return nil
}

const (
	obedient = `echo ready >&9; while :; do sleep 100; done`
	deaf     = `trap "" TERM; echo ready >&9; while :; do sleep 100; done`
	family   = `sleep 100 & (sh -c "sleep 100; :" &) ; ` + deaf
)

func TestEndOfContextStopsTheWholeGroup(t *testing.T) {
	t.Parallel()
	lost := errors.New("lease no longer held")
	for name, cmd := range map[string]string{"obedient": obedient, "deaf": deaf, "family": family} {
		for mode, x := range modes() {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				w := newWitness(t)
				outcome, stop := start(t, x, w.watched("echo seen; "+cmd))
				w.hear(t)
				stop(lost)
				err := await(t, outcome)
				if !errors.Is(err, lost) || err.Error() != "lease no longer held\nseen" {
					t.Errorf("%s: error %q, want the cause and the output", name, err)
				}
				w.allGone(t)
			})
		}
	}
}

func TestTermComesBeforeKill(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWitness(t)
			x.Grace = patience
			outcome, stop := start(t, x, w.watched(`trap "echo cleaned up >&9; exit 0" TERM; echo ready >&9; while :; do sleep 0.05; done`))
			w.hear(t)
			cancelled := errors.New("cancelled")
			stop(cancelled)
			if got := w.hear(t); got != "cleaned up" {
				t.Errorf("heard %q", got)
			}
			if err := await(t, outcome); !errors.Is(err, cancelled) {
				t.Errorf("error %v: a command that was stopped has not completed, whatever its status", err)
			}
			w.allGone(t)
		})
	}
}

func TestAStoppedProcessObeysToo(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWitness(t)
			x.Grace = patience
			outcome, stop := start(t, x, w.watched(`echo ready >&9; kill -STOP $$; sleep 100`))
			w.hear(t)
			stop(errors.New("cancelled"))
			if err := await(t, outcome); err == nil || err.Error() != "cancelled" {
				t.Errorf("error %v", err)
			}
			w.allGone(t)
		})
	}
}

func TestAnEndedContextStartsNothing(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("too late"))
			file := filepath.Join(t.TempDir(), "made")
			_, err := x.Execute(ctx, &tq.Task{Payload: line("touch " + file)})
			if err == nil || err.Error() != "too late" {
				t.Errorf("error %v, want the cause", err)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Error("the command ran")
			}
		})
	}
}

func TestWhatACommandLeavesInItsGroupIsStopped(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := newWitness(t)
			got := output(t, x, w.watched(`(trap "" TERM; sleep 100; sleep 100) & echo done`))
			if want := "done\n\n[tq: stopped what the command had left running]\n"; got != want {
				t.Errorf("output %q, want %q", got, want)
			}
			w.allGone(t)
		})
	}
}
