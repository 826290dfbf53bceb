package tq

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// What `check` means on every engine: the facts of one task are folded and held
// against what the tables say of it (spec §8). An engine brings the rows; which
// fact may follow which, and what must then be true, is said here and in
// audit_fold.go.

// Audit judges the tasks of one store, one after another. It keeps counts by
// queue, type and project only, so a store of any size can be walked.
type Audit struct {
	Now    time.Time     // of the store's clock; zero: leases are not judged by their age
	Grace  time.Duration // by which expiry was put off last (spec S11)
	Secret []byte        // signs lease tokens; nil: facts are not searched for tokens

	lines map[lineName]*LineCount
}

type lineName struct{ queue, kind, project string }

// TaskAudit is all that a store knows of one task.
type TaskAudit struct {
	ID                   int64
	Queue, Type, Project string
	MaxAttempts          int
	OnDepFailure         OnDepFailure

	Exists bool            // the task itself is there; false: only facts are left
	Inbox  bool            // enqueued inside somebody's transaction, not placed yet
	Facts  iter.Seq[Fact]  // in the order of Rev
	Result []byte          // of a completed task, as reads answer it
	Hash   [16]byte        // of its completed fact; zero: the result is not judged
	Places []PlaceAudit    // every row that says where the task waits or who holds it
	Deps   []DependencyRow // what it waits for or waited for

	OpenCount  int // dependencies still open, as counted by the store
	StuckCount int // of those the dead ones

	Key       string
	KeyUntil  KeyUntil
	KeyHolder int64 // the task that the key names now, 0 none
}

// PlaceAudit is one row that places a task.
type PlaceAudit struct {
	Place   string // ReadyPlace, DelayedPlace, BlockedPlace, HeldPlace
	Rev     int64
	Epoch   int64
	Attempt int
	Until   Time // of HeldPlace: the lease
}

// Where a task can be. A held task is running, the other places are those of
// ready, scheduled, blocked and dead ones; what else has ended has none.
const (
	ReadyPlace   = "ready"
	DelayedPlace = "delayed"
	BlockedPlace = "blocked"
	HeldPlace    = "held"
	DeadPlace    = "dead"
)

// DependencyRow is one task that another waits for or waited for.
type DependencyRow struct {
	ID      int64
	Status  Status // "" when it was deleted
	Open    bool   // the edge stands
	Stuck   bool   // the edge is marked as one to a dead task
	Telling bool   // its end or rescue is still being told to its dependants
}

// Task names every invariant that t breaks.
func (a *Audit) Task(t TaskAudit) []Violation {
	f := fold{id: t.ID, max: t.MaxAttempts, partial: !t.Exists, secret: a.Secret}
	for fact := range t.Facts {
		f.follow(fact)
	}
	f.end()
	switch {
	case !t.Exists && f.last.Kind == "":
		f.broken("I1", "rows without a task or a fact")
	case !t.Exists:
		f.gone(&t)
	case t.Inbox:
		f.waitsInInbox(&t)
	case f.last.Kind == "":
		f.broken("I1", "has no facts")
	case f.last.Kind == FactDeleted:
		f.broken("I5", "has a deleted fact but is still there")
	default:
		f.placed(&t)
		f.leased(&t, a)
		f.dependencies(&t)
		f.completed(&t)
		a.count(&t, f.last.Status, f.last.Attempt)
	}
	f.key(&t)
	return f.found
}

// gone is a task that only facts are left of.
func (f *fold) gone(t *TaskAudit) {
	if f.last.Kind != FactDeleted {
		f.broken("I5", "is gone, but its last fact is %s", f.last.Kind)
	}
	if len(t.Places) > 0 {
		f.broken("I1", "is deleted, but still %s", t.Places[0].Place)
	}
}

func (f *fold) waitsInInbox(t *TaskAudit) {
	if f.last.Kind != "" || len(t.Places) > 0 {
		f.broken("I1", "waits in the inbox, but has been placed")
	}
}

