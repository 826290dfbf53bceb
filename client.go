package tq

import (
	"context"
	"encoding/json"
)

// Client is everything that can be asked of a queue. The Broker answers it in
// process, client.Remote over HTTP; who asks cannot tell which. Every call may
// be repeated safely when it carries a key, a claim id or a token.
//
// Beside what a method names, any of them may be refused as invalid (which field
// and limit is in the Error), forbidden (not within the caller's rights) or
// unavailable and outcome_unknown (try again). A call of several rows is refused
// as a whole only for those reasons; otherwise each row has an answer of its own,
// and one that is refused holds back no other. At most MaxBatch rows a call.
type Client interface {
	// Enqueue puts tasks in, all or none, and answers when they are on disk:
	// unknown_dependency when one waits for a task that is not there,
	// idempotency_mismatch when a key with OnMismatch error has another body,
	// too_large above MaxBatchBytes, too_many when a queue would be one too many.
	Enqueue(context.Context, EnqueueIn) (EnqueueOut, error)

	// Claim takes tasks under a lease, waiting for the first if asked to. That
	// nothing came is no error; too_many calls that wait are.
	Claim(context.Context, ClaimIn) (ClaimOut, error)

	// Complete, Fail and Release end the attempts that lease tokens stand for. A
	// repeat is answered as the first time, with Replayed. Of a row: lease_lost
	// when another has the task or nobody may settle it any more, already_settled
	// when the attempt has another outcome, not_found when its task is forgotten.
	Complete(context.Context, CompleteIn) (SettleOut, error)
	Fail(context.Context, FailIn) (SettleOut, error)
	Release(context.Context, ReleaseIn) (SettleOut, error)

	// Extend renews leases from now on, reports progress, and brings back whether
	// cancel was asked for. Of a row: lease_lost.
	Extend(context.Context, ExtendIn) (SettleOut, error)

	// Task reads one task with its payload and result: not_found.
	Task(context.Context, TaskIn) (Task, error)

	// Tasks lists tasks, newest first, a page at a time.
	Tasks(context.Context, TasksIn) (TasksOut, error)

	// Facts reads the journal in its order; who goes on from the last seq it has
	// seen misses none and sees none twice. It may wait for the first.
	Facts(context.Context, FactsIn) (FactsOut, error)

	// Explain says why a task is not running: not_found.
	Explain(context.Context, ExplainIn) (ExplainOut, error)

	// Errors groups dead tasks by what they died of.
	Errors(context.Context, ErrorsIn) (ErrorsOut, error)

	// Wait answers when all of some tasks have ended, or the time is up, with the
	// tasks as they stand then: not_found when one is not there.
	Wait(context.Context, WaitIn) (TasksOut, error)

	// Cancel, Rescue, Requeue and Delete change tasks by id, row by row: not_found;
	// invalid_state when a task is not in a state for that, or has moved on from
	// IfEpoch. A row that was so already is answered with Changed false.
	Cancel(context.Context, CancelIn) (ChangeOut, error)
	Rescue(context.Context, RescueIn) (ChangeOut, error)
	Requeue(context.Context, RequeueIn) (ChangeOut, error)
	Delete(context.Context, DeleteIn) (ChangeOut, error)

	// Bulk begins one of these verbs on every task that a filter selects, in the
	// background; BulkState says how far it has come, EndBulk ends it. Too_many
	// when too many are at work, not_found for an id that is none.
	Bulk(context.Context, BulkIn) (BulkOut, error)
	BulkState(context.Context, BulkStateIn) (BulkOut, error)
	EndBulk(context.Context, EndBulkIn) (BulkOut, error)

	// Stats counts tasks by status, Series what happened in steps of time.
	Stats(context.Context, StatsIn) (StatsOut, error)
	Series(context.Context, SeriesIn) (SeriesOut, error)

	// Pause and Resume decide whether claims take from a queue. Purge cancels what
	// waits there and deletes all that neither runs nor is waited for.
	Pause(context.Context, QueueIn) (QueueOut, error)
	Resume(context.Context, QueueIn) (QueueOut, error)
	Purge(context.Context, QueueIn) (PurgeOut, error)

	// Workers lists the registry. RemoveWorker takes one out of it, and its leases
	// end at once: not_found.
	Workers(context.Context, WorkersIn) (WorkersOut, error)
	RemoveWorker(context.Context, RemoveWorkerIn) (RemoveWorkerOut, error)

	// Check walks the whole store and names every broken invariant.
	Check(context.Context, CheckIn) (CheckOut, error)

	// CreateToken makes an access token, too_many above MaxTokens; Tokens lists
	// them, RevokeToken ends one, RotateToken puts another in its place:
	// not_found.
	CreateToken(context.Context, CreateTokenIn) (CreateTokenOut, error)
	Tokens(context.Context, TokensIn) (TokensOut, error)
	RevokeToken(context.Context, RevokeTokenIn) (RevokeTokenOut, error)
	RotateToken(context.Context, RotateTokenIn) (CreateTokenOut, error)
}

