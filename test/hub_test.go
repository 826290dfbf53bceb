package test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/tq"
)

// The same scripts with TQ_DB set to a hub: what a command does to a file it
// does to a hub, with the same output.

// fileScripts are about files, or about a hub of their own. How long tasks stay
// (keep) is the business of whoever sweeps: the hub, not its callers.
func fileScripts() []string {
	return []string{"backup.txtar", "config.txtar", "copy.txtar", "demo.txtar", "doctor.txtar", "keep.txtar"}
}

func TestScriptsThroughAHub(t *testing.T) {
	t.Parallel()
	p := journey(t, func(env *testscript.Env) string { return filepath.Join(env.WorkDir, "tq.db") })
	p.Dir = hubScripts(t)
	inFile := p.Setup
	p.Setup = func(env *testscript.Env) error {
		if err := inFile(env); err != nil {
			return err
		}
		return serveTo(env)
	}
	testscript.Run(t, p)
}

// hubScripts is a folder with the scripts that a hub can answer.
func hubScripts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	all, err := filepath.Glob("scripts/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if base := filepath.Base(path); !slices.Contains(fileScripts(), base) && !strings.Contains(string(text), "\n# needs a file\n") {
			if err := os.WriteFile(filepath.Join(dir, base), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// serveTo starts a hub for one script and points TQ_DB to it.
func serveTo(env *testscript.Env) error {
	hub := exec.Command("tq", "serve", "--addr", "127.0.0.1:0", "--db", env.Getenv("TQ_DB"))
	hub.Dir, hub.Env = env.WorkDir, env.Vars
	said, err := hub.StderrPipe()
	if err != nil {
		return err
	}
	if err := hub.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(said)
	var address string
	for ready := false; !ready && lines.Scan(); { // the link is printed when there is a token
		if _, rest, ok := strings.Cut(lines.Text(), " at http://"); ok {
			address, _, _ = strings.Cut(rest, " ")
		}
		ready = strings.Contains(lines.Text(), "dashboard: ")
	}
	env.Setenv("TQ_DB", "http://"+address)
	rest := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
		}
		rest <- all.String()
	}()
	env.Defer(func() {
		_ = hub.Process.Signal(syscall.SIGTERM) // it may have ended
		text := <-rest
		if err := hub.Wait(); err != nil {
			env.T().Log("the hub ended with", err, "and said", text)
		}
	})
	return nil
}

// S14, S20: an enqueue whose answer was lost may be sent again, without keys on
// its tasks, to the program that users run.
func TestARepeatedEnqueueOverAHubMakesNoSecondTask(t *testing.T) {
	t.Parallel()
	h := serveHub(t)
	defer h.stop()
	in := tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "a"}, {Type: "b"}}, EnqueueID: "once"}
	for range 3 {
		out, err := h.hub.Enqueue(t.Context(), in)
		if err != nil || len(out.Tasks) != 2 || out.Tasks[0].ID != 1 || out.Tasks[1].ID != 2 {
			t.Fatalf("answered %+v, %v", out, err)
		}
	}
}
