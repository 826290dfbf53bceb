package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// bulkCommand looks after an operation on many tasks that somebody else began.
func (a *app) bulkCommand() *cobra.Command {
	var end bool
	cmd := &cobra.Command{
		Use:   "bulk ID",
		Short: "How far an operation on many tasks has come, or its end",
		Long: `An operation that the dashboard, curl or tq rescue --filter began at a hub goes on
there; its id is in the answer that began it. It is kept for an hour after its end,
and ends with the hub. What it has done stays.`,
		Example: `  tq --db http://127.0.0.1:8080 bulk 3j5k
  tq --db http://127.0.0.1:8080 bulk 3j5k --end`,
		Args: oneArg("the id of an operation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error { return a.bulkState(ctx, c, args[0], end) })
		},
	}
	cmd.Flags().BoolVar(&end, "end", false, "end it; what it has done stays")
	onlyArgv(cmd, "end")
	return cmd
}

func (a *app) bulkState(ctx context.Context, c tq.Client, id string, end bool) error {
	ask := func() (tq.BulkOut, error) { return c.BulkState(ctx, tq.BulkStateIn{ID: id}) }
	if end {
		ask = func() (tq.BulkOut, error) { return c.EndBulk(ctx, tq.EndBulkIn{ID: id}) }
	}
	out, err := ask()
	if err != nil {
		return err
	}
	if a.out.json {
		a.out.object(&out)
		return nil
	}
	a.out.line("%s %s: changed %d of %d, skipped %d", out.Verb, out.State, out.Changed, out.Matched, out.Skipped)
	if out.Error != nil {
		return out.Error
	}
	return nil
}
