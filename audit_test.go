package tq

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var auditSecret = []byte("0123456789abcdef0123456789abcdef")

// life is a task's journal under construction.
type life struct {
	TaskAudit
	facts []Fact
}

func (l *life) add(k Kind, s Status, epoch int64, attempt int, settles bool) *life {
	l.facts = append(l.facts, Fact{
		TaskID: 7, Rev: int64(len(l.facts) + 1), Kind: k, Status: s, Epoch: epoch, Attempt: attempt, Settles: settles,
	})
	return l
}

func (l *life) audit() TaskAudit {
	l.Facts = slices.Values(l.facts)
	return l.TaskAudit
}

// at gives the task the one place it should have.
func (l *life) at(place string) *life {
	last := l.facts[len(l.facts)-1]
	l.Places = []PlaceAudit{{Place: place, Rev: last.Rev, Epoch: last.Epoch, Attempt: last.Attempt, Until: At(time.Unix(1000, 0))}}
	return l
}

func newLife(s Status) *life {
	l := &life{TaskAudit: TaskAudit{ID: 7, Queue: "q", Type: "t", MaxAttempts: 3, OnDepFailure: DepBlock, Exists: true}}
	return l.add(FactEnqueued, s, 0, 0, false)
}

func ready() *life   { return newLife(Pending).at(ReadyPlace) }
func running() *life { return newLife(Pending).add(FactClaimed, Running, 1, 1, false).at(HeldPlace) }

func blockedOn(s Status) *life {
	l := newLife(Blocked).at(BlockedPlace)
	l.Deps = []DependencyRow{{ID: 3, Status: s, Open: true, Stuck: s == Dead}}
	l.OpenCount = 1
	if s == Dead {
		l.StuckCount = 1
	}
	return l
}

func completed() *life {
	l := newLife(Pending).add(FactClaimed, Running, 1, 1, false).add(FactCompleted, Completed, 1, 1, true)
	l.Result, l.Hash = []byte(`1`), SettleHash(EventComplete, []byte(`1`), Arg{})
	return l
}

func dead() *life {
	return newLife(Pending).add(FactClaimed, Running, 1, 1, false).
		add(FactFailed, Running, 1, 1, true).add(FactDeadLettered, Dead, 1, 1, false).at(DeadPlace)
}

func TestAuditFindsNothingInASoundTask(t *testing.T) {
	t.Parallel()
	keyed := ready()
	keyed.Key, keyed.KeyHolder = "k", 7
	freed := completed()
	freed.Key, freed.KeyUntil, freed.KeyHolder = "k", KeyUntilTerminal, 9
	inbox := &life{TaskAudit: TaskAudit{ID: 7, Exists: true, Inbox: true}}
	deleted := completed().add(FactDeleted, Completed, 1, 1, false)
	deleted.Exists, deleted.Result = false, nil
	pruned := &life{TaskAudit: TaskAudit{ID: 7}}
	pruned.facts = deleted.facts[3:]
	telling := blockedOn(Completed)
	telling.Deps[0].Telling = true
	lives := map[string]*life{
		"ready": ready(), "running": running(), "completed": completed(), "dead": dead(),
		"blocked": blockedOn(Pending), "blocked by dead": blockedOn(Dead), "being told": telling,
		"keyed": keyed, "key freed": freed, "inbox": inbox, "deleted": deleted, "facts pruned": pruned,
		"scheduled":  newLife(Pending).at(DelayedPlace),
		"late":       running().add(FactLeaseExpired, Pending, 1, 1, false).add(FactCompleted, Completed, 1, 1, true).nowhere(),
		"given back": running().add(FactReleased, Pending, 1, 0, true).at(ReadyPlace),
		"burnt back": running().add(FactReleased, Pending, 1, 1, true).at(ReadyPlace),
		"expired dead": running().add(FactLeaseExpired, Running, 1, 1, false).
			add(FactDeadLettered, Dead, 1, 1, true).at(DeadPlace),
		"cancel wins":      running().add(FactCancelRequested, Running, 1, 1, false).add(FactCancelled, Cancelled, 1, 1, true).nowhere(),
		"forced":           running().add(FactCancelled, Cancelled, 2, 1, false).nowhere(),
		"rescued":          dead().add(FactRescued, Pending, 2, 0, false).at(ReadyPlace),
		"born cancelled":   newLife(Blocked).add(FactCancelled, Cancelled, 0, 0, false).nowhere(),
		"unblocked":        newLife(Blocked).add(FactUnblocked, Pending, 0, 0, false).at(ReadyPlace),
		"requeued":         newLife(Pending).add(FactRequeued, Pending, 0, 0, false).at(ReadyPlace),
		"progress":         running().add(FactHeartbeat, Running, 1, 1, false).at(HeldPlace),
		"cancel requested": running().add(FactCancelRequested, Running, 1, 1, false).at(HeldPlace),
	}
	for name, l := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Audit{Now: time.Unix(1002, 0), Secret: auditSecret}
			if found := a.Task(l.audit()); len(found) > 0 {
				t.Errorf("found %v", found)
			}
		})
	}
}

