package tq

import "crypto/sha256"

// The state machine of a task (spec §1): which event may come from which
// status, and what becomes of the task. Nothing else changes a status. No
// clock, no I/O: Next answers in durations, the store's clock makes instants.

// Next answers what becomes of a task in state s when ev happens. It never
// changes s. Its refusals are *Error of code invalid_state, lease_lost or
// already_settled.
func Next(s State, ev Event, arg Arg) (Step, error) {
	switch ev {
	case EventComplete, EventFail, EventRelease, EventHeartbeat:
		return held(s, ev, arg)
	case EventClaim:
		return claim(s)
	case EventExpire:
		return expire(s, arg)
	case EventCancel:
		return cancel(s, arg)
	case EventRescue:
		return rescue(s, arg)
	case EventRequeue:
		return requeue(s, arg)
	case EventUnblock:
		return unblock(s, arg)
	case EventDepFailed:
		return depFailed(s)
	case EventDelete:
		return remove(s, arg)
	}
	return Step{}, refuse(s, "unknown event %s", ev)
}

// held is the one guard that everything a lease holder does passes: a repeat is
// answered from the journal, the current holder may act, the last holder of an
// expired lease may still complete; anybody else has lost the lease.
func held(s State, ev Event, arg Arg) (Step, error) {
	if s.Settled.reported() && ev != EventHeartbeat {
		return replay(s, ev, arg)
	}
	if s.Deleted {
		return Step{}, Errorf(CodeNotFound, "no such task")
	}
	current := s.Epoch == arg.Epoch
	if current && s.Status == Pending && s.Expired && ev == EventComplete {
		step := s.to(Completed, StepFact{Kind: FactCompleted, Settles: true})
		step.Late = true
		return step, nil
	}
	if !current || s.Status != Running {
		return Step{}, leaseLost(s, arg)
	}
	switch ev {
	case EventComplete:
		return s.to(Completed, StepFact{Kind: FactCompleted, Settles: true}), nil
	case EventHeartbeat:
		return s.to(Running, StepFact{Kind: FactHeartbeat}), nil
	}
	if s.CancelRequested {
		return s.to(Cancelled, StepFact{Kind: FactCancelled, Settles: true, Reason: s.CancelReason}), nil
	}
	if ev == EventFail {
		return fail(s, arg), nil
	}
	return release(s, arg), nil
}

func replay(s State, ev Event, arg Arg) (Step, error) {
	if s.Settled.Hash == arg.Hash {
		return Step{State: s, Replayed: true, Late: s.Settled.Late}, nil
	}
	e := refuse(s, "attempt already settled: recorded as %s, this is another %s", s.Settled.Kind, ev)
	e.Code = CodeAlreadySettled
	e.Reason = string(s.Settled.Kind)
	return Step{}, e.WithHint("the first answer stands; claim the next task")
}

func claim(s State) (Step, error) {
	if s.Status != Pending || s.Scheduled || s.Attempt >= s.MaxAttempts {
		return Step{}, refuse(s, "not claimable")
	}
	s.Attempt++
	s.Epoch++
	return s.to(Running, StepFact{Kind: FactClaimed}), nil
}

// fail is T6 and T7: another attempt after a wait, or dead.
func fail(s State, arg Arg) Step {
	s.Releases = 0
	failed := StepFact{Kind: FactFailed, Settles: true}
	if arg.GiveUp || s.Attempt >= s.MaxAttempts {
		reason := ReasonMaxAttempts
		if arg.GiveUp {
			reason = ReasonGaveUp
		}
		return s.to(Dead, failed, StepFact{Kind: FactDeadLettered, Reason: reason})
	}
	step := s.to(Pending, failed)
	step.Delay = s.Backoff.Delay(s.Attempt, arg.Jitter)
	if arg.Delay != nil {
		step.Delay = *arg.Delay
	}
	return step
}

