package tq

import (
	"errors"
	"strconv"
	"strings"
)

// Target is what a Ref names; exactly one field is set.
type Target struct {
	ID  int64  // an existing task
	Key string // the task that holds this key in the new task's queue
	Row int    // an earlier row of the same batch, counted from 1
}

// Target reads what r names. A Ref of a NewTask that went through Normal
// always has one.
func (r Ref) Target() Target {
	t, _ := r.parse()
	return t
}

func (r Ref) parse() (Target, error) {
	s := string(r)
	if key, ok := strings.CutPrefix(s, "key:"); ok {
		if err := checkName("key", key, MaxKey); err != nil {
			return Target{}, errors.New(err.Errors[0].Detail)
		}
		return Target{Key: key}, nil
	}
	if row, ok := strings.CutPrefix(s, "$"); ok {
		n, err := strconv.ParseUint(row, 10, 31)
		if err != nil {
			return Target{}, errors.New("want $ and the number of an earlier row, as in $0")
		}
		return Target{Row: int(n) + 1}, nil
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return Target{}, errors.New("want a task id, key:NAME, or $N for an earlier row of the batch")
	}
	return Target{ID: id}, nil
}

// Effect is what the state of a dependency means for one task that waits for it.
type Effect int

// The effects of spec S31 and S32.
const (
	StillOpen Effect = iota // it may yet complete
	Satisfied               // it counts as done; the edge is spent
	Stuck                   // it is dead and the task waits for a rescue (counted as blocked_by_dead)
	Cancels                 // the waiting task is cancelled
)

// DepEffect answers what a dependency in status s means under policy p.
func DepEffect(s Status, p OnDepFailure) Effect {
	switch {
	case s == Completed:
		return Satisfied
	case !s.Terminal():
		return StillOpen
	case p == DepRun:
		return Satisfied
	case p == DepCancel || s == Cancelled:
		return Cancels
	}
	return Stuck
}

// Birth is the rule T1: the status a new task starts in. open is how many of
// its dependencies are still open or stuck, cancelled whether one of them
// cancels it at once.
func Birth(n *NewTask, open int, cancelled bool) Step {
	s := State{Status: Pending, MaxAttempts: n.MaxAttempts, OpenDeps: open}
	step := Step{Facts: []StepFact{{Kind: FactEnqueued, Status: Pending}}}
	switch {
	case cancelled:
		s.Status, s.OpenDeps = Cancelled, 0
		step.Facts = append(step.Facts, StepFact{Kind: FactCancelled, Status: Cancelled, Reason: ReasonDep})
		step.Facts[0].Status = Blocked
	case open > 0:
		s.Status = Blocked
		step.Facts[0].Status = Blocked
	}
	step.State = s
	return step
}