func (l *life) nowhere() *life {
	l.Places = nil
	return l
}

// with breaks a life on purpose.
func (l *life) with(f func(*life)) *life {
	f(l)
	return l
}

func TestAuditNamesTheBrokenInvariant(t *testing.T) {
	t.Parallel()
	token := SignToken(auditSecret, 7, 1)
	cases := []struct {
		name, want string
		life       *life
	}{
		{"no facts", "I1", ready().with(func(l *life) { l.facts = nil })},
		{"claimed twice", "I1", running().add(FactClaimed, Running, 2, 2, false).at(HeldPlace)},
		{"unknown kind", "I1", ready().with(func(l *life) { l.add("task.vanished", Pending, 0, 0, false).at(ReadyPlace) })},
		{"completed from pending", "I1", newLife(Pending).add(FactCompleted, Completed, 0, 0, true)},
		{"completed after cancel of nobody", "I1", running().add(FactCancelled, Cancelled, 1, 1, true).nowhere()},
		{"failed under cancel", "I1", running().add(FactCancelRequested, Running, 1, 1, false).
			add(FactFailed, Pending, 1, 1, true).at(ReadyPlace)},
		{"half a death", "I1", running().add(FactFailed, Running, 1, 1, true).at(HeldPlace)},
		{"death without a cause", "I1", running().add(FactDeadLettered, Dead, 1, 1, false).nowhere()},
		{"something between", "I1", running().add(FactFailed, Running, 1, 1, true).
			add(FactHeartbeat, Running, 1, 1, false).at(HeldPlace)},
		{"deleted as another", "I1", completed().with(func(l *life) {
			l.add(FactDeleted, Dead, 1, 1, false)
			l.Exists = false
		})},
		{"attempt jumps", "I1", newLife(Pending).add(FactClaimed, Running, 1, 2, false).at(HeldPlace)},
		{"no place", "I1", ready().nowhere()},
		{"two places", "I1", ready().with(func(l *life) { l.Places = append(l.Places, l.Places[0]) })},
		{"wrong place", "I1", ready().at(HeldPlace)},
		{"old place row", "I1", ready().with(func(l *life) { l.Places[0].Rev = 9 })},
		{"deleted but placed", "I1", completed().add(FactDeleted, Completed, 1, 1, false).at(ReadyPlace).
			with(func(l *life) { l.Exists = false })},
		{"inbox and placed", "I1", ready().with(func(l *life) { l.Inbox = true })},
		{"rows of nothing", "I1", ready().with(func(l *life) { l.Exists, l.facts = false, nil })},
		{"two settlements", "I2", running().add(FactFailed, Pending, 1, 1, true).
			add(FactCompleted, Completed, 1, 1, true).nowhere()},
		{"unmarked settlement", "I2", newLife(Pending).add(FactClaimed, Running, 1, 1, false).
			add(FactCompleted, Completed, 1, 1, false)},
		{"marked claim", "I2", newLife(Pending).add(FactClaimed, Running, 1, 1, true).at(HeldPlace)},
		{"epoch jumps", "I3", newLife(Pending).add(FactClaimed, Running, 2, 1, false).at(HeldPlace)},
		{"epoch stands", "I3", newLife(Pending).add(FactClaimed, Running, 0, 1, false).at(HeldPlace)},
		{"force without epoch", "I3", running().add(FactCancelled, Cancelled, 1, 1, false).nowhere()},
		{"rescue without epoch", "I3", dead().add(FactRescued, Pending, 1, 0, false).at(ReadyPlace)},
		{"leased at the end", "I4", completed().at(HeldPlace)},
		{"vanished", "I5", completed().with(func(l *life) { l.Exists, l.Result = false, nil })},
		{"deleted but there", "I5", completed().add(FactDeleted, Completed, 1, 1, false)},
		{"another result", "I6", completed().with(func(l *life) { l.Result = []byte(`2`) })},
		{"result too early", "I6", ready().with(func(l *life) { l.Result = []byte(`2`) })},
		{"over budget", "I7", running().with(func(l *life) { l.MaxAttempts = 0 })},
		{"blocked by nothing", "I8", newLife(Blocked).at(BlockedPlace)},
		{"open but pending", "I8", ready().with(func(l *life) { l.Deps = []DependencyRow{{ID: 3, Status: Pending, Open: true}} })},
		{"miscounted", "I8", blockedOn(Pending).with(func(l *life) { l.OpenCount = 2 })},
		{"stuck miscounted", "I8", blockedOn(Dead).with(func(l *life) { l.StuckCount = 0 })},
		{"never told", "I8", blockedOn(Completed)},
		{"dead not marked", "I8", blockedOn(Dead).with(func(l *life) { l.Deps[0].Stuck, l.StuckCount = false, 0 })},
		{"alive but marked", "I8", blockedOn(Pending).with(func(l *life) { l.Deps[0].Stuck, l.StuckCount = true, 1 })},
		{"waits for the deleted", "I8", blockedOn("")},
		{"does not wait", "I8", ready().with(func(l *life) { l.Deps = []DependencyRow{{ID: 3, Status: Running}} })},
		{"blocked row of a pending task", "I8", ready().at(BlockedPlace)},
		{"rev gap", "I9", running().with(func(l *life) { l.facts[1].Rev, l.Places[0].Rev = 3, 3 })},
		{"first rev", "I9", ready().with(func(l *life) { l.facts[0].Rev, l.Places[0].Rev = 2, 2 })},
		{"lease long over", "I10", running().with(func(l *life) { l.Places[0].Until = At(time.Unix(990, 0)) })},
		{"key lost", "I11", ready().with(func(l *life) { l.Key = "k" })},
		{"key taken twice", "I11", ready().with(func(l *life) { l.Key, l.KeyHolder = "k", 9 })},
		{"key not freed", "I11", completed().with(func(l *life) {
			l.Key, l.KeyUntil, l.KeyHolder = "k", KeyUntilTerminal, 7
		})},
		{"token in a fact", "I12", running().with(func(l *life) { l.facts[1].Detail.Note = "x tqt_ " + token })},
		{"token in a result", "I12", completed().with(func(l *life) {
			l.Result = []byte(`"` + token + `"`)
			l.Hash = SettleHash(EventComplete, l.Result, Arg{})
		})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := Audit{Now: time.Unix(1002, 0), Secret: auditSecret}
			found := a.Task(c.life.audit())
			if len(found) == 0 || !slices.ContainsFunc(found, func(v Violation) bool { return v.Invariant == c.want && v.TaskID == 7 }) {
				t.Errorf("found %v, want %s", found, c.want)
			}
		})
	}
}