// placed holds the rows against the status that the facts fold to.
func (f *fold) placed(t *TaskAudit) {
	want := placesOf(f.last.Status)
	for _, p := range t.Places {
		switch {
		case p.Place == HeldPlace && f.last.Status.Terminal():
			f.broken("I4", "is %s, but still leased", f.last.Status)
		case !slices.Contains(want, p.Place) && (p.Place == BlockedPlace || f.last.Status == Blocked):
			f.broken("I8", "is %s, but has a place in %s", f.last.Status, p.Place)
		case !slices.Contains(want, p.Place):
			f.broken("I1", "is %s, but has a place in %s", f.last.Status, p.Place)
		case p.Rev != f.last.Rev || p.Epoch != f.last.Epoch || p.Attempt != f.last.Attempt:
			f.broken("I1", "%s row says rev %d, epoch %d, attempt %d, its facts %d, %d, %d", p.Place,
				p.Rev, p.Epoch, p.Attempt, f.last.Rev, f.last.Epoch, f.last.Attempt)
		}
	}
	if len(t.Places) > 1 {
		f.broken("I1", "has %d places", len(t.Places))
	}
	if len(t.Places) == 0 && len(want) > 0 {
		f.broken("I1", "is %s, but has no place in %s", f.last.Status, strings.Join(want, " or "))
	}
}

func placesOf(s Status) []string {
	switch s {
	case Pending:
		return []string{ReadyPlace, DelayedPlace}
	case Blocked:
		return []string{BlockedPlace}
	case Running:
		return []string{HeldPlace}
	case Dead:
		return []string{DeadPlace}
	}
	return nil
}

// leased is I10. Expiry may be late by two seconds and an outage's grace.
func (f *fold) leased(t *TaskAudit, a *Audit) {
	const late = 2 * time.Second
	if a.Now.IsZero() || f.last.Status != Running {
		return
	}
	for _, p := range t.Places {
		if over := a.Now.Sub(p.Until.Time); p.Place == HeldPlace && over > late+a.Grace {
			f.broken("I10", "its lease ran out %s ago", over.Round(time.Millisecond))
		}
	}
}

// dependencies is I8: blocked as long as an edge stands, and each edge stands
// exactly as long as the rules say.
func (f *fold) dependencies(t *TaskAudit) {
	open, stuck := 0, 0
	for _, d := range t.Deps {
		if d.Open {
			open++
		}
		if d.Open && d.Stuck {
			stuck++
		}
		f.edge(t, d)
	}
	blocked := f.last.Status == Blocked
	switch {
	case blocked && open == 0:
		f.broken("I8", "is blocked, but no dependency is open")
	case !blocked && open > 0:
		f.broken("I8", "is %s, but %d dependencies are open", f.last.Status, open)
	case blocked && (open != t.OpenCount || stuck != t.StuckCount):
		f.broken("I8", "counts %d open and %d dead dependencies, there are %d and %d", t.OpenCount, t.StuckCount, open, stuck)
	}
}

// edge judges one dependency. One that is still being told, or that a rescue of
// the dependant may have passed over, is left alone.
func (f *fold) edge(t *TaskAudit, d DependencyRow) {
	if d.Telling || f.last.Status.Terminal() {
		return
	}
	if d.Status == "" {
		if d.Open {
			f.broken("I8", "waits for task %d, which is deleted", d.ID)
		}
		return
	}
	switch effect := DepEffect(d.Status, t.OnDepFailure); {
	case effect == Satisfied && d.Open:
		f.broken("I8", "still waits for task %d, which is %s", d.ID, d.Status)
	case effect == Stuck && d.Open && !d.Stuck:
		f.broken("I8", "task %d is dead, but does not count as such", d.ID)
	case effect == StillOpen && d.Open && d.Stuck:
		f.broken("I8", "task %d is %s, but counts as dead", d.ID, d.Status)
	case effect == StillOpen && !d.Open && !f.rescued && t.OnDepFailure != DepRun:
		f.broken("I8", "does not wait for task %d, which is %s", d.ID, d.Status)
	}
}

