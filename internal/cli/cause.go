package cli

import (
	"context"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// Bringing back what died of one cause: first one task, to see that the cause is
// gone, then the rest, not faster than what failed can bear.

// causeFlags is what tq dlq is told about it.
type causeFlags struct {
	fingerprint string
	canary      bool
	rate        float64
}

func (in *causeFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&in.fingerprint, "rescue-group", "", "bring back what died of this cause: the FP of --group")
	f.BoolVar(&in.canary, "canary", false, "with --rescue-group: one first, and the rest when it has completed")
	f.Var(value[float64]{&in.rate, "rate", parseRate, nil}, "rate", "with --rescue-group: at most so many tasks, as in 5/s")
	onlyArgv(cmd, "rescue-group", "canary", "rate")
}

// isSet reports whether a group is to be rescued, or was meant to be.
func (in *causeFlags) isSet(cmd *cobra.Command) bool {
	f := cmd.Flags()
	return f.Changed("rescue-group") || f.Changed("canary") || f.Changed("rate")
}

// fingerprints are what tq dlq --group prints, or their beginnings. The
// expression never changes.
var fingerprints = regexp.MustCompile(`^[0-9a-fA-F]{4,64}$`)

// rescueCause counts, asks, sends one ahead if that is wanted, and follows the
// rest to the end.
func (a *app) rescueCause(cmd *cobra.Command, in *dlqFlags) error {
	c := &in.cause
	switch {
	case !cmd.Flags().Changed("rescue-group"):
		return usage("--canary and --rate: each goes with --rescue-group").WithHint("see the groups: tq dlq --group")
	case !fingerprints.MatchString(c.fingerprint):
		return usage("rescue-group: %q is not a fingerprint", c.fingerprint).WithHint("see the groups: tq dlq --group")
	}
	filter := "status:dead fp:" + c.fingerprint
	for _, term := range [][2]string{{"queue", in.in.Queue}, {"type", in.in.Type}, {"project", in.in.Project}} {
		if term[1] != "" {
			filter += " " + term[0] + ":" + strconv.Quote(term[1])
		}
	}
	many := &manyTasks{filter: filter, yes: in.yes, rate: c.rate}
	if c.canary {
		many.first = a.canary
	}
	return a.changeMany(cmd.Context(), tq.BulkRescue, many)
}

// canary rescues the newest of the group and waits for its end. Unless it
// completes, the rest stay dead.
func (a *app) canary(ctx context.Context, c tq.Client, counted tq.BulkOut) error {
	id := counted.Sample[0]
	out, err := c.Rescue(ctx, tq.RescueIn{IDs: []int64{id}})
	if err != nil {
		return err
	}
	if len(out.Tasks) == 1 && out.Tasks[0].Error != nil {
		return out.Tasks[0].Error
	}
	a.out.note("task %d goes first; the rest when it has completed", id)
	ended, err := waitAll(ctx, c, []int64{id})
	if err != nil {
		return err
	}
	t := &ended[0]
	switch t.Status {
	case tq.Completed:
		return nil
	case tq.Cancelled:
		a.out.note("task %d went first and was cancelled; the rest stay dead", id)
		return status(exitCancelled)
	}
	a.out.note("task %d went first and is dead again, the rest stay so: %s", id, gist(or(t.LastError, t.Reason), 200))
	return status(exitDead)
}
