package tq

import (
	"fmt"
	"slices"
)

// The fold of a task's facts: which fact may follow which (spec §1, S20, I2,
// I3, I7, I9). It is written beside Next and apart from it on purpose, so that
// a mistake in one shows in the other.

// fold is where the facts seen so far have brought one task.
type fold struct {
	id      int64
	max     int
	partial bool // of a deleted task: the oldest facts may have been dropped
	secret  []byte

	last    Fact
	cancel  bool  // cancel was requested in this attempt
	settled int64 // epoch of the newest settling fact, 0 none
	rescued bool
	lapsed  bool // the last attempt ended unsettled, and nobody has claimed since
	found   []Violation
}

func (f *fold) broken(invariant, format string, args ...any) {
	f.found = append(f.found, Violation{Invariant: invariant, TaskID: f.id, Detail: fmt.Sprintf(format, args...)})
}

// follow takes the next fact.
func (f *fold) follow(n Fact) {
	switch {
	case f.last.Kind == "" && f.partial && n.Rev != 1:
		f.last = n
		return
	case n.Rev != f.last.Rev+1:
		f.broken("I9", "rev %d follows rev %d", n.Rev, f.last.Rev)
	}
	f.transition(n)
	f.epoch(n)
	f.attempt(n)
	f.settle(n)
	for _, text := range []string{n.Actor, n.Detail.Error, n.Detail.Note, n.Detail.Reason} {
		if f.leaks(text) {
			f.broken("I12", "a lease token stands in its fact of rev %d", n.Rev)
		}
	}
	f.cancel = n.Status == Running && (f.cancel || n.Kind == FactCancelRequested)
	f.rescued = f.rescued || n.Kind == FactRescued
	f.lapsed = n.Kind == FactLeaseExpired || f.lapsed && n.Kind == FactRequeued
	f.last = n
}

// end is asked after the last fact.
func (f *fold) end() {
	if f.half() {
		f.broken("I1", "%s on the last attempt, but not dead-lettered", f.last.Kind)
	}
}

// half reports whether the last fact is the first of a pair: the attempt is
// over and the task is about to be dead.
func (f *fold) half() bool {
	ended := f.last.Kind == FactFailed || f.last.Kind == FactReleased || f.last.Kind == FactLeaseExpired
	return ended && f.last.Status == Running
}

// forced reports whether n took the task out of its holder's hands.
func (f *fold) forced(n Fact) bool {
	return n.Kind == FactCancelled && f.last.Status == Running && !n.Settles
}

func (f *fold) transition(n Fact) {
	from, to := course(n.Kind)
	if !slices.Contains(from, f.last.Status) || !slices.Contains(to, n.Status) {
		f.broken("I1", "rev %d: %s takes it from %q to %q", n.Rev, n.Kind, f.last.Status, n.Status)
		return
	}
	switch n.Kind {
	case FactDeadLettered:
		if !f.half() {
			f.broken("I1", "rev %d: dead-lettered after %s", n.Rev, f.last.Kind)
		}
		return
	case FactCompleted:
		if f.last.Status == Pending && !f.lapsed {
			f.broken("I1", "rev %d: completed by nobody who held it", n.Rev)
		}
	case FactFailed, FactReleased, FactLeaseExpired:
		if f.cancel {
			f.broken("I1", "rev %d: %s although cancel was requested", n.Rev, n.Kind)
		}
	case FactCancelled:
		if f.last.Status == Running && n.Settles && !f.cancel {
			f.broken("I1", "rev %d: cancelled by its holder, but nobody requested it", n.Rev)
		}
	case FactDeleted:
		if n.Status != f.last.Status {
			f.broken("I1", "rev %d: deleted as %s, but it was %s", n.Rev, n.Status, f.last.Status)
		}
	}
	if f.half() {
		f.broken("I1", "rev %d: %s between %s and dead-lettered", n.Rev, n.Kind, f.last.Kind)
	}
}

// course says from which statuses a kind of fact comes and where it leads. "" is
// before the first fact.
func course(k Kind) (from, to []Status) {
	switch k {
	case FactEnqueued:
		return []Status{""}, []Status{Pending, Blocked}
	case FactUnblocked:
		return []Status{Blocked}, []Status{Pending}
	case FactClaimed:
		return []Status{Pending}, []Status{Running}
	case FactHeartbeat, FactCancelRequested:
		return []Status{Running}, []Status{Running}
	case FactCompleted:
		return []Status{Running, Pending}, []Status{Completed}
	case FactFailed, FactReleased, FactLeaseExpired:
		return []Status{Running}, []Status{Pending, Running}
	case FactDeadLettered:
		return []Status{Running}, []Status{Dead}
	case FactCancelled:
		return []Status{Blocked, Pending, Running}, []Status{Cancelled}
	case FactRescued:
		return []Status{Dead, Cancelled}, []Status{Pending, Blocked}
	case FactRequeued:
		return []Status{Pending}, []Status{Pending}
	case FactDeleted:
		return []Status{Completed, Dead, Cancelled}, []Status{Completed, Dead, Cancelled}
	}
	return nil, nil
}

// epoch is I3: a claim, a rescue and a forced cancel raise it by one, nothing
// else moves it.
func (f *fold) epoch(n Fact) {
	want := f.last.Epoch
	if n.Kind == FactClaimed || n.Kind == FactRescued || f.forced(n) {
		want++
	}
	if n.Epoch != want {
		f.broken("I3", "rev %d: %s has epoch %d, want %d", n.Rev, n.Kind, n.Epoch, want)
	}
}

// attempt is I7, and how attempts are counted.
func (f *fold) attempt(n Fact) {
	if n.Attempt > f.max && !f.partial {
		f.broken("I7", "rev %d: attempt %d of %d", n.Rev, n.Attempt, f.max)
	}
	want := f.last.Attempt
	switch {
	case n.Kind == FactClaimed:
		want++
	case n.Kind == FactRescued:
		want = 0
	case n.Kind == FactReleased && n.Attempt == want-1:
		want--
	}
	if n.Attempt != want {
		f.broken("I1", "rev %d: %s has attempt %d, want %d", n.Rev, n.Kind, n.Attempt, want)
	}
}

// settle is I2: the facts that end a held attempt are marked, they only, and
// there is one for each epoch at most.
func (f *fold) settle(n Fact) {
	if want := f.settles(n); n.Settles != want {
		f.broken("I2", "rev %d: %s settles is %v, want %v", n.Rev, n.Kind, n.Settles, want)
	}
	if !n.Settles {
		return
	}
	if f.settled == n.Epoch {
		f.broken("I2", "rev %d: %s settles epoch %d a second time", n.Rev, n.Kind, n.Epoch)
	}
	f.settled = n.Epoch
}

func (f *fold) settles(n Fact) bool {
	switch n.Kind {
	case FactCompleted, FactFailed, FactReleased:
		return true
	case FactDeadLettered:
		return f.last.Kind == FactLeaseExpired
	case FactCancelled:
		return f.last.Status == Running && n.Settles
	}
	return false
}
