// Package agent runs tasks of type agent: a headless coding agent works on one
// task in one git repository, and what it has done counts only when the
// executor's own checks say so. Nothing that an agent says of its work is
// believed.
//
// A worker runs agents only when it is asked to. What must hold before one is
// let in stands in repo.go, what is asked of it in prompt.go, how each agent is
// called and read in profile.go and answer.go, and how its work is judged in
// attempt.go and gate.go.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"example.com/tq"
)

// Command is a program to run and to watch over.
type Command struct {
	Argv []string // no shell reads them
	Dir  string
	Env  []string // all of it

	Stdin          string
	Stdout, Stderr io.Writer

	Hold *os.File // stays open until the last process of the command is gone
}

// Ended is how a Command ended.
type Ended struct {
	Failure    string // "exit status 1", "signal: killed"; "" is exit status 0
	Stopped    bool   // the context ended, and the command with it
	LeftBehind bool   // it left processes running, which were ended too
	Undead     bool   // something has outlived KILL
}

// Executor runs agents. Run, and Repos or ProjectsDir, are all it needs. It may
// be used by any number of attempts at once and must not be changed while it is.
type Executor struct {
	// Run runs one command in a process group of its own and returns when all
	// of it is gone. exec/sh does that; this package starts nothing but git.
	Run func(context.Context, Command) (Ended, error)

	Agent Profile // of tasks that name none; the zero value is DefaultProfile
	Model string  // of tasks that name none; "" is the agent's own

	// Yolo gives the agent a free hand, where the repository's permission file
	// says that its owner agrees. Without it an agent works within what its own
	// settings allow.
	Yolo bool

	Repos       []string // folders that may be entered
	ProjectsDir string   // folders below it may be entered too
	AllowDirty  bool     // let agents work on top of changes that are not committed

	Timeout       time.Duration // of one run of an agent; default 45 min
	VerifyTimeout time.Duration // of one run of the gate; default 15 min

	EnvAllow []string // what agents inherit beside the usual and the profile's

	// Parked tells which scopes are parked, so that no agent of a provider is
	// started that another worker knows to be at its limit. Nil tells nothing.
	Parked func(context.Context) ([]tq.Parked, error)

	Environ func() []string  // default os.Environ
	Now     func() time.Time // default time.Now
}

const (
	defaultTimeout       = 45 * time.Minute
	defaultVerifyTimeout = 15 * time.Minute

	// repair is how long a repository or a provider is parked that somebody
	// has to put right.
	repair = 10 * time.Minute

	// busyDelay is how long a task waits whose repository is in use.
	busyDelay = 20 * time.Second

	// tidying is how long putting a repository back may take when the attempt
	// itself was stopped.
	tidying = 20 * time.Second
)

// Execute works on one task. Its result says what was verified and how; each
// failure says at which stage and with what evidence. What keeps an attempt
// from beginning, and a provider's limit, give the task back unburnt and park
// the scope that they concern.
func (x *Executor) Execute(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p, err := parsePayload(t.Payload)
	if err != nil {
		return nil, tq.Permanent(err)
	}
	profile, err := x.profile(&p)
	if err != nil {
		return nil, tq.Preflight(ProviderScope(p.Agent), repair, err)
	}
	if err := x.checkParked(ctx, profile.Name); err != nil {
		return nil, err
	}
	a, err := x.begin(ctx, t, p, profile)
	if err != nil {
		return nil, settledAs(ctx, p.Repo, err)
	}
	defer a.end()
	result, err := a.run(ctx)
	if err != nil {
		return nil, a.undo(ctx, err)
	}
	return json.Marshal(result)
}

// profile is the agent of a task. A task may ask for the worker's own only.
func (x *Executor) profile(p *Payload) (Profile, error) {
	mine := x.Agent
	if mine.Name == "" {
		mine = crush()
	}
	if p.Agent == "" || p.Agent == mine.Name {
		return mine, nil
	}
	return mine, fmt.Errorf("the task wants agent %s, this worker runs %s; start one with --agent %s", p.Agent, mine.Name, p.Agent)
}

// checkParked gives the task back when the provider is known to be at its
// limit.
func (x *Executor) checkParked(ctx context.Context, profile string) error {
	if x.Parked == nil {
		return nil
	}
	parked, err := x.Parked(ctx)
	if err != nil {
		return fmt.Errorf("ask which scopes are parked: %w", err)
	}
	for _, p := range parked {
		if p.Scope != ProviderScope(profile) {
			continue
		}
		if wait := p.Until.Sub(x.now()); wait > 0 {
			return tq.ParkRateLimited(p.Scope, wait, errors.New(p.Reason))
		}
	}
	return nil
}

// settledAs turns what kept an attempt from beginning into how the task is
// given back: unburnt, with its repository parked.
func settledAs(ctx context.Context, name string, err error) error {
	var u *unready
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errBusy):
		return fmt.Errorf("%w: %w", err, tq.RateLimited(busyDelay))
	case errors.As(err, &u):
		return tq.Preflight(u.scope, repair, err)
	}
	return tq.Preflight(RepoScope(name), repair, err)
}

// missing reports whether err says that a program is not on this machine.
func missing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

func (x *Executor) environ() []string {
	if x.Environ != nil {
		return x.Environ()
	}
	return os.Environ()
}

func (x *Executor) now() time.Time {
	if x.Now != nil {
		return x.Now()
	}
	return time.Now()
}

func (x *Executor) timeout() time.Duration {
	if x.Timeout > 0 {
		return x.Timeout
	}
	return defaultTimeout
}

func (x *Executor) verifyTimeout() time.Duration {
	if x.VerifyTimeout > 0 {
		return x.VerifyTimeout
	}
	return defaultVerifyTimeout
}
