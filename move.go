package tq

import (
	"context"
	"errors"
	"time"
)

// What a store can be carried by into another one, row by row (tq copy, tq
// export). internal/move does it, docs/decisions/009-copy.md says how.

// Movable is a store whose content can be carried into another one, also of
// another engine. Ids, seqs, revs, epochs and the secret stay what they are, so
// tokens, cursors and keys hold on the other side.
type Movable interface {
	Store

	// Export calls each for tasks in the order of their ids, also for deleted
	// ones that facts are left of. All of a call is one snapshot. What each is
	// given is its own.
	Export(ctx context.Context, q ExportQuery, each func(*Whole) error) error

	// Ledger reads what belongs to no single task.
	Ledger(ctx context.Context) (Ledger, error)

	// Behind answers which tasks here may be behind those of the store that they
	// come from, though no fact of theirs says so, if those of ids have changed:
	// what waits for one of them, or for one whose dependants are still being
	// told, and what has come due.
	Behind(ctx context.Context, ids []int64) ([]int64, error)

	// Import writes in one transaction what a store that is being filled is
	// given. It may be repeated.
	Import(ctx context.Context, in Import) error

	// Moving reads the mark of a move, SetMove swaps it: invalid_state if it is
	// not was. A store is marked as being filled only while it has never been
	// used (invalid_state). When SetMove has answered, nobody writes any more
	// whom the new mark refuses; it is unavailable when it would have to wait for
	// somebody's transaction for long.
	Moving(ctx context.Context) (Move, error)
	SetMove(ctx context.Context, was, is Move) error
}

// Phase is how far a move has come, as one of its two stores sees it.
type Phase string

// The phases. Writers are refused while a store is held or filling, and once it
// has moved.
const (
	PhaseCopying Phase = "copying" // the source: writers go on; facts of deleted tasks are kept meanwhile
	PhaseHeld    Phase = "held"    // the source, for the last moment
	PhaseMoved   Phase = "moved"   // the source, for ever
	PhaseFilling Phase = "filling" // the target
	PhaseArrived Phase = "arrived" // the target, in use
)

// Move is the mark of a move. The zero value is that of a store that none has
// touched.
type Move struct {
	ID    string `json:"id,omitempty"`   // names the move on both sides
	Peer  string `json:"peer,omitempty"` // the other store: its address without secrets
	Phase Phase  `json:"phase,omitempty"`

	// Of a store that is being filled: tasks up to Next are in it, with all that
	// the journal said of them up to Seq.
	Next int64 `json:"next,omitempty"`
	Seq  int64 `json:"seq,omitempty"`
}

// Refusal is what writers are answered, nil if they may go on.
func (m Move) Refusal() error {
	switch m.Phase {
	case PhaseHeld:
		e := Errorf(CodeUnavailable, "%w", &MovedError{}).
			WithHint("wait a moment; should it last, run tq copy again: it goes on where it was")
		e.RetryAfter = heldRetry
		return e
	case PhaseMoved:
		return Errorf(CodeUnavailable, "%w", &MovedError{To: m.Peer}).WithHint("go on there: --db %s", m.Peer)
	case PhaseFilling:
		return Errorf(CodeUnavailable, "the store is being filled from %s", m.Peer).
			WithHint("wait for the end of it; if it was cut short, run the same command again")
	}
	return nil
}

// heldRetry is a good pause before a writer tries again that met a store in the
// last moment of a move.
const heldRetry = 50 * time.Millisecond

// MovedError is in the chain of what writers are answered whose store is being
// moved, and later was moved.
type MovedError struct {
	To string // where to go on; "" in the last moment before that
}

func (e *MovedError) Error() string {
	if e.To == "" {
		return "the store is being moved to another place"
	}
	return "the store was moved to " + e.To
}

// AsMoved answers the MovedError in the chain of err, nil if there is none.
func AsMoved(err error) *MovedError {
	var moved *MovedError
	if !errors.As(err, &moved) {
		return nil
	}
	return moved
}

// ExportQuery selects tasks: those of IDs, or Limit of those after After. The
// zero value selects all.
type ExportQuery struct {
	IDs   []int64
	After int64
	Limit int
}

// Import is what a store that is being filled is given at once. Tasks replace
// what is there of theirs.
type Import struct {
	Was, Is Move // the mark before it and after it
	Secret  []byte
	Tasks   []Whole
	Fresh   bool // none of Tasks is there yet
	Acts    []Fact
	Ledger  *Ledger // comes last
}

