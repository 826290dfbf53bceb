package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) listCommand() *cobra.Command {
	var in tq.TasksIn
	var all bool
	cmd := &cobra.Command{
		Use:     "list [FILTER...]",
		Aliases: []string{"ls", "tasks"},
		Short:   "List tasks, newest first",
		Long: `Lists tasks, newest first. ` + filterHelp + `

A filter that begins with - goes behind --, or into --filter.`,
		Example: `  tq list --status retrying
  tq list 'status:dead,cancelled age:>2h' '"timed out"'
  tq list --queue builds --type sh --limit 200
  tq list --all --json | jq .id`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Filter = joinFilter(in.Filter, args)
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				return a.list(ctx, c, in, all)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.Queue, "queue", "", "of this queue")
	f.StringVar(&in.Status, "status", "", "ready, scheduled, retrying, blocked, running, completed, dead or cancelled")
	f.StringVar(&in.Type, "type", "", "of this type")
	f.StringVar(&in.Project, "project", "", "of this project")
	f.StringVar(&in.Key, "key", "", "with this key")
	f.Int64Var(&in.Parent, "parent", 0, "children of this task")
	f.StringVar(&in.Search, "search", "", "with this text in the payload or the last error")
	f.StringVar(&in.Filter, "filter", "", "in the filter language")
	f.IntVar(&in.Limit, "limit", 0, "rows of a page, 1 to 1000 (default 50)")
	f.StringVar(&in.Cursor, "cursor", "", "go on where a page ended")
	f.BoolVar(&all, "all", false, "page after page to the end")
	f.StringVar(&in.Fields, "fields", "", "payload: with payload and result, in --json")
	onlyArgv(cmd, "status", "key", "parent", "search", "filter", "cursor", "all", "fields")
	refuseZero(cmd, "1 to 1000", "limit")
	refuseZero(cmd, "a name", "queue", "type", "project", "status", "key")
	refuseZero(cmd, "the id of a task", "parent")
	return cmd
}

// filterHelp is what commands say of the filter language.
const filterHelp = `A filter is terms that all hold: FIELD:VALUE, with commas between values of
which one holds, and - in front for what must not be. Words without a field are looked
for in the payload and the last error.

  status queue type project tag key    status:dead,cancelled -type:metrics
  id parent dep                        parent:17, or #42 for id:42
  try prio                             try:>=3 prio:<0
  age wait run                         age:>2h run:>90s (s, m, h, d)
  error fp worker payload.NAME         error:"timed out" fp:3fa2c1 payload.shard:7`

// joinFilter is the filter of a flag and of the words behind a command.
func joinFilter(filter string, args []string) string {
	return strings.TrimSpace(strings.Join(append([]string{filter}, args...), " "))
}

func (a *app) list(ctx context.Context, c tq.Client, in tq.TasksIn, all bool) error {
	if all && in.Limit == 0 {
		in.Limit = tq.MaxPage
	}
	for {
		out, err := c.Tasks(ctx, in)
		if err != nil {
			return err
		}
		if err := a.printTasks(ctx, c, out.Tasks); err != nil {
			return err
		}
		if len(out.Tasks) == 0 && in.Cursor == "" && !a.out.json {
			a.out.note("no such tasks")
		}
		if out.Searched > 0 {
			a.out.note("searched the newest %d tasks only", out.Searched)
		}
		if out.Cursor == "" {
			return nil
		}
		if !all {
			a.out.note("there is more: --cursor %s, or --all", out.Cursor)
			return nil
		}
		in.Cursor = out.Cursor
		if err := a.out.flush(); err != nil {
			return err
		}
	}
}

func (a *app) printTasks(ctx context.Context, c tq.Client, tasks []tq.Task) error {
	if a.out.json {
		for i := range tasks {
			a.out.object(&tasks[i])
		}
		return nil
	}
	byID, err := names(ctx, c)
	if err != nil {
		return err
	}
	now := a.Now()
	t := newTable(">ID", "STATUS", "QUEUE", "TYPE", "PROJECT", "TRY", ">AGE", "KEY", "NOTE")
	for i := range tasks {
		task := &tasks[i]
		label := task.Label(now)
		t.row(itoa(task.ID), a.statusCell(label), task.Queue, task.Type, task.Project,
			strconv.Itoa(task.Attempt)+"/"+strconv.Itoa(task.MaxAttempts),
			age(now.Sub(task.CreatedAt.Time)), cut(safe(task.IdempotencyKey), 40), remarkOn(task, byID, now))
	}
	t.print(a.out)
	return nil
}

// statusCell is a status with its sign.
func (a *app) statusCell(label string) cell {
	s := signOf(label)
	glyph := s.glyph
	if a.out.ascii {
		glyph = s.ascii
	}
	return cell{glyph + " " + label, s.style}
}

// remarkOn is what matters most about a task beyond its status, in one line.
func remarkOn(t *tq.Task, names map[string]string, now time.Time) string {
	const limit = 72
	switch t.Label(now) {
	case tq.Scheduled:
		return "in " + span(t.RunAt.Sub(now))
	case tq.Retrying:
		return cut("in "+span(t.RunAt.Sub(now))+": "+gist(t.LastError, limit), limit)
	case string(tq.Running):
		return cut(safe(runningLine(t, names, now)), limit)
	case string(tq.Dead):
		return gist(or(t.LastError, t.Reason), limit)
	case string(tq.Cancelled):
		return gist(t.Reason, limit)
	}
	return ""
}