// release is T8: given back without burning the attempt, until it has happened
// too often in a row.
func release(s State, arg Arg) Step {
	released := StepFact{Kind: FactReleased, Settles: true, Reason: arg.Reason}
	burnt := !arg.Unburnt && s.Releases >= MaxReleases
	if !burnt {
		s.Attempt--
	}
	if !arg.Unburnt {
		s.Releases++
	}
	if burnt && s.Attempt >= s.MaxAttempts {
		return s.to(Dead, released, StepFact{Kind: FactDeadLettered, Reason: ReasonMaxAttempts})
	}
	step := s.to(Pending, released)
	if arg.Delay != nil {
		step.Delay = *arg.Delay
	}
	step.OldPlace = step.Delay == 0
	return step
}

// expire is T9, T10 and T13. The first lost lease costs no wait: most likely
// the worker died, not the task.
func expire(s State, arg Arg) (Step, error) {
	if s.Status != Running {
		return Step{}, refuse(s, "not running")
	}
	s.Releases = 0
	if s.CancelRequested {
		return s.to(Cancelled, StepFact{Kind: FactCancelled, Settles: true, Reason: s.CancelReason}), nil
	}
	expired := StepFact{Kind: FactLeaseExpired}
	if s.Attempt >= s.MaxAttempts {
		return s.to(Dead, expired, StepFact{Kind: FactDeadLettered, Settles: true, Reason: ReasonLeaseExpired}), nil
	}
	first := s.Expiries == 0 && !arg.TimedOut
	s.Expiries++
	step := s.to(Pending, expired)
	step.State.Expired = true
	step.OldPlace = first
	if !first {
		step.Delay = s.Backoff.Delay(s.Attempt, arg.Jitter)
	}
	return step, nil
}

func cancel(s State, arg Arg) (Step, error) {
	switch {
	case s.Status == Cancelled, s.Status == Running && s.CancelRequested && !arg.Force:
		return Step{State: s}, nil
	case s.Status.Terminal():
		return Step{}, refuse(s, "already %s", s.Status)
	case arg.meantAnother(s):
		return Step{}, moved(s, arg)
	case s.Status == Running && !arg.Force:
		s.CancelRequested, s.CancelReason = true, arg.Reason
		return s.to(Running, StepFact{Kind: FactCancelRequested, Reason: arg.Reason}), nil
	case s.Status == Running:
		s.Epoch++
	}
	return s.to(Cancelled, StepFact{Kind: FactCancelled, Reason: arg.Reason}), nil
}

// rescue is T14. Of a task that is not at a bad end it is a repeat and changes
// nothing; a completed one is refused.
func rescue(s State, arg Arg) (Step, error) {
	switch {
	case s.Status == Completed:
		return Step{}, refuse(s, "already completed")
	case s.Status != Dead && s.Status != Cancelled:
		return Step{State: s}, nil
	case arg.meantAnother(s):
		return Step{}, moved(s, arg)
	case s.KeyTwin != 0:
		e := refuse(s, "its key is now held by task %d", s.KeyTwin)
		return Step{}, e.WithHint("see that one: tq show %d", s.KeyTwin)
	}
	s.Attempt, s.Releases, s.Expiries, s.CancelRequested = 0, 0, 0, false
	s.Epoch++
	to := Pending
	if s.OpenDeps > 0 {
		to = Blocked
	}
	return s.to(to, StepFact{Kind: FactRescued}), nil
}

// requeue is T18, and for a task at a bad end the same as rescue.
func requeue(s State, arg Arg) (Step, error) {
	switch {
	case s.Status == Dead, s.Status == Cancelled:
		return rescue(s, arg)
	case s.Status == Pending && s.Scheduled && arg.meantAnother(s):
		return Step{}, moved(s, arg)
	case s.Status == Pending && s.Scheduled:
		step := s.to(Pending, StepFact{Kind: FactRequeued})
		step.State.Scheduled, step.State.Expired = false, s.Expired // to run now is no claim
		return step, nil
	case s.Status == Pending:
		return Step{State: s}, nil
	}
	return Step{}, refuse(s, "only a pending, dead or cancelled task can be requeued")
}

