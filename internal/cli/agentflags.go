package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/exec/agent"
	"example.com/tq/exec/sh"
)

// agentFlags is how agents are run, on tq worker and tq agent-pool.
type agentFlags struct {
	name string
	x    agent.Executor
}

func (in *agentFlags) define(cmd *cobra.Command) {
	f, x := cmd.Flags(), &in.x
	f.StringVar(&in.name, "agent", agent.DefaultProfile, "crush, claude, codex, opencode, gemini, or cmd: and a command line")
	f.StringVar(&x.Model, "model", "", "of tasks that name none (default the agent's own)")
	f.BoolVar(&x.Yolo, "yolo", false, "give agents a free hand, where the repository's permission file agrees")
	namesFlag(f, &x.Repos, "repos", "folders of repositories that agents may enter")
	f.StringVar(&x.ProjectsDir, "projects-dir", "", "agents may enter the repositories below it")
	f.BoolVar(&x.AllowDirty, "allow-dirty", false, "let agents work on top of changes that are not committed")
	durationFlag(f, &x.Timeout, "task-timeout", "of one run of an agent (default 45m)")
	durationFlag(f, &x.VerifyTimeout, "verify-timeout", "of one run of the gate (default 15m)")
	namesFlag(f, &x.EnvAllow, "agent-env", "variables that agents inherit beside the usual ones; a trailing * stands for any rest")
	onlyArgv(cmd, "yolo")
	refuseZero(cmd, "an agent", "agent")
	refuseZero(cmd, "a length of time", "task-timeout", "verify-timeout")
}

// executor is the one that the flags ask for. It asks the queue which scopes
// are parked; where it may not know, it finds out by itself.
func (in *agentFlags) executor(a *app, c tq.Client) (*agent.Executor, error) {
	x := &in.x
	if len(x.Repos) == 0 && x.ProjectsDir == "" {
		return nil, usage("repos: agents may enter no repository yet").WithHint("name some with --repos DIR,… or --projects-dir DIR")
	}
	profile, err := agent.ProfileOf(in.name)
	if err != nil {
		return nil, usage("agent: %w", err)
	}
	x.Agent = profile
	shell := &sh.Executor{Supervisor: a.supervisor()}
	x.Run = func(ctx context.Context, p agent.Command) (agent.Ended, error) {
		end, err := shell.RunProgram(ctx, sh.Program(p))
		return agent.Ended(end), err
	}
	x.Parked = func(ctx context.Context) ([]tq.Parked, error) {
		out, err := c.Stats(ctx, tq.StatsIn{})
		if err != nil && ctx.Err() == nil {
			return nil, nil //nolint:nilerr // a token may lack the right to look; the provider will tell
		}
		return out.Parked, err
	}
	return x, nil
}

// agentKillGrace is how long a stopping worker waits for agents: they get 10 s
// between TERM and KILL, then their repositories are put back.
const (
	agentKillGrace = 40 * time.Second
	agentGrace     = 10 * time.Minute // and how long it lets them finish before
)
