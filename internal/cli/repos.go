package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

func (a *app) reposCommand() *cobra.Command {
	var in ops.ReposIn
	cmd := &cobra.Command{
		Use:   "repos",
		Short: "Tell how the repositories of the agent pool stand",
		Long: `Tells of every repository what its tasks say: how much is open, as of its newest
harvested task, what is in flight, how the gate judged last, and why nothing goes on.
It works from anywhere, against a hub too. What stands in the folders right now is
told by tq agent-pool --status, where they are.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := ops.Repos(ctx, c, in)
				if err == nil {
					a.printRepos(out.Repos)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&in.Type, "type", "", "of their tasks (default agent)")
	onlyArgv(cmd, "type")
	return cmd
}

func (a *app) printRepos(repos []ops.Repo) {
	if a.out.json {
		for i := range repos {
			a.out.object(&repos[i])
		}
		return
	}
	if len(repos) == 0 {
		a.out.note("no repository has tasks yet; tq agent-pool or tq harvest makes some")
		return
	}
	t := newTable("REPO", ">OPEN", ">READY", ">RUNNING", ">SCHEDULED", ">COMPLETED", ">DEAD", "LAST VERIFY", "HELD")
	for i := range repos {
		r := &repos[i]
		open := "-"
		if r.Backlog != nil {
			open = itoa(*r.Backlog)
		}
		t.row(r.Project, open, itoa(r.Ready), itoa(r.Running), itoa(r.Scheduled), itoa(r.Completed), itoa(r.Dead),
			judged(r.LastVerify), cut(r.Held, 160))
	}
	t.print(a.out)
}

// judged says in a few words how the gate judged last.
func judged(v *ops.LastVerify) string {
	const short = 12
	switch {
	case v == nil:
		return "-"
	case v.Passed:
		return "passed at " + v.At.String() + ", commit " + v.Commit[:min(len(v.Commit), short)]
	}
	return "failed in task " + itoa(v.TaskID) + ": " + cut(v.Detail, 60)
}