// EnqueueIn asks for 1 to MaxBatch new tasks, all or nothing.
type EnqueueIn struct {
	Tasks []NewTask `json:"tasks"`

	// EnqueueID makes the call repeatable, at most MaxKey bytes: a repeat with
	// the same id answers each row with the task that it made, as long as that
	// is there. A row with an idempotency key goes by that.
	EnqueueID string `json:"enqueue_id,omitempty"`
}

// EnqueueOut answers in the order of the input.
type EnqueueOut struct {
	Tasks []Enqueued `json:"tasks"`
}

// ClaimIn asks for up to Max tasks under a lease.
type ClaimIn struct {
	Queues  []string   `json:"queues,omitempty"` // none: every queue
	Types   []string   `json:"types,omitempty"`  // none: any but sh, http and agent
	Project string     `json:"project,omitempty"`
	Max     int        `json:"max,omitempty"`           // 1 to MaxClaim, default 1
	Lease   Duration   `json:"lease_seconds,omitempty"` // 1 s to 1 h, default DefaultLease
	Wait    Duration   `json:"wait_seconds,omitempty"`  // 0 to 55 s: how long to wait for the first
	Worker  WorkerInfo `json:"worker,omitzero"`
	ClaimID string     `json:"claim_id,omitempty"` // makes the call repeatable
}

// ClaimOut is what was claimed; no tasks is not an error.
type ClaimOut struct {
	Tasks      []ClaimedTask `json:"tasks"`
	Paused     []string      `json:"paused,omitempty"` // of the queues asked for
	RetryAfter Duration      `json:"retry_after_seconds,omitempty"`
}

// ClaimedTask is a task in the hands of its claimer.
type ClaimedTask struct {
	Task
	LeaseToken string   `json:"lease_token"` // settles this attempt; the only place it is shown
	LeaseLeft  Duration `json:"lease_seconds"`
	Fence      int64    `json:"fence"` // hand it on: whoever sees a higher one refuses a lower
}

// CompleteIn reports results.
type CompleteIn struct {
	Leases []CompleteLease `json:"leases"`
}

// CompleteLease is one finished attempt. TaskID may be left out; if given it
// must be the token's.
type CompleteLease struct {
	TaskID     int64           `json:"task_id,omitempty"`
	LeaseToken string          `json:"lease_token"`
	Result     json.RawMessage `json:"result,omitempty"` // JSON, at most MaxPayload bytes
}

// FailIn reports failed attempts.
type FailIn struct {
	Leases []FailLease `json:"leases"`
}

// FailLease is one failed attempt.
type FailLease struct {
	TaskID     int64     `json:"task_id,omitempty"`
	LeaseToken string    `json:"lease_token"`
	Error      string    `json:"error,omitempty"`               // longer than MaxError is cut, never refused
	RetryDelay *Duration `json:"retry_delay_seconds,omitempty"` // instead of the backoff
	Requeue    *bool     `json:"requeue,omitempty"`             // false: no further attempt
}

// ReleaseIn gives tasks back without burning their attempts.
type ReleaseIn struct {
	Leases []ReleaseLease `json:"leases"`
}

