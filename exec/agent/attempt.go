package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"example.com/tq"
)

// attempt is one run of an agent: what was there before, and what is asked of
// what is there after.
type attempt struct {
	x       *Executor
	task    *tq.Task
	payload Payload
	profile Profile
	repo    *repo
	lock    *os.File
	gate    string
	tidy    bool // the tree was clean, and is to be so again

	head, branch string
	remotes      map[string]string
	rails        map[string]string
	boxes        int    // of the task's text, that stood open
	consent      string // hash of the permission file

	answer Answer
	log    *transcript
}

// Result is what a task of type agent leaves.
type Result struct {
	Verified bool   `json:"verified"` // always true: what is not verified fails
	Verify   string `json:"verify"`   // the command of the gate
	Exit     int    `json:"exit"`     // its exit status
	Log      string `json:"log_tail,omitempty"`

	Commit string   `json:"commit"`
	Files  []string `json:"files_changed,omitempty"` // the first 100
	Diff   string   `json:"diff_stat"`

	Agent      string  `json:"agent"`
	Model      string  `json:"model,omitempty"`
	Session    string  `json:"session,omitempty"`
	Cost       float64 `json:"cost_usd,omitempty"`
	Text       string  `json:"text,omitempty"` // the agent's last words
	Permission string  `json:"permission,omitempty"`
	Hash       string  `json:"permission_sha256,omitempty"` // of the file by which the owner agreed
}

const (
	evidenceTail = 8 << 10 // bytes of output in an error
	resultTail   = 2 << 10 // in a result
	shownFiles   = 100
)

// begin checks everything that must hold before an agent is let in, and takes
// the repository. An error leaves all as it was.
func (x *Executor) begin(ctx context.Context, t *tq.Task, p Payload, profile Profile) (*attempt, error) {
	r, err := x.openRepo(ctx, p.Repo)
	if err != nil {
		return nil, err
	}
	a := &attempt{x: x, task: t, payload: p, profile: profile, repo: r, tidy: p.clean() && !x.AllowDirty}
	if a.lock, err = r.lock(); err != nil {
		return nil, inRepo(r, err)
	}
	if err := a.check(ctx); err != nil {
		a.unlock()
		return nil, inRepo(r, err)
	}
	return a, nil
}

