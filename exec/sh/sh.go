// Package sh runs tasks of type sh: a command line in a process group of its
// own, stopped whole when its attempt ends.
//
// With a Supervisor the command also ends when the worker is killed with -9,
// and on Linux what it daemonised (setsid, double fork) is found and ended
// too. Without one the worker leads the group itself: processes that left the
// group, and all of them when the worker dies, live on. On Windows only the
// shell itself is killed, and Supervisor is not used.
package sh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/tq"
)

// Executor runs commands. Its zero value works; it may be used by any number of
// attempts at once and must not be changed while it is.
type Executor struct {
	// Supervisor is a command that ends in a call of Supervise: the running
	// program with a hidden argument, as in {"/proc/self/exe", "_supervise"}.
	// Empty runs commands without a supervisor.
	Supervisor []string

	// Grace is what a command gets between TERM and KILL. Zero is 10 s.
	Grace time.Duration

	// Dir is where commands run that name no dir, and what a relative dir
	// starts from. Empty is the worker's own.
	Dir string

	// EnvAllow names what commands inherit of the worker's environment. Nil is
	// all of it. TQ_TOKEN and TQ_DB are never inherited.
	EnvAllow []string
}

const (
	defaultGrace = 10 * time.Second

	// linger is how long what a finished command left running, or left holding
	// its output, may take to end by itself.
	linger = time.Second

	// stubborn is how long processes may outlive a KILL (a dead disk, another
	// user's process) before the attempt ends without them.
	stubborn = 5 * time.Second
)

// Execute runs the command of t. The result of exit status 0 is what the
// command wrote to $TQ_RESULT_FILE, or {"exit_code":0,"output":"…"} with the
// last 32 KiB that it printed. Any other end is an error that says how it ended
// and quotes the same output; a payload that names no runnable command fails
// for good. When ctx ends the command gets TERM, after Grace KILL, and Execute
// returns the context's cause once it is gone.
func (x *Executor) Execute(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c, err := parsePayload(t.Payload)
	if err != nil {
		return nil, tq.Permanent(err)
	}
	dir, err := x.workDir(c.Dir)
	if err != nil {
		return nil, tq.Permanent(err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil, fmt.Errorf("find the shell: %w", err)
	}
	s, err := newScratch(c.Stdin)
	if err != nil {
		return nil, fmt.Errorf("prepare the attempt's files: %w", err)
	}
	defer s.remove()
	out := newOutput(func(note string) { t.Report(0, note) })
	defer out.close()

	base := x.inherited(os.Environ())
	end, err := x.run(ctx, out, s.stdin, plan{
		Shell:   shell,
		Cmd:     c.Cmd,
		Dir:     dir,
		Env:     environment(base, c.Env, t, s.resultPath()),
		Grace:   x.grace(),
		Scratch: s.dir,
		base:    base,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w%s", err, out.quote())
	case end.Stopped:
		return nil, fmt.Errorf("%w%s%s", cause(ctx), end.undead(), out.quote())
	case end.Failure != "":
		return nil, fmt.Errorf("%s%s", end.Failure, out.quote())
	}
	return s.result(out, end)
}

// run conducts the plan with its output going to out.
func (x *Executor) run(ctx context.Context, out *output, stdin *os.File, p plan) (report, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return report{}, fmt.Errorf("open a pipe for the output: %w", err)
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = out.ReadFrom(r) // an error means that we closed it; what came so far is kept
	}()
	end, err := x.conduct(ctx, p, streams{in: stdin, out: w, err: w})
	_ = w.Close() // conduct's child holds its own

	// A process that got away may hold the other end for ever.
	cut := time.AfterFunc(linger, func() { _ = r.Close() })
	<-copied
	cut.Stop()
	_ = r.Close()
	return end, err
}

func (x *Executor) grace() time.Duration {
	if x.Grace > 0 {
		return x.Grace
	}
	return defaultGrace
}

// workDir is where the command runs; "" is the worker's own directory.
func (x *Executor) workDir(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(x.Dir, dir)
	}
	if dir == "" {
		return "", nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("payload: dir %q does not exist on this worker", dir)
	case err != nil:
		return "", fmt.Errorf("payload: dir: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("payload: dir %q is not a directory", dir)
	}
	return dir, nil
}

// cause says why the command was stopped.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return errors.New("the command was stopped")
}
