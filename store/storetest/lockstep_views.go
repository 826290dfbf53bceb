package storetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// What Lockstep compares: everything that a caller can see, but for the seqs of
// facts, which an engine gives out as it likes.

// reply is an answer or a refusal.
type reply struct {
	Value any
	Err   any
}

// refusal is what programs see of an error.
func refusal(err error) any {
	var e *tq.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e), e.Code == tq.CodeInternal:
		return fmt.Sprintf("%v: %v", err, errors.Unwrap(err)) // which no store may answer
	}
	return map[string]any{"code": e.Code, "reason": e.Reason, "status": e.Status, "epoch": e.Epoch}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v: %v", v, err)
	}
	return string(b)
}

func changesText(changes []tq.Change) string {
	var parts []string
	for _, c := range changes {
		part := fmt.Sprintf("%s task %d epoch %d body %s", c.Event, c.TaskID, c.Arg.Epoch, c.Body)
		if c.Arg.Delay != nil {
			part += fmt.Sprintf(" delay %s", *c.Arg.Delay)
		}
		for name, on := range map[string]bool{" give up": c.Arg.GiveUp, " unburnt": c.Arg.Unburnt, " force": c.Arg.Force} {
			if on {
				part += name
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func claimsView(c tq.Claims) any {
	type claimed struct {
		Task tq.Task
		Left time.Duration
	}
	var tasks []claimed
	for _, one := range c.Tasks {
		tasks = append(tasks, claimed{one.Task, one.Lease})
	}
	return map[string]any{"tasks": tasks, "paused": strings.Join(c.Paused, " ")}
}

type changedView struct {
	Status          tq.Status
	Epoch           int64
	Attempt         int
	CancelRequested bool
	Facts           string
	RunAt, Until    int64
	Left            time.Duration
	Replayed, Late  bool
	Err             any
}

func changedViews(all []tq.Changed) []changedView {
	out := make([]changedView, len(all))
	for i, c := range all {
		if c.Err != nil {
			out[i] = changedView{Err: refusal(c.Err)}
			continue
		}
		out[i] = changedView{
			Status: c.State.Status, Epoch: c.State.Epoch, Attempt: c.State.Attempt, CancelRequested: c.State.CancelRequested,
			Facts: text(c.Facts), RunAt: c.RunAt.Milli(), Until: c.Until.Milli(), Left: c.Left,
			Replayed: c.Replayed, Late: c.Late,
		}
		if len(c.Facts) == 0 {
			out[i].Facts = ""
		}
	}
	return out
}

// compare holds everything that can be read against each other.
func (d *duo) compare() {
	d.rt.Helper()
	d.same("tasks", func(s tq.Store) ([]string, error) {
		page, err := s.Tasks(ctx(), tq.TaskQuery{Limit: tq.MaxPage, Payload: true, Relation: true})
		return lines(page.Tasks), err
	})
	d.same("facts", d.newFacts)
	d.same("counts", func(s tq.Store) ([]string, error) {
		census, err := s.Queues(ctx())
		census.Lines = slices.DeleteFunc(census.Lines, func(l tq.LineCount) bool {
			return l == tq.LineCount{Queue: l.Queue, Type: l.Type, Project: l.Project}
		})
		return append(lines(census.Lines), lines(census.Paused)...), err
	})
	d.same("workers", func(s tq.Store) ([]string, error) {
		rows, err := s.Workers(ctx())
		return lines(rows), err
	})
}

// newFacts are those since the last look, by task and rev, without their seqs.
func (d *duo) newFacts(s tq.Store) ([]string, error) {
	facts, err := s.Facts(ctx(), tq.FactQuery{After: d.seen[s], Limit: tq.MaxPage})
	if len(facts) > 0 {
		if d.seen == nil {
			d.seen = map[tq.Store]int64{}
		}
		d.seen[s] = facts[len(facts)-1].Seq
	}
	slices.SortStableFunc(facts, func(a, b tq.Fact) int {
		return cmp.Or(cmp.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Rev, b.Rev))
	})
	for i := range facts {
		facts[i].Seq = 0
	}
	return lines(facts), err
}

func lines[T any](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = text(v)
	}
	return out
}

// same reads from both and shows the first line that differs.
func (d *duo) same(what string, read func(tq.Store) ([]string, error)) {
	d.rt.Helper()
	want, err := read(d.model)
	if err != nil {
		d.rt.Fatalf("%s of the model: %v", what, err)
	}
	got, err := read(d.engine)
	if err != nil {
		d.rt.Fatalf("%s of the engine: %v", what, err)
	}
	for i := range max(len(want), len(got)) {
		w, g := "none", "none"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			d.rt.Fatalf("%s differ\nmodel:  %s\nengine: %s", what, w, g)
		}
	}
}
