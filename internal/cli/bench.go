package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq/bench"
	"example.com/tq/internal/config"
)

// benchFlags is what `tq bench` was told.
type benchFlags struct {
	scenarios []string
	options   bench.Options
	keep      bool
}

func (a *app) benchCommand() *cobra.Command {
	var in benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast tasks go in and out here, and prove that each came once",
		Long: `Measures this machine, in a new file that is removed in the end, on the disk where
the database would lie. With --db, given on the command line, it measures that
database instead, in queues of its own that it purges.

` + scenarioHelp() + `
Each measure ends when its tasks are done or its time is up, and accounts for every
task: once, or again and why, by the journal. A task that was lost, or came twice
without a reason, ends the command with 1.`,
		Example: `  tq bench
  tq bench --scenario drain --tasks 20000 --workers 16
  tq bench --db postgres://localhost/tq --scenario snapshot --for 10m`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("db") && a.dbNamed() {
				return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error { return a.bench(ctx, d, &in, "") })
			}
			return a.benchHere(cmd.Context(), &in)
		},
	}
	in.define(cmd)
	return cmd
}

func scenarioHelp() string {
	var b strings.Builder
	for _, s := range bench.Scenarios() {
		about := s.About
		if s.Long {
			about += " (only when named)"
		}
		fmt.Fprintf(&b, "  %-10s%s\n", s.Name, about)
	}
	return b.String()
}

func (in *benchFlags) define(cmd *cobra.Command) {
	f, o := cmd.Flags(), &in.options
	namesFlag(f, &in.scenarios, "scenario", "only these")
	f.IntVar(&o.Tasks, "tasks", 0, "of one measure, at most (default 20000, backlog 200000)")
	f.IntSliceVar(&o.Callers, "workers", nil, "how many at once, a measure for each (default 1,16,100)")
	f.IntVar(&o.Payload, "payload-bytes", 0, "of each task (default 200)")
	durationFlag(f, &o.For, "for", "how long one measure takes at most, about (default 1.5s, snapshot 10s)")
	f.BoolVar(&in.keep, "keep", false, "leave the tasks, or the new file, for a look")
	onlyArgv(cmd, "scenario", "tasks", "workers", "payload-bytes", "for", "keep")
	refuseZero(cmd, "at least 1", "tasks", "workers", "payload-bytes")
	refuseZero(cmd, "more than 0", "for")
	refuseZero(cmd, "a scenario", "scenario")
}

// dbNamed reports whether the command line itself names the database. One that
// the environment names is not loaded with a million tasks unasked.
func (a *app) dbNamed() bool {
	for _, arg := range a.Args {
		if arg == "--db" || strings.HasPrefix(arg, "--db=") {
			return true
		}
	}
	return false
}

// benchHere measures a new file.
func (a *app) benchHere(ctx context.Context, in *benchFlags) (err error) {
	if a.Client != nil {
		return a.bench(ctx, &door{client: a.Client}, in, "")
	}
	parent := os.TempDir()
	if usual := config.DefaultDB(a.Getenv); usual != "" {
		parent = filepath.Dir(usual)
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return usage("make a folder for the measure: %w", err).WithHint("name a database: --db FILE")
	}
	dir, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		return usage("make a folder for the measure: %w", err).WithHint("name a database: --db FILE")
	}
	if in.keep {
		a.out.note("the file stays: %s", filepath.Join(dir, "tq.db"))
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	a.db = filepath.Join(dir, "tq.db")
	return a.withDoor(ctx, func(ctx context.Context, d *door) error { return a.bench(ctx, d, in, dir) })
}

// measured is what an engine tells of itself to a measure.
type measured interface {
	Version(context.Context) (string, error)
	Written(context.Context) (int64, error)
	Hold(context.Context) (release func() error, err error)
}

