package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// claimFlags is what `tq claim` was told.
type claimFlags struct {
	in          tq.ClaimIn
	lease, wait time.Duration
}

func (a *app) claimCommand() *cobra.Command {
	var in claimFlags
	cmd := &cobra.Command{
		Use:   "claim",
		Short: "Take a task under a lease, to work on it by hand or in a script",
		Long: `Takes up to --max tasks and prints them with their lease tokens. The token is the
right to complete, fail, extend or release; give it to those commands in
TQ_LEASE_TOKEN, where ps does not show it. Ends with 8 when there is nothing to take.

Without --type it takes any type but sh, http and agent, which must be named.`,
		Example: `  task=$(tq claim --type build --wait 55s --json)
  export TQ_LEASE_TOKEN=$(echo "$task" | jq -r .lease_token)
  make && tq complete --result '{"ok": true}' || tq fail --error 'make failed'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in.in.Lease, in.in.Wait = tq.Duration(in.lease), tq.Duration(in.wait)
			ask := a.ask
			if in.wait > 0 {
				ask = a.askLive
			}
			return ask(cmd.Context(), func(ctx context.Context, c tq.Client) error { return a.claim(ctx, c, &in.in) })
		},
	}
	f := cmd.Flags()
	namesFlag(f, &in.in.Queues, "queue", "of these queues (default all)")
	namesFlag(f, &in.in.Types, "type", "of these types (default all but sh, http, agent)")
	f.StringVar(&in.in.Project, "project", "", "of this project")
	f.IntVar(&in.in.Max, "max", 1, "how many, 1 to 100")
	durationFlag(f, &in.lease, "lease", "for how long, 1s to 1h (default 5m)")
	durationFlag(f, &in.wait, "wait", "wait for the first, up to 55s")
	f.StringVar(&in.in.Worker.Name, "name", "", "who works on it, for people")
	f.StringVar(&in.in.ClaimID, "claim-id", "", "a repeat with this id answers the same tasks")
	onlyArgv(cmd, "claim-id", "max", "wait")
	refuseZero(cmd, "1 to 100", "max")
	refuseZero(cmd, "1s to 1h", "lease")
	refuseZero(cmd, "a name", "queue", "type", "claim-id")
	return cmd
}

func (a *app) claim(ctx context.Context, c tq.Client, in *tq.ClaimIn) error {
	out, err := c.Claim(ctx, *in)
	if err != nil {
		return err
	}
	if ctx.Err() != nil && len(out.Tasks) == 0 {
		return ctx.Err()
	}
	for i := range out.Tasks {
		a.printClaimed(&out.Tasks[i])
	}
	if len(out.Tasks) > 0 {
		return nil
	}
	switch {
	case len(out.Paused) > 0:
		a.out.note("nothing to claim; paused: %s", strings.Join(out.Paused, ", "))
	case out.RetryAfter > 0:
		a.out.note("nothing to claim; the next is due in %s", span(out.RetryAfter.Std()))
	default:
		a.out.note("nothing to claim")
	}
	return status(exitNothing)
}

func (a *app) printClaimed(t *tq.ClaimedTask) {
	if a.out.json {
		a.out.object(t)
		return
	}
	a.out.line("%s %d  %s  %s  attempt %d/%d", a.out.glyph(string(t.Status)), t.ID, t.Queue, t.Type, t.Attempt, t.MaxAttempts)
	a.field("key", t.IdempotencyKey)
	a.field("payload", string(t.Payload))
	a.field("token", t.LeaseToken)
	a.field("lease", fmt.Sprintf("%s, fence %d", span(t.LeaseLeft.Std()), t.Fence))
}
