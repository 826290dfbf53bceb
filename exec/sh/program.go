package sh

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Program is one program to run under the same watch as the commands of sh
// tasks: for executors that start something other than a shell.
type Program struct {
	Argv []string // its name or path, then its arguments; no shell reads them
	Dir  string
	Env  []string // all of it

	Stdin          string    // what it reads, then the end
	Stdout, Stderr io.Writer // may be nil; the same one gets both in the order they came

	// Hold is kept open until the last process of the program is gone, also
	// when this one is killed: a lock on it outlives us as it should. Only a
	// Supervisor can do that.
	Hold *os.File
}

// Ended is how a program ended.
type Ended struct {
	Failure    string // "exit status 1", "signal: killed"; "" is exit status 0
	Stopped    bool   // ctx ended and the program with it
	LeftBehind bool   // it had ended, but not all that it had started; that was ended too
	Undead     bool   // some of its processes have outlived KILL
}

// RunProgram runs p until all of it is gone, and ends it when ctx ends: TERM to
// all of its processes, after Grace KILL. An error says that it could not be
// run.
func (x *Executor) RunProgram(ctx context.Context, p Program) (Ended, error) {
	path, err := p.path()
	if err != nil {
		return Ended{}, err
	}
	s, err := newScratch(p.Stdin)
	if err != nil {
		return Ended{}, fmt.Errorf("prepare the program's files: %w", err)
	}
	defer s.remove()
	base := []string{}
	if len(x.Supervisor) > 0 {
		base = x.inherited(p.Env)
	}
	out, err := newDrains(p.Stdout, p.Stderr)
	if err != nil {
		return Ended{}, err
	}
	end, err := x.conduct(ctx, plan{
		Shell: path, Argv: p.Argv, Dir: p.Dir, Env: p.Env,
		Grace: x.grace(), Scratch: s.dir, base: base,
	}, streams{in: s.stdin, out: out[0].w, err: out[1].w, hold: p.Hold})
	for _, d := range out {
		d.finish()
	}
	return Ended(end), err
}

// path finds the program where its own environment says, in no folder that is
// not absolute.
func (p *Program) path() (string, error) {
	name := p.Argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		return exec.LookPath(name)
	}
	list := ""
	for _, pair := range p.Env {
		if text, ok := strings.CutPrefix(pair, "PATH="); ok {
			list = text
		}
	}
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is in no folder of PATH: %w", name, exec.ErrNotFound)
}

// drain copies what a program prints to a writer of ours.
type drain struct {
	r, w   *os.File
	copied chan struct{}
}

// newDrains makes those of stdout and stderr: one for both when they go to the
// same place.
func newDrains(stdout, stderr io.Writer) ([2]*drain, error) {
	first, err := newDrain(stdout)
	if err != nil {
		return [2]*drain{}, err
	}
	if stdout == stderr {
		return [2]*drain{first, first}, nil
	}
	second, err := newDrain(stderr)
	if err != nil {
		_ = first.w.Close() // ends its copying
		return [2]*drain{}, err
	}
	return [2]*drain{first, second}, nil
}

func newDrain(to io.Writer) (*drain, error) {
	if to == nil {
		to = io.Discard
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe for the output: %w", err)
	}
	d := &drain{r: r, w: w, copied: make(chan struct{})}
	go func() {
		defer close(d.copied)
		_, _ = io.Copy(to, r) // an error means that we closed it; what came so far is kept
	}()
	return d, nil
}

// finish waits for the last words; a process that got away may hold the other
// end for ever.
func (d *drain) finish() {
	_ = d.w.Close() // the program's processes held their own
	cut := time.AfterFunc(linger, func() { _ = d.r.Close() })
	<-d.copied
	cut.Stop()
	_ = d.r.Close()
}
