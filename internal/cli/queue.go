package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) queueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "List, pause, resume or purge queues",
		Args:  cobra.ArbitraryArgs,
		RunE:  unknownCommand,
	}
	cmd.AddCommand(a.queueListCommand(), a.pauseCommand(), a.resumeCommand(), a.purgeCommand())
	return cmd
}

func (a *app) queueListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List queues with their counts",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := c.Stats(ctx, tq.StatsIn{By: "queue"})
				if err != nil {
					return err
				}
				if a.out.json {
					for i := range out.Queues {
						a.out.object(&out.Queues[i])
					}
					return nil
				}
				a.statsTable(out.Queues, out.Total, "queue").print(a.out)
				return nil
			})
		},
	}
}

func (a *app) pauseCommand() *cobra.Command {
	return a.setQueueCommand("pause QUEUE", "Hold a queue: what runs goes on, nothing more is claimed", tq.Client.Pause)
}

func (a *app) resumeCommand() *cobra.Command {
	return a.setQueueCommand("resume QUEUE", "Let a paused queue go on", tq.Client.Resume)
}

func (a *app) setQueueCommand(use, short string, set func(tq.Client, context.Context, tq.QueueIn) (tq.QueueOut, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: oneArg("the name of a queue"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := set(c, ctx, tq.QueueIn{Queue: args[0]})
				switch {
				case err != nil:
					return err
				case a.out.json:
					a.out.object(out)
				case out.Paused:
					a.out.line("%s paused", out.Queue)
				default:
					a.out.line("%s open", out.Queue)
				}
				return nil
			})
		},
	}
}

func (a *app) purgeCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "purge QUEUE",
		Short: "Cancel and delete all of a queue but what runs or is waited for",
		Args:  oneArg("the name of a queue"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				return a.purge(ctx, c, args[0], yes)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	onlyArgv(cmd, "yes")
	return cmd
}

func (a *app) purge(ctx context.Context, c tq.Client, queue string, yes bool) error {
	if err := tq.CheckQueue("queue", queue); err != nil {
		return err
	}
	stats, err := c.Stats(ctx, tq.StatsIn{Queue: queue})
	if err != nil {
		return err
	}
	s := stats.Total
	count := s.Ready + s.Scheduled + s.Blocked + s.Completed + s.Dead + s.Cancelled
	if err := a.confirm(yes, "purge "+plural(int(count), "task")+" of queue "+queue, count); err != nil {
		return err
	}
	a.out.progress("purging " + queue)
	out, err := c.Purge(ctx, tq.QueueIn{Queue: queue})
	if err != nil {
		if out.Deleted > 0 {
			a.out.note("%s were deleted before that", plural(out.Deleted, "task"))
		}
		return err
	}
	if a.out.json {
		a.out.object(out)
		return nil
	}
	a.out.line("%s deleted, %d kept for those that wait for them, %d running", plural(out.Deleted, "task"), out.Kept, out.Running)
	return nil
}
