//go:build unix

package sh

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// The file descriptors that a supervisor inherits beside the command's own.
const (
	controlFD = 3 // the plan, then nothing for as long as the worker lives
	answerFD  = 4 // started, then report
	holdFD    = 5 // perhaps: what is to stay open while we live
)

// Supervise is the supervisor's side: it runs the one command that its worker
// tells it and outlives that worker just long enough to end the command. The
// program calls it first thing in the process that Executor.Supervisor names
// and exits with what it returns; args is not used. Called by anything but an
// Executor it explains itself and returns 2.
func Supervise(_ []string) int {
	control, answers, err := inheritedPipes()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tq: this command is for tq's own workers:", err)
		return 2
	}
	// The shell dies with the thread that started it, so this one has to stay.
	runtime.LockOSThread()
	// The worker decides when to stop, not whoever signals all of its session.
	// Not ignored, for the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)

	if err := supervise(control, json.NewEncoder(answers)); err != nil {
		fmt.Fprintln(os.Stderr, "tq: supervisor:", err)
		return 1
	}
	return 0
}

func supervise(control io.Reader, answers *json.Encoder) error {
	var p plan
	dec := json.NewDecoder(control)
	if err := dec.Decode(&p); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, control) // whatever ends it, the worker is gone
		close(stop)
	}()
	f, err := startFamily(p)
	if err != nil {
		return answers.Encode(started{Error: err.Error()})
	}
	// With nobody to read it an answer is lost, but the command is not yet over.
	told := answers.Encode(started{Group: f.group})
	_ = os.Stdin.Close() // the command's alone
	end := f.see(stop, p.Grace)
	if end.Stopped {
		_ = os.RemoveAll(p.Scratch) // the worker may be dead; if it lives it does the same
	}
	return errors.Join(told, answers.Encode(end))
}

// inheritedPipes takes the two pipes from the worker, and keeps them from the
// command.
func inheritedPipes() (control, answers *os.File, err error) {
	for _, fd := range []int{controlFD, answerFD} {
		var stat syscall.Stat_t
		if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil, fmt.Errorf("descriptor %d is not a pipe", fd)
		}
		syscall.CloseOnExec(fd)
	}
	syscall.CloseOnExec(holdFD) // if it is there
	return os.NewFile(controlFD, "control"), os.NewFile(answerFD, "answers"), nil
}
