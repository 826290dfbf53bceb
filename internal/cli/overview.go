package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

func (a *app) overviewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "overview",
		Short: "Say in a sentence or two whether anything needs you",
		Long: `Says what the first page of the dashboard says: who is working, what waits and for
how long, which queues stand still, and what is dead of how many causes. tq stats has
the counts, tq dlq --group the causes.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := ops.Overview(ctx, c, ops.OverviewIn{Causes: true})
				switch {
				case err != nil:
					return err
				case a.out.json:
					a.out.object(&out)
				default:
					a.printOverview(&out)
				}
				return nil
			})
		},
	}
}

func (a *app) printOverview(o *ops.OverviewOut) {
	a.out.line("%s", o.Sentence)
	for _, p := range o.Parked {
		a.out.line("parked: %s for %s: %s", p.Scope, span(p.Until.Sub(a.Now())), p.Reason)
	}
	if o.Total.Dead > 0 {
		a.out.note("what they died of: tq dlq --group")
	}
}
