package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// The demo is what tq is for, in small: a hub over a file, a fan-out over two
// worker processes, one of which is killed in the middle, one task that always
// fails, one that waits for all others. It is the real thing: the same binary,
// real processes, kill -9.

const (
	demoShards  = 24
	demoKillAt  = 6 // completed shards
	demoLease   = 2 * time.Second
	demoVictim  = "green"
	demoSpare   = "blue" // starts when the victim is gone
	demoBackoff = 500 * time.Millisecond
	demoLimit   = 2 * time.Minute // something is wrong when it takes longer
)

func (a *app) demoCommand() *cobra.Command {
	var in demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch a hub, workers and a fan-out survive a kill -9, in a folder of its own",
		Long: `Starts a hub and two workers as processes of their own over a new database, sends a
fan-out, kills a worker in the middle, and shows how everything ends. Nothing of yours
is touched. With --stay the hub goes on until you interrupt it, for a look at the
dashboard; with --at the tasks go to a hub of yours and nothing is started.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if in.at != "" {
				return a.demoAt(cmd.Context(), in.at)
			}
			return a.demo(cmd.Context(), &in)
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.dir, "dir", "", "folder for its files (default a new one for temporary files)")
	f.StringVar(&in.at, "at", "", "only put the tasks into the hub at this address")
	f.BoolVar(&in.stay, "stay", false, "keep the hub up afterwards, until an interrupt")
	onlyArgv(cmd, "dir", "at", "stay")
	return cmd
}

// demoFlags is what `tq demo` was told.
type demoFlags struct {
	dir, at string
	stay    bool
}

// demo is one run of it.
type demo struct {
	app    *app
	hub    *demoHub
	client tq.Client
	dir    string
	db     string
	start  time.Time

	workers []*demoWorker
	broken  int64 // the task that always fails
	report  int64 // the task that waits for all shards
	killed  []int64
	after   int64 // seq of the last fact seen
	done    int   // completed shards
	dead    bool
	over    bool // the report is completed
	expired int  // leases that ran out after the kill
}

func (a *app) demo(ctx context.Context, in *demoFlags) error {
	d := &demo{app: a, start: time.Now()}
	if err := d.prepare(in.dir); err != nil {
		return err
	}
	limited, stop := context.WithTimeout(ctx, demoLimit)
	defer stop()
	defer func() { d.hub.stop() }()
	if err := d.startHub(limited); err != nil {
		return err
	}
	if err := d.run(limited); err != nil {
		return err
	}
	if !in.stay {
		return nil
	}
	d.app.out.line("")
	d.app.out.line("The hub stays up until you press ^C: %s", d.hub.link)
	if err := d.app.out.flush(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (d *demo) prepare(dir string) error {
	if dir == "" {
		made, err := os.MkdirTemp("", "tq-demo-")
		if err != nil {
			return tq.Errorf(tq.CodeInvalid, "make a folder for the demo: %w", err).WithHint("name one: --dir DIR")
		}
		dir = made
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return usage("dir: %w", err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return usage("dir: %w", err)
	}
	d.dir, d.db = abs, filepath.Join(abs, "demo.db")
	return nil
}

func (d *demo) run(ctx context.Context) error {
	d.say("a hub over %s", d.db)
	d.say("its dashboard: %s", d.hub.link)
	if err := d.enqueue(ctx); err != nil {
		return err
	}
	d.say("%d shards, one task that always fails, one that waits for all shards", demoShards)
	defer d.stopWorkers()
	for _, name := range []string{"red", demoVictim} {
		if err := d.startWorker(name); err != nil {
			return err
		}
	}
	d.say("2 workers with 2 hands each, leases of %s", span(demoLease))
	if err := d.watch(ctx); err != nil {
		return err
	}
	d.stopWorkers()
	return d.conclude(ctx)
}

// enqueue puts all tasks in with one call. In a folder of an earlier demo the
// tasks of that one stay as they are.
func (d *demo) enqueue(ctx context.Context) error {
	last, err := d.client.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil {
		return err
	}
	if len(last.Facts) > 0 {
		d.after = last.Facts[0].Seq
	}
	run := d.start.UTC().Format("20060102T150405.000")
	broken := d.task(run, "broken", "echo this one never works >&2; exit 1")
	broken.Backoff = &tq.Backoff{Base: tq.Duration(demoBackoff)}
	tasks := []tq.NewTask{broken}
	report := d.task(run, "report", "echo all shards are done")
	for i := range demoShards {
		name := fmt.Sprintf("shard-%02d", i)
		tasks = append(tasks, d.task(run, name, "sleep 0.4; head -c 4000000 /dev/urandom | cksum"))
		report.Deps = append(report.Deps, tq.Ref(fmt.Sprintf("$%d", i+1)))
	}
	out, err := d.client.Enqueue(ctx, tq.EnqueueIn{Tasks: append(tasks, report)})
	if err != nil {
		return err
	}
	d.broken, d.report = out.Tasks[0].ID, out.Tasks[demoShards+1].ID
	return nil
}

func (d *demo) task(run, name, command string) tq.NewTask {
	text, err := json.Marshal(command)
	if err != nil {
		panic(err) // a string always encodes
	}
	return tq.NewTask{
		Type: tq.TypeShell, Project: "demo", Payload: text, MaxAttempts: 3, IdempotencyKey: "demo-" + run + "-" + name,
	}
}

// watch follows the journal until the report is completed and the broken task
// dead, and kills a worker on the way.
func (d *demo) watch(ctx context.Context) error {
	for !d.over || !d.dead {
		d.drawProgress()
		out, err := d.client.Facts(ctx, tq.FactsIn{After: d.after, Limit: tq.MaxPage, Wait: tq.Duration(tq.MaxWait)})
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return tq.Errorf(tq.CodeInternal, "the demo is not done after %s", span(demoLimit)).
				WithHint("the workers' logs are in %s", d.dir)
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
		for i := range out.Facts {
			d.after = out.Facts[i].Seq
			d.saw(&out.Facts[i])
		}
		if d.done >= demoKillAt && d.killed == nil {
			if err := d.killVictim(ctx); err != nil {
				return err
			}
		}
	}
	d.app.out.progress("")
	return nil
}

func (d *demo) saw(f *tq.Fact) {
	switch {
	case f.Kind == tq.FactCompleted && f.TaskID == d.report:
		d.over = true
		d.say("all shards are done, so the report ran")
	case f.Kind == tq.FactCompleted:
		if d.done++; d.done%demoKillAt == 0 {
			d.say("%d of %d shards completed", d.done, demoShards)
		}
	case f.Kind == tq.FactFailed && f.TaskID == d.broken:
		d.say("task %d failed, attempt %d of 3", f.TaskID, f.Attempt)
	case f.Kind == tq.FactDeadLettered:
		d.dead = d.dead || f.TaskID == d.broken
		d.say("task %d is dead: %s", f.TaskID, f.Detail.Reason)
	case f.Kind == tq.FactLeaseExpired:
		d.expired++
		d.say("the lease of task %d ran out; another worker takes it", f.TaskID)
	}
}

// killVictim kills a worker with -9 at a moment when it runs something.
func (d *demo) killVictim(ctx context.Context) error {
	out, err := d.client.Workers(ctx, tq.WorkersIn{})
	if err != nil {
		return err
	}
	victim := d.worker(demoVictim)
	for _, w := range out.Workers {
		if w.Name != victim.name || len(w.Running) < 2 || !w.StartedAt.After(d.start) {
			continue
		}
		d.killed = w.Running
		if err := victim.cmd.Process.Kill(); err != nil {
			return fmt.Errorf("kill worker %s: %w", victim.name, err)
		}
		d.say("kill -9 of worker %s while it runs %s; worker %s takes its place", victim.name, taskList(d.killed), demoSpare)
		return d.startWorker(demoSpare)
	}
	return nil
}

func taskList(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = itoa(id)
	}
	return "tasks " + strings.Join(texts, " and ")
}

func (d *demo) say(format string, args ...any) {
	if d.app.out.json {
		return
	}
	at := time.Since(d.start).Seconds()
	d.app.out.line("%s  %s", d.app.out.style(dim, fmt.Sprintf("%5.1fs", at)), fmt.Sprintf(format, args...))
	_ = d.app.out.flush() // a closed pipe shows at the end
}

func (d *demo) drawProgress() {
	const cells = 24
	full := d.done * cells / demoShards
	d.app.out.progress(fmt.Sprintf("       [%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat(" ", cells-full), d.done, demoShards))
}