func TestAuditComparesCountsByLine(t *testing.T) {
	t.Parallel()
	a := Audit{}
	retrying := running().add(FactFailed, Pending, 1, 1, true).at(DelayedPlace)
	all := []*life{ready(), running(), completed(), dead(), blockedOn(Pending), blockedOn(Dead), newLife(Pending).at(DelayedPlace), retrying}
	for _, l := range all {
		if found := a.Task(l.audit()); len(found) > 0 {
			t.Fatalf("found %v", found)
		}
	}
	right := LineCount{
		Queue: "q", Type: "t", Ready: 1, Scheduled: 2, Retrying: 1, Blocked: 2, BlockedByDead: 1, Running: 1, Completed: 1, Dead: 1,
	}
	empty := LineCount{Queue: "other", Type: "t"}
	if found := a.Counts([]LineCount{right, empty}); len(found) > 0 {
		t.Errorf("right counts: %v", found)
	}
	wrong := right
	wrong.Dead++
	if found := a.Counts([]LineCount{wrong}); len(found) != 1 || found[0].Invariant != "I13" {
		t.Errorf("one count off: %v", found)
	}
	if found := a.Counts(nil); len(found) != 1 || found[0].Invariant != "I13" {
		t.Errorf("a line is missing: %v", found)
	}
}

