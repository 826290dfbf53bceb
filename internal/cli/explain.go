package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain ID...",
		Aliases: []string{"why"},
		Short:   "Say in one sentence why a task is not running",
		Args:    someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseIDs(args)
			if err != nil {
				return err
			}
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				for _, id := range ids {
					out, err := c.Explain(ctx, tq.ExplainIn{ID: id})
					if err != nil {
						return err
					}
					a.printExplained(&out)
				}
				return nil
			})
		},
	}
}

func (a *app) printExplained(x *tq.ExplainOut) {
	if a.out.json {
		a.out.object(x)
		return
	}
	a.out.line("%s %d %s", a.out.glyph(x.Status), x.ID, x.Sentence)
	for _, next := range x.Next {
		a.out.line("  next: %s", next)
	}
}
