package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// factFlags selects facts.
type factFlags struct {
	in     tq.FactsIn
	kinds  []string
	follow bool
	lines  int // how many of the newest to begin with
}

func (in *factFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&in.follow, "follow", "f", false, "go on with what happens from now on")
	f.Int64Var(&in.in.TaskID, "task", 0, "of this task")
	f.StringVar(&in.in.Queue, "queue", "", "of this queue")
	f.StringVar(&in.in.Type, "type", "", "of this type")
	namesFlag(f, &in.kinds, "kind", "of these kinds, as in completed or task.completed")
	onlyArgv(cmd, "follow", "task", "kind")
	refuseZero(cmd, "a name", "queue", "type", "kind")
	refuseZero(cmd, "the id of a task", "task")
}

func (a *app) factsCommand() *cobra.Command {
	var in factFlags
	cmd := &cobra.Command{
		Use:   "facts",
		Short: "Read the journal from its beginning, or from --after",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.readFacts(cmd, &in) },
	}
	in.define(cmd)
	cmd.Flags().Int64Var(&in.in.After, "after", 0, "begin after the fact of this seq")
	cmd.Flags().IntVar(&in.in.Limit, "limit", 0, "no more than this many")
	onlyArgv(cmd, "after", "limit")
	refuseZero(cmd, "1 or more", "limit")
	return cmd
}

func (a *app) tailCommand() *cobra.Command {
	in := factFlags{}
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show the newest facts of the journal; -f follows it",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("after") {
				return a.readFacts(cmd, &in)
			}
			return a.tail(cmd, &in)
		},
	}
	in.define(cmd)
	cmd.Flags().Int64Var(&in.in.After, "after", 0, "instead of the newest: all after the fact of this seq")
	cmd.Flags().IntVarP(&in.lines, "lines", "n", 20, "how many of the newest to show")
	onlyArgv(cmd, "lines", "after")
	return cmd
}

// readFacts prints all facts from --after on, page by page.
func (a *app) readFacts(cmd *cobra.Command, in *factFlags) error {
	if err := in.setKinds(); err != nil {
		return err
	}
	limit := in.in.Limit
	if limit < 0 {
		return usage("limit: is %d, want 1 or more", limit)
	}
	return a.askFacts(cmd.Context(), in.follow, func(ctx context.Context, c tq.Client) error {
		for left := limit; ; {
			q := in.in
			q.Limit = tq.MaxPage
			if limit > 0 {
				q.Limit = min(left, tq.MaxPage)
			}
			page, err := c.Facts(ctx, q)
			if err != nil {
				return err
			}
			n := len(page.Facts)
			if err := a.printFacts(ctx, c, page.Facts); err != nil {
				return err
			}
			if n > 0 {
				in.in.After = page.Facts[n-1].Seq
			}
			left -= n
			switch {
			case limit > 0 && left <= 0:
				return nil
			case n == q.Limit:
				continue
			case !in.follow:
				return nil
			}
			return a.follow(ctx, c, in.in)
		}
	})
}

// tail prints the newest facts and goes on from there.
func (a *app) tail(cmd *cobra.Command, in *factFlags) error {
	if err := in.setKinds(); err != nil {
		return err
	}
	if in.lines < 0 || in.lines > tq.MaxPage {
		return usage("lines: is %d, want 0 to %d", in.lines, tq.MaxPage)
	}
	return a.askFacts(cmd.Context(), in.follow, func(ctx context.Context, c tq.Client) error {
		// Where the journal ends, whatever is selected of it: follow goes on there.
		end, err := c.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
		if err != nil {
			return err
		}
		if len(end.Facts) > 0 {
			in.in.After = end.Facts[0].Seq
		}
		if in.lines > 0 {
			q := in.in
			q.After, q.Last, q.Limit = 0, true, in.lines
			page, err := c.Facts(ctx, q)
			if err != nil {
				return err
			}
			if err := a.printFacts(ctx, c, page.Facts); err != nil {
				return err
			}
			if n := len(page.Facts); n > 0 {
				in.in.After = max(in.in.After, page.Facts[n-1].Seq)
			}
		}
		if !in.follow {
			return nil
		}
		return a.follow(ctx, c, in.in)
	})
}

func (a *app) askFacts(ctx context.Context, live bool, fn clientFunc) error {
	if live {
		return a.askLive(ctx, fn)
	}
	return a.ask(ctx, fn)
}

