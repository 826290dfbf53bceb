package tq

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Every pair of a status and an event, as spec §1 has it. A dash refuses with
// invalid_state, "lost" with lease_lost, "same" changes nothing; otherwise the
// status after it and the facts, with ! behind the one that settles.
var everyPair = map[Event]map[Status]string{
	EventComplete: {
		Blocked: "lost", Pending: "lost", Running: "completed: completed!",
		Completed: "lost", Dead: "lost", Cancelled: "lost",
	},
	EventFail: {
		Blocked: "lost", Pending: "lost", Running: "pending: failed!",
		Completed: "lost", Dead: "lost", Cancelled: "lost",
	},
	EventRelease: {
		Blocked: "lost", Pending: "lost", Running: "pending: released!",
		Completed: "lost", Dead: "lost", Cancelled: "lost",
	},
	EventHeartbeat: {
		Blocked: "lost", Pending: "lost", Running: "running: heartbeat",
		Completed: "lost", Dead: "lost", Cancelled: "lost",
	},
	EventClaim: {
		Blocked: "-", Pending: "running: claimed", Running: "-",
		Completed: "-", Dead: "-", Cancelled: "-",
	},
	EventExpire: {
		Blocked: "-", Pending: "-", Running: "pending: lease-expired",
		Completed: "-", Dead: "-", Cancelled: "-",
	},
	EventCancel: {
		Blocked: "cancelled: cancelled", Pending: "cancelled: cancelled", Running: "running: cancel-requested",
		Completed: "-", Dead: "-", Cancelled: "same",
	},
	EventRescue: {
		Blocked: "same", Pending: "same", Running: "same",
		Completed: "-", Dead: "pending: rescued", Cancelled: "pending: rescued",
	},
	EventRequeue: {
		Blocked: "-", Pending: "same", Running: "-",
		Completed: "-", Dead: "pending: rescued", Cancelled: "pending: rescued",
	},
	EventUnblock: {
		Blocked: "pending: unblocked", Pending: "-", Running: "-",
		Completed: "-", Dead: "-", Cancelled: "-",
	},
	EventDepFailed: {
		Blocked: "cancelled: cancelled", Pending: "-", Running: "-",
		Completed: "-", Dead: "-", Cancelled: "-",
	},
	EventDelete: {
		Blocked: "-", Pending: "-", Running: "-",
		Completed: "completed: deleted", Dead: "dead: deleted", Cancelled: "cancelled: deleted",
	},
}

func TestNextAnswersEveryPairOfStatusAndEvent(t *testing.T) {
	t.Parallel()
	for ev, row := range everyPair {
		for _, status := range Statuses() {
			want, ok := row[status]
			if !ok {
				t.Errorf("the table says nothing of %s in %s", ev, status)
			}
			s := State{Status: status, Epoch: 3, Attempt: 1, MaxAttempts: 3}
			step, err := Next(s, ev, Arg{Epoch: 3})
			if got := outline(step, err); got != want {
				t.Errorf("%s in %s: got %q, want %q", ev, status, got, want)
			}
		}
	}
	if len(everyPair) != 12 {
		t.Errorf("the table has %d events, there are 12", len(everyPair))
	}
}

func TestNextRefusesEventsNobodyKnows(t *testing.T) {
	t.Parallel()
	for _, status := range Statuses() {
		if _, err := Next(State{Status: status}, "explode", Arg{}); CodeOf(err) != CodeInvalidState {
			t.Errorf("in %s: got %v, want invalid_state", status, err)
		}
	}
}

// outline is a step in the words of the table.
func outline(step Step, err error) string {
	switch {
	case CodeOf(err) == CodeLeaseLost:
		return "lost"
	case CodeOf(err) == CodeAlreadySettled:
		return "settled"
	case CodeOf(err) == CodeInvalidState:
		return "-"
	case err != nil:
		return err.Error()
	case step.Replayed:
		return "replayed"
	case len(step.Facts) == 0:
		return "same"
	}
	var facts []string
	for _, f := range step.Facts {
		name := strings.TrimPrefix(string(f.Kind), "task.")
		if f.Settles {
			name += "!"
		}
		facts = append(facts, name)
	}
	return fmt.Sprintf("%s: %s", step.State.Status, strings.Join(facts, " "))
}

func TestARefusedEventChangesNothing(t *testing.T) {
	t.Parallel()
	for ev, row := range everyPair {
		for status, want := range row {
			if want != "-" && want != "lost" {
				continue
			}
			s := State{Status: status, Epoch: 3, Attempt: 1, MaxAttempts: 3}
			step, err := Next(s, ev, Arg{Epoch: 3})
			if step.State != (State{}) || step.Facts != nil || step.Delay != 0 || step.Replayed || step.Late {
				t.Errorf("%s in %s is refused, but answers %+v", ev, status, step)
			}
			var e *Error
			if !errors.As(err, &e) || e.Status != status || e.Epoch != 3 {
				t.Errorf("%s in %s: the refusal %+v does not say where the task stands", ev, status, err)
			}
		}
	}
}

