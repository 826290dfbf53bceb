package tq

import (
	"cmp"
	"context"
	"slices"
)

// Dead tasks by what they died of.

const (
	maxGrouped  = 10_000 // dead tasks looked at for one answer, the newest ones
	groupedPage = 200    // errors are long: so many in memory at a time
)

// ErrorsIn asks what tasks died of.
type ErrorsIn struct {
	Queue       string `json:"queue,omitempty"`
	Type        string `json:"type,omitempty"`
	Project     string `json:"project,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // only this cause, with the ids of its tasks
}

// ErrorsOut is the causes, the one with most dead tasks first. Searched is set
// when there are more dead tasks than were looked at.
type ErrorsOut struct {
	Groups   []ErrorGroup `json:"groups"`
	Searched int          `json:"searched,omitempty"`
}

// ErrorGroup is dead tasks of one type with one cause.
type ErrorGroup struct {
	Fingerprint string   `json:"fingerprint"`
	Title       string   `json:"title"` // with <n>, <id> and the like for what differs
	Type        string   `json:"type"`
	Queues      []string `json:"queues"`
	Dead        int64    `json:"dead"`
	FirstAt     Time     `json:"first_at"`
	LastAt      Time     `json:"last_at"`
	Sample      int64    `json:"sample"`        // the newest of them
	IDs         []int64  `json:"ids,omitempty"` // the newest MaxBatch, when asked by fingerprint
}

// Errors implements Client.
func (b *Broker) Errors(ctx context.Context, in ErrorsIn) (ErrorsOut, error) {
	if err := b.may(CanRead); err != nil {
		return ErrorsOut{}, err
	}
	q, err := TasksIn{Queue: in.Queue, Type: in.Type, Project: in.Project, Status: string(Dead), Limit: groupedPage}.query()
	if err != nil {
		return ErrorsOut{}, err
	}
	q.Only = b.only
	groups, seen := map[string]*ErrorGroup{}, 0
	for {
		page, err := b.store.Tasks(ctx, q)
		if err != nil {
			return ErrorsOut{}, err
		}
		for i := range page.Tasks {
			in.count(groups, &page.Tasks[i])
		}
		seen += len(page.Tasks)
		if !page.More || seen >= maxGrouped {
			return groupedErrors(groups, seen, page.More), nil
		}
		q.Before = page.Next
	}
}

func (in *ErrorsIn) count(groups map[string]*ErrorGroup, t *Task) {
	fp, title := Fingerprint(t.Type, cmp.Or(t.LastError, t.Reason))
	if in.Fingerprint != "" && in.Fingerprint != fp {
		return
	}
	g := groups[fp]
	if g == nil {
		g = &ErrorGroup{Fingerprint: fp, Title: title, Type: t.Type, FirstAt: t.EndedAt, LastAt: t.EndedAt, Sample: t.ID}
		groups[fp] = g
	}
	g.Dead++
	if !slices.Contains(g.Queues, t.Queue) {
		g.Queues = append(g.Queues, t.Queue)
	}
	if t.EndedAt.Before(g.FirstAt.Time) {
		g.FirstAt = t.EndedAt
	}
	if t.EndedAt.After(g.LastAt.Time) {
		g.LastAt = t.EndedAt
	}
	if in.Fingerprint != "" && len(g.IDs) < MaxBatch {
		g.IDs = append(g.IDs, t.ID)
	}
}

func groupedErrors(groups map[string]*ErrorGroup, seen int, more bool) ErrorsOut {
	out := ErrorsOut{Groups: make([]ErrorGroup, 0, len(groups))}
	for _, g := range groups {
		slices.Sort(g.Queues)
		out.Groups = append(out.Groups, *g)
	}
	slices.SortFunc(out.Groups, func(a, b ErrorGroup) int {
		return cmp.Or(cmp.Compare(b.Dead, a.Dead), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	if more {
		out.Searched = seen
	}
	return out
}