// What Next decides, the audit must accept: random lives of one task.
func TestAuditAcceptsEveryLifeThatNextAllows(t *testing.T) {
	t.Parallel()
	events := []Event{
		EventClaim, EventClaim, EventClaim, EventComplete, EventFail, EventFail, EventRelease, EventHeartbeat,
		EventExpire, EventExpire, EventCancel, EventRescue, EventRequeue, EventUnblock, EventDepFailed,
	}
	random := rand.New(rand.NewPCG(1, 2))
	kinds := map[Kind]int{}
	for range 3000 {
		l := &life{TaskAudit: TaskAudit{ID: 7, Queue: "q", Type: "t", Exists: true, OnDepFailure: DepBlock}}
		n := NewTask{MaxAttempts: 1 + random.IntN(3)}
		l.MaxAttempts = n.MaxAttempts
		step := Birth(&n, random.IntN(2), random.IntN(20) == 0)
		l.write(step)
		for range 30 {
			s := step.State
			s.OpenDeps, s.Scheduled = 0, s.Status == Pending && random.IntN(4) == 0
			arg := Arg{Epoch: s.Epoch, GiveUp: random.IntN(5) == 0, Force: random.IntN(2) == 0, Unburnt: random.IntN(2) == 0}
			next, err := Next(s, events[random.IntN(len(events))], arg)
			if err == nil {
				step = next
				l.write(step)
			}
		}
		l.place(step.State)
		a := Audit{Secret: auditSecret}
		if found := a.Task(l.audit()); len(found) > 0 {
			t.Fatalf("%v\nfacts %+v", found, l.facts)
		}
		for _, f := range l.facts {
			kinds[f.Kind]++
		}
	}
	for _, k := range Kinds() {
		if kinds[k] == 0 && k != FactDeleted {
			t.Errorf("no life had a %s fact", k)
		}
	}
}

func (l *life) write(step Step) {
	for _, f := range step.Facts {
		l.add(f.Kind, f.Status, step.State.Epoch, step.State.Attempt, f.Settles)
	}
}

func (l *life) place(s State) {
	switch s.Status {
	case Pending:
		l.at(ReadyPlace)
	case Running:
		l.at(HeldPlace)
	case Dead:
		l.at(DeadPlace)
	case Blocked:
		l.at(BlockedPlace)
		l.Deps, l.OpenCount = []DependencyRow{{ID: 3, Status: Pending, Open: true}}, 1
	}
}
