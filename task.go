package tq

import (
	"encoding/json"
	"strconv"
	"time"
)

// Status is where a task stands. It changes only through Next (lifecycle.go).
type Status string

// The stored statuses; the last three are terminal.
const (
	Blocked   Status = "blocked"   // waits for dependencies
	Pending   Status = "pending"   // claimable once run_at has come
	Running   Status = "running"   // leased to a worker
	Completed Status = "completed" // done, result kept
	Dead      Status = "dead"      // out of attempts or given up: kept, rescuable
	Cancelled Status = "cancelled"
)

// Labels are shown and may be filtered by, but never stored: a pending task is
// ready when its run_at has come and scheduled before; scheduled with an
// attempt behind it is retrying.
const (
	Ready     = "ready"
	Scheduled = "scheduled"
	Retrying  = "retrying"
)

// Terminal reports whether s is an end: completed, dead or cancelled.
func (s Status) Terminal() bool { return s == Completed || s == Dead || s == Cancelled }

// Statuses lists the stored statuses in the order of a task's life.
func Statuses() []Status {
	return []Status{Blocked, Pending, Running, Completed, Dead, Cancelled}
}

// Task is one unit of work as every door shows it. Absent JSON fields are zero.
type Task struct {
	ID             int64           `json:"id"`
	Queue          string          `json:"queue"`
	Type           string          `json:"type"`
	Project        string          `json:"project,omitempty"`
	Tags           []string        `json:"tags,omitempty"`
	Status         Status          `json:"status"`
	Priority       int             `json:"priority"`
	Payload        json.RawMessage `json:"payload,omitempty"` // the bytes that were enqueued
	IdempotencyKey string          `json:"idempotency_key,omitempty"`

	Attempt     int      `json:"attempt"`      // claims counted in its budget, for people
	MaxAttempts int      `json:"max_attempts"` // the budget
	Epoch       int64    `json:"epoch"`        // the fence: counted over its whole life, never reset
	RunAt       Time     `json:"run_at"`       // not claimable before
	Timeout     Duration `json:"timeout_seconds,omitempty"`
	Backoff     *Backoff `json:"backoff,omitempty"`

	CreatedAt Time `json:"created_at"`
	StartedAt Time `json:"started_at,omitzero"` // of the newest attempt
	EndedAt   Time `json:"ended_at,omitzero"`

	Result    json.RawMessage `json:"result,omitempty"`
	LastError string          `json:"last_error,omitempty"`
	Reason    string          `json:"reason,omitempty"` // why it is dead or cancelled

	Progress        *Progress `json:"progress,omitempty"`
	CancelRequested bool      `json:"cancel_requested,omitempty"`

	Parent       int64          `json:"parent,omitempty"`
	Traceparent  string         `json:"traceparent,omitempty"` // the trace it belongs to
	Children     map[Status]int `json:"children,omitempty"`    // descendants by status, up to MaxTree of them
	Deps         []Dep          `json:"deps,omitempty"`
	OnDepFailure OnDepFailure   `json:"on_dep_failure,omitempty"`
	Lease        *Lease         `json:"lease,omitempty"`

	report func(Progress)
}

// Label is the word people see: the status, or ready, scheduled, retrying for a
// pending task at the instant now.
func (t *Task) Label(now time.Time) string {
	switch {
	case t.Status != Pending:
		return string(t.Status)
	case !t.RunAt.After(now):
		return Ready
	case t.Attempt > 0:
		return Retrying
	}
	return Scheduled
}

// Report tells the queue how far a running attempt has come: fraction from 0 to
// 1, note at most MaxDetail bytes, both optional. It never blocks; of reports
// in quick succession the newest is sent. Outside a worker it does nothing.
func (t *Task) Report(fraction float64, note string) {
	if t.report != nil {
		t.report(Progress{Fraction: fraction, Note: note})
	}
}

// Progress is the newest report of a running attempt.
type Progress struct {
	At       Time    `json:"at,omitzero"`
	Fraction float64 `json:"fraction,omitempty"`
	Note     string  `json:"note,omitempty"`
}

// Dep is one task that another waits for. One that was deleted keeps the status
// it ended with for as long as its facts are there, and has none afterwards.
type Dep struct {
	ID     int64           `json:"id"`
	Status Status          `json:"status,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// Lease says who holds a running task and for how long. The token is never here.
type Lease struct {
	Worker      string   `json:"worker,omitempty"` // id of the incarnation that holds it, see WorkerRow
	Owner       string   `json:"owner,omitempty"`
	Until       Time     `json:"until"`
	SecondsLeft Duration `json:"seconds_left"`
}

// OnDepFailure says what becomes of a task when one it waits for ends badly.
type OnDepFailure string

// The policies of spec S32.
const (
	DepBlock  OnDepFailure = "block"  // wait on: a rescue of the dead dependency resumes it; a cancelled one cancels it
	DepCancel OnDepFailure = "cancel" // cancel it, and in turn what waits for it
	DepRun    OnDepFailure = "run"    // any end satisfies it
)

// Ref names a task in NewTask.Deps: an id ("42"), a key in the new task's
// queue ("key:shard-07"), or an earlier row of the same batch ("$0").
type Ref string

// ID makes the Ref of a task's id.
func ID(id int64) Ref { return Ref(strconv.FormatInt(id, 10)) }

// MarshalJSON writes an id as a number and the other forms as strings.
func (r Ref) MarshalJSON() ([]byte, error) {
	if _, err := strconv.ParseInt(string(r), 10, 64); err == nil {
		return []byte(r), nil
	}
	return json.Marshal(string(r))
}

// UnmarshalJSON reads a number or a string.
func (r *Ref) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' {
		*r = Ref(b)
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*r = Ref(s)
	return nil
}
