//go:build unix

package sh

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// family is a command with every process it has started, as far as they can be
// found: its process group and, in a supervisor on Linux, its orphans too.
type family struct {
	group  int             // process id of the shell, which leads the group
	ended  <-chan string   // gets how the shell ended: report.Failure
	gone   <-chan struct{} // closed when nothing of it is left
	orphan <-chan struct{} // ticks when processes may have come to us; nil where they do not
	done   chan struct{}   // closed when nobody watches any more
	signal func(syscall.Signal)
}

// see watches over the family until all of it is gone, or has outlived KILL.
func (f *family) see(stop <-chan struct{}, grace time.Duration) report {
	defer close(f.done)
	var r report
	select {
	case r.Failure = <-f.ended:
	case <-stop:
		select {
		case r.Failure = <-f.ended: // first: what is done stays done
		default:
			r.Stopped = true
		}
	}
	if !r.Stopped {
		if f.wait(linger, stop, 0) {
			return r
		}
		r.LeftBehind = true
	}
	f.signal(syscall.SIGTERM)
	if f.wait(grace, nil, syscall.SIGTERM) {
		return r
	}
	f.signal(syscall.SIGKILL)
	r.Undead = !f.wait(stubborn, nil, syscall.SIGKILL)
	return r
}

// wait waits until the family is gone and says whether it is: no longer than
// limit, or until hurry. Orphans that turn up meanwhile get the signal as well.
func (f *family) wait(limit time.Duration, hurry <-chan struct{}, sig syscall.Signal) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-f.gone:
			return true
		case <-f.orphan:
			if sig != 0 {
				f.signal(sig)
			}
		case <-hurry:
			return false
		case <-timer.C:
			return false
		}
	}
}

// startGroup starts the command with its process group as the family.
func startGroup(p plan, io streams) (*family, error) {
	cmd := &exec.Cmd{
		Path: p.Shell, Args: p.args(), Dir: p.Dir, Env: p.Env,
		Stdin: io.in, Stdout: io.out, Stderr: io.err,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	group, ended, gone, done := cmd.Process.Pid, make(chan string, 1), make(chan struct{}), make(chan struct{})
	go func() {
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			ended <- failure(status)
		} else {
			ended <- err.Error()
		}
		awaitGroup(group, done, gone)
	}()
	signal := func(sig syscall.Signal) { tell(-group, sig) }
	return &family{group: group, ended: ended, gone: gone, done: done, signal: signal}, nil
}

// awaitGroup closes gone when the group has no members left. No system tells us
// when that is, so it looks, less and less often, while somebody waits for it:
// for seconds, and only when a command left something running.
func awaitGroup(group int, done <-chan struct{}, gone chan<- struct{}) {
	const rarest = 100 * time.Millisecond
	for pause := time.Millisecond; alive(group); pause = min(2*pause, rarest) {
		select {
		case <-done:
			return
		case <-time.After(pause):
		}
	}
	close(gone)
}

// failure is how a process ended, in the words of package os; "" is status 0.
func failure(status syscall.WaitStatus) string {
	switch {
	case status.Signaled() && status.CoreDump():
		return "signal: " + status.Signal().String() + " (core dumped)"
	case status.Signaled():
		return "signal: " + status.Signal().String()
	case status.ExitStatus() != 0:
		return fmt.Sprintf("exit status %d", status.ExitStatus())
	}
	return ""
}

// tell signals a process, or a group when negative. A stopped process is set
// going, so that it can obey.
func tell(pid int, sig syscall.Signal) {
	_ = syscall.Kill(pid, sig) // it is gone, or another user's: nothing more we can do
	if sig == syscall.SIGTERM {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}
