package tq

// What administers a store: looking it over, access tokens, queues, workers. The
// rest of what Client takes and answers is in client.go.

// CheckIn asks to walk the whole store.
type CheckIn struct{}

// CheckOut names every broken invariant; OK when there is none.
type CheckOut struct {
	OK         bool        `json:"ok"`
	Violations []Violation `json:"violations"`
}

// CreateTokenIn asks for an access token.
type CreateTokenIn struct {
	Name    string   `json:"name"`
	Can     []Scope  `json:"can"`
	Queues  []string `json:"queues"`                    // names, patterns such as shop:*, or *
	Types   []string `json:"types,omitempty"`           // default *, which is all but sh and agent
	MaxOpen int64    `json:"max_open,omitempty"`        // open tasks in its queues, see Rights; 0: no limit
	Expires Duration `json:"expires_seconds,omitempty"` // 0: never
}

// CreateTokenOut is the new token. Secret is shown this once.
type CreateTokenOut struct {
	Token
	Secret string `json:"token"`
}

// TokensIn asks for the access tokens.
type TokensIn struct{}

// TokensOut lists them by name; no secrets.
type TokensOut struct {
	Tokens []Token `json:"tokens"`
}

// RevokeTokenIn ends an access token now.
type RevokeTokenIn struct {
	ID string `json:"id"`
}

// RevokeTokenOut is empty.
type RevokeTokenOut struct{}

// RotateTokenIn asks for a new token with the name and rights of another, which
// is good for Overlap longer.
type RotateTokenIn struct {
	ID      string   `json:"id"`
	Overlap Duration `json:"overlap_seconds,omitempty"`
	Expires Duration `json:"expires_seconds,omitempty"` // default: as long as the old one was given
}

// QueueIn names a queue.
type QueueIn struct {
	Queue string `json:"queue"`
}

// QueueOut says whether the queue is paused now.
type QueueOut struct {
	Queue  string `json:"queue"`
	Paused bool   `json:"paused"`
}

// PurgeOut counts what a purge did: ended and waiting tasks deleted, those kept
// because tasks elsewhere wait for them, those still running.
type PurgeOut struct {
	Queue   string `json:"queue"`
	Deleted int    `json:"deleted"`
	Kept    int    `json:"kept"`
	Running int    `json:"running"`
}

// WorkersIn asks for the registry.
type WorkersIn struct{}

// WorkersOut lists workers, newest seen first.
type WorkersOut struct {
	Workers []WorkerView `json:"workers"`
}

// WorkerView is a worker as people see it. State is polling, busy, draining or
// lost.
type WorkerView struct {
	WorkerRow
	State  string      `json:"state"`
	Leases []HeldLease `json:"leases,omitempty"` // of what it is running
}

// HeldLease is a task that a worker is running, and how long its lease has left.
type HeldLease struct {
	TaskID   int64     `json:"task_id"`
	Queue    string    `json:"queue"`
	Type     string    `json:"type"`
	Attempt  int       `json:"attempt"`
	Until    Time      `json:"until"`
	Left     Duration  `json:"seconds_left"`
	Progress *Progress `json:"progress,omitempty"`
}

// RemoveWorkerIn takes a worker out of the registry; its leases end at once.
type RemoveWorkerIn struct {
	ID string `json:"id"`
}

// RemoveWorkerOut is empty.
type RemoveWorkerOut struct{}
