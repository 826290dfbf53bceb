package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// Commands that do something to tasks named by their ids.

// changeFunc asks for one change of at most MaxBatch tasks.
type changeFunc func(context.Context, tq.Client, []int64) (tq.ChangeOut, error)

func (a *app) rescueCommand() *cobra.Command {
	cmd := a.changeCommand("rescue ID... | --filter FILTER", "Bring dead or cancelled tasks back with fresh attempts")
	life := epochFlag(cmd)
	cmd.RunE = a.runChange(tq.BulkRescue, a.manyFlags(cmd, nil), "rescued", func(ctx context.Context, c tq.Client, ids []int64) (tq.ChangeOut, error) {
		return c.Rescue(ctx, tq.RescueIn{IDs: ids, IfEpoch: life()})
	})
	return cmd
}

// epochFlag adds the guard of a task that two people may act on at once.
func epochFlag(cmd *cobra.Command) (given func() *int64) {
	epoch := cmd.Flags().Int64("if-epoch", 0, "only if the task still stands at this epoch, as tq show --json tells it")
	onlyArgv(cmd, "if-epoch")
	return func() *int64 {
		if !cmd.Flags().Changed("if-epoch") {
			return nil
		}
		return epoch
	}
}

func (a *app) requeueCommand() *cobra.Command {
	cmd := a.changeCommand("requeue ID... | --filter FILTER", "Run scheduled or retrying tasks now; rescue dead and cancelled ones")
	life := epochFlag(cmd)
	cmd.RunE = a.runChange(tq.BulkRequeue, a.manyFlags(cmd, nil), "requeued", func(ctx context.Context, c tq.Client, ids []int64) (tq.ChangeOut, error) {
		return c.Requeue(ctx, tq.RequeueIn{IDs: ids, IfEpoch: life()})
	})
	return cmd
}

func (a *app) cancelCommand() *cobra.Command {
	in := tq.CancelIn{}
	cmd := a.changeCommand("cancel ID... | --filter FILTER", "Cancel tasks; a running one is asked to stop")
	f := cmd.Flags()
	f.BoolVar(&in.Force, "force", false, "take a running task from its worker now")
	f.StringVar(&in.Reason, "reason", "", "why, for the journal")
	onlyArgv(cmd, "force", "reason")
	life := epochFlag(cmd)
	cmd.RunE = a.runChange(tq.BulkCancel, a.manyFlags(cmd, &in), "cancelled", func(ctx context.Context, c tq.Client, ids []int64) (tq.ChangeOut, error) {
		in.IDs, in.IfEpoch = ids, life()
		return c.Cancel(ctx, in)
	})
	return cmd
}

func (a *app) deleteCommand() *cobra.Command {
	cmd := a.changeCommand("delete ID... | --filter FILTER", "Delete ended tasks that nothing waits for")
	cmd.Aliases = []string{"rm"}
	life := epochFlag(cmd)
	cmd.RunE = a.runChange(tq.BulkDelete, a.manyFlags(cmd, nil), "deleted", func(ctx context.Context, c tq.Client, ids []int64) (tq.ChangeOut, error) {
		return c.Delete(ctx, tq.DeleteIn{IDs: ids, IfEpoch: life()})
	})
	return cmd
}

func (a *app) changeCommand(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: idsOrFilter}
}

// runChange changes the tasks named by the arguments, all that fit into one
// call at a time.
func (a *app) runChange(verb string, many *manyTasks, done string, change changeFunc) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if many.filter != "" {
			return a.changeMany(cmd.Context(), verb, many)
		}
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
			var first error
			for some := range slices.Chunk(ids, tq.MaxBatch) {
				out, err := change(ctx, c, some)
				if err != nil {
					return err
				}
				if err := a.printChanged(out, done); first == nil {
					first = err
				}
			}
			return first
		})
	}
}

// printChanged prints row by row. The first refusal is the exit status.
func (a *app) printChanged(out tq.ChangeOut, done string) error {
	var first error
	for _, t := range out.Tasks {
		switch {
		case a.out.json:
			a.out.object(t)
		case t.Error != nil:
			a.refusedTask(t)
		case t.CancelRequested:
			a.out.line("%d asked to stop", t.ID)
		case !t.Changed:
			a.out.line("%d unchanged, it is %s", t.ID, t.Status)
		default:
			a.out.line("%d %s", t.ID, done)
		}
		if t.Error != nil && first == nil {
			first = status(exitOf(t.Error))
		}
	}
	return first
}

func (a *app) refusedTask(t tq.ChangedTask) {
	e := *t.Error
	if e.Code != tq.CodeNotFound {
		e.Message = "task " + itoa(t.ID) + ": " + e.Message
	}
	a.out.failed(&e)
}
