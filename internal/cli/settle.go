package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// What the holder of a lease says: complete, fail, release, extend.

// holder names the lease that a command acts on.
type holder struct {
	id    int64
	token string
}

func (h *holder) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&h.token, "lease-token", "", "the token of the claim (also --token; better in TQ_LEASE_TOKEN)")
	refuseZero(cmd, "the token of the claim", "lease-token")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage("%s takes one task at a time", cmd.CommandPath()).WithHint("%s", cmd.UseLine())
		}
		return nil
	}
}

func (h *holder) read(args []string) error {
	if len(args) == 1 {
		id, err := parseID(args[0])
		if err != nil {
			return err
		}
		h.id = id
	}
	if h.token == "" {
		return usage("lease_token: is required").
			WithHint("put the lease_token that tq claim printed into TQ_LEASE_TOKEN, or give --lease-token")
	}
	return nil
}

// settleFunc does what one of the commands is for.
type settleFunc func(context.Context, tq.Client) (tq.SettleOut, error)

// holderCommand is a command of a lease holder.
func (a *app) holderCommand(use, short string, h *holder, prepare func(*cobra.Command) (settleFunc, error)) *cobra.Command {
	cmd := &cobra.Command{Use: use + " [ID]", Short: short}
	h.define(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := h.read(args); err != nil {
			return err
		}
		do, err := prepare(cmd)
		if err != nil {
			return err
		}
		return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
			out, err := do(ctx, c)
			if err != nil {
				return err
			}
			return a.printSettled(use, &out.Leases[0])
		})
	}
	return cmd
}

func (a *app) printSettled(verb string, s *tq.Settlement) error {
	if s.Error != nil {
		return s.Error
	}
	if a.out.json {
		a.out.object(s)
		return nil
	}
	if s.CancelRequested {
		a.out.note("cancel was asked for: stop, then tq fail or tq release")
	}
	switch {
	case verb == "extend":
		a.out.line("%d extended, lease %s", s.TaskID, span(s.LeaseLeft.Std()))
	case s.Status == tq.Pending && s.RunAt.After(a.Now()):
		a.out.line("%d pending, next attempt in %s", s.TaskID, span(s.RunAt.Sub(a.Now())))
	default:
		a.out.line("%d %s", s.TaskID, s.Status)
	}
	switch {
	case s.Replayed:
		a.out.note("a repeat: this was settled before, in the same way")
	case s.Late:
		a.out.note("late: the lease had run out, but nobody else has the task")
	}
	return nil
}

func (a *app) completeCommand() *cobra.Command {
	var h holder
	var result string
	cmd := a.holderCommand("complete", "Report that a claimed task is done", &h, func(cmd *cobra.Command) (settleFunc, error) {
		lease := tq.CompleteLease{TaskID: h.id, LeaseToken: h.token}
		if result != "" {
			b, err := a.jsonText(cmd.Context(), "result", result)
			if err != nil {
				return nil, err
			}
			lease.Result = b
		}
		return func(ctx context.Context, c tq.Client) (tq.SettleOut, error) {
			return c.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{lease}})
		}, nil
	})
	cmd.Flags().StringVar(&result, "result", "", "JSON as TEXT, @FILE or -")
	onlyArgv(cmd, "result")
	refuseZero(cmd, "JSON; leave the flag out for none", "result")
	return cmd
}

func (a *app) failCommand() *cobra.Command {
	var h holder
	var text string
	var delay time.Duration
	var giveUp bool
	cmd := a.holderCommand("fail", "Report that an attempt failed; it is retried or dead", &h, func(cmd *cobra.Command) (settleFunc, error) {
		lease := tq.FailLease{TaskID: h.id, LeaseToken: h.token}
		if text != "" {
			b, err := a.text(cmd.Context(), "error", text, tq.MaxError)
			if err != nil {
				return nil, err
			}
			lease.Error = string(b)
		}
		if cmd.Flags().Changed("retry-delay") {
			lease.RetryDelay = (*tq.Duration)(&delay)
		}
		if giveUp {
			again := false
			lease.Requeue = &again
		}
		return func(ctx context.Context, c tq.Client) (tq.SettleOut, error) {
			return c.Fail(ctx, tq.FailIn{Leases: []tq.FailLease{lease}})
		}, nil
	})
	flags := cmd.Flags()
	flags.StringVar(&text, "error", "", "why, as TEXT, @FILE or -")
	durationFlag(flags, &delay, "retry-delay", "until the next attempt, instead of the backoff")
	flags.BoolVar(&giveUp, "no-requeue", false, "no further attempt: dead at once")
	onlyArgv(cmd, "error", "retry-delay", "no-requeue")
	return cmd
}

func (a *app) releaseCommand() *cobra.Command {
	var h holder
	var delay time.Duration
	cmd := a.holderCommand("release", "Give a claimed task back; the attempt does not count", &h, func(*cobra.Command) (settleFunc, error) {
		lease := tq.ReleaseLease{TaskID: h.id, LeaseToken: h.token, Delay: tq.Duration(delay)}
		return func(ctx context.Context, c tq.Client) (tq.SettleOut, error) {
			return c.Release(ctx, tq.ReleaseIn{Leases: []tq.ReleaseLease{lease}})
		}, nil
	})
	durationFlag(cmd.Flags(), &delay, "delay", "not claimable before this has gone by")
	onlyArgv(cmd, "delay")
	return cmd
}

func (a *app) extendCommand() *cobra.Command {
	var h holder
	var lease time.Duration
	var progress tq.Progress
	cmd := a.holderCommand("extend", "Renew a lease, and say how far the work has come", &h, func(*cobra.Command) (settleFunc, error) {
		in := tq.ExtendLease{TaskID: h.id, LeaseToken: h.token, Lease: tq.Duration(lease)}
		if progress.Fraction != 0 || progress.Note != "" {
			in.Progress = &progress
		}
		return func(ctx context.Context, c tq.Client) (tq.SettleOut, error) {
			return c.Extend(ctx, tq.ExtendIn{Leases: []tq.ExtendLease{in}})
		}, nil
	})
	cmd.Aliases = []string{"heartbeat"}
	f := cmd.Flags()
	durationFlag(f, &lease, "lease", "from now, 1s to 1h (default 5m)")
	f.Float64Var(&progress.Fraction, "progress", 0, "how much is done, 0 to 1")
	f.StringVar(&progress.Note, "note", "", "what is being done, for people")
	onlyArgv(cmd, "progress", "note")
	refuseZero(cmd, "1s to 1h", "lease")
	return cmd
}
