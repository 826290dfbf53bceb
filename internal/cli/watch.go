package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// watchFlags is what `tq watch` was told.
type watchFlags struct {
	filter   string
	compact  bool
	failFast bool
	timeout  time.Duration
}

func (a *app) watchCommand() *cobra.Command {
	var in watchFlags
	cmd := &cobra.Command{
		Use:   "watch ID... | --filter FILTER",
		Short: "Follow tasks until they end; the exit status tells how",
		Long: `Shows how tasks stand and then each change as it comes, until all have ended. The
exit status is that of tq wait: 0 when all are completed, else 10 (dead), 11
(cancelled), 12 (waits for a dead task), 124 (the time is up). Of a filter, those
tasks are followed that it selects when the command starts. With --json: the tasks,
then facts.`,
		Example: `  tq watch 41 42
  tq watch --compact --filter 'queue:builds -status:completed'`,
		Args: idsOrFilter,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseIDs(args)
			if err != nil {
				return err
			}
			return a.askLive(cmd.Context(), func(ctx context.Context, c tq.Client) error { return a.watch(ctx, c, &in, ids) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.filter, "filter", "", "the tasks that it selects now, instead of ids: see tq list --help")
	f.BoolVar(&in.compact, "compact", false, "one line that counts, instead of one for each change")
	f.BoolVar(&in.failFast, "fail-fast", false, "end with the first task that is dead or cancelled")
	durationFlag(f, &in.timeout, "timeout", "watch no longer than this")
	onlyArgv(cmd, "filter", "compact", "fail-fast", "timeout")
	refuseZero(cmd, "a filter such as queue:builds", "filter")
	return cmd
}

func (a *app) watch(ctx context.Context, c tq.Client, in *watchFlags, ids []int64) error {
	if in.filter != "" {
		var err error
		if ids, err = selected(ctx, c, in.filter); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		a.out.note("no task fits this filter")
		return nil
	}
	w := &watching{app: a, client: c, in: in, ids: ids, stand: make(map[int64]tq.Status, len(ids))}
	tasks, err := a.await(ctx, c, ids, in.timeout, w.run)
	if err != nil {
		return err
	}
	return a.verdict(tasks)
}

// selected is the ids that a filter selects now.
func selected(ctx context.Context, c tq.Client, filter string) ([]int64, error) {
	in := tq.TasksIn{Filter: filter, Limit: tq.MaxPage}
	var ids []int64
	for {
		page, err := c.Tasks(ctx, in)
		if err != nil {
			return nil, err
		}
		for i := range page.Tasks {
			ids = append(ids, page.Tasks[i].ID)
		}
		if len(ids) > tq.MaxBatch {
			return nil, usage("filter: selects more than %d tasks", tq.MaxBatch).WithHint("say more, as in status:running or age:<1h")
		}
		if in.Cursor = page.Cursor; in.Cursor == "" {
			return ids, nil
		}
	}
}

// watching is one run of tq watch.
type watching struct {
	app    *app
	client tq.Client
	in     *watchFlags
	ids    []int64
	stand  map[int64]tq.Status // of each task that is still there
	said   string              // the last line of --compact
}

// run tells how the tasks stand and what changes, until they have ended.
func (w *watching) run(ctx context.Context, c tq.Client, ids []int64) ([]tq.Task, error) {
	end, err := c.Facts(ctx, tq.FactsIn{Last: true, Limit: 1}) // before the tasks: what comes between is told twice, not lost
	if err != nil {
		return nil, err
	}
	now, err := c.Wait(ctx, tq.WaitIn{IDs: ids})
	if err != nil {
		return nil, err
	}
	w.begin(now.Tasks)
	in := tq.FactsIn{Limit: tq.MaxPage, Wait: tq.Duration(tq.MaxWait)}
	if len(ids) == 1 {
		in.TaskID = ids[0]
	}
	if len(end.Facts) > 0 {
		in.After = end.Facts[0].Seq
	}
	for !w.over() {
		if err := w.app.out.flush(); err != nil {
			return nil, err
		}
		page, err := c.Facts(ctx, in)
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		if err := w.hear(ctx, page.Facts); err != nil {
			return nil, err
		}
		if n := len(page.Facts); n > 0 {
			in.After = page.Facts[n-1].Seq
		}
	}
	w.app.out.progress("")
	return w.left(ctx)
}

// begin tells how the tasks stand.
func (w *watching) begin(tasks []tq.Task) {
	now := w.app.Now()
	for i := range tasks {
		t := &tasks[i]
		w.stand[t.ID] = t.Status
		switch {
		case w.in.compact:
		case w.app.out.json:
			w.app.out.object(t)
		default:
			w.app.out.line("%s  task %d  %s  %s in %s", now.Format(time.DateTime), t.ID, t.Label(now), t.Type, t.Queue)
		}
	}
	w.count()
}

// hear tells of the facts that are about these tasks.
func (w *watching) hear(ctx context.Context, facts []tq.Fact) error {
	var ours []tq.Fact
	for i := range facts {
		f := &facts[i]
		if _, known := w.stand[f.TaskID]; !known {
			continue
		}
		ours = append(ours, *f)
		if f.Kind == tq.FactDeleted {
			delete(w.stand, f.TaskID)
		} else if f.Status != "" {
			w.stand[f.TaskID] = f.Status
		}
	}
	if w.in.compact {
		w.count()
		return nil
	}
	return w.app.printFacts(ctx, w.client, ours)
}

// count says how many stand where, when that has changed: over the last line on
// a terminal, a line of its own elsewhere.
func (w *watching) count() {
	if !w.in.compact || w.app.out.json {
		return
	}
	many := map[tq.Status]int{}
	for _, s := range w.stand {
		many[s]++
	}
	words := []string{fmt.Sprintf("%d/%d completed", many[tq.Completed], len(w.stand))}
	for _, s := range tq.Statuses() {
		if n := many[s]; n > 0 && s != tq.Completed {
			words = append(words, fmt.Sprintf("%d %s", n, s))
		}
	}
	line := strings.Join(words, "  ")
	if line == w.said {
		return
	}
	w.said = line
	if w.app.out.live && !w.over() {
		w.app.out.progress(line)
		return
	}
	w.app.out.line("%s", line)
}

// over reports whether there is nothing more to wait for.
func (w *watching) over() bool {
	open := false
	for _, s := range w.stand {
		if w.in.failFast && (s == tq.Dead || s == tq.Cancelled) {
			return true
		}
		open = open || !s.Terminal()
	}
	return !open
}

// left reads the tasks that are still there.
func (w *watching) left(ctx context.Context) ([]tq.Task, error) {
	var ids []int64
	for _, id := range w.ids {
		if _, there := w.stand[id]; there {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := w.client.Wait(ctx, tq.WaitIn{IDs: ids})
	return out.Tasks, err
}
