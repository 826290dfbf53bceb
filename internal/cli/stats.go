package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) statsCommand() *cobra.Command {
	var in tq.StatsIn
	var series time.Duration
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count tasks by what they are doing",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if series != 0 {
				return a.series(cmd.Context(), tq.SeriesIn{Queue: in.Queue, Type: in.Type, Range: tq.Duration(series)}, &in)
			}
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := c.Stats(ctx, in)
				if err == nil {
					a.printStats(out, or(in.By, "queue"))
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.Queue, "queue", "", "of this queue")
	f.StringVar(&in.Type, "type", "", "of this type")
	f.StringVar(&in.Project, "project", "", "of this project")
	f.StringVar(&in.By, "by", "", "a row for each queue, type or project (default queue)")
	f.DurationVar(&series, "series", 0, "rates and waits over time, so far back: 10m to 2160h")
	onlyArgv(cmd, "by", "series")
	refuseZero(cmd, "queue, type or project", "by")
	refuseZero(cmd, "a name", "queue", "type", "project")
	return cmd
}

func (a *app) printStats(out tq.StatsOut, by string) {
	if a.out.json {
		a.out.object(out)
		return
	}
	w := out.Workers
	a.out.line("%s, %d busy, %d idle, %d lost", plural(w.Busy+w.Idle+w.Lost, "worker"), w.Busy, w.Idle, w.Lost)
	if out.ClockJumps > 0 {
		a.out.note("the clock jumped by more than a second, %s so far", plural(int(out.ClockJumps), "time"))
	}
	if len(out.Queues) == 0 {
		a.out.note("no tasks yet; tq enqueue --help")
		return
	}
	a.statsTable(out.Queues, out.Total, by).print(a.out)
	for _, p := range out.Parked {
		a.out.line("parked: %s for %s: %s", p.Scope, span(p.Until.Sub(a.Now())), p.Reason)
	}
}

func (a *app) statsTable(rows []tq.Stats, total tq.Stats, by string) *table {
	heads := map[string]string{"queue": "QUEUE", "type": "TYPE", "project": "PROJECT"}
	t := newTable(heads[by], ">READY", ">RUNNING", ">SCHEDULED", ">RETRYING", ">BLOCKED",
		">COMPLETED", ">DEAD", ">CANCELLED", ">OLDEST", "")
	for _, s := range rows {
		t.row(append([]any{or(s.Queue+s.Type+s.Project, "(none)")}, statsCells(&s)...)...)
	}
	if len(rows) > 1 {
		t.row(append([]any{cell{"total", strong}}, statsCells(&total)...)...)
	}
	return t
}

func statsCells(s *tq.Stats) []any {
	count := func(n int64, style style) cell {
		if n == 0 {
			return cell{"0", dim}
		}
		return cell{itoa(n), style}
	}
	oldest, remark := "-", ""
	if s.Ready > 0 {
		oldest = span(s.OldestReady.Std())
	}
	if s.BlockedByDead > 0 {
		remark = fmt.Sprintf("%d wait for dead tasks", s.BlockedByDead)
	}
	if s.Paused {
		remark = join("paused", remark)
	}
	return []any{
		count(s.Ready, plain), count(s.Running, cyan), count(s.Scheduled, blue), count(s.Retrying, amber),
		count(s.Blocked, violet), count(s.Completed, green), count(s.Dead, red), count(s.Cancelled, dim),
		oldest,
		cell{remark, amber},
	}
}
