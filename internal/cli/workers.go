package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) workersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workers",
		Short: "List workers and what they run",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := c.Workers(ctx, tq.WorkersIn{})
				if err == nil {
					a.printWorkers(out.Workers)
				}
				return err
			})
		},
	}
	cmd.AddCommand(a.removeWorkerCommand())
	return cmd
}

func (a *app) removeWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove WORKER",
		Aliases: []string{"rm"},
		Short:   "Take a lost worker out; its leases end at once",
		Args:    oneArg("the id of a worker"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				_, err := c.RemoveWorker(ctx, tq.RemoveWorkerIn{ID: args[0]})
				switch {
				case err != nil:
					return err
				case a.out.json:
					a.out.object(tq.RemoveWorkerIn{ID: args[0]})
				default:
					a.out.line("%s removed", args[0])
				}
				return nil
			})
		},
	}
}

func (a *app) printWorkers(workers []tq.WorkerView) {
	if a.out.json {
		for i := range workers {
			a.out.object(&workers[i])
		}
		return
	}
	if len(workers) == 0 {
		a.out.note("no workers; tq worker starts one")
		return
	}
	now := a.Now()
	t := newTable("ID", "NAME", "HOST", "STATE", ">SEEN", ">UP", "SLOTS", "TYPES", "QUEUES", "RUNS")
	for i := range workers {
		w := &workers[i]
		t.row(w.ID, w.Name, w.Host, cell{w.State, workerStyle(w.State)},
			age(now.Sub(w.SeenAt.Time))+" ago", age(now.Sub(w.StartedAt.Time)),
			fmt.Sprintf("%d/%d", len(w.Running), w.Slots),
			strings.Join(w.Types, ","), or(strings.Join(w.Queues, ","), "all"), runs(w.Running))
	}
	t.print(a.out)
}

// names tells the names of workers by their ids, for people: facts and leases
// know the id, which is fresh at each start.
func names(ctx context.Context, c tq.Client) (map[string]string, error) {
	out, err := c.Workers(ctx, tq.WorkersIn{})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]string, len(out.Workers))
	for _, w := range out.Workers {
		byID[w.ID] = w.Name
	}
	return byID, nil
}

func workerStyle(state string) style {
	return map[string]style{"busy": cyan, "draining": amber, "lost": red}[state]
}

func runs(ids []int64) string {
	const shown = 5
	texts := make([]string, 0, shown+1)
	for i, id := range ids {
		if i == shown {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, itoa(id))
	}
	return strings.Join(texts, " ")
}