// Whole is all that a store keeps of one task.
type Whole struct {
	ID      int64  `json:"id"`
	Queue   string `json:"queue"`
	Type    string `json:"type"`
	Project string `json:"project,omitempty"`

	Asked *Asked      `json:"asked,omitempty"` // nil: it was deleted, facts are left
	Facts []WholeFact `json:"facts,omitempty"` // by rev; none: it stands in the inbox
	Keyed bool        `json:"keyed,omitempty"` // it holds its key
	Inbox string      `json:"inbox,omitempty"` // who enqueued it within a transaction of his own
	Waits []WholeWait `json:"waits,omitempty"` // blocked: for these
	Lease *WholeLease `json:"lease,omitempty"` // running

	// Told is set while dependants of an ended task have not all heard of it:
	// those up to this id have.
	Told *int64 `json:"told,omitempty"`
}

// Asked is what was asked for at enqueue, the defaults filled in.
type Asked struct {
	Payload        string       `json:"payload,omitempty"` // the JSON text as it came, byte for byte
	Tags           []string     `json:"tags,omitempty"`
	Priority       int          `json:"priority,omitempty"`
	MaxAttempts    int          `json:"max_attempts"`
	CreatedAt      Time         `json:"created_at"`
	RunAt          Time         `json:"run_at"`
	Timeout        Duration     `json:"timeout_seconds,omitempty"`
	Backoff        *Backoff     `json:"backoff,omitempty"`
	IdempotencyKey string       `json:"idempotency_key,omitempty"`
	KeyUntil       KeyUntil     `json:"key_until,omitempty"`
	Deps           []int64      `json:"deps,omitempty"`
	OnDepFailure   OnDepFailure `json:"on_dep_failure,omitempty"`
	Parent         int64        `json:"parent,omitempty"`
	Traceparent    string       `json:"traceparent,omitempty"`
}

// WholeFact is a fact with what the store knows beside it. Its task, queue,
// type and project are those of its Whole.
type WholeFact struct {
	Seq      int64      `json:"seq"`
	Rev      int64      `json:"rev"`
	Kind     Kind       `json:"kind"`
	Status   Status     `json:"status"`
	Settles  bool       `json:"settles,omitempty"`
	Epoch    int64      `json:"epoch,omitempty"`
	Attempt  int        `json:"attempt,omitempty"`
	Releases int        `json:"releases,omitempty"`
	Cancel   bool       `json:"cancel,omitempty"`
	Place    int64      `json:"place,omitempty"` // its place in line while it is ready, or was before it ran; 0: none
	Due      Time       `json:"due,omitzero"`    // claimable from then on, as last set
	At       Time       `json:"at"`
	Actor    string     `json:"actor,omitempty"`
	Hash     []byte     `json:"hash,omitempty"` // of a settling fact, see SettleHash
	Detail   FactDetail `json:"detail,omitzero"`
	Body     *string    `json:"body,omitempty"` // result of completed, text of failed; nil when empty
}

// WholeWait is one task that another waits for; Stuck: it is dead.
type WholeWait struct {
	ID    int64 `json:"id"`
	Stuck bool  `json:"stuck,omitempty"`
}

// WholeLease is the lease of a running task.
type WholeLease struct {
	Worker   string   `json:"worker,omitempty"`
	Owner    string   `json:"owner,omitempty"`
	ClaimID  string   `json:"claim_id,omitempty"`
	Length   Duration `json:"lease_seconds"`
	Until    Time     `json:"until"`
	Deadline Time     `json:"deadline,omitzero"` // of the attempt
}

// Last is its newest fact; nil while it stands in the inbox.
func (w *Whole) Last() *WholeFact {
	if len(w.Facts) == 0 {
		return nil
	}
	return &w.Facts[len(w.Facts)-1]
}

// Stuck counts those of Waits that are dead.
func (w *Whole) Stuck() int {
	stuck := 0
	for _, d := range w.Waits {
		if d.Stuck {
			stuck++
		}
	}
	return stuck
}

// Held is the index in Facts from which on its lease holds it, −1 if none does.
func (w *Whole) Held() int {
	if w.Lease == nil || w.Last() == nil {
		return -1
	}
	for i := len(w.Facts) - 1; i >= 0; i-- {
		if w.Facts[i].Kind == FactClaimed {
			return i
		}
	}
	return -1
}

// Ledger is what belongs to no single task.
type Ledger struct {
	LastSeq int64            `json:"last_seq"` // no seq and no id up to these is given out again
	LastID  int64            `json:"last_id"`
	Paused  []string         `json:"paused,omitempty"`
	Counts  []LineCount      `json:"counts,omitempty"`  // as kept, also of what has come due since
	Cursors map[string]int64 `json:"cursors,omitempty"` // of retention: completed, cancelled, dead and deleted, those of single queues behind a slash
	Workers []WorkerRow      `json:"workers,omitempty"`
	Tokens  []Token          `json:"-"`
	Loose   []int64          `json:"-"` // running tasks and those in the inbox: they change without a fact
}
