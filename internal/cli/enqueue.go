package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// enqueueFlags is what `tq enqueue` was told.
type enqueueFlags struct {
	task    tq.NewTask
	payload string
	file    string
	delay   time.Duration
	timeout time.Duration
	after   []string
	wait    bool
	waitFor time.Duration
}

func (a *app) enqueueCommand() *cobra.Command {
	var in enqueueFlags
	cmd := &cobra.Command{
		Use:   "enqueue --type TYPE [--payload TEXT|@FILE|-]",
		Short: "Put tasks in; prints the id alone",
		Long: `Puts a task in and prints its id, or many from a file of JSON lines.

The payload of type sh is a command line, or JSON {"cmd": …, "dir", "env", "stdin"};
that of any other type is JSON. @FILE and - (standard input) keep it out of ps and
the shell's history.

With a key, a repeat prints the id of the first task and changes nothing. Tasks
that others wait for are named by id or, in the same queue, as key:NAME. Each line
of --file is an object with the fields of a task; its deps may name earlier lines
as "$0", "$1", …`,
		Example: `  tq enqueue --type sh --payload 'go test ./...' --key tests
  tq enqueue --type sh --payload ./deploy.sh --after 17,key:tests --delay 5m
  tq enqueue --type http --payload '"https://example.com/hook"' --wait
  tq enqueue --file tasks.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.enqueue(cmd, &in) },
	}
	in.define(cmd)
	onlyArgv(cmd, "payload", "file", "key", "at", "delay", "after", "parent", "wait", "wait-timeout")
	refuseZero(cmd, "1 to 1000", "max-attempts")
	refuseZero(cmd, "a name", "type", "queue", "key", "tag")
	refuseZero(cmd, "a text; leave the flag out for none", "payload")
	refuseZero(cmd, "the id of a task", "parent")
	refuseZero(cmd, "a file or -", "file")
	return cmd
}

func (in *enqueueFlags) define(cmd *cobra.Command) {
	f, t := cmd.Flags(), &in.task
	f.StringVar(&t.Type, "type", "", "who runs it: sh, http, or a name of your workers'")
	f.StringVar(&in.payload, "payload", "", "TEXT, @FILE or - for standard input")
	f.StringVar(&in.file, "file", "", "file of JSON lines, or -: one task each")
	f.StringVar(&t.Queue, "queue", "", "queue (default \"default\")")
	f.StringVar(&t.Project, "project", "", "repository or tenant it belongs to")
	namesFlag(f, &t.Tags, "tag", "labels")
	f.IntVar(&t.Priority, "priority", 0, "high first, -32768 to 32767")
	durationFlag(f, &in.delay, "delay", "not before this has gone by")
	f.Var(value[tq.Time]{&t.RunAt, "time", parseTime, nil}, "at", "not before this moment, as in 2026-11-29T16:00:00Z")
	f.IntVar(&t.MaxAttempts, "max-attempts", 0, "how often it may be tried (default 3)")
	durationFlag(f, &in.timeout, "timeout", "end an attempt that takes longer")
	f.Var(value[*tq.Backoff]{&t.Backoff, "base..cap", parseBackoff, nil}, "backoff", "wait between attempts: BASE..CAP, as in 2s..1h")
	f.StringVar(&t.IdempotencyKey, "key", "", "a repeat with this key is the same task")
	wordFlag(f, &t.KeyUntil, "key-until", "deleted, or terminal: the key is free again when the task ends")
	wordFlag(f, &t.OnMismatch, "on-mismatch", "a repeat that differs: existing or error")
	namesFlag(f, &in.after, "after", "wait for these: ids or key:NAME (also --deps)")
	wordFlag(f, &t.OnDepFailure, "on-dep-failure", "when one of those fails: block, cancel or run")
	f.Int64Var(&t.Parent, "parent", 0, "task that it belongs to")
	f.BoolVar(&in.wait, "wait", false, "wait until it ends; the exit status tells how")
	durationFlag(f, &in.waitFor, "wait-timeout", "wait no longer than this")
}

func (a *app) enqueue(cmd *cobra.Command, in *enqueueFlags) error {
	if in.file != "" {
		return a.enqueueFile(cmd, in)
	}
	if in.task.Type == "" {
		return usage("type: is required").WithHint("--type sh runs the payload as a command line")
	}
	if err := a.finish(cmd.Context(), in); err != nil {
		return err
	}
	if in.wait {
		return a.askLive(cmd.Context(), func(ctx context.Context, c tq.Client) error { return a.enqueueAndWait(ctx, c, in) })
	}
	return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
		out, err := a.enqueueOne(ctx, c, in)
		if err == nil {
			a.printEnqueued(out)
		}
		return err
	})
}

// finish completes the task with what the flags say in their own words.
func (a *app) finish(ctx context.Context, in *enqueueFlags) error {
	t := &in.task
	t.Delay, t.Timeout = tq.Duration(in.delay), tq.Duration(in.timeout)
	if trace := a.Getenv("TRACEPARENT"); tq.ValidTraceparent(trace) {
		t.Traceparent = trace // as when a task enqueues another
	}
	for _, ref := range in.after {
		t.Deps = append(t.Deps, tq.Ref(ref))
	}
	if in.payload == "" {
		return nil
	}
	payload, err := a.jsonText(ctx, "payload", in.payload)
	t.Payload = payload
	return err
}

func (a *app) enqueueOne(ctx context.Context, c tq.Client, in *enqueueFlags) (tq.Enqueued, error) {
	out, err := c.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{in.task}})
	if err != nil {
		_, err = ofOneRow(err)
		return tq.Enqueued{}, err
	}
	a.remark(out.Tasks[0], in.task.IdempotencyKey)
	return out.Tasks[0], nil
}

// remark says what an id alone does not.
func (a *app) remark(e tq.Enqueued, key string) {
	switch {
	case e.Mismatch:
		a.out.note("warning: key %s was used for another task; task %d stands unchanged", key, e.ID)
	case e.Existed:
		a.out.note("already queued as task %d (%s)", e.ID, e.Status)
	}
}

func (a *app) printEnqueued(e tq.Enqueued) {
	if a.out.json {
		a.out.object(e)
		return
	}
	a.out.line("%d", e.ID)
}

func (a *app) enqueueAndWait(ctx context.Context, c tq.Client, in *enqueueFlags) error {
	e, err := a.enqueueOne(ctx, c, in)
	if err != nil {
		return err
	}
	if !a.out.json { // with --json the answer is the task as it ended
		a.printEnqueued(e)
		if err := a.out.flush(); err != nil {
			return err
		}
	}
	return a.waitFor(ctx, c, []int64{e.ID}, in.waitFor)
}