func duration(d time.Duration) *time.Duration { return &d }

func epoch(n int64) *int64 { return &n }

// The transitions of spec §1 that depend on more than the status.
func TestTransitionsOfTheSpec(t *testing.T) {
	t.Parallel()
	running := State{Status: Running, Epoch: 2, Attempt: 2, MaxAttempts: 3}
	last := State{Status: Running, Epoch: 3, Attempt: 3, MaxAttempts: 3}
	asked := State{Status: Running, Epoch: 2, Attempt: 2, MaxAttempts: 3, CancelRequested: true}
	lapsed := State{Status: Pending, Epoch: 2, Attempt: 2, MaxAttempts: 3, Expired: true, Expiries: 1}
	dead := State{Status: Dead, Epoch: 3, Attempt: 3, MaxAttempts: 3}
	now := Arg{Epoch: 2}
	for _, c := range []struct {
		name string
		s    State
		ev   Event
		arg  Arg
		want string
	}{
		{"T2 not before the last dep", State{Status: Blocked, OpenDeps: 1}, EventUnblock, Arg{}, "-"},
		{"T3 not before run_at", State{Status: Pending, MaxAttempts: 3, Scheduled: true}, EventClaim, Arg{}, "-"},
		{"T3 not without attempts left", State{Status: Pending, Attempt: 3, MaxAttempts: 3}, EventClaim, Arg{}, "-"},
		{"T4 stale token", running, EventHeartbeat, Arg{Epoch: 1}, "lost"},
		{"T5 stale token", running, EventComplete, Arg{Epoch: 1}, "lost"},
		{"T5 token of the future", running, EventComplete, Arg{Epoch: 3}, "lost"},
		{"T5 cancel was requested", asked, EventComplete, now, "completed: completed!"},
		{"T7 last attempt", last, EventFail, Arg{Epoch: 3}, "dead: failed! dead-lettered"},
		{"T7 given up", running, EventFail, Arg{Epoch: 2, GiveUp: true}, "dead: failed! dead-lettered"},
		{"T8 twentieth release", State{Status: Running, Epoch: 2, Attempt: 3, MaxAttempts: 3, Releases: 19}, EventRelease, now, "pending: released!"},
		{"T8 one release too many", State{Status: Running, Epoch: 2, Attempt: 3, MaxAttempts: 3, Releases: 20}, EventRelease, now, "dead: released! dead-lettered"},
		{"T8 rate limited for ever", State{Status: Running, Epoch: 2, Attempt: 3, MaxAttempts: 3, Releases: 20}, EventRelease, Arg{Epoch: 2, Unburnt: true}, "pending: released!"},
		{"T10 last attempt", last, EventExpire, Arg{}, "dead: lease-expired dead-lettered!"},
		{"T13 force", running, EventCancel, Arg{Force: true}, "cancelled: cancelled"},
		{"T13 fails after the request", asked, EventFail, now, "cancelled: cancelled!"},
		{"T13 releases after the request", asked, EventRelease, now, "cancelled: cancelled!"},
		{"T13 expires after the request", asked, EventExpire, Arg{}, "cancelled: cancelled!"},
		{"T12 asked twice", asked, EventCancel, Arg{}, "same"},
		{"T14 to blocked", State{Status: Dead, OpenDeps: 2}, EventRescue, Arg{}, "blocked: rescued"},
		{"T14 another life", dead, EventRescue, Arg{IfEpoch: epoch(2)}, "-"},
		{"T14 this life", dead, EventRescue, Arg{IfEpoch: epoch(3)}, "pending: rescued"},
		{"T14 its key is taken", State{Status: Dead, KeyTwin: 7}, EventRescue, Arg{}, "-"},
		{"T18 scheduled", State{Status: Pending, Scheduled: true}, EventRequeue, Arg{}, "pending: requeued"},
		{"T15 nobody has claimed since", lapsed, EventComplete, now, "completed: completed!"},
		{"T15 stale token", lapsed, EventComplete, Arg{Epoch: 1}, "lost"},
		{"S6 fail after expiry", lapsed, EventFail, now, "lost"},
		{"S6 release after expiry", lapsed, EventRelease, now, "lost"},
		{"S6 extend after expiry", lapsed, EventHeartbeat, now, "lost"},
		{"T16 somebody waits for it", State{Status: Completed, Dependants: 1}, EventDelete, Arg{}, "-"},
	} {
		step, err := Next(c.s, c.ev, c.arg)
		if got := outline(step, err); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEachTransitionCountsAsTheSpecSays(t *testing.T) {
	t.Parallel()
	s := State{Status: Running, Epoch: 5, Attempt: 2, MaxAttempts: 3, Releases: 4, Expiries: 1}
	for _, c := range []struct {
		name                               string
		s                                  State
		ev                                 Event
		arg                                Arg
		epoch                              int64
		attempt, releases, expiries, facts int
	}{
		{"claim burns an attempt", State{Status: Pending, Epoch: 5, Attempt: 2, MaxAttempts: 3, Releases: 4, Expiries: 1}, EventClaim, Arg{}, 6, 3, 4, 1, 1},
		{"fail ends the row of releases", s, EventFail, Arg{Epoch: 5}, 5, 2, 0, 1, 1},
		{"release gives it back", s, EventRelease, Arg{Epoch: 5}, 5, 1, 5, 1, 1},
		{"rate limits are not counted", s, EventRelease, Arg{Epoch: 5, Unburnt: true}, 5, 1, 4, 1, 1},
		{"expiry is counted", s, EventExpire, Arg{}, 5, 2, 0, 2, 1},
		{"force raises the epoch", s, EventCancel, Arg{Force: true}, 6, 2, 4, 1, 1},
		{"rescue begins anew", State{Status: Dead, Epoch: 5, Attempt: 3, Releases: 4, Expiries: 2}, EventRescue, Arg{}, 6, 0, 0, 0, 1},
	} {
		step, err := Next(c.s, c.ev, c.arg)
		got := step.State
		if err != nil || got.Epoch != c.epoch || got.Attempt != c.attempt || got.Releases != c.releases ||
			got.Expiries != c.expiries || len(step.Facts) != c.facts {
			t.Errorf("%s: got %+v, %v", c.name, step, err)
		}
	}
}

func TestWaitsAfterAnAttempt(t *testing.T) {
	t.Parallel()
	s := State{Status: Running, Epoch: 1, Attempt: 1, MaxAttempts: 5}
	second := State{Status: Running, Epoch: 2, Attempt: 2, MaxAttempts: 5, Expiries: 1}
	for _, c := range []struct {
		name  string
		s     State
		ev    Event
		arg   Arg
		delay time.Duration
		old   bool
	}{
		{"fail backs off", s, EventFail, Arg{Epoch: 1}, 2 * time.Second, false},
		{"fail with a delay of its own", s, EventFail, Arg{Epoch: 1, Delay: duration(time.Minute)}, time.Minute, false},
		{"fail with no delay", s, EventFail, Arg{Epoch: 1, Delay: duration(0)}, 0, false},
		{"release goes back to its place", s, EventRelease, Arg{Epoch: 1}, 0, true},
		{"release with a delay queues anew", s, EventRelease, Arg{Epoch: 1, Delay: duration(time.Second)}, time.Second, false},
		{"the first expiry costs no wait", s, EventExpire, Arg{}, 0, true},
		{"the second backs off", second, EventExpire, Arg{}, 4 * time.Second, false},
		{"a timeout backs off", s, EventExpire, Arg{TimedOut: true}, 2 * time.Second, false},
		{"unblocked before its time", State{Status: Blocked}, EventUnblock, Arg{Delay: duration(time.Hour)}, time.Hour, false},
		{"unblocked after its time", State{Status: Blocked}, EventUnblock, Arg{Delay: duration(-time.Hour)}, 0, false},
	} {
		step, err := Next(c.s, c.ev, c.arg)
		if err != nil || step.State.Status != Pending || step.Delay != c.delay || step.OldPlace != c.old {
			t.Errorf("%s: got %+v, %v", c.name, step, err)
		}
	}
}

func TestALostLeaseSaysWhy(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]State{
		"reclaimed":    {Status: Running, Epoch: 2, Attempt: 2},
		"completed":    {Status: Completed, Epoch: 2, Attempt: 2},
		"cancelled":    {Status: Cancelled, Epoch: 2, Attempt: 2},
		"expired_dead": {Status: Dead, Epoch: 1, Attempt: 1},
		"rescued":      {Status: Pending, Epoch: 2, Attempt: 0},
	} {
		_, err := Next(s, EventHeartbeat, Arg{Epoch: 1})
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeLeaseLost || e.Reason != want || e.Message != "lease no longer held" {
			t.Errorf("got %+v, want lease_lost because %s", err, want)
		}
	}
}

func TestARepeatedSettleIsAnsweredFromTheJournal(t *testing.T) {
	t.Parallel()
	mine, other := SettleHash(EventComplete, []byte(`1`), Arg{}), SettleHash(EventComplete, []byte(`2`), Arg{})
	for _, status := range Statuses() {
		s := State{Status: status, Epoch: 9, Attempt: 1, MaxAttempts: 3, Settled: &Settled{Kind: FactCompleted, Hash: mine, Late: true}}
		step, err := Next(s, EventComplete, Arg{Epoch: 4, Hash: mine})
		if err != nil || !step.Replayed || !step.Late || len(step.Facts) > 0 || step.State != s {
			t.Errorf("repeat in %s: got %+v, %v", status, step, err)
		}
		for _, ev := range []Event{EventComplete, EventFail, EventRelease} {
			_, err = Next(s, ev, Arg{Epoch: 4, Hash: other})
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeAlreadySettled || e.Reason != string(FactCompleted) {
				t.Errorf("another %s in %s: got %v, want already_settled by completed", ev, status, err)
			}
		}
	}
}

func TestALeaseThatRanOutForGoodWasNotSettledByItsHolder(t *testing.T) {
	t.Parallel()
	s := State{Status: Dead, Epoch: 3, Attempt: 3, MaxAttempts: 3, Settled: &Settled{Kind: FactDeadLettered}}
	_, err := Next(s, EventComplete, Arg{Epoch: 3, Hash: SettleHash(EventComplete, nil, Arg{})})
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeLeaseLost || e.Reason != "expired_dead" {
		t.Errorf("got %+v, want lease_lost because expired_dead", err)
	}
}

func TestSettleHashTellsSettlesApart(t *testing.T) {
	t.Parallel()
	seen := map[[16]byte]string{}
	for name, h := range map[string][16]byte{
		"complete":         SettleHash(EventComplete, nil, Arg{}),
		"complete 1":       SettleHash(EventComplete, []byte("1"), Arg{}),
		"fail":             SettleHash(EventFail, nil, Arg{}),
		"fail 1":           SettleHash(EventFail, []byte("1"), Arg{}),
		"fail for good":    SettleHash(EventFail, nil, Arg{GiveUp: true}),
		"fail for 1s":      SettleHash(EventFail, nil, Arg{Delay: duration(time.Second)}),
		"fail for 0s":      SettleHash(EventFail, nil, Arg{Delay: duration(0)}),
		"fail text 1s":     SettleHash(EventFail, []byte("1s"), Arg{}),
		"release":          SettleHash(EventRelease, nil, Arg{}),
		"release unburnt":  SettleHash(EventRelease, nil, Arg{Unburnt: true}),
		"release for 1s":   SettleHash(EventRelease, nil, Arg{Delay: duration(time.Second)}),
		"release for 1min": SettleHash(EventRelease, nil, Arg{Delay: duration(time.Minute)}),
	} {
		if twin, ok := seen[h]; ok {
			t.Errorf("%s and %s hash alike", name, twin)
		}
		seen[h] = name
	}
	if SettleHash(EventFail, []byte("x"), Arg{Epoch: 1, Jitter: 0.5}) != SettleHash(EventFail, []byte("x"), Arg{Epoch: 2}) {
		t.Error("epoch or jitter changes the hash: a repeat would not be known again")
	}
}

func TestBirth(t *testing.T) {
	t.Parallel()
	n := &NewTask{MaxAttempts: 4}
	for _, c := range []struct {
		open      int
		cancelled bool
		want      string
	}{
		{0, false, "pending: enqueued"},
		{2, false, "blocked: enqueued"},
		{0, true, "cancelled: enqueued cancelled"},
		{2, true, "cancelled: enqueued cancelled"},
	} {
		step := Birth(n, c.open, c.cancelled)
		if got := outline(step, nil); got != c.want || step.State.MaxAttempts != 4 || step.State.Epoch != 0 {
			t.Errorf("%+v: got %q %+v", c, got, step)
		}
		if c.cancelled && step.State.OpenDeps != 0 {
			t.Errorf("%+v: an ended task waits for nothing, got %d", c, step.State.OpenDeps)
		}
	}
}

func TestDepEffectOfEveryStatusAndPolicy(t *testing.T) {
	t.Parallel()
	want := map[Status][3]Effect{ // block, cancel, run
		Blocked:   {StillOpen, StillOpen, StillOpen},
		Pending:   {StillOpen, StillOpen, StillOpen},
		Running:   {StillOpen, StillOpen, StillOpen},
		Completed: {Satisfied, Satisfied, Satisfied},
		Dead:      {Stuck, Cancels, Satisfied},
		Cancelled: {Cancels, Cancels, Satisfied},
	}
	for _, s := range Statuses() {
		for i, p := range []OnDepFailure{DepBlock, DepCancel, DepRun} {
			if got := DepEffect(s, p); got != want[s][i] {
				t.Errorf("%s under %s: got %d, want %d", s, p, got, want[s][i])
			}
		}
	}
}