// follow prints facts as they come, until ctx ends.
func (a *app) follow(ctx context.Context, c tq.Client, in tq.FactsIn) error {
	in.Limit, in.Wait = tq.MaxPage, tq.Duration(tq.MaxWait)
	for {
		if err := a.out.flush(); err != nil {
			return err
		}
		page, err := c.Facts(ctx, in)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.printFacts(ctx, c, page.Facts); err != nil {
			return err
		}
		if n := len(page.Facts); n > 0 {
			in.After = page.Facts[n-1].Seq
		}
	}
}

// setKinds reads kinds with or without what stands before their dot.
func (in *factFlags) setKinds() error {
	known := append(tq.Kinds(), tq.Acts()...)
	for _, text := range in.kinds {
		k := tq.Kind(text)
		if !strings.Contains(text, ".") {
			k = tq.Kind("task." + text)
		}
		if !slices.Contains(known, k) {
			return usage("kind: is %q, want one of %s", text, strings.Trim(fmt.Sprint(known), "[]"))
		}
		in.in.Kinds = append(in.in.Kinds, k)
	}
	return nil
}

func (a *app) printFacts(ctx context.Context, c tq.Client, facts []tq.Fact) error {
	if a.out.json {
		for i := range facts {
			a.out.object(&facts[i])
		}
		return nil
	}
	if len(facts) == 0 {
		return nil
	}
	byID, err := names(ctx, c)
	if err != nil {
		return err
	}
	for i := range facts {
		f := &facts[i]
		a.out.line("%s  %-10s  %s  %s", f.At.In(a.Now().Location()).Format(time.DateTime), subject(f),
			a.factStyled(f.Kind, 16), factText(f, byID, a.Now()))
	}
	return nil
}

// subject is what a fact is about: a task, or what an act was done to.
func subject(f *tq.Fact) string {
	switch {
	case f.TaskID != 0:
		return "task " + itoa(f.TaskID)
	case f.Queue != "":
		return "queue " + f.Queue
	}
	what, _, _ := strings.Cut(string(f.Kind), ".")
	return what
}

// factName is the part of a kind that people read.
func factName(k tq.Kind) string { return strings.TrimPrefix(string(k), "task.") }

func (a *app) factStyled(k tq.Kind, width int) styled {
	name := factName(k)
	pad := strings.Repeat(" ", max(0, width-len(name)))
	styles := map[tq.Kind]style{
		tq.FactCompleted: green, tq.FactDeadLettered: red, tq.FactFailed: amber,
		tq.FactLeaseExpired: amber, tq.FactClaimed: cyan, tq.FactCancelled: dim,
	}
	return a.out.style(styles[k], name) + styled(pad)
}

// factText says in a few words what one fact knows.
func factText(f *tq.Fact, names map[string]string, now time.Time) string {
	d := &f.Detail
	var parts []string
	say := func(text string) { parts = append(parts, text) }
	switch f.Kind {
	case tq.FactEnqueued:
		if f.Status == tq.Blocked {
			say("waits for other tasks")
		}
	case tq.FactClaimed:
		say("attempt " + itoa(int64(f.Attempt)))
		if !d.Until.IsZero() {
			say("lease " + span(d.Until.Sub(f.At.Time)))
		}
	case tq.FactHeartbeat:
		say(progressText(d.Fraction, d.Note))
	case tq.FactCompleted:
		if d.Late {
			say("late, after its lease had run out")
		}
	case tq.FactFailed, tq.FactLeaseExpired:
		say(gist(d.Error, 100))
	case tq.ActWorkerRemoved, tq.ActTokenCreated, tq.ActTokenRotated, tq.ActTokenRevoked:
		say(or(names[d.Note], d.Note))
	case tq.ActPurged:
		say(plural(d.Deleted, "task") + " deleted, " + itoa(int64(d.Kept)) + " kept")
	}
	say(d.Reason)
	if d.Force {
		say("forced")
	}
	if d.Cause != 0 {
		say("because of task " + itoa(d.Cause))
	}
	if d.RunAt.After(f.At.Time) {
		say("not before " + clock(d.RunAt, now) + " (in " + span(d.RunAt.Sub(f.At.Time)) + ")")
	}
	if f.Actor != "" {
		say("by " + or(names[f.Actor], f.Actor))
	}
	return join(parts...)
}
