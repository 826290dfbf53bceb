// Package cli is the command line of tq. It asks a tq.Client and prints; what
// may happen to a task is decided elsewhere. One file per command; output.go
// holds all printing, safe.go what makes strangers' texts fit for a terminal.
package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/tq"
	"example.com/tq/exec/sh"
)

// Process is what one run of tq gets from its surroundings.
type Process struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time // in the zone that times are shown in
	Client         tq.Client        // answers instead of a database, in tests
}

// superviseArg makes this binary the supervisor of one sh task (see exec/sh).
// It is no command: a supervisor starts with nothing else, not even flags.
const superviseArg = "_supervise"

// companyArg before a command makes it end, as an interrupt would, when whoever
// started it does, however that was: its standard input is a pipe from there.
const companyArg = "_company"

// Main runs tq with the surroundings of this process and returns its exit
// status.
func Main() int {
	if len(os.Args) > 1 && os.Args[1] == superviseArg {
		return sh.Supervise(os.Args[2:])
	}
	p := Process{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now,
	}
	if len(p.Args) > 0 && p.Args[0] == companyArg {
		return p.runInCompany()
	}
	return p.Run(context.Background())
}

// runInCompany runs the command behind companyArg until its input ends.
func (p Process) runInCompany() int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func(pipe io.Reader) {
		_, _ = io.Copy(io.Discard, pipe) // any end of it is the end
		stop()
	}(p.Stdin)
	p.Args, p.Stdin = p.Args[1:], strings.NewReader("")
	return p.Run(ctx)
}

// Run runs one command and returns its exit status. The first interrupt ends
// the command's context; the second kills the process, unless the command
// listens for it.
func (p Process) Run(ctx context.Context) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	a := &app{Process: p}
	a.out = &output{
		stdout: bufio.NewWriter(p.Stdout), stderr: p.Stderr,
		live: isTerminal(p.Stderr) && p.Getenv("TERM") != "dumb", ascii: onlyASCII(p.Getenv),
	}
	root := a.root()
	a.out.json = slices.Contains(p.Args, "--json") // until the flags are read
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(a.out.stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	a.out.clear()
	if flushErr := a.out.flush(); err == nil {
		err = flushErr
	}
	a.out.failed(err)
	return exitOf(err)
}

// app is one run of tq.
type app struct {
	Process
	out *output

	db         string
	durability string
	insecure   bool
	ca         string // file
	colorMode  string
	keep       tq.Retention
	depth      tq.Depth
	log        *slog.Logger // of what runs in the background; nil tells nobody
}

// usage is the refusal of a command line.
func usage(format string, args ...any) *tq.Error {
	return tq.Errorf(tq.CodeInvalid, format, args...)
}

// plural writes a count of things: "1 task", "3 tasks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
