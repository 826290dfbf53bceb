package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// showFlags is what `tq show` was told.
type showFlags struct {
	payload, result, lastError bool
}

func (a *app) showCommand() *cobra.Command {
	var in showFlags
	cmd := &cobra.Command{
		Use:     "show ID...",
		Aliases: []string{"task"},
		Short:   "Tell the story of a task",
		Long: `Shows where a task stands, what it carries, and everything that happened to it.
--payload, --result and --error print that alone, byte for byte when the output is
not a terminal.`,
		Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyOne(cmd, "payload", "result", "error"); err != nil {
				return err
			}
			ids, err := parseIDs(args)
			if err != nil {
				return err
			}
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				return a.show(ctx, c, &in, ids)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&in.payload, "payload", false, "print the payload alone")
	f.BoolVar(&in.result, "result", false, "print the result alone")
	f.BoolVar(&in.lastError, "error", false, "print the last error alone")
	onlyArgv(cmd, "payload", "result", "error")
	return cmd
}

func (a *app) show(ctx context.Context, c tq.Client, in *showFlags, ids []int64) error {
	for i, id := range ids {
		t, err := c.Task(ctx, tq.TaskIn{ID: id})
		if err != nil {
			return err
		}
		if in.payload || in.result || in.lastError {
			a.part(in, &t)
			continue
		}
		facts, err := allFacts(ctx, c, tq.FactsIn{TaskID: id})
		if err != nil {
			return err
		}
		if a.out.json {
			a.out.object(taskWithFacts{t, facts})
			continue
		}
		byID, err := names(ctx, c)
		if err != nil {
			return err
		}
		if i > 0 {
			a.out.line("")
		}
		a.story(&t, facts, byID)
	}
	return nil
}

// taskWithFacts is a task with its journal, the facts beside its own fields.
type taskWithFacts struct {
	tq.Task
	Facts []tq.Fact `json:"facts"`
}

// part prints one text of a task, as it is into a pipe and safe on a terminal.
func (a *app) part(in *showFlags, t *tq.Task) {
	text := []byte(t.LastError)
	switch {
	case in.payload:
		text = t.Payload
	case in.result:
		text = t.Result
	}
	if isTerminal(a.Stdout) {
		a.out.line("%s", styled(safeBlock(string(text))))
		return
	}
	a.out.raw(text)
}

// allFacts reads the whole journal that in selects, page by page.
func allFacts(ctx context.Context, c tq.Client, in tq.FactsIn) ([]tq.Fact, error) {
	in.Limit = tq.MaxPage
	var all []tq.Fact
	for {
		page, err := c.Facts(ctx, in)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Facts...)
		if len(page.Facts) < in.Limit {
			return all, nil
		}
		in.After = page.Facts[len(page.Facts)-1].Seq
	}
}

// story prints a task: its sign and names, where it stands, what it carries,
// and what happened.
func (a *app) story(t *tq.Task, facts []tq.Fact, names map[string]string) {
	now := a.Now()
	label := t.Label(now)
	head := []string{t.Queue, t.Type}
	if t.Project != "" {
		head = append(head, t.Project)
	}
	if t.Priority != 0 {
		head = append(head, "prio "+strconv.Itoa(t.Priority))
	}
	head = append(head, fmt.Sprintf("attempt %d/%d", t.Attempt, t.MaxAttempts))
	a.out.line("%s %d  %s  %s", a.out.glyph(label), t.ID, a.out.style(signOf(label).style, label), strings.Join(head, "  "))
	a.field("", standing(t, names, now))
	a.field("key", t.IdempotencyKey)
	a.field("tags", strings.Join(t.Tags, ", "))
	a.field("payload", string(t.Payload))
	a.field("result", string(t.Result))
	if t.Status != tq.Completed {
		a.field("error", t.LastError)
	}
	a.relations(t)
	a.timeline(facts, names, now)
}

// field prints a named text, its further lines below the first.
func (a *app) field(name, text string) {
	if text == "" {
		return
	}
	if name == "" {
		a.out.line("  %s", text)
		return
	}
	text = strings.ReplaceAll(safeBlock(strings.TrimRight(text, "\n")), "\n", "\n            ")
	a.out.line("  %s%s", a.out.style(dim, fmt.Sprintf("%-10s", name)), styled(text))
}

// standing says in one line what a task is doing now.
func standing(t *tq.Task, names map[string]string, now time.Time) string {
	switch t.Label(now) {
	case string(tq.Running):
		return runningLine(t, names, now)
	case tq.Scheduled:
		return "not before " + clock(t.RunAt, now) + ", in " + span(t.RunAt.Sub(now))
	case tq.Retrying:
		return "next attempt at " + clock(t.RunAt, now) + ", in " + span(t.RunAt.Sub(now))
	case string(tq.Dead), string(tq.Cancelled):
		return t.Reason
	}
	return ""
}

func runningLine(t *tq.Task, names map[string]string, now time.Time) string {
	text := "for " + span(max(0, now.Sub(t.StartedAt.Time)))
	if t.Lease != nil {
		text = holderOf(t.Lease, names) + " runs it " + text + ", lease "
		switch left := t.Lease.SecondsLeft.Std(); {
		case left > 0:
			text += span(left) + " left"
		default:
			text += "ran out"
		}
	}
	if p := t.Progress; p != nil {
		text += ", " + progressText(p.Fraction, p.Note)
	}
	if t.CancelRequested {
		text += ", cancel was asked for"
	}
	return text
}

func holderOf(l *tq.Lease, names map[string]string) string {
	return or(names[l.Worker], or(l.Worker, or(l.Owner, "somebody")))
}

func progressText(fraction float64, note string) string {
	text := ""
	if fraction > 0 {
		text = strconv.Itoa(int(100*fraction)) + " %"
	}
	if note != "" {
		text = strings.TrimSpace(text + " " + strconv.Quote(note))
	}
	return text
}

// relations prints what a task waits for and what belongs to it.
func (a *app) relations(t *tq.Task) {
	for i, d := range t.Deps {
		name := ""
		if i == 0 {
			name = "after"
		}
		standing := cmp.Or(string(d.Status), "deleted")
		a.out.line("  %s%s %d %s", a.out.style(dim, fmt.Sprintf("%-10s", name)), a.out.glyph(standing), d.ID, standing)
	}
	if t.Parent != 0 {
		a.field("parent", strconv.FormatInt(t.Parent, 10))
	}
	var parts []string
	for _, s := range tq.Statuses() {
		if n := t.Children[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	a.field("children", strings.Join(parts, ", "))
}

// timeline prints what happened, with how long it waited and ran.
func (a *app) timeline(facts []tq.Fact, names map[string]string, now time.Time) {
	var ready, claimed time.Time
	for _, f := range facts {
		text := factText(&f, names, now)
		switch f.Kind {
		case tq.FactClaimed:
			claimed = f.At.Time
			text = join(text, "waited "+span(max(0, f.At.Sub(ready))))
		case tq.FactCompleted, tq.FactFailed, tq.FactReleased:
			text = join(text, "after "+span(max(0, f.At.Sub(claimed))))
		}
		ready = f.At.Time
		if f.Detail.RunAt.After(ready) {
			ready = f.Detail.RunAt.Time
		}
		a.out.line("  %s", strings.TrimRight(fmt.Sprintf("%s  %-16s  %s", clock(f.At, now), factName(f.Kind), safe(text)), " "))
	}
}

func join(parts ...string) string {
	var full []string
	for _, p := range parts {
		if p != "" {
			full = append(full, p)
		}
	}
	return strings.Join(full, ", ")
}
