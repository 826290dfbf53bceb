package postgres

import (
	"errors"
	"slices"

	"example.com/tq"
)

// The rows of a batch of changes are one after the other, with all that each
// brings about. What a row needs to know is looked up for many at once; here is
// how far that goes, and when those who wait are told in between.

// asks reports whether x needs to know what became of others: a rescue who has
// the key and how the deps ended, a delete who waits.
func asks(x *tq.Change) bool {
	return x.Event == tq.EventRescue || x.Event == tq.EventRequeue || x.Event == tq.EventDelete
}

// partEnd is where the part of the batch ends that begins with first: what other
// changes did before one that asks is written, and looked up anew.
func (c *changing) partEnd(first int) int {
	for i := first + 1; i < len(c.changes); i++ {
		if before, x := &c.changes[i-1], &c.changes[i]; before.Event != x.Event && (asks(before) || asks(x)) {
			return i
		}
	}
	return len(c.changes)
}

// runPart makes the changes of a part, of which first is the place of the first
// in the batch.
func (c *changing) runPart(first int, part []tq.Change) error {
	if err := c.drawFor(3 * len(part)); err != nil {
		return err
	}
	for i := range part {
		c.out[first+i] = c.one(&part[i])
		if rest := part[i+1:]; len(c.told) > 0 && (c.anyBlocked(rest) || c.overtaken(rest)) {
			if err := errors.Join(c.cascade(), c.drawFor(3*len(rest))); err != nil {
				return err
			}
		}
	}
	return c.cascade()
}

// anyBlocked reports whether any of the tasks still to change waits for others:
// perhaps for one that has just ended, and then that comes first.
func (c *changing) anyBlocked(rest []tq.Change) bool {
	return slices.ContainsFunc(rest, func(x tq.Change) bool {
		r := c.find(x.TaskID)
		return r != nil && r.state.Status == tq.Blocked
	})
}

// overtaken reports whether who waits for what has ended is to hear of that
// before the next change. One that is unblocked stands before what a later change
// puts into the line. And who falls with several names the one that fell first,
// be it far down: what falls with one change has fallen before another ends a task.
func (c *changing) overtaken(rest []tq.Change) bool {
	if len(rest) == 0 {
		return false
	}
	queued, ended := queues(&rest[0]), ends(&rest[0])
	return slices.ContainsFunc(c.told, func(id int64) bool {
		return queued && c.dependants[id] > 0 || ended && c.deep[id]
	})
}

// lastOf is the last of the changes that is so; −1 if none is.
func lastOf(part []tq.Change, so func(*tq.Change) bool) int {
	for i := len(part) - 1; i >= 0; i-- {
		if so(&part[i]) {
			return i
		}
	}
	return -1
}

// ends reports whether x may end a task.
func ends(x *tq.Change) bool {
	return x.Event == tq.EventComplete || x.Event == tq.EventFail || x.Event == tq.EventRelease || x.Event == tq.EventCancel
}

// mayFall reports whether x may end the task badly.
func (r *row) mayFall(x *tq.Change) bool {
	switch x.Event {
	case tq.EventCancel:
		return true
	case tq.EventFail, tq.EventRelease:
		return x.Arg.GiveUp || r.state.CancelRequested || r.state.Attempt >= r.state.MaxAttempts
	}
	return false
}

// queues reports whether x may give a task a new place in its line at once.
func queues(x *tq.Change) bool {
	switch x.Event {
	case tq.EventRequeue, tq.EventRescue:
		return true
	case tq.EventFail:
		return x.Arg.Delay != nil && *x.Arg.Delay <= 0
	}
	return false
}
