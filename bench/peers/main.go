// Command peers measures tq beside other queues: on the same machine, in the
// same run, with the same number of the same tasks, all of them durable. The
// peers are a module of their own, so that none of them is a dependency of tq.
//
// Each measure is a process of its own; rounds are interleaved, so that a slow
// minute of the machine hits all alike. `make bench-peers` runs it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// settings of a run.
type settings struct {
	rounds int
	tasks  int
	span   time.Duration
	only   string // of the systems
	dir    string // of the disk
	memory string // of a disk in memory
	out    string
	page   bool
	stale  bool
}

func run(ctx context.Context) error {
	var s settings
	var child string
	flag.IntVar(&s.rounds, "rounds", 3, "interleaved rounds; the page has their medians")
	flag.IntVar(&s.tasks, "tasks", 20_000, "of one measure, at most")
	flag.DurationVar(&s.span, "for", 3*time.Second, "about how long one measure takes at most")
	flag.StringVar(&s.only, "only", "", "only systems of this name, for a try; writes nothing")
	flag.StringVar(&s.dir, "dir", "", "folder on the disk to measure on (default that for temporary files; none leaves it out)")
	flag.StringVar(&s.memory, "memory", "/dev/shm", "folder on a disk in memory; none leaves it out")
	flag.StringVar(&s.out, "out", "../../docs/why", "folder of the page")
	flag.BoolVar(&s.page, "page", false, "write the page anew from its JSON, without measuring")
	flag.BoolVar(&s.stale, "stale", false, "instead: what is a worker told that settles a task which another has taken over; writes stale.json")
	flag.StringVar(&child, "child", "", "measure this one system, and print it")
	flag.Parse()
	switch {
	case child != "":
		return runChild(ctx, child, flag.Args(), s)
	case s.stale:
		return measureStale(ctx, s.out)
	case s.page:
		return rewrite(s.out)
	}
	made, err := measureAll(ctx, s)
	if err != nil || s.only != "" {
		return err
	}
	return made.write(s.out)
}

// runChild is one measure in a process of its own: it prints a sample.
func runChild(ctx context.Context, name string, args []string, s settings) error {
	if len(args) != 2 {
		return fmt.Errorf("want a scenario and a place behind -child %s", name)
	}
	b, ok := systems()[name]
	if !ok || b.measure == nil {
		return fmt.Errorf("no system %s", name)
	}
	samples, err := b.measure(ctx, args[0], args[1], s)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(samples)
}
