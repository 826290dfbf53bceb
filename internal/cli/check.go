package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Walk the whole database and name every broken invariant",
		Long: `Folds the journal of every task and compares it with what the database says of
it. Safe beside workers. Ends with 0 when all holds, 1 when something is broken.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withDoor(cmd.Context(), a.check)
		},
	}
}

func (a *app) check(ctx context.Context, d *door) error {
	a.out.progress("checking " + d.place())
	found, err := d.client.Check(ctx, tq.CheckIn{})
	if err != nil {
		return err
	}
	return a.printCheck(found.Violations)
}

func (a *app) printCheck(broken []tq.Violation) error {
	var end error
	if len(broken) > 0 {
		end = status(exitInternal)
	}
	switch {
	case a.out.json:
		a.out.object(struct {
			OK         bool           `json:"ok"`
			Violations []tq.Violation `json:"violations"`
		}{end == nil, append([]tq.Violation{}, broken...)})
		return end
	case end == nil:
		a.out.line("ok: every invariant holds")
		return nil
	}
	for _, v := range broken {
		if v.TaskID == 0 {
			a.out.line("%s  %s", v.Invariant, v.Detail)
			continue
		}
		a.out.line("%s  task %d  %s", v.Invariant, v.TaskID, v.Detail)
	}
	a.out.note("%s; tq show ID tells the story of a task", plural(len(broken), "broken invariant"))
	return end
}
