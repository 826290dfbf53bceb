package cli

import (
	"context"
	"errors"

	"example.com/tq"
)

// Exit statuses. 0 to 9 are those of the error codes; the rest tell the outcome
// of what was waited for.
const (
	exitInternal    = 1
	exitInvalid     = 2 // also wrong usage, or a confirmation that is needed
	exitNotFound    = 3
	exitConflict    = 4
	exitForbidden   = 5
	exitUnavailable = 6
	exitTooLarge    = 7
	exitNothing     = 8 // nothing to claim
	exitReleased    = 9 // a worker stopped and gave tasks back
	exitDead        = 10
	exitCancelled   = 11
	exitBlocked     = 12 // waits for a dead task
	exitTimedOut    = 124
	exitInterrupted = 130
)

// status ends a command with an exit status when all has been said already.
type status int

func (s status) Error() string { return "" }

// exitOf is the exit status that err stands for.
func exitOf(err error) int {
	var s status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &s):
		return int(s)
	case errors.Is(err, tq.ErrTasksReleased):
		return exitReleased
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	switch tq.CodeOf(err) {
	case tq.CodeInvalid:
		return exitInvalid
	case tq.CodeNotFound, tq.CodeUnknownDependency:
		return exitNotFound
	case tq.CodeInvalidState, tq.CodeAlreadySettled, tq.CodeIdempotencyMismatch, tq.CodeLeaseLost:
		return exitConflict
	case tq.CodeUnauthenticated, tq.CodeForbidden:
		return exitForbidden
	case tq.CodeUnavailable, tq.CodeOutcomeUnknown, tq.CodeTooMany:
		return exitUnavailable
	case tq.CodeTooLarge:
		return exitTooLarge
	}
	return exitInternal
}

const exitHelp = `Every command ends with one of these:

   0  done
   1  it broke: a bug, or a disk that cannot be written
   2  invalid: wrong usage, a value outside its limits, a confirmation that is needed
   3  not found: no such task, worker or dependency
   4  conflict: lease no longer held, already settled, wrong status, key used otherwise
   5  not allowed
   6  unavailable for now: try again
   7  too large
   8  nothing to claim
   9  a worker stopped and gave tasks back

and where the outcome of tasks is waited for (wait, watch, enqueue --wait):

  10  a task is dead             12  a task waits for a dead one
  11  a task was cancelled      124  the time was up
                                130  interrupted`