// inRepo says which repository has to be put right.
func inRepo(r *repo, err error) error {
	if errors.Is(err, errBusy) {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	return &unready{scope: r.scope(), err: err}
}

func (a *attempt) check(ctx context.Context) (err error) {
	r := a.repo
	if a.x.Yolo {
		if a.consent, err = r.consent(&a.profile); err != nil {
			return err
		}
	}
	if a.gate, err = r.gate(&a.payload); err != nil {
		return err
	}
	if err := r.recover(ctx); err != nil {
		return err
	}
	if a.tidy {
		dirt, err := r.git.dirt(ctx)
		if err != nil {
			return err
		}
		if dirt != "" {
			return fmt.Errorf("%s has changes that are not committed (%s); commit them, or start with --allow-dirty", r.dir, firstLine(dirt))
		}
	}
	if a.head, err = r.git.head(ctx); err != nil {
		return err
	}
	if a.branch, err = r.git.branch(ctx); err != nil {
		return err
	}
	if a.head == "" || a.branch == "" {
		return fmt.Errorf("%s has no branch checked out that has a commit", r.dir)
	}
	if a.remotes, err = r.git.remotes(ctx); err != nil {
		return err
	}
	if a.rails, err = r.rails(); err != nil {
		return err
	}
	if a.boxes, err = a.openBoxes(); err != nil {
		return err
	}
	if !a.tidy {
		return nil
	}
	return r.note(begun{Task: a.task.ID, Epoch: a.task.Epoch, Head: a.head, Branch: a.branch})
}

// end lets go of the repository.
func (a *attempt) end() { a.unlock() }

func (a *attempt) unlock() { _ = a.lock.Close() } // nothing is written to it

// run lets the agent work and judges what it did.
func (a *attempt) run(ctx context.Context) (*Result, error) {
	if err := a.work(ctx); err != nil {
		return nil, err
	}
	commit, err := a.inspect(ctx)
	if err != nil {
		return nil, err
	}
	return a.judge(ctx, commit)
}

// work runs the agent to its end.
func (a *attempt) work(ctx context.Context) error {
	environ := a.x.environ()
	a.log = newTranscript(newScrubber(environ), func(note string) { a.task.Report(0, note) })
	limit := a.payload.timeout(a.x.timeout())
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: the agent took more than %s", tq.ErrTimedOut, limit))
	defer cancel()
	model := a.payload.Model
	if model == "" {
		model = a.x.Model
	}
	a.payload.Model = model
	allow := slices.Concat(usual(), a.profile.Env, a.x.EnvAllow)
	end, err := a.x.Run(ctx, Command{
		Argv: a.profile.argv(ask{dir: a.repo.dir, model: model, session: a.payload.Session, yolo: a.x.Yolo}),
		Dir:  a.repo.dir, Hold: a.lock,
		Env:    append(inherit(environ, allow), taskEnv(a.task)...),
		Stdin:  prompt(a.task, &a.payload, a.gate),
		Stdout: a.log.out, Stderr: a.log.errs,
	})
	switch {
	case err != nil && missing(err):
		return tq.Preflight(ProviderScope(a.profile.Name), repair, fmt.Errorf("the agent is not on this machine: %w", err))
	case err != nil:
		return fmt.Errorf("start the agent: %w", err)
	case end.Stopped:
		return a.stopped(context.Cause(ctx))
	}
	a.answer = a.profile.read(a.log)
	if end.Failure == "" && !a.answer.Failed {
		return nil
	}
	return a.refusal(end.Failure)
}

// refusal says why an agent has not done its work: a limit, something that
// somebody has to put right, or a failure like any other.
func (a *attempt) refusal(failure string) error {
	said := a.answer.Problem
	if said == "" {
		said = lastLine(a.log.tail())
	}
	reason := strings.TrimSuffix(strings.TrimPrefix(failure+": "+said, ": "), ": ")
	err := fmt.Errorf("the agent failed: %s", reason)
	scope, now := ProviderScope(a.profile.Name), a.x.now()
	words := a.answer.Problem + "\n" + string(lastBytes([]byte(a.log.tail()), resultTail))
	if until, yes := limited(words, now); yes {
		return tq.ParkRateLimited(scope, until.Sub(now), err)
	}
	if a.unready(failure, words) {
		return tq.Preflight(scope, repair, err)
	}
	return a.evidence("agent", err)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// unready reports whether the agent cannot work at all, whatever the task.
func (a *attempt) unready(failure, words string) bool {
	for _, status := range a.profile.unready {
		if failure == fmt.Sprintf("exit status %d", status) {
			return true
		}
	}
	return regexp.MustCompile(`(?i)not logged in|please run /login|invalid api key|authentication_error|no api key|no providers? configured`).MatchString(words)
}

// stopped says first why, as a worker looks for that.
func (a *attempt) stopped(cause error) error {
	tail := string(lastBytes([]byte(a.log.tail()), evidenceTail))
	return fmt.Errorf("%w: the agent was stopped\n%s", cause, tail)
}

// evidence is a failure with its stage and what was printed last.
func (a *attempt) evidence(stage string, err error) error {
	tail := string(lastBytes([]byte(a.log.tail()), evidenceTail))
	if tail == "" {
		return fmt.Errorf("%s: %w", stage, err)
	}
	return fmt.Errorf("%s: %w\n%s", stage, err, tail)
}

// judge runs the gate over the commit.
func (a *attempt) judge(ctx context.Context, commit string) (*Result, error) {
	v, err := a.x.verify(ctx, a.task, a.repo, a.gate, a.lock)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case v.Failure != "":
		log := string(lastBytes([]byte(v.Log), evidenceTail))
		return nil, fmt.Errorf("verify: %s of the gate: %s\n%s", v.Failure, firstLine(strings.TrimPrefix(a.gate, strict)), log)
	}
	diff, files, err := a.repo.git.stat(ctx, a.head, commit)
	if err != nil {
		return nil, err
	}
	if err := a.tidyUp(ctx, commit, "-gate"); err != nil {
		return nil, err
	}
	res := &Result{
		Verified: true, Verify: a.gate, Log: string(lastBytes([]byte(v.Log), resultTail)),
		Commit: commit, Files: files[:min(len(files), shownFiles)], Diff: diff,
		Agent: a.profile.Name, Model: a.payload.Model, Session: a.answer.Session, Cost: a.answer.Cost,
		Text: tq.CleanText(string(lastBytes([]byte(a.answer.Text), resultTail)), resultTail),
	}
	if a.consent != "" {
		res.Permission, res.Hash = a.profile.Permission, a.consent
	}
	return res, nil
}

// undo puts the repository back after an attempt that does not count, and says
// where its work is kept.
func (a *attempt) undo(ctx context.Context, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer cancel()
	ref, err := a.putBack(ctx, a.head, "")
	switch {
	case err != nil:
		return fmt.Errorf("%w\nthe repository could not be put back: %w", failure, err)
	case ref != "":
		return fmt.Errorf("%w\nwhat was left is kept: git -C %s show %s", failure, a.repo.dir, ref)
	}
	return failure
}

// tidyUp takes away what the gate has left in the tree.
func (a *attempt) tidyUp(ctx context.Context, commit, suffix string) error {
	if _, err := a.putBack(ctx, commit, suffix); err != nil {
		return fmt.Errorf("tidy up after the gate: %w", err)
	}
	return nil
}

func (a *attempt) putBack(ctx context.Context, commit, suffix string) (string, error) {
	if !a.tidy {
		return "", nil
	}
	name := fmt.Sprintf("%d-%d%s", a.task.ID, a.task.Epoch, suffix)
	ref, err := a.repo.git.putBack(ctx, commit, a.branch, name)
	if err != nil {
		return ref, err
	}
	return ref, os.Remove(a.repo.notePath())
}
