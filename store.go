package tq

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Store keeps tasks and their journal. It is the only seam downwards: each
// engine implements it, store/storetest says what it means.
//
// A store decides nothing about tasks. It finds rows, asks Next or Birth what
// becomes of them, and writes the answer and its facts in one transaction, only
// if what it read still holds. Its clock is the only clock. Success is answered
// after the commit is durable. Every method is safe for concurrent use, and its
// errors are *Error where the caller can do something about them.
type Store interface {
	// Info describes the store and hands out the secret that signs tokens.
	Info() StoreInfo

	// Enqueue writes all tasks or none (T1). The tasks went through Normal.
	Enqueue(ctx context.Context, tasks []NewTask, actor string) ([]Enqueued, error)

	// Claim leases up to q.Max tasks (T3), in the order of spec S22 within a
	// queue and in turn over queues (S47). It first makes due tasks ready and,
	// when it would return none, expires what has run out. A ClaimID that was
	// used before answers with those of its tasks that are still held (S14).
	Claim(ctx context.Context, q ClaimQuery) (Claims, error)

	// Change applies one event to each of many tasks, row by row: one that is
	// refused has its Err set and holds back no other. With a settling event it
	// looks up State.Settled and passes it on. It also takes the first
	// MaxCascade dependants of what ended (T2, T17).
	Change(ctx context.Context, changes []Change) ([]Changed, error)

	// Extend renews leases. When every task still held of a claim is named, and
	// no note is given, only the lease row is written; else each task gets a
	// heartbeat fact and, if its claim was not whole, a lease of its own (T4).
	Extend(ctx context.Context, x Extension) ([]Changed, error)

	// Sweep does a bounded bite of what is due: expired leases, tasks whose
	// run_at has come, waiting cascades, dead tasks whose cause has no name yet,
	// retention. It may run anywhere, any number of times at once.
	Sweep(ctx context.Context, keep Retention) (Swept, error)

	// Tasks reads tasks, newest first, or one by id.
	Tasks(ctx context.Context, q TaskQuery) (TaskPage, error)

	// Facts reads the journal in the order of Seq; a reader that goes on from
	// the last Seq it saw misses none and sees none twice (S35).
	Facts(ctx context.Context, q FactQuery) ([]Fact, error)

	// Queues counts tasks by status, one row for each (queue, type, project)
	// that was ever used, and lists the queues that are paused.
	Queues(ctx context.Context) (Census, error)

	// Causes counts dead tasks by what they died of: each exactly once, from an
	// index, however many there are.
	Causes(ctx context.Context, q CauseQuery) (Causes, error)

	// Series answers what was counted in steps of time: of every fact exactly
	// once, also of those that are gone by now, for as long as RollupSteps says.
	Series(ctx context.Context, q SeriesQuery) (Rollups, error)

	// SetQueue pauses or resumes a queue, or purges a bite of it (S46).
	SetQueue(ctx context.Context, c QueueChange) (QueueChanged, error)

	// Workers lists the registry; RemoveWorker takes a row out of it and ends
	// the leases it holds at once (S15), not_found when there is none.
	Workers(ctx context.Context) ([]WorkerRow, error)
	RemoveWorker(ctx context.Context, id, actor string) error

	// Tokens lists the access tokens, SetToken changes them.
	Tokens(ctx context.Context) ([]Token, error)
	SetToken(ctx context.Context, c TokenChange) error

	// Check walks the whole store and names every broken invariant (spec §8).
	Check(ctx context.Context) ([]Violation, error)

	// Watch calls news after each commit, by this process or another, that may
	// have made something claimable or ended a task, until ctx ends; and once at
	// its beginning, for what was committed before anybody listened. news must
	// not block.
	Watch(ctx context.Context, news func(News)) error

	// Close answers what was asked for before, ends every Watch and lets go of
	// the database. Later calls are unavailable.
	Close() error
}