func unblock(s State, arg Arg) (Step, error) {
	if s.Status != Blocked || s.OpenDeps != 0 {
		return Step{}, refuse(s, "%d dependencies are open", s.OpenDeps)
	}
	step := s.to(Pending, StepFact{Kind: FactUnblocked})
	if arg.Delay != nil {
		step.Delay = max(0, *arg.Delay)
	}
	return step, nil
}

func depFailed(s State) (Step, error) {
	if s.Status != Blocked {
		return Step{}, refuse(s, "not blocked")
	}
	return s.to(Cancelled, StepFact{Kind: FactCancelled, Reason: ReasonDep}), nil
}

func remove(s State, arg Arg) (Step, error) {
	switch {
	case arg.meantAnother(s):
		return Step{}, moved(s, arg)
	case !s.Status.Terminal():
		e := refuse(s, "only an ended task can be deleted, this one is %s", s.Status)
		return Step{}, e.WithHint("cancel it first: tq cancel ID")
	case s.Dependants > 0:
		return Step{}, refuse(s, "%d tasks wait for it", s.Dependants)
	}
	return s.to(s.Status, StepFact{Kind: FactDeleted}), nil
}

// to is the step into status st; the last of several facts carries it, those
// before it the status the task had.
func (s State) to(st Status, facts ...StepFact) Step {
	for i := range facts {
		facts[i].Status = s.Status
	}
	facts[len(facts)-1].Status = st
	s.Status = st
	s.Expired, s.Settled = false, nil
	if st != Running {
		s.CancelRequested, s.CancelReason = false, ""
	}
	if st != Pending {
		s.Scheduled = false
	}
	return Step{State: s, Facts: facts}
}

func leaseLost(s State, arg Arg) *Error {
	e := refuse(s, "lease no longer held")
	e.Code = CodeLeaseLost
	e.Message = "lease no longer held"
	e.Hint = "stop working on it: the task belongs to somebody else or has ended"
	switch {
	case s.Status == Completed:
		e.Reason = "completed"
	case s.Status == Cancelled:
		e.Reason = "cancelled"
	case s.Status == Dead:
		e.Reason = "expired_dead"
	case s.Attempt == 0 && s.Epoch > arg.Epoch:
		e.Reason = "rescued"
	default:
		e.Reason = "reclaimed"
	}
	return e
}

// ReasonMoved is the reason of a refusal by Arg.IfEpoch.
const ReasonMoved = "epoch_moved"

// meantAnother reports whether the caller saw the task in another life: it has
// been claimed, rescued or taken from its holder since.
func (a *Arg) meantAnother(s State) bool { return a.IfEpoch != nil && *a.IfEpoch != s.Epoch }

func moved(s State, arg Arg) *Error {
	e := refuse(s, "it is at epoch %d, not %d: something happened to it since you looked", s.Epoch, *arg.IfEpoch)
	e.Reason = ReasonMoved
	return e.WithHint("look at it again, then decide")
}

func refuse(s State, format string, args ...any) *Error {
	e := Errorf(CodeInvalidState, format, args...)
	e.Status, e.Epoch = s.Status, s.Epoch
	return e
}

// SettleHash is what tells a repeat of a settling call from another one: the
// event and what it reports, byte for byte.
func SettleHash(ev Event, body []byte, arg Arg) [16]byte {
	h := sha256.New()
	h.Write([]byte(ev))
	h.Write([]byte{0, flag(arg.GiveUp), flag(arg.Unburnt)})
	if arg.Delay != nil {
		h.Write([]byte(arg.Delay.String()))
	}
	h.Write([]byte{0})
	h.Write(body)
	return [16]byte(h.Sum(nil)[:16])
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}