// ReleaseLease is one task given back.
type ReleaseLease struct {
	TaskID     int64    `json:"task_id,omitempty"`
	LeaseToken string   `json:"lease_token"`
	Delay      Duration `json:"delay_seconds,omitempty"`
	Unburnt    bool     `json:"unburnt,omitempty"` // never counts as an attempt, however often
	Reason     string   `json:"reason,omitempty"`  // why, for people: in the released fact
	Scope      string   `json:"scope,omitempty"`   // parks it for the delay: a provider or a repository that cannot be used
}

// ExtendIn renews leases and reports progress. Without leases it only tells
// the registry that the worker is alive.
type ExtendIn struct {
	Leases []ExtendLease `json:"leases"`
	Worker WorkerInfo    `json:"worker,omitzero"`
}

// ExtendLease is one lease to renew.
type ExtendLease struct {
	TaskID     int64     `json:"task_id,omitempty"`
	LeaseToken string    `json:"lease_token"`
	Lease      Duration  `json:"lease_seconds,omitempty"` // from now; default DefaultLease
	Progress   *Progress `json:"progress,omitempty"`
}

// SettleOut answers row by row, in the order of the input.
type SettleOut struct {
	Leases []Settlement `json:"leases"`
}

// Settlement is the answer for one lease: a status, or Error when the row was
// refused; other rows stand.
type Settlement struct {
	TaskID          int64    `json:"task_id,omitempty"`
	Status          Status   `json:"status,omitempty"`
	RunAt           Time     `json:"run_at,omitzero"` // of a pending task
	LeaseLeft       Duration `json:"lease_seconds,omitempty"`
	Replayed        bool     `json:"replayed,omitempty"` // a repeat, answered as the first time
	Late            bool     `json:"late,omitempty"`     // taken after the lease had run out
	CancelRequested bool     `json:"cancel_requested,omitempty"`
	Error           *Error   `json:"error,omitempty"`
}

// TaskIn asks for one task, with payload, result, dependencies and children.
type TaskIn struct {
	ID int64 `json:"id"`
}

// TasksIn asks for a page of tasks, newest first.
type TasksIn struct {
	Queue   string `json:"queue,omitempty"`
	Status  string `json:"status,omitempty"` // status, label (ready, scheduled, retrying), or claimed, done, failed
	Type    string `json:"type,omitempty"`
	Project string `json:"project,omitempty"`
	Parent  int64  `json:"parent,omitempty"`
	Key     string `json:"key,omitempty"`
	Search  string `json:"q,omitempty"`
	Filter  string `json:"filter,omitempty"` // in the filter language, see ParseFilter
	Cursor  string `json:"cursor,omitempty"`
	Limit   int    `json:"limit,omitempty"`  // 1 to MaxPage, default DefaultPage
	Fields  string `json:"fields,omitempty"` // "payload" adds payload and result
}

// TasksOut is a page; Cursor asks for the next one and is empty at the end.
type TasksOut struct {
	Tasks    []Task `json:"tasks"`
	Cursor   string `json:"cursor,omitempty"`
	Searched int    `json:"searched,omitempty"` // the search was cut short after so many rows
}

// FactsIn asks for a page of the journal.
type FactsIn struct {
	After  int64    `json:"after,omitempty"` // seq of the last fact seen
	TaskID int64    `json:"task_id,omitempty"`
	Queue  string   `json:"queue,omitempty"`
	Type   string   `json:"type,omitempty"`
	Kinds  []Kind   `json:"kinds,omitempty"`
	Limit  int      `json:"limit,omitempty"`
	Last   bool     `json:"last,omitempty"`         // the newest ones
	Wait   Duration `json:"wait_seconds,omitempty"` // when there is none yet
}

// FactsOut is a page of the journal in the order of seq.
type FactsOut struct {
	Facts []Fact `json:"facts"`
}

// ExplainIn asks why a task is not running.
type ExplainIn struct {
	ID int64 `json:"id"`
}

