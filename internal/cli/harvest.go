package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/harvest"
)

// harvestFlags is what is looked for and what becomes of it, on tq harvest and
// tq agent-pool. Where repositories are, other flags may say.
type harvestFlags struct {
	h   harvest.Harvest
	cqa harvest.CQA
}

func (in *harvestFlags) define(cmd *cobra.Command) {
	f, h := cmd.Flags(), &in.h
	f.StringVar(&h.Subset, "repo-subset", "", "only repositories whose name fits this pattern, as in 'shop-*'")
	f.StringVar(&h.TodoFile, "todo-file", "", "the list in each repository (default TODO_LIST.md)")
	namesFlag(f, &h.SARIF, "sarif", "findings to fix: SARIF files inside each repository")
	namesFlag(f, &h.JUnit, "junit", "failing tests to mend: JUnit reports inside each repository")
	f.StringVar(&in.cqa.URL, "cqa-url", "", "ask a Code-Quality-Agent server for findings")
	f.StringVar(&in.cqa.Owner, "cqa-owner", "", "whose projects to ask it for")
	f.StringVar(&h.MinSeverity, "min-severity", "", "of findings: critical, error, warning or info (default error)")
	f.StringVar(&h.Queue, "queue", "", "queue of new tasks (default default)")
	f.StringVar(&h.Type, "type", "", "type of new tasks (default agent)")
	f.IntVar(&h.Priority, "priority", 0, "of boxes without a mark P1 to P4")
	f.IntVar(&h.MaxAttempts, "max-attempts", 0, "of new tasks (default 3)")
	f.IntVar(&h.MaxPerTick, "max-per-tick", 0, "new tasks of one harvest (default 10)")
	onlyArgv(cmd, "priority", "type")
	refuseZero(cmd, "1 or more", "max-attempts", "max-per-tick")
}

// harvester is the harvest that the flags ask for.
func (in *harvestFlags) harvester(a *app, c tq.Client) (*harvest.Harvest, error) {
	h := &in.h
	h.Client = c
	if len(h.Repos) == 0 && h.ProjectsDir == "" {
		return nil, usage("repos: there is no repository to look into").WithHint("name some with --repos DIR,… or --projects-dir DIR")
	}
	if h.MinSeverity != "" {
		if err := harvest.CheckLevel(h.MinSeverity); err != nil {
			return nil, usage("min_severity: %w", err)
		}
	}
	if in.cqa.URL == "" && in.cqa.Owner == "" {
		return h, nil
	}
	in.cqa.URL = or(in.cqa.URL, a.Getenv("CQA_URL"))
	in.cqa.Owner = or(in.cqa.Owner, a.Getenv("CQA_OWNER_ID"))
	in.cqa.Token = a.Getenv("CQA_TOKEN")
	if in.cqa.URL == "" || in.cqa.Owner == "" {
		return nil, usage("cqa_url: --cqa-url and --cqa-owner belong together")
	}
	h.CQA = &in.cqa
	return h, nil
}

func (a *app) harvestCommand() *cobra.Command {
	var in harvestFlags
	cmd := &cobra.Command{
		Use:   "harvest",
		Short: "Make tasks of TODO lists, scans and failing tests",
		Long: `Looks into repositories and makes a task of type agent of what is to be done there:
the open boxes of TODO_LIST.md, the findings of SARIF files, the failures of JUnit
reports. Each has a key of its own: harvesting twice brings nothing new. A repository
has one task at a time.

  - [ ] paint the door — P1        a mark P1 to P4 is its priority
  - [ ] oil it, BLOCKED: no oil    is left alone`,
		Example: `  tq harvest --projects-dir ~/projects --dry-run
  tq harvest --repos ~/shop,~/site --max-per-tick 2`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				h, err := in.harvester(a, c)
				if err != nil {
					return err
				}
				rows, err := h.Tick(ctx)
				a.printHarvest(rows, h.DryRun)
				return err
			})
		},
	}
	in.define(cmd)
	f, h := cmd.Flags(), &in.h
	namesFlag(f, &h.Repos, "repos", "folders of repositories")
	f.StringVar(&h.ProjectsDir, "projects-dir", "", "and the repositories directly below it")
	f.StringVar(&h.Agent, "agent", "", "agent that the tasks ask for (default the worker's)")
	f.StringVar(&h.Model, "model", "", "model that the tasks ask for")
	f.BoolVar(&h.AllowDirty, "allow-dirty", false, "let agents work on top of changes that are not committed")
	f.BoolVar(&h.DryRun, "dry-run", false, "only say what would be done")
	onlyArgv(cmd, "dry-run")
	return cmd
}

func (a *app) printHarvest(rows []harvest.Row, dry bool) {
	if a.out.json {
		for i := range rows {
			a.out.object(&rows[i])
		}
		return
	}
	t := newTable("REPO", "SOURCE", "VERDICT", ">TASK", ">PRIORITY", "TEXT", "REASON")
	fresh := 0
	for _, r := range rows {
		id := ""
		if r.TaskID != 0 {
			id = itoa(r.TaskID)
		}
		if r.Verdict == harvest.New {
			fresh++
		}
		t.row(r.Repo, r.Source, cell{r.Verdict, verdictStyle(r.Verdict)}, id, itoa(int64(r.Priority)), cut(r.Text, 60), r.Reason)
	}
	t.print(a.out)
	if dry {
		a.out.note("would make %s", plural(fresh, "new task"))
		return
	}
	a.out.note("%s", plural(fresh, "new task"))
}

func verdictStyle(v string) style {
	return map[string]style{harvest.New: green, harvest.Skipped: amber, harvest.Later: dim}[v]
}
