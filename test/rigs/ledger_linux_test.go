package rigs

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/tq"
)

// ledger reads a journal as an auditor does: from the first fact to the last,
// with nothing but what it says.
type ledger struct {
	tasks  map[int64]*account
	counts map[tq.Kind]int

	twice    int // granted while the lease before went on
	early    int // leases that ended before they ran out
	accepted int // settled with a lease that was not the task's, or by somebody else than its holder
	late     int // completed after the lease had run out, and before anybody else had the task
}

// account is what the journal says of one task.
type account struct {
	epoch     int64 // of the last claim
	held      bool
	until     tq.Time          // the lease of the last claim, as it was granted
	holders   map[int64]string // by epoch
	completed []int64          // epochs
}

func readLedger(t *testing.T, facts string) *ledger {
	t.Helper()
	l := &ledger{tasks: map[int64]*account{}, counts: map[tq.Kind]int{}}
	for d := json.NewDecoder(strings.NewReader(facts)); d.More(); {
		var f tq.Fact
		if err := d.Decode(&f); err != nil {
			t.Fatalf("read the journal: %v", err)
		}
		l.counts[f.Kind]++
		if f.TaskID != 0 {
			l.enter(&f)
		}
	}
	return l
}

func (l *ledger) enter(f *tq.Fact) {
	a := l.tasks[f.TaskID]
	if a == nil {
		a = &account{holders: map[int64]string{}}
		l.tasks[f.TaskID] = a
	}
	switch {
	case f.Kind == tq.FactClaimed:
		if a.held || f.Epoch <= a.epoch {
			l.twice++
		}
		a.epoch, a.held, a.until = f.Epoch, true, f.Detail.Until
		a.holders[f.Epoch] = f.Actor
	case f.Kind == tq.FactLeaseExpired:
		if f.At.Before(a.until.Time) {
			l.early++
		}
		a.held = false
	case f.Settles:
		l.settle(a, f)
	}
}

func (l *ledger) settle(a *account, f *tq.Fact) {
	switch {
	case f.Epoch != a.epoch, f.Actor != a.holders[f.Epoch], !a.held && !f.Detail.Late:
		l.accepted++
	case !a.held:
		l.late++
	}
	a.held = false
	if f.Kind == tq.FactCompleted {
		a.completed = append(a.completed, f.Epoch)
	}
}