// ExplainOut says it in one sentence, in Code for programs, and in Next what
// to type.
type ExplainOut struct {
	ID       int64    `json:"id"`
	Status   string   `json:"status"`
	Code     string   `json:"code"` // claimable, scheduled, parked, blocked, paused, no_worker, behind, running, or a terminal status
	Sentence string   `json:"sentence"`
	Next     []string `json:"next,omitempty"`
}

// WaitIn waits until every task has ended, at most Wait long.
type WaitIn struct {
	IDs  []int64  `json:"ids"`
	Wait Duration `json:"wait_seconds,omitempty"`
}

// CancelIn cancels tasks; a running one is asked to stop, with Force it is
// taken from its holder now.
type CancelIn struct {
	IDs    []int64 `json:"ids"`
	Force  bool    `json:"force,omitempty"`
	Reason string  `json:"reason,omitempty"`

	// IfEpoch, here and below, guards a task that two people may act on at once:
	// it is changed only if it still stands at this epoch (Task.Epoch).
	IfEpoch *int64 `json:"if_epoch,omitempty"`
}

// RescueIn brings dead or cancelled tasks back with a fresh budget.
type RescueIn struct {
	IDs     []int64 `json:"ids"`
	IfEpoch *int64  `json:"if_epoch,omitempty"`
}

// RequeueIn makes scheduled and retrying tasks ready now, and rescues dead and
// cancelled ones.
type RequeueIn struct {
	IDs     []int64 `json:"ids"`
	IfEpoch *int64  `json:"if_epoch,omitempty"`
}

// DeleteIn deletes ended tasks that nothing waits for.
type DeleteIn struct {
	IDs     []int64 `json:"ids"`
	IfEpoch *int64  `json:"if_epoch,omitempty"`
}

// ChangeOut answers row by row, in the order of the input.
type ChangeOut struct {
	Tasks []ChangedTask `json:"tasks"`
}

// ChangedTask is the answer for one task.
type ChangedTask struct {
	ID              int64  `json:"id"`
	Status          Status `json:"status,omitempty"`
	Changed         bool   `json:"changed"`
	CancelRequested bool   `json:"cancel_requested,omitempty"`
	Error           *Error `json:"error,omitempty"`
}

// StatsIn asks for counts, in groups.
type StatsIn struct {
	Queue   string `json:"queue,omitempty"`
	Type    string `json:"type,omitempty"`
	Project string `json:"project,omitempty"`
	By      string `json:"by,omitempty"` // queue (default), type or project
}

// StatsOut is one row for each group and the sum.
type StatsOut struct {
	Queues  []Stats      `json:"queues"`
	Total   Stats        `json:"total"`
	Workers WorkerCounts `json:"workers"`

	// Parked are the scopes whose tasks wait for a limit or a fault to pass.
	Parked []Parked `json:"parked,omitempty"`

	// ClockJumps is how often the store's clock jumped by more than a second
	// while who answers was running (spec S10).
	ClockJumps int64 `json:"clock_jumps,omitempty"`
}

// Stats counts tasks by what they are doing.
type Stats struct {
	Queue         string   `json:"queue,omitempty"`
	Type          string   `json:"type,omitempty"`
	Project       string   `json:"project,omitempty"`
	Paused        bool     `json:"paused,omitempty"`
	Ready         int64    `json:"ready"`
	Scheduled     int64    `json:"scheduled"`
	Retrying      int64    `json:"retrying"` // of the scheduled
	Blocked       int64    `json:"blocked"`
	BlockedByDead int64    `json:"blocked_by_dead,omitempty"`
	Running       int64    `json:"running"`
	Completed     int64    `json:"completed"`
	Dead          int64    `json:"dead"`
	Cancelled     int64    `json:"cancelled"`
	OldestReady   Duration `json:"oldest_ready_seconds,omitempty"`
}

// WorkerCounts counts the registry. A worker is lost when it has not been seen
// for a minute.
type WorkerCounts struct {
	Busy int `json:"busy"`
	Idle int `json:"idle"`
	Lost int `json:"lost"`
}