// StoreInfo describes a store.
type StoreInfo struct {
	Engine     string // "sqlite", "postgres", "memory"
	Place      string // file or host, without secrets
	Durability string // "full", or "relaxed" when success may be lost in a power cut
	Secret     []byte // signs lease tokens; at least 32 bytes
	Now        func() time.Time
}

// Enqueued is the answer to one NewTask.
type Enqueued struct {
	ID       int64  `json:"id"`
	Status   Status `json:"status"`
	Existed  bool   `json:"existed,omitempty"`
	Mismatch bool   `json:"mismatch,omitempty"` // the key was used with another body
}

// ClaimQuery asks for tasks to run.
type ClaimQuery struct {
	Queues   []string // none: every queue
	Types    []string // none: every type but those in NotTypes
	NotTypes []string
	Project  string // "" : any
	Max      int
	Lease    time.Duration
	Worker   WorkerInfo // its registry row is written along; ID may be empty
	ClaimID  string     // makes the claim repeatable
	Owner    string     // on whose behalf, for people
	After    string     // the queue that was served last: the next one has its turn
	Only     *Rights    // takes no other tasks; nil: any
}

// Claims is what a claim got.
type Claims struct {
	Tasks   []Claimed
	Paused  []string      // of the queues asked for (all, if none were named)
	NextDue time.Duration // when nothing came: until the next of these tasks is due; 0 unknown or none
}

// Claimed is one task with what its holder needs to know.
type Claimed struct {
	Task  Task
	Lease time.Duration // left of it
}

// Change asks for one event on one task.
type Change struct {
	TaskID int64
	Event  Event
	Arg    Arg
	Actor  string
	Body   []byte  // kept with the fact: the result of complete, the text of fail
	Only   *Rights // knows no other tasks; nil: all
}

// Extension asks for leases to be renewed, or for progress to be noted.
type Extension struct {
	Leases []LeaseRef
	Lease  time.Duration // 0 leaves the leases as they are and only notes progress
	Worker WorkerInfo    // its registry row is written along; ID may be empty
	Actor  string
	Only   *Rights // knows no other tasks; nil: all
}

// LeaseRef names one held task.
type LeaseRef struct {
	TaskID   int64
	Epoch    int64
	Progress *Progress // a note makes it a fact
}

// Changed is the answer to one Change or LeaseRef.
type Changed struct {
	State    State
	Facts    []StepFact // what was written; none when nothing changed
	RunAt    Time       // of a pending task
	Until    Time       // of a running task: its lease
	Left     time.Duration
	Replayed bool
	Late     bool
	Err      error // why this row changed nothing
}

// Retention says how long ended tasks and old facts are kept; negative is for
// ever, zero the default (KeepEnded, for ever for dead tasks, KeepFacts).
type Retention struct {
	Completed time.Duration
	Cancelled time.Duration
	Dead      time.Duration
	Facts     time.Duration   // after the task's deletion
	Queues    map[string]Keep // where it is otherwise; MaxKeepQueues of them
}

// Keep says how long the ended tasks of one queue are kept; negative is for
// ever, zero as long as those of other queues.
type Keep struct {
	Completed time.Duration
	Cancelled time.Duration
	Dead      time.Duration
}

// Of is how long tasks of that queue and terminal status are kept; negative is
// for ever. The queue "" stands for all that Queues does not name.
func (r Retention) Of(queue string, s Status) time.Duration {
	own := r.Queues[queue].of(s)
	usual := Keep{r.Completed, r.Cancelled, r.Dead}.of(s)
	switch s {
	case Completed, Cancelled:
		return cmp.Or(own, usual, KeepEnded)
	case Dead:
		return cmp.Or(own, usual, -1)
	}
	return -1
}

// Apart names the queues that keep tasks of that status for a time of their
// own, in order.
func (r Retention) Apart(s Status) []string {
	var queues []string
	for queue, keep := range r.Queues {
		if keep.of(s) != 0 {
			queues = append(queues, queue)
		}
	}
	slices.Sort(queues)
	return queues
}

