package tq

// Kind says what happened to a task. The words are the wire format.
type Kind string

// Every kind of fact (spec S34).
const (
	FactEnqueued        Kind = "task.enqueued"
	FactUnblocked       Kind = "task.unblocked"
	FactClaimed         Kind = "task.claimed"
	FactHeartbeat       Kind = "task.heartbeat"
	FactCompleted       Kind = "task.completed"
	FactFailed          Kind = "task.failed"
	FactDeadLettered    Kind = "task.dead-lettered"
	FactReleased        Kind = "task.released"
	FactLeaseExpired    Kind = "task.lease-expired"
	FactCancelRequested Kind = "task.cancel-requested"
	FactCancelled       Kind = "task.cancelled"
	FactRescued         Kind = "task.rescued"
	FactRequeued        Kind = "task.requeued"
	FactDeleted         Kind = "task.deleted"
)

// Administrative acts have no task; they show in the same stream (spec S34).
const (
	ActPaused        Kind = "queue.paused"
	ActResumed       Kind = "queue.resumed"
	ActPurged        Kind = "queue.purged"
	ActWorkerRemoved Kind = "worker.removed"
	ActTokenCreated  Kind = "token.created"
	ActTokenRotated  Kind = "token.rotated"
	ActTokenRevoked  Kind = "token.revoked"
)

// Kinds lists every kind of fact about a task. An engine may store a kind as
// its position here plus one, so the order never changes and new kinds go last.
func Kinds() []Kind {
	return []Kind{
		FactEnqueued, FactUnblocked, FactClaimed, FactHeartbeat, FactCompleted, FactFailed,
		FactDeadLettered, FactReleased, FactLeaseExpired, FactCancelRequested, FactCancelled,
		FactRescued, FactRequeued, FactDeleted,
	}
}

// Acts lists every kind of administrative act.
func Acts() []Kind {
	return []Kind{
		ActPaused, ActResumed, ActPurged, ActWorkerRemoved,
		ActTokenCreated, ActTokenRotated, ActTokenRevoked,
	}
}

// Reasons why a task is dead or cancelled, in facts and in Task.Reason.
const (
	ReasonMaxAttempts  = "max_attempts"
	ReasonLeaseExpired = "lease expired after max attempts"
	ReasonGaveUp       = "gave_up"
	ReasonDep          = "dependency_failed"
	ReasonPurged       = "purged"
)

// Fact is one immutable line of the journal: what happened to a task, when, by
// whom. Seq orders all facts of a store; Rev counts those of one task from 1
// without a gap.
type Fact struct {
	Seq     int64      `json:"seq"`
	TaskID  int64      `json:"task_id,omitempty"` // absent for administrative acts
	Rev     int64      `json:"rev,omitempty"`
	Queue   string     `json:"queue,omitempty"`
	Type    string     `json:"type,omitempty"`
	Project string     `json:"project,omitempty"`
	Kind    Kind       `json:"kind"`
	Status  Status     `json:"status,omitempty"` // of the task, after it
	Epoch   int64      `json:"epoch"`
	Attempt int        `json:"attempt"`
	Actor   string     `json:"actor,omitempty"`
	At      Time       `json:"at"`
	Detail  FactDetail `json:"detail,omitzero"`

	// Settles marks the one fact that ends a held attempt: at most one per
	// task and epoch (spec S20).
	Settles bool `json:"settles,omitempty"`
}

// FactDetail is what a fact knows beyond its kind. It fits MaxDetail bytes.
type FactDetail struct {
	RunAt    Time    `json:"run_at,omitzero"`  // claimable again from here
	Reason   string  `json:"reason,omitempty"` // of dead-lettered and cancelled
	Error    string  `json:"error,omitempty"`  // the first part of a failure's text
	Note     string  `json:"note,omitempty"`   // of a progress report
	Fraction float64 `json:"fraction,omitempty"`
	Late     bool    `json:"late,omitempty"`  // completed after its lease had run out
	Force    bool    `json:"force,omitempty"` // cancelled under its holder's hands
	Until    Time    `json:"until,omitzero"`  // the lease of a claim or an extension
	Cause    int64   `json:"cause,omitempty"` // the task whose end did this
	Kept     int     `json:"kept,omitempty"`  // of a purge
	Deleted  int     `json:"deleted,omitempty"`
}

// detailError is how much of a failure's text its fact shows, in bytes; it fits
// MaxDetail in any escaping.
const detailError = 512

// Detail is what a fact of that kind tells of its event: known is all that is
// known of it, body what came with it.
func (f StepFact) Detail(known FactDetail, body []byte) FactDetail {
	d := FactDetail{Reason: f.Reason}
	switch f.Kind {
	case FactFailed:
		d.Error = CleanText(string(body), detailError)
	case FactLeaseExpired:
		d.Error = known.Error
	case FactClaimed:
		d.Until = known.Until
	case FactHeartbeat:
		d.Until, d.Note, d.Fraction = known.Until, known.Note, known.Fraction
	case FactCompleted:
		d.Late = known.Late
	case FactCancelled:
		d.Force, d.Cause = known.Force, known.Cause
	case FactUnblocked:
		d.Cause = known.Cause
	}
	return d
}
