package tq

import (
	"testing"

	"pgregory.net/rapid"
)

// randomLife is one task under random events: what Next makes of it, beside what a
// bystander can say from the facts alone.
type randomLife struct {
	state   State
	held    bool
	settled map[int64]*Settled
}

func TestNextKeepsItsInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := &randomLife{
			state:   State{Status: Pending, MaxAttempts: rapid.IntRange(1, 4).Draw(rt, "max")},
			settled: map[int64]*Settled{},
		}
		if rapid.Bool().Draw(rt, "blocked") {
			l.state.Status, l.state.OpenDeps = Blocked, 1
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			l.happen(rt)
		}
	})
}

func (l *randomLife) happen(rt *rapid.T) {
	ev := rapid.SampledFrom([]Event{
		EventClaim, EventClaim, EventClaim, EventComplete, EventFail, EventRelease, EventRelease,
		EventHeartbeat, EventExpire, EventExpire, EventCancel, EventRescue, EventRequeue, EventUnblock,
		EventDepFailed, EventDelete,
	}).Draw(rt, "event")
	arg := Arg{
		Epoch:    l.state.Epoch - rapid.SampledFrom([]int64{0, 0, 0, 1, -1}).Draw(rt, "stale"),
		Hash:     [16]byte{byte(rapid.IntRange(1, 2).Draw(rt, "body"))},
		GiveUp:   rapid.IntRange(0, 9).Draw(rt, "give up") == 0,
		Unburnt:  rapid.Bool().Draw(rt, "unburnt"),
		Force:    rapid.IntRange(0, 3).Draw(rt, "force") == 0,
		TimedOut: rapid.Bool().Draw(rt, "timed out"),
		Jitter:   rapid.Float64Range(-1, 1).Draw(rt, "jitter"),
	}
	s := l.state
	s.Scheduled = s.Status == Pending && rapid.IntRange(0, 3).Draw(rt, "scheduled") == 0
	s.OpenDeps = rapid.IntRange(0, 1).Draw(rt, "open")
	if s.Status != Running || s.Epoch != arg.Epoch {
		s.Settled = l.settled[arg.Epoch]
	}
	before := s
	step, err := Next(s, ev, arg)
	if s != before {
		rt.Fatalf("Next changed what it was given")
	}
	if err != nil {
		return
	}
	l.judge(rt, before, ev, arg, step)
}

func (l *randomLife) judge(rt *rapid.T, before State, ev Event, arg Arg, step Step) {
	after := step.State
	known := before.Settled != nil && before.Settled.Hash == arg.Hash
	switch {
	case settles(ev) && known != step.Replayed:
		rt.Fatalf("%s of a settled attempt with the same body: replayed is %v", ev, step.Replayed)
	case step.Replayed && (len(step.Facts) > 0 || after != before):
		rt.Fatalf("a repeat changed the task from %+v to %+v", before, after)
	case len(step.Facts) == 0 && after.Status != before.Status:
		rt.Fatalf("%s moved it from %s to %s without a fact", ev, before.Status, after.Status)
	case after.Epoch < before.Epoch || after.Epoch > before.Epoch+1:
		rt.Fatalf("%s moved the epoch from %d to %d", ev, before.Epoch, after.Epoch)
	case after.Attempt < 0 || after.Attempt > after.MaxAttempts:
		rt.Fatalf("%s made it attempt %d of %d", ev, after.Attempt, after.MaxAttempts)
	case step.Delay < 0 || step.Delay > MaxDelay:
		rt.Fatalf("%s waits %s", ev, step.Delay)
	case step.Delay > 0 && after.Status != Pending:
		rt.Fatalf("%s waits %s but is %s", ev, step.Delay, after.Status)
	case after.Status == Blocked && before.Status != Blocked && before.OpenDeps == 0:
		rt.Fatalf("%s blocked it behind nothing", ev)
	}
	if !step.Replayed && len(step.Facts) > 0 {
		l.note(rt, before, ev, arg, step)
		after.Settled = nil
		l.state = after
	}
	if l.held != (l.state.Status == Running) {
		rt.Fatalf("after %s it is %s, but held is %v", ev, l.state.Status, l.held)
	}
}

func settles(ev Event) bool { return ev == EventComplete || ev == EventFail || ev == EventRelease }

// note reads the facts as somebody would who knows no rule.
func (l *randomLife) note(rt *rapid.T, before State, ev Event, arg Arg, step Step) {
	for i, f := range step.Facts {
		switch f.Kind {
		case FactClaimed:
			if l.held {
				rt.Fatalf("claimed while it was held")
			}
			l.held = true
		case FactCompleted, FactFailed, FactReleased, FactLeaseExpired, FactCancelled:
			l.held = false
		}
		if last := i == len(step.Facts)-1; last && f.Status != step.State.Status {
			rt.Fatalf("the last fact says %s, the task is %s", f.Status, step.State.Status)
		}
		if !f.Settles {
			continue
		}
		if l.settled[before.Epoch] != nil {
			rt.Fatalf("epoch %d is settled a second time, by %s", before.Epoch, f.Kind)
		}
		l.settled[before.Epoch] = &Settled{Kind: f.Kind, Late: step.Late}
		if settles(ev) {
			l.settled[before.Epoch].Hash = arg.Hash
		}
	}
}
