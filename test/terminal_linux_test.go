package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// What only a terminal brings out: questions, color, progress, and that nothing
// of a stranger's text reaches it raw.

// openTerminal opens a pair of pseudo terminals: what a person holds and what a
// program sees.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() }) // closed a second time when all went well
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatalf("unlock the terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatalf("name the terminal: %v", err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("open the terminal's other side: %v", err)
	}
	return person, program
}

// onTerminal runs tq on a terminal, types answer, and returns what the screen
// got and the exit status.
func onTerminal(t *testing.T, db, answer string, args ...string) (screen string, code int) {
	t.Helper()
	person, program := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), "tq", args...)
	cmd.Env = append(os.Environ(), "TQ_DB="+db, "TQ_CONFIG="+os.DevNull, "TERM=xterm", "NO_COLOR=", "LANG=C.UTF-8")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := program.Close(); err != nil { // the child holds its own
		t.Error(err)
	}
	if _, err := person.WriteString(answer); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = seen.ReadFrom(person) }) // ends with an error when the child is gone
	_ = cmd.Wait()                                 // the exit status tells
	wg.Wait()
	t.Logf("$ tq %s → %d\n%q", strings.Join(args, " "), cmd.ProcessState.ExitCode(), seen.String())
	return seen.String(), cmd.ProcessState.ExitCode()
}

func tqOn(t *testing.T, db string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "tq", args...)
	cmd.Env = append(os.Environ(), "TQ_DB="+db, "TQ_CONFIG="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("tq %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestBulkCommandsAskOnATerminal(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "tq.db")
	for range 3 {
		tqOn(t, db, "enqueue", "--type", "sh", "--payload", "exit 1", "--max-attempts", "1")
	}
	tqOn(t, db, "worker", "--drain", "--type", "sh")
	screen, code := onTerminal(t, db, "2\n", "dlq", "--rescue-all")
	if code != 2 || !strings.Contains(screen, "About to rescue 3 dead tasks. Type 3 to go on: ") || !strings.Contains(screen, "nothing was done") {
		t.Errorf("a wrong count: exit %d, %q", code, screen)
	}
	if screen, code := onTerminal(t, db, "3\n", "dlq", "--rescue-all"); code != 0 || !strings.Contains(screen, "rescued 3, skipped 0") {
		t.Errorf("the count: exit %d, %q", code, screen)
	}
	if screen, code := onTerminal(t, db, "3\n", "queue", "purge", "default"); code != 0 || !strings.Contains(screen, "3 tasks deleted") {
		t.Errorf("purge: exit %d, %q", code, screen)
	}
}

func TestATerminalGetsColorAndNothingRaw(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "tq.db")
	tqOn(t, db, "enqueue", "--type", "t", "--payload", "\"\u009b2J \u202e\"", "--key", "\u202ekey")
	list, _ := onTerminal(t, db, "", "list")
	if !strings.Contains(list, "\x1b[2mID\x1b[0m") || !strings.Contains(list, `\u202ekey`) || strings.Contains(list, "\u202e") {
		t.Errorf("list: %q", list)
	}
	for _, args := range [][]string{{"show", "1"}, {"show", "1", "--payload"}, {"show", "1", "--json"}} {
		if screen, code := onTerminal(t, db, "", args...); code != 0 || strings.ContainsAny(screen, "\u009b\u202e") {
			t.Errorf("%v: exit %d, %q", args, code, screen)
		}
	}
}

func TestLongWorkShowsProgressOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, file := filepath.Join(dir, "tq.db"), filepath.Join(dir, "tasks.jsonl")
	if err := os.WriteFile(file, bytes.Repeat([]byte(`{"type":"t"}`+"\n"), 1_500), 0o600); err != nil {
		t.Fatal(err)
	}
	screen, code := onTerminal(t, db, "", "enqueue", "--file", file)
	if code != 0 || !strings.Contains(screen, "1000 tasks put in") || !strings.Contains(screen, "\r\x1b[K") {
		t.Errorf("exit %d, %q", code, screen[max(0, len(screen)-200):])
	}
}

// Moves and copies draw a bar for people, and nothing for programs.
func TestMovesDrawABarOnATerminalAndNothingOnAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, file := filepath.Join(dir, "tq.db"), filepath.Join(dir, "tasks.jsonl")
	if err := os.WriteFile(file, bytes.Repeat([]byte(`{"type":"t"}`+"\n"), 50), 0o600); err != nil {
		t.Fatal(err)
	}
	tqOn(t, db, "enqueue", "--file", file)
	for _, move := range []struct {
		stage, db string
		args      []string
	}{
		{"backup", db, []string{"backup", filepath.Join(dir, "%s.copy")}},
		{"restore", filepath.Join(dir, "%s.restored"), []string{"restore", filepath.Join(dir, "%s.copy")}},
		{"export", db, []string{"export", filepath.Join(dir, "%s.jsonl")}},
		{"import", filepath.Join(dir, "%s.imported"), []string{"import", filepath.Join(dir, "%s.jsonl")}},
		{"copy", db, []string{"copy", filepath.Join(dir, "%s.restored"), filepath.Join(dir, "%s.moved")}},
	} {
		in := func(place string) (db string, args []string) {
			for _, a := range move.args {
				args = append(args, strings.ReplaceAll(a, "%s", place))
			}
			return strings.ReplaceAll(move.db, "%s", place), args
		}
		db, args := in("seen")
		screen, code := onTerminal(t, db, "", args...)
		if code != 0 || !strings.Contains(screen, move.stage+" ") || !strings.Contains(screen, " %") || !strings.HasSuffix(screen, "\n") {
			t.Errorf("%s on a terminal: exit %d, %q", move.stage, code, screen)
		}
		db, args = in("piped")
		if out := tqOn(t, db, args...); strings.ContainsAny(out, "\r\x1b%") {
			t.Errorf("%s on a pipe: %q", move.stage, out)
		}
	}
}
