package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// Commands that do something to every task that a filter selects: they count
// first, ask, and then follow the operation to its end.

// manyTasks is what such a command was told.
type manyTasks struct {
	filter string
	dryRun bool
	yes    bool
	rate   float64
	cancel *tq.CancelIn // of tq cancel: how

	first func(context.Context, tq.Client, tq.BulkOut) error // goes ahead of what was counted; nil: nothing does
}

func (a *app) manyFlags(cmd *cobra.Command, cancel *tq.CancelIn) *manyTasks {
	in := &manyTasks{cancel: cancel}
	f := cmd.Flags()
	f.StringVar(&in.filter, "filter", "", "every task that it selects, instead of ids: see tq list --help")
	f.BoolVar(&in.dryRun, "dry-run", false, "with --filter: count, and change nothing")
	f.BoolVar(&in.yes, "yes", false, "with --filter: do not ask")
	f.Var(value[float64]{&in.rate, "rate", parseRate, nil}, "rate", "with --filter: at most so many tasks, as in 5/s")
	onlyArgv(cmd, "filter", "dry-run", "yes", "rate")
	refuseZero(cmd, "a filter such as status:dead", "filter")
	return in
}

// parseRate reads 5/s, 0.5/s, 30/m or a bare number of tasks in a second.
func parseRate(text string) (float64, error) {
	number, per, _ := strings.Cut(text, "/")
	n, err := strconv.ParseFloat(number, 64)
	unit := map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[per]
	if err != nil || unit == 0 || n <= 0 || n/unit > tq.MaxBulkRate {
		return 0, errors.New("want a number of tasks such as 5/s or 30/m, up to " + strconv.Itoa(tq.MaxBulkRate) + "/s")
	}
	return n / unit, nil
}

// idsOrFilter wants ids of tasks or a filter, and not both.
func idsOrFilter(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("filter") {
		return someIDs(cmd, args)
	}
	if len(args) > 0 {
		return usage("give ids or --filter, not both")
	}
	return nil
}

// changeMany counts what a verb would change, asks, and does it.
func (a *app) changeMany(ctx context.Context, verb string, in *manyTasks) error {
	ask := tq.BulkIn{Verb: verb, Filter: in.filter, Rate: in.rate, DryRun: true}
	if in.cancel != nil {
		ask.Force, ask.Reason = in.cancel.Force, in.cancel.Reason
	}
	return a.askLive(ctx, func(ctx context.Context, c tq.Client) error {
		counted, err := c.Bulk(ctx, ask)
		if err != nil {
			return err
		}
		if in.dryRun || counted.Changed == 0 {
			return a.printMany(&counted, "would change")
		}
		if err := a.confirm(in.yes, verb+" "+plural(int(counted.Changed), "task"), counted.Changed); err != nil {
			return err
		}
		if in.first != nil {
			if err := in.first(ctx, c, counted); err != nil {
				return err
			}
			counted.Changed--
		}
		ask.DryRun = false
		begun, err := c.Bulk(ctx, ask)
		if err != nil {
			return err
		}
		return a.watchMany(ctx, c, begun, counted.Changed)
	})
}

// watchMany tells how far an operation has come, until its end. An interrupt ends
// the operation too.
func (a *app) watchMany(ctx context.Context, c tq.Client, out tq.BulkOut, of int64) error {
	const pace = tq.Duration(time.Second)
	for out.State == tq.BulkRunning {
		now, err := c.BulkState(ctx, tq.BulkStateIn{ID: out.ID, Wait: pace})
		if err != nil {
			_, endErr := c.EndBulk(context.WithoutCancel(ctx), tq.EndBulkIn{ID: out.ID})
			return errors.Join(err, endErr)
		}
		out = now
		a.out.progress(itoa(out.Changed) + " of " + plural(int(of), "task") + " changed")
	}
	a.out.progress("")
	if err := a.printMany(&out, "changed"); err != nil || out.Error == nil {
		return err
	}
	return out.Error
}

func (a *app) printMany(out *tq.BulkOut, done string) error {
	if a.out.json {
		a.out.object(out)
		return nil
	}
	a.out.line("%s: %s %d of %d, skipped %d", out.Verb, done, out.Changed, out.Matched, out.Skipped)
	return nil
}