// completed is I6: what reads answer is what its worker reported.
func (f *fold) completed(t *TaskAudit) {
	if f.last.Status != Completed {
		if len(t.Result) > 0 {
			f.broken("I6", "is %s, but has a result", f.last.Status)
		}
		return
	}
	if t.Hash != ([16]byte{}) && t.Hash != SettleHash(EventComplete, t.Result, Arg{}) {
		f.broken("I6", "its result is not the one that was reported")
	}
	if f.leaks(string(t.Result)) {
		f.broken("I12", "a lease token stands in its result")
	}
}

// key is I11: a key names the task that holds it, as long as it holds it.
func (f *fold) key(t *TaskAudit) {
	if t.Key == "" {
		return
	}
	holds := t.Exists && (t.KeyUntil != KeyUntilTerminal || !f.last.Status.Terminal())
	switch {
	case holds && t.KeyHolder == 0:
		f.broken("I11", "its key is not taken")
	case holds && t.KeyHolder != t.ID:
		f.broken("I11", "its key is also that of task %d", t.KeyHolder)
	case !holds && t.KeyHolder == t.ID:
		f.broken("I11", "still holds its key")
	}
}

// count adds t to what Counts expects.
func (a *Audit) count(t *TaskAudit, s Status, attempt int) {
	if a.lines == nil {
		a.lines = map[lineName]*LineCount{}
	}
	name := lineName{t.Queue, t.Type, t.Project}
	n := a.lines[name]
	if n == nil {
		n = &LineCount{Queue: t.Queue, Type: t.Type, Project: t.Project}
		a.lines[name] = n
	}
	delayed := slices.ContainsFunc(t.Places, func(p PlaceAudit) bool { return p.Place == DelayedPlace })
	switch {
	case s == Pending && delayed:
		n.Scheduled++
		if attempt > 0 {
			n.Retrying++
		}
	case s == Pending:
		n.Ready++
	case s == Blocked:
		n.Blocked++
		if t.StuckCount > 0 {
			n.BlockedByDead++
		}
	case s == Running:
		n.Running++
	case s == Completed:
		n.Completed++
	case s == Dead:
		n.Dead++
	case s == Cancelled:
		n.Cancelled++
	}
}

// Counts is I13, asked after the last task: the counts that a store keeps are
// those of the tasks seen.
func (a *Audit) Counts(lines []LineCount) []Violation {
	var found []Violation
	broken := func(n LineCount, kept [9]int64, want [9]int64) {
		found = append(found, Violation{Invariant: "I13", Detail: fmt.Sprintf(
			"queue %s, type %s, project %q: ready, scheduled, retrying, blocked, blocked by dead, running, completed, dead, cancelled are kept as %v, counted %v",
			n.Queue, n.Type, n.Project, kept, want)})
	}
	seen := map[lineName]bool{}
	for _, line := range lines {
		name := lineName{line.Queue, line.Type, line.Project}
		seen[name] = true
		want := LineCount{}
		if n := a.lines[name]; n != nil {
			want = *n
		}
		if line.numbers() != want.numbers() {
			broken(line, line.numbers(), want.numbers())
		}
	}
	for name, n := range a.lines {
		if !seen[name] {
			broken(*n, [9]int64{}, n.numbers())
		}
	}
	slices.SortFunc(found, func(x, y Violation) int { return strings.Compare(x.Detail, y.Detail) })
	return found
}

func (n *LineCount) numbers() [9]int64 {
	return [9]int64{n.Ready, n.Scheduled, n.Retrying, n.Blocked, n.BlockedByDead, n.Running, n.Completed, n.Dead, n.Cancelled}
}

// leaks reports whether text holds a lease token of this store (I12).
func (f *fold) leaks(text string) bool {
	const size = len(tokenPrefix) + (tokenSize*8+5)/6
	for f.secret != nil {
		i := strings.Index(text, tokenPrefix)
		if i < 0 || len(text) < i+size {
			return false
		}
		if _, _, err := OpenToken(f.secret, text[i:i+size]); err == nil {
			return true
		}
		text = text[i+len(tokenPrefix):]
	}
	return false
}
