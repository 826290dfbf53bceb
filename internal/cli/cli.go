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

// Main runs tq with the surroundings of this process and returns its exit
// status.
func Main() int {
	if len(os.Args) > 1 && os.Args[1] == superviseArg {
		return sh.Supervise(os.Args[2:])
	}
	return Process{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now,
	}.Run(context.Background())
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
