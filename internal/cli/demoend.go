package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"example.com/tq"
)

// The demo's worker processes, and what it says at its end.

// demoWorker is a child process that runs `tq worker`.
type demoWorker struct {
	name string
	cmd  *exec.Cmd
	log  *os.File
}

// startWorker starts this binary again as a worker. Its log goes to a file.
func (d *demo) startWorker(name string) error {
	log, err := os.Create(filepath.Join(d.dir, "worker-"+name+".log"))
	if err != nil {
		return usage("dir: %w", err)
	}
	cmd, err := company("worker", "--db", d.hub.url, "--name", name,
		"--concurrency", "2", "--lease", demoLease.String(), "--type", tq.TypeShell)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	cmd.Env = append(os.Environ(), "TQ_CONFIG="+os.DevNull, "TQ_TOKEN="+d.hub.token)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		_ = log.Close() // the start is what went wrong
		return fmt.Errorf("start a worker: %w", err)
	}
	d.workers = append(d.workers, &demoWorker{name, cmd, log})
	return nil
}

func (d *demo) worker(name string) *demoWorker {
	for _, w := range d.workers {
		if w.name == name {
			return w
		}
	}
	return nil
}

// stopWorkers asks the workers to stop and waits for them. They are given time
// to give back what they run; then they are killed.
func (d *demo) stopWorkers() {
	const patience = 15 * time.Second
	for _, w := range d.workers {
		_ = w.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	for _, w := range d.workers {
		late := time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
		_ = w.cmd.Wait() // the victim was killed, by design
		late.Stop()
		_ = w.log.Close() // the child wrote it
	}
	d.workers = nil
}

// conclude shows what came out and whether it is what was promised.
func (d *demo) conclude(ctx context.Context) error {
	stats, err := d.client.Stats(ctx, tq.StatsIn{Project: "demo"})
	if err != nil {
		return err
	}
	checked, err := d.client.Check(ctx, tq.CheckIn{})
	if err != nil {
		return err
	}
	broken := checked.Violations
	out := d.app.out
	took := time.Since(d.start)
	if out.json {
		out.object(struct {
			DB         string         `json:"db"`
			Took       tq.Duration    `json:"took_seconds"`
			Completed  int            `json:"shards_completed"`
			Dead       int64          `json:"dead_task"`
			Killed     []int64        `json:"running_at_kill"`
			Stats      tq.Stats       `json:"stats"`
			Violations []tq.Violation `json:"violations"`
		}{d.db, tq.Duration(took), d.done, d.broken, d.killed, stats.Total, append([]tq.Violation{}, broken...)})
		return d.verdict(len(broken))
	}
	out.line("")
	d.app.statsTable(stats.Queues, stats.Total, "queue").print(out)
	out.line("")
	out.line("%d of %d shards completed in %s; %s lost to the kill and run again; 1 dead after 3 attempts",
		d.done, demoShards, span(took), plural(d.expired, "lease"))
	if len(broken) == 0 {
		out.line("check: every invariant holds")
	}
	for _, v := range broken {
		out.line("check: %s task %d %s", v.Invariant, v.TaskID, v.Detail)
	}
	out.line("")
	out.line("Look around:")
	out.line("  export TQ_DB=%s", d.db)
	if len(d.killed) > 0 {
		out.line("  tq show %-14d  a shard whose worker was killed", d.killed[0])
	}
	out.line("  tq show %-14d  the task that always fails", d.broken)
	out.line("  tq list; tq dlq; tq facts")
	return d.verdict(len(broken))
}

func (d *demo) verdict(broken int) error {
	switch {
	case broken > 0:
		return tq.Errorf(tq.CodeInternal, "check found %s", plural(broken, "broken invariant"))
	case d.done != demoShards:
		return tq.Errorf(tq.CodeInternal, "%d of %d shards completed", d.done, demoShards)
	}
	return nil
}
