package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/exec/agent"
	"example.com/tq/internal/harvest"
	"example.com/tq/internal/pool"
	"example.com/tq/internal/telemetry"
)

// poolFlags is what `tq agent-pool` was told.
type poolFlags struct {
	pool    pool.Pool
	worker  tq.Worker
	agent   agentFlags
	harvest harvestFlags
	alerts  alertFlags
	status  bool
	approve bool
}

func (a *app) agentPoolCommand() *cobra.Command {
	var in poolFlags
	cmd := &cobra.Command{
		Use:   "agent-pool",
		Short: "Let coding agents burn down the backlogs of repositories",
		Long: `Harvests the backlogs of repositories and hands each point to a headless coding
agent, one for each repository at a time. What an agent has done counts only when it
is committed, the tree is clean, nothing was pushed and the gate passes: .tq-verify
of the repository, or what its files tell (go build and go test, npm test, make …).
Everything else is put back, and kept under refs/tq/left.

With --yolo agents work without asking, in repositories whose permission file agrees:
.crushrc, .claude/settings.json, .codex/config.toml, opencode.json,
.gemini/settings.json, .tq-agent for cmd:. When that file, or another one that the
agent obeys, has changed since it was first used, no agent is let in until you have
looked at it and said yes with --approve. Without --yolo an agent may do what its own
settings allow.`,
		Example: `  tq agent-pool --projects-dir ~/projects --yolo
  tq agent-pool --repos ~/shop,~/site --agent claude --yolo --concurrency 2
  tq agent-pool --projects-dir ~/projects --status
  tq agent-pool --repos ~/shop --agent claude --approve`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := newWorkerLog(a)
			a.log = log.logger()
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error { return a.runPool(ctx, d, &in, log) })
		},
	}
	in.define(cmd)
	return cmd
}

func (in *poolFlags) define(cmd *cobra.Command) {
	in.agent.define(cmd)
	in.harvest.define(cmd)
	in.alerts.define(cmd.Flags())
	f, p, w := cmd.Flags(), &in.pool, &in.worker
	p.Interval = 5 * time.Minute
	durationFlag(f, &p.Interval, "interval", "between harvests, when no task ends before")
	w.Concurrency = 1
	f.IntVar(&w.Concurrency, "concurrency", 1, "agents at a time")
	w.Grace = agentGrace
	durationFlag(f, &w.Grace, "grace", "how long running agents may go on after an interrupt")
	durationFlag(f, &w.Lease, "lease", "claimed for how long, extended while an agent runs (default 30s)")
	f.StringVar(&w.Name, "name", "", "a name for people (default host:pid)")
	f.Var(value[map[string]time.Duration]{&p.Pace, "paces", parsePaces, nil}, "repo-interval",
		"least time between two tasks of a repository, as in shop=1h,site=10m")
	p.Backoff = 10 * time.Minute
	durationFlag(f, &p.Backoff, "dlq-backoff", "how long a repository rests whose task has died, doubled each time")
	f.BoolVar(&p.Once, "once", false, "harvest once, end when what came of it has ended")
	f.BoolVar(&p.Drain, "drain", false, "end when no backlog is left")
	f.BoolVar(&in.status, "status", false, "only tell how each repository stands")
	f.BoolVar(&in.approve, "approve", false, "only say yes to the agent's settings in the repositories as they are now")
	onlyArgv(cmd, "once", "drain", "status", "approve")
	refuseZero(cmd, "1 to 10000", "concurrency")
	refuseZero(cmd, "1s to 1h", "lease")
	refuseZero(cmd, "a length of time", "interval")
}

// parsePaces reads name=duration between commas.
func parsePaces(s string) (map[string]time.Duration, error) {
	paces := map[string]time.Duration{}
	for part := range strings.SplitSeq(s, ",") {
		name, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		d, err := parseDuration(text)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q is not a pace: want one like shop=1h", part)
		}
		paces[name] = d
	}
	return paces, nil
}

func (a *app) runPool(ctx context.Context, d *door, in *poolFlags, log *workerLog) error {
	w, p := &in.worker, &in.pool
	w.Name = or(w.Name, workerName())
	w.Log, w.Client, w.Version = log.logger(), d.as(w.Name), version().short()
	x, err := in.agent.executor(a, w.Client)
	if err != nil {
		return err
	}
	if in.approve {
		return a.approve(ctx, x, in.harvest.h.Subset)
	}
	h := &in.harvest.h
	h.Repos, h.ProjectsDir, h.AllowDirty = x.Repos, x.ProjectsDir, x.AllowDirty
	if h, err = in.harvest.harvester(a, w.Client); err != nil {
		return err
	}
	if in.status {
		states, err := pool.States(ctx, w.Client, *h)
		a.printStates(states)
		return err
	}
	if w.Grace <= 0 {
		w.Grace = -1 // an explicit 0 means not at all
	}
	w.KillGrace = agentKillGrace
	w.Queues = []string{or(h.Queue, tq.DefaultQueue)}
	kind := or(h.Type, tq.TypeAgent)
	traces, err := telemetry.OpenTraces(ctx, a.Getenv, version().short())
	if err != nil {
		return err
	}
	defer closeTraces(ctx, traces, log)
	w.Handle(kind, log.announced(traces.Executor(x)))
	p.Client, p.Harvest, p.Worker, p.Log = w.Client, h, w, log.logger()
	log.begin(w, d, kind+" ("+in.agent.name+")")
	run, err := in.alerts.alerting(a, w.Client, p.Run)
	if err != nil {
		return err
	}
	return a.attend(ctx, d, w, log, run)
}

// approve says yes to the settings of every repository, one after the other.
func (a *app) approve(ctx context.Context, x *agent.Executor, subset string) error {
	repos, err := harvest.Repos(x.Repos, x.ProjectsDir, subset)
	if err != nil {
		return err
	}
	t := newTable("REPO", "FILE", "SHA256")
	for _, r := range repos {
		files, err := x.Approve(ctx, r.Dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if a.out.json {
				a.out.object(&approval{r.Name, f})
				continue
			}
			t.row(r.Name, f.File, f.Hash)
		}
	}
	if !a.out.json {
		t.print(a.out)
	}
	return nil
}

// approval is one file that was said yes to.
type approval struct {
	Repo string `json:"repo"`
	agent.Approved
}

func (a *app) printStates(states []pool.RepoState) {
	if a.out.json {
		for i := range states {
			a.out.object(&states[i])
		}
		return
	}
	t := newTable("REPO", ">OPEN", ">READY", ">RUNNING", ">SCHEDULED", ">COMPLETED", ">DEAD", "LAST VERIFY", "SKIPPED")
	for _, s := range states {
		t.row(s.Repo, itoa(int64(s.Open)), itoa(s.Ready), itoa(s.Running), itoa(s.Scheduled),
			itoa(s.Completed), itoa(s.Dead), or(s.LastVerify, "-"), s.Skipped)
	}
	t.print(a.out)
}