// bench runs the scenarios against an opened database; dir is the folder of a
// new file, "" for one that somebody uses.
func (a *app) bench(ctx context.Context, d *door, in *benchFlags, dir string) error {
	scenarios, err := in.chosen()
	if err != nil {
		return err
	}
	t := bench.Target{Client: d.client, As: d.as, Keep: in.keep || dir != ""}
	subject, err := a.benchSubject(ctx, d, &t)
	if err != nil {
		return err
	}
	a.printSubject(subject)
	in.options.Progress = a.out.progress
	return d.live(ctx, func(ctx context.Context) error {
		for _, s := range scenarios {
			if err := a.benchOne(ctx, t, s, in.options); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *app) benchOne(ctx context.Context, t bench.Target, s bench.Scenario, o bench.Options) error {
	if !a.out.json {
		a.out.line("%s %s", a.out.style(strong, s.Name), a.out.style(dim, s.About))
	}
	return bench.Run(ctx, t, s, o, func(m bench.Measure) {
		a.out.progress("")
		a.printMeasure(m)
	})
}

// chosen are the scenarios that were named, in their own order.
func (in *benchFlags) chosen() ([]bench.Scenario, error) {
	var all []bench.Scenario
	names := map[string]bool{}
	for _, name := range in.scenarios {
		names[name] = true
	}
	var known []string
	for _, s := range bench.Scenarios() {
		known = append(known, s.Name)
		if names[s.Name] || len(in.scenarios) == 0 && !s.Long {
			all = append(all, s)
		}
		delete(names, s.Name)
	}
	for name := range names {
		return nil, usage("scenario: there is no %q", name).WithHint("want some of %s", strings.Join(known, ", "))
	}
	return all, nil
}

// benchSubject is what is measured.
type benchSubject struct {
	Program    string        `json:"tq"`
	Machine    bench.Machine `json:"machine"`
	Engine     string        `json:"engine"`
	Version    string        `json:"engine_version,omitempty"`
	Durability string        `json:"durability,omitempty"`
}

// benchSubject describes it, and gives t what its engine can tell.
func (a *app) benchSubject(ctx context.Context, d *door, t *bench.Target) (benchSubject, error) {
	s := benchSubject{Program: version().short(), Machine: bench.ThisMachine(""), Engine: "a hub"}
	if d.store == nil {
		return s, nil
	}
	info := d.store.Info()
	s.Engine, s.Durability = info.Engine, info.Durability
	if info.Engine == "sqlite" {
		s.Machine = bench.ThisMachine(filepath.Dir(info.Place))
	}
	engine, ok := d.engine.(measured)
	if !ok {
		return s, nil
	}
	t.Written, t.Hold = engine.Written, engine.Hold
	version, err := engine.Version(ctx)
	s.Version = version
	return s, err
}

func (a *app) printSubject(s benchSubject) {
	if a.out.json {
		a.out.object(s)
		return
	}
	m := s.Machine
	a.out.line("tq %s, %s, %s, %d × %s", s.Program, m.Go, m.System, m.Cores, or(m.CPU, "processor"))
	line := or(s.Version, s.Engine)
	if s.Durability != "" {
		line += ", durability " + s.Durability + ", journal on"
	}
	if m.Fsync > 0 {
		line += fmt.Sprintf(", a write and its fsync take %.2f ms", m.Fsync)
	}
	a.out.line("%s", line)
}

// printMeasure prints one measure, at once: the next may take a while.
func (a *app) printMeasure(m bench.Measure) {
	if a.out.json {
		a.out.object(m)
	} else {
		a.out.line("%s", measureLine(m))
	}
	if err := a.out.stdout.Flush(); err != nil {
		return // bufio keeps the error for the flush in the end
	}
}

// measureLine is a measure in columns.
func measureLine(m bench.Measure) string {
	rate := ""
	if m.Rate > 0 {
		rate = fmt.Sprintf("%.0f/s", m.Rate)
	}
	line := fmt.Sprintf("  %-38s %9s", m.Name, rate)
	if m.Latency != nil {
		line += fmt.Sprintf("  %-46s", m.Latency)
	}
	if m.Bytes > 0 {
		line += fmt.Sprintf("  %.0f B/task", m.Bytes)
	}
	if m.Kept > 0 {
		line += fmt.Sprintf("  %.2f of the rate kept", m.Kept)
	}
	return line + "  " + m.Delivery.String() + " in " + span(time.Duration(m.Seconds*float64(time.Second)).Round(10*time.Millisecond))
}
