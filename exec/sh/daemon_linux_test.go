package sh_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/tq/exec/sh"
)

func kill(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil || n < 2 {
		t.Fatalf("%q is not a process id", pid)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", n, err)
	}
}

// daemons leave the group and the session, one of them twice over and deaf.
const daemons = `
	setsid sleep 100 &
	(setsid sh -c '(setsid sh -c "trap \"\" TERM; echo deaf daemon >&9; while :; do sleep 100; done" &)' &)
	setsid sh -c 'setsid sh -c "sleep 100; :"; :' &
	`

func TestASupervisorFindsDaemons(t *testing.T) {
	t.Parallel()
	t.Run("when the command is stopped", func(t *testing.T) {
		t.Parallel()
		w := newWitness(t)
		outcome, stop := start(t, supervised(), w.watched(daemons+deaf))
		w.hear(t)
		w.hear(t)
		stop(errors.New("cancelled"))
		if err := await(t, outcome); err == nil || err.Error() != "cancelled" {
			t.Errorf("error %v", err)
		}
		w.allGone(t)
	})
	t.Run("when the command has ended", func(t *testing.T) {
		t.Parallel()
		w := newWitness(t)
		got := output(t, supervised(), w.watched(daemons+"echo done"))
		if !strings.Contains(got, "done\n\n[tq: stopped what the command had left running]\n") {
			t.Errorf("output %q", got)
		}
		w.allGone(t)
	})
}

func TestWorkDoneBeforeTheStopStaysDone(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	// The daemon speaks when the command has been buried, and keeps the attempt open.
	outcome, stop := start(t, supervised(), w.watched(
		`setsid sh -c "while kill -0 $$ 2>/dev/null; do sleep 0.01; done; echo ended >&9; sleep 100" &`))
	w.hear(t)
	stop(errors.New("cancelled"))
	if err := await(t, outcome); err != nil {
		t.Errorf("error %v: the command had ended well", err)
	}
	w.allGone(t)
}

func TestNothingOutlivesAKilledWorker(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWitness(t)
	worker := exec.Command(self, "_worker")
	worker.Stdin = bytes.NewReader(w.watched(daemons + deaf))
	worker.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	w.hear(t)
	w.hear(t)
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err == nil {
		t.Error("the worker ended by itself")
	}
	w.allGone(t)
}

func TestAKilledSupervisorTakesTheGroupWithIt(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	outcome, _ := start(t, supervised(), w.watched("echo seen; echo $PPID >&9; "+deaf))
	kill(t, w.hear(t))
	err := await(t, outcome)
	if err == nil || err.Error() != "the command's supervisor ended without a report: signal: killed\nseen" {
		t.Errorf("error %v", err)
	}
	w.allGone(t)
}

func TestTheShellDiesWithItsSupervisorThoughTheWorkerCannotHelp(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWitness(t)
	worker := exec.Command(self, "_worker")
	worker.Stdin = bytes.NewReader(w.watched("echo $PPID >&9; exec sleep 100"))
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	supervisor := w.hear(t)
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, supervisor)
	w.allGone(t)
	_ = worker.Process.Kill()
	_ = worker.Wait()
}

func TestASupervisorWithoutWorkerClearsUp(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(t.TempDir(), "scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	theirControl, control, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, theirAnswers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	supervisor := exec.Command(self, "_supervise")
	supervisor.ExtraFiles = []*os.File{theirControl, theirAnswers}
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirControl.Close()
	_ = theirAnswers.Close()
	plan := map[string]any{"shell": "/bin/sh", "cmd": "sleep 100", "env": []string{}, "grace": 1e9, "scratch": scratch, "field of the future": 1}
	if err := json.NewEncoder(control).Encode(plan); err != nil {
		t.Fatal(err)
	}
	_ = answers.Close()
	_ = control.Close()
	// With nobody to read its report it says so by its status.
	if err := supervisor.Wait(); err == nil {
		t.Error("an unread report went unnoticed")
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Errorf("the attempt's files are still there: %v", err)
	}
}

func TestSignalsToTheSupervisorAreTheWorkersAffair(t *testing.T) {
	t.Parallel()
	got := output(t, supervised(), line("for s in TERM INT HUP QUIT; do kill -$s $PPID; done; echo still here"))
	if got != "still here\n" {
		t.Errorf("output %q", got)
	}
}

func TestSuperviseByHandExplainsItself(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "_supervise").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("%v, want exit status 2", err)
	}
	if !strings.Contains(string(out), "this command is for tq's own workers") {
		t.Errorf("it says %q", out)
	}
}

func TestASupervisorThatIsNoneFailsTheAttempt(t *testing.T) {
	t.Parallel()
	mustFail(t, &sh.Executor{Supervisor: []string{"true"}}, line("echo hi"),
		"the command's supervisor ended without a report: exit status 0")
	_, err := execute(t, &sh.Executor{Supervisor: []string{"/no/such/program"}}, line("echo hi"))
	if err == nil || !strings.HasPrefix(err.Error(), "start the supervisor: ") || permanent(err) {
		t.Errorf("error %v", err)
	}
}

func TestADaemonThatHoldsTheOutputHangsNobodyWithoutSupervisor(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	got := output(t, &sh.Executor{Grace: grace}, w.watched(`setsid sh -c 'echo $$ >&9; exec sleep 100' & echo done`))
	if !strings.HasPrefix(got, "done\n") {
		t.Errorf("output %q", got)
	}
	kill(t, w.hear(t)) // it left the group: without a supervisor it lives on
	w.allGone(t)
}

func TestCommandsInheritNoDescriptorsOfOurs(t *testing.T) {
	t.Parallel()
	// What the tests were started with goes on to every child.
	const list = "ls -1 /proc/$$/fd"
	plain, err := exec.Command("sh", "-c", list).Output()
	if err != nil {
		t.Fatal(err)
	}
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if got := output(t, x, line(list)); got != string(plain) {
				t.Errorf("the command holds %q, want %q", got, plain)
			}
		})
	}
}

// Not parallel: it counts what this whole process holds.
func TestAttemptsLeaveNothingBehindInTheWorker(t *testing.T) {
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	for _, x := range []*sh.Executor{supervised(), {Grace: grace}} {
		_ = output(t, x, line("true")) // what is opened once and for all is open now
		before := count()
		for range 20 {
			_ = output(t, x, object(map[string]any{"cmd": "cat", "stdin": "x"}))
			_, _ = execute(t, x, line("exit 1"))
			_, _ = execute(t, x, object(map[string]any{"cmd": "true", "dir": "/no/such"}))
		}
		if after := count(); after != before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	}
	x := &sh.Executor{Supervisor: []string{"/no/such/program"}}
	before := count()
	_, _ = execute(t, x, line("true"))
	if after := count(); after != before {
		t.Errorf("a supervisor that does not start leaves %d descriptors", after-before)
	}
}

// Not parallel: it measures the memory of this whole process.
func TestAGibibyteOfOutputStaysSmallAndFlows(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := output(t, supervised(), line("yes | head -c 1073741824; echo; echo end"))
	runtime.ReadMemStats(&after)
	if !strings.HasSuffix(got, "\nend\n") || !strings.HasPrefix(got, "[10737") {
		t.Errorf("output %.60q … %q", got, got[len(got)-10:])
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes allocated on the way", grown)
	}
}