func (k Keep) of(s Status) time.Duration {
	switch s {
	case Completed:
		return k.Completed
	case Cancelled:
		return k.Cancelled
	case Dead:
		return k.Dead
	}
	return 0
}

// Swept says what a bite did.
type Swept struct {
	Expired int
	Due     int
	Cascade int
	Deleted int
	More    bool          // a full bite: call again at once
	NextDue time.Duration // until something is due; 0 when nothing is
}

// TaskQuery selects tasks. Zero fields select all.
type TaskQuery struct {
	IDs      []int64
	Queue    string
	Status   string // a Status or a label
	Type     string
	Project  string
	Parent   int64
	Key      string
	Cause    string  // fingerprint of what a dead one died of; Where picks by it too
	Search   string  // part of the payload or the last error
	Where    *Filter // selects of those, by Picks; nil: all
	Before   int64   // page on: ids below this one
	Limit    int
	Payload  bool    // fill Payload and Result
	Relation bool    // fill Deps and Children
	Only     *Rights // knows no other tasks, and shows no results of theirs; nil: all
}

// TaskPage is a page of tasks, newest first.
type TaskPage struct {
	Tasks    []Task
	More     bool // a next page may exist: go on with Before = Next
	Next     int64
	Searched int // rows looked at, when the search was cut short
}

// FactQuery selects facts.
type FactQuery struct {
	After  int64 // Seq above this
	TaskID int64
	Queue  string
	Type   string
	Kinds  []Kind
	Limit  int
	Last   bool    // the newest Limit of them, still in the order of Seq
	Only   *Rights // of no other tasks, and acts on no other queues; nil: all
}

// Census is the count of everything.
type Census struct {
	Lines  []LineCount
	Paused []string
}

// LineCount counts the tasks of one queue, type and project.
type LineCount struct {
	Queue, Type, Project string
	Ready, Scheduled     int64
	Retrying             int64 // of the scheduled, those with an attempt behind them
	Blocked              int64
	BlockedByDead        int64
	Running              int64
	Completed            int64
	Dead                 int64
	Cancelled            int64
	OldestReady          Time // when its oldest ready task became so
}

// QueueChange is one administrative act on a queue.
type QueueChange struct {
	Queue string
	Pause *bool
	Purge bool  // cancel and delete a bite; the act's fact is written with the last
	After int64 // purge: where the last bite ended
	Actor string
	Only  *Rights // purges no other tasks; nil: all
}

// QueueChanged is the answer to a QueueChange.
type QueueChanged struct {
	Deleted, Kept, Running int
	Next                   int64 // purge: more to do from here; 0 when done
}

// WorkerInfo is what a worker says of itself.
type WorkerInfo struct {
	ID       string   `json:"id,omitempty"` // one running incarnation, fresh at each start
	Name     string   `json:"name,omitempty"`
	Host     string   `json:"host,omitempty"`
	Version  string   `json:"version,omitempty"`
	Types    []string `json:"types,omitempty"`
	Queues   []string `json:"queues,omitempty"`
	Slots    int      `json:"slots,omitempty"`
	Draining bool     `json:"draining,omitempty"`
}

// WorkerRow is a worker in the registry.
type WorkerRow struct {
	WorkerInfo
	Owner     string  `json:"owner,omitempty"`
	StartedAt Time    `json:"started_at"`
	SeenAt    Time    `json:"seen_at"`
	Running   []int64 `json:"running,omitempty"`
}

// Violation is one broken invariant of spec §8.
type Violation struct {
	Invariant string `json:"invariant"` // I1 … I13
	TaskID    int64  `json:"task_id,omitempty"`
	Detail    string `json:"detail"`
}

// News says what a commit may have changed for those who wait.
type News struct {
	Ready []Place // became claimable
	Ended bool    // a task reached a terminal status
	Due   Time    // something was put off until then: a run_at or a lease
	Other bool    // another process committed: anything may have changed
}

// Place is where tasks became claimable, and how many.
type Place struct {
	Queue, Type, Project string
	N                    int
}
