package tq

import "time"

// The words that the rules speak: what may happen to a task, what they look at,
// and what they answer. The rules themselves are in lifecycle.go.

// Event is something that may happen to a task.
type Event string

// The events. The first five are the lease holder's and pass one guard.
const (
	EventComplete  Event = "complete"
	EventFail      Event = "fail"
	EventRelease   Event = "release"
	EventHeartbeat Event = "heartbeat" // extend or progress
	EventClaim     Event = "claim"
	EventExpire    Event = "expire"    // the lease ran out
	EventCancel    Event = "cancel"    // of a running task a request, unless it is forced
	EventRescue    Event = "rescue"    // a dead or cancelled task is back, with a fresh budget
	EventRequeue   Event = "requeue"   // run now; of a dead or cancelled task, rescue
	EventUnblock   Event = "unblock"   // the last open dependency is satisfied
	EventDepFailed Event = "dep_fails" // a dependency ended in a way that cancels this task
	EventDelete    Event = "delete"
)

// Settles reports whether ev ends an attempt in its holder's words; a repeat of
// it is answered from the journal.
func (ev Event) Settles() bool {
	return ev == EventComplete || ev == EventFail || ev == EventRelease
}

// State is all of a task that the rules look at.
type State struct {
	Status          Status
	Epoch           int64
	Attempt         int
	MaxAttempts     int
	Releases        int    // given back unburnt, in a row
	CancelRequested bool   // running only
	CancelReason    string // of the request; needed when such a task fails, is released or expires
	Scheduled       bool   // pending, run_at still ahead
	Expired         bool   // pending, nobody settled the last attempt: its holder may still complete
	Expiries        int    // leases run out since enqueue or rescue; needed for EventExpire
	OpenDeps        int
	Dependants      int   // open edges of others to this task; needed for EventDelete
	KeyTwin         int64 // live task that holds this one's freed key; needed for EventRescue
	Backoff         *Backoff

	// Settled is what ended the attempt that Arg.Epoch names, when the journal
	// knows; looked up when that attempt is no longer the running one.
	Settled *Settled
	Deleted bool // only the facts are left, and answer a settle that is repeated
}

// Settled is the recorded end of one attempt.
type Settled struct {
	Kind Kind
	Hash [16]byte // of what its holder reported, see SettleHash; zero when it reported nothing
	Late bool
}

// reported tells an end that the holder chose from one that befell it: its
// lease ran out for good. The token of the latter was never used, it is lost.
func (s *Settled) reported() bool { return s != nil && s.Hash != [16]byte{} }

// Arg is what the outside world brings to an event.
type Arg struct {
	Epoch    int64          // the holder's, from its token
	Hash     [16]byte       // of what it reports
	Delay    *time.Duration // instead of the backoff (fail), before the next claim (release); run_at − now (unblock, rescue)
	GiveUp   bool           // fail: no further attempt
	Unburnt  bool           // release: never counts as an attempt
	TimedOut bool           // expire: the attempt's timeout ended the lease
	Force    bool           // cancel: now, not at the next heartbeat
	Reason   string         // cancel, release
	IfEpoch  *int64         // cancel, rescue, requeue, delete: only this life of the task
	Jitter   float64        // −1…1, where in the spread of the backoff
}

// Step is what Next decided: the state after the event and how to write it.
type Step struct {
	State    State
	Facts    []StepFact    // in order; none when nothing changes
	Delay    time.Duration // of a pending task: claimable again after this
	OldPlace bool          // of a pending task: back to where it stood in its line
	Replayed bool          // a repeat: answered from the journal, nothing written
	Late     bool          // completed after its lease had run out
}

// StepFact is one fact to write.
type StepFact struct {
	Kind    Kind
	Status  Status // of the task, after it
	Settles bool
	Reason  string
}
