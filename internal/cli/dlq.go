package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// dlqFlags is what `tq dlq` was told.
type dlqFlags struct {
	in        tq.TasksIn
	rescue    []string
	rescueAll bool
	group     bool
	yes       bool
	cause     causeFlags
}

func (a *app) dlqCommand() *cobra.Command {
	var in dlqFlags
	cmd := &cobra.Command{
		Use:   "dlq",
		Short: "List dead tasks, or rescue them",
		Long: `Dead tasks are those that are out of attempts or were given up. They are kept, with
their last error, until they are rescued or deleted.`,
		Example: `  tq dlq --queue builds
  tq dlq --group
  tq dlq --rescue 17,23
  tq dlq --rescue-group 6f1c02a9 --canary --rate 5/s
  tq dlq --rescue-all --type sh`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := onlyOne(cmd, "rescue", "rescue-all", "group", "rescue-group"); err != nil {
				return err
			}
			in.in.Status = string(tq.Dead)
			if in.cause.isSet(cmd) {
				return a.rescueCause(cmd, &in)
			}
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error { return a.dlq(ctx, c, &in) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.in.Queue, "queue", "", "of this queue")
	f.StringVar(&in.in.Type, "type", "", "of this type")
	f.StringVar(&in.in.Project, "project", "", "of this project")
	f.IntVar(&in.in.Limit, "limit", 0, "rows of the list, 1 to 1000 (default 50)")
	namesFlag(f, &in.rescue, "rescue", "bring these back with fresh attempts")
	f.BoolVar(&in.rescueAll, "rescue-all", false, "bring all back that the filters select")
	f.BoolVar(&in.group, "group", false, "by what they died of, with how many there are of each")
	f.BoolVar(&in.yes, "yes", false, "do not ask")
	in.cause.define(cmd)
	onlyArgv(cmd, "rescue", "rescue-all", "group", "yes")
	refuseZero(cmd, "1 to 1000", "limit")
	refuseZero(cmd, "a name", "queue", "type", "project")
	refuseZero(cmd, "ids of tasks", "rescue")
	return cmd
}

func (a *app) dlq(ctx context.Context, c tq.Client, in *dlqFlags) error {
	switch {
	case len(in.rescue) > 0:
		ids, err := parseIDs(in.rescue)
		if err != nil {
			return err
		}
		out, err := c.Rescue(ctx, tq.RescueIn{IDs: ids})
		if err != nil {
			return err
		}
		return a.printChanged(out, "rescued")
	case in.rescueAll:
		return a.rescueAll(ctx, c, in)
	case in.group:
		return a.groupDead(ctx, c, in.in)
	}
	return a.listDead(ctx, c, in.in)
}

func (a *app) listDead(ctx context.Context, c tq.Client, in tq.TasksIn) error {
	out, err := c.Tasks(ctx, in)
	if err != nil {
		return err
	}
	if a.out.json {
		for i := range out.Tasks {
			a.out.object(&out.Tasks[i])
		}
		return nil
	}
	now := a.Now()
	t := newTable(">ID", "QUEUE", "TYPE", "PROJECT", "TRY", "DIED", "KEY", "ERROR")
	for i := range out.Tasks {
		task := &out.Tasks[i]
		t.row(cell{itoa(task.ID), red}, task.Queue, task.Type, task.Project,
			strconv.Itoa(task.Attempt)+"/"+strconv.Itoa(task.MaxAttempts),
			age(now.Sub(task.EndedAt.Time))+" ago", cut(safe(task.IdempotencyKey), 40),
			gist(or(task.LastError, task.Reason), 80))
	}
	t.print(a.out)
	switch n := len(out.Tasks); {
	case n == 0:
		a.out.note("no dead tasks")
	case out.Cursor != "":
		a.out.note("there are more than these %d: --limit, or tq list --status dead --all", n)
	default:
		a.out.note("%s; tq show ID tells why, tq dlq --rescue ID brings one back", plural(n, "dead task"))
	}
	return nil
}

// groupDead tells what dead tasks died of: two thousand are often three causes.
func (a *app) groupDead(ctx context.Context, c tq.Client, in tq.TasksIn) error {
	out, err := c.Errors(ctx, tq.ErrorsIn{Queue: in.Queue, Type: in.Type, Project: in.Project})
	if err != nil {
		return err
	}
	if a.out.json {
		for i := range out.Groups {
			a.out.object(&out.Groups[i])
		}
		return nil
	}
	now, dead := a.Now(), int64(0)
	t := newTable("FP", ">DEAD", "LAST", "QUEUES", "TYPE", ">SAMPLE", "ERROR")
	for i := range out.Groups {
		g := &out.Groups[i]
		dead += g.Dead
		t.row(g.Fingerprint, cell{itoa(g.Dead), red}, age(now.Sub(g.LastAt.Time))+" ago",
			strings.Join(g.Queues, ","), g.Type, itoa(g.Sample), gist(g.Title, 80))
	}
	t.print(a.out)
	switch {
	case dead == 0:
		a.out.note("no dead tasks")
	case out.Unnamed > 0:
		a.out.note("of %d more the cause is not known yet: ask again soon", out.Unnamed)
	case out.Left > 0:
		a.out.note("these are the largest; %d smaller groups are not shown", out.Left)
	default:
		a.out.note("%s in %s; tq show SAMPLE tells more of one, tq dlq --rescue-group FP --canary brings a group back",
			plural(int(dead), "dead task"), plural(len(out.Groups), "group"))
	}
	return nil
}

// rescueAll rescues what is dead now, page by page. Pages go from the newest id
// down, so what dies again meanwhile is not met twice.
func (a *app) rescueAll(ctx context.Context, c tq.Client, in *dlqFlags) error {
	stats, err := c.Stats(ctx, tq.StatsIn{Queue: in.in.Queue, Type: in.in.Type, Project: in.in.Project})
	if err != nil {
		return err
	}
	if stats.Total.Dead == 0 {
		a.rescued(0, 0)
		return nil
	}
	if err := a.confirm(in.yes, "rescue "+plural(int(stats.Total.Dead), "dead task"), stats.Total.Dead); err != nil {
		return err
	}
	rescued, skipped := 0, 0
	page := in.in
	page.Limit = tq.MaxPage
	for {
		out, err := c.Tasks(ctx, page)
		if err != nil {
			return err
		}
		if len(out.Tasks) > 0 {
			changed, err := c.Rescue(ctx, tq.RescueIn{IDs: idsOf(out.Tasks)})
			if err != nil {
				return err
			}
			for _, t := range changed.Tasks {
				switch {
				case t.Error != nil:
					skipped++
					a.refusedTask(t)
				case t.Changed:
					rescued++
				}
			}
			a.out.progress(plural(rescued, "task") + " rescued")
		}
		if out.Cursor == "" {
			a.rescued(rescued, skipped)
			return nil
		}
		page.Cursor = out.Cursor
	}
}

func (a *app) rescued(rescued, skipped int) {
	if a.out.json {
		a.out.object(struct {
			Rescued int `json:"rescued"`
			Skipped int `json:"skipped"`
		}{rescued, skipped})
		return
	}
	a.out.line("rescued %d, skipped %d", rescued, skipped)
}

func idsOf(tasks []tq.Task) []int64 {
	ids := make([]int64, len(tasks))
	for i := range tasks {
		ids[i] = tasks[i].ID
	}
	return ids
}
