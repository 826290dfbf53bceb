package tq

import (
	"cmp"
	"context"
	"slices"
)

// Causes of death as stores keep them: each dead task has a row in an index of
// its own, with the fingerprint of what it died of. The row is written with the
// death; it gets its fingerprint from a sweep soon after, in bites, so that an
// attempt that fails costs no more and an old store comes along by itself. Who
// reads names what has none yet.

const (
	// NameBite is how many dead tasks a sweep names at once.
	NameBite = 200

	// MaxUnnamed is how many dead tasks without a fingerprint a read names, the
	// newest; there are more only after many deaths at once.
	MaxUnnamed = 10_000

	maxCauses   = 1_000 // groups of one answer, the largest
	samplesPage = 200   // errors are long: so many in memory at a time
)

// CauseQuery selects dead tasks. Zero fields select all.
type CauseQuery struct {
	Queue       string
	Type        string
	Project     string
	Fingerprint string  // only this cause, with the ids of its tasks
	Only        *Rights // knows no other tasks; nil: all
	MostUnnamed int     // how many without a fingerprint are named for the answer; 0: MaxUnnamed
}

// Selects reports whether tasks of that queue, type and project are meant.
func (q *CauseQuery) Selects(queue, kind, project string) bool {
	return q.Only.Sees(queue, kind) && (q.Queue == "" || q.Queue == queue) && (q.Type == "" || q.Type == kind) &&
		(q.Project == "" || q.Project == project)
}

// Unnamed is how many dead tasks without a fingerprint are named for the answer.
func (q *CauseQuery) Unnamed() int { return cmp.Or(q.MostUnnamed, MaxUnnamed) }

// Causes counts dead tasks by fingerprint.
type Causes struct {
	Lines   []CauseLine
	IDs     []int64 // when one cause was asked for: its newest tasks, MaxBatch of them
	Unnamed int64   // dead tasks that were not counted yet, see CauseQuery.MostUnnamed
}

// CauseLine counts dead tasks of one queue with one fingerprint; of those there
// may be several lines.
type CauseLine struct {
	Fingerprint string
	Queue       string
	Dead        int64
	FirstAt     Time
	LastAt      Time
	Newest      int64 // the highest id of them
}

// CauseOf is the fingerprint of what a dead task died of.
func CauseOf(t *Task) string {
	fingerprint, _ := Fingerprint(t.Type, cmp.Or(t.LastError, t.Reason))
	return fingerprint
}

// Name counts dead tasks that have no fingerprint in the store yet.
func (c *Causes) Name(q *CauseQuery, tasks []Task) {
	for i := range tasks {
		t := &tasks[i]
		fingerprint := CauseOf(t)
		if !q.Selects(t.Queue, t.Type, t.Project) || q.Fingerprint != "" && q.Fingerprint != fingerprint {
			continue
		}
		c.Lines = append(c.Lines, CauseLine{
			Fingerprint: fingerprint, Queue: t.Queue, Dead: 1, FirstAt: t.EndedAt, LastAt: t.EndedAt, Newest: t.ID,
		})
		if q.Fingerprint != "" {
			c.IDs = append(c.IDs, t.ID)
		}
	}
}

// newest brings the ids of the newest tasks into order.
func (c *Causes) newest() []int64 {
	slices.SortFunc(c.IDs, func(a, b int64) int { return cmp.Compare(b, a) })
	return c.IDs[:min(len(c.IDs), MaxBatch)]
}

// groups adds up the lines of each cause, the largest cause first.
func (c *Causes) groups() []ErrorGroup {
	byCause := map[string]*ErrorGroup{}
	for i := range c.Lines {
		l := &c.Lines[i]
		g := byCause[l.Fingerprint]
		if g == nil {
			g = &ErrorGroup{Fingerprint: l.Fingerprint, FirstAt: l.FirstAt, LastAt: l.LastAt}
			byCause[l.Fingerprint] = g
		}
		g.Dead += l.Dead
		g.Sample = max(g.Sample, l.Newest)
		if !slices.Contains(g.Queues, l.Queue) {
			g.Queues = append(g.Queues, l.Queue)
		}
		if l.FirstAt.Before(g.FirstAt.Time) {
			g.FirstAt = l.FirstAt
		}
		if l.LastAt.After(g.LastAt.Time) {
			g.LastAt = l.LastAt
		}
	}
	groups := make([]ErrorGroup, 0, len(byCause))
	for _, g := range byCause {
		slices.Sort(g.Queues)
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b ErrorGroup) int {
		return cmp.Or(cmp.Compare(b.Dead, a.Dead), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return groups
}

// titled reads the sample of each group for its type and title.
func (b *Broker) titled(ctx context.Context, groups []ErrorGroup) error {
	for part := range slices.Chunk(groups, samplesPage) {
		ids := make([]int64, len(part))
		for i := range part {
			ids[i] = part[i].Sample
		}
		page, err := b.store.Tasks(ctx, TaskQuery{IDs: ids, Only: b.sight()})
		if err != nil {
			return err
		}
		for i := range page.Tasks {
			t := &page.Tasks[i]
			at := slices.IndexFunc(part, func(g ErrorGroup) bool { return g.Sample == t.ID })
			part[at].Type = t.Type
			_, part[at].Title = Fingerprint(t.Type, cmp.Or(t.LastError, t.Reason))
		}
	}
	return nil
}
