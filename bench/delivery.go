package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/tq"
)

// Delivery says what became of the tasks that the queue had taken.
type Delivery struct {
	Tasks  int `json:"tasks"`            // that the queue took
	Stored int `json:"stored,omitempty"` // of a measure that runs none: those that are there

	Once    int `json:"once"`              // were run exactly once
	Again   int `json:"again,omitempty"`   // were run more often; Why says why
	Lost    int `json:"lost,omitempty"`    // were never run, or are not there
	Twins   int `json:"twins,omitempty"`   // were answered with the id of another
	Unknown int `json:"unknown,omitempty"` // were run, and nobody had enqueued them
	Open    int `json:"open,omitempty"`    // were run, and the queue does not say completed

	// Why counts what the journal says of those that ran again: the lease
	// expired, an attempt failed, or the task was released. Unexplained counts
	// the tasks that ran more often than the journal explains.
	Why         map[string]int `json:"why,omitempty"`
	Unexplained int            `json:"unexplained,omitempty"`
}

// OK reports whether every task was delivered, and none again without a reason
// in the journal.
func (d Delivery) OK() bool {
	return d.Lost == 0 && d.Twins == 0 && d.Unknown == 0 && d.Open == 0 && d.Unexplained == 0
}

func (d Delivery) String() string {
	if !d.OK() {
		return "BROKEN: " + d.wrongs()
	}
	switch {
	case d.Stored > 0:
		return fmt.Sprintf("all %d stored", d.Stored)
	case d.Again == 0:
		return fmt.Sprintf("all %d exactly once", d.Once)
	}
	return fmt.Sprintf("%d once, %d again: %s", d.Once, d.Again, d.reasons())
}

func (d Delivery) wrongs() string {
	var all []string
	for _, w := range []struct {
		n    int
		what string
	}{
		{d.Lost, "lost"},
		{d.Twins, "under the id of another"},
		{d.Unknown, "run that nobody enqueued"},
		{d.Open, "run and not completed"},
		{d.Unexplained, "run again for no reason in the journal"},
	} {
		if w.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", w.n, w.what))
		}
	}
	return fmt.Sprintf("of %d tasks %s", d.Tasks, strings.Join(all, ", "))
}

func (d Delivery) reasons() string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(d.Why)) {
		all = append(all, fmt.Sprintf("%d %s", d.Why[why], why))
	}
	return strings.Join(all, ", ")
}

// maxStories is how many tasks that ran again are looked up in the journal. The
// rest is taken to be like them.
const maxStories = 2_000

// delivered accounts for a measure whose tasks were all run.
func (t *trial) delivered(ctx context.Context) error {
	d, again := t.ledger.sum()
	stats, err := t.Client.Stats(ctx, tq.StatsIn{Queue: t.queue})
	if err != nil {
		return err
	}
	d.Open = max(0, d.Tasks-d.Lost-d.Twins-int(stats.Total.Completed))
	for _, id := range again[:min(len(again), maxStories)] {
		if err := t.explain(ctx, id, &d); err != nil {
			return err
		}
	}
	t.m.Delivery = d
	return nil
}

// explain finds out in the journal why a task was run again.
func (t *trial) explain(ctx context.Context, id int64, d *Delivery) error {
	out, err := t.Client.Facts(ctx, tq.FactsIn{TaskID: id, Limit: tq.MaxPage})
	if err != nil {
		return err
	}
	if d.Why == nil {
		d.Why = make(map[string]int)
	}
	reasons := 0
	for _, f := range out.Facts {
		if why := whyAgain(f.Kind); why != "" {
			d.Why[why]++
			reasons++
		}
	}
	if t.ledger.runs(id) > 1+reasons {
		d.Unexplained++
	}
	return nil
}

// whyAgain is the word for what let a task run again.
func whyAgain(k tq.Kind) string {
	switch k {
	case tq.FactLeaseExpired:
		return "lease expired"
	case tq.FactFailed:
		return "attempt failed"
	case tq.FactReleased:
		return "released"
	}
	return ""
}

// stored accounts for a measure that only put tasks in.
func (t *trial) stored(ctx context.Context) error {
	stats, err := t.Client.Stats(ctx, tq.StatsIn{Queue: t.queue})
	if err != nil {
		return err
	}
	d, _ := t.ledger.sum()
	there := int(stats.Total.Ready)
	t.m.Delivery = Delivery{Tasks: d.Tasks, Stored: there, Twins: d.Twins, Lost: max(0, d.Tasks-there), Unknown: max(0, there-d.Tasks)}
	return nil
}
