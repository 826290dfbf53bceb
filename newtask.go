package tq

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// NewTask is what a producer asks for. Only Type is required. What breaks a limit
// is refused as invalid, a payload as too_large.
type NewTask struct {
	Type    string          `json:"type"`              // says who can run it; at most MaxTypeName bytes
	Queue   string          `json:"queue,omitempty"`   // at most MaxQueueName bytes; default DefaultQueue
	Payload json.RawMessage `json:"payload,omitempty"` // any JSON, at most MaxPayload bytes, kept byte for byte
	Project string          `json:"project,omitempty"` // to group and count by; at most MaxProject bytes
	Tags    []string        `json:"tags,omitempty"`    // to find it by; at most MaxTags of MaxTag bytes

	Priority    int      `json:"priority,omitempty"`        // high first, within its queue; MinPriority to MaxPriority
	Delay       Duration `json:"delay_seconds,omitempty"`   // not claimable before; 0 to MaxDelay
	RunAt       Time     `json:"run_at,omitzero"`           // instead of Delay; the past means now
	MaxAttempts int      `json:"max_attempts,omitempty"`    // 1 to MaxAttempts; default DefaultMaxAttempts
	Timeout     Duration `json:"timeout_seconds,omitempty"` // of one attempt, to MaxTimeout; 0 is none; a worker stops it a moment before
	Backoff     *Backoff `json:"backoff,omitempty"`         // the wait before a retry; default: that of the zero Backoff

	// IdempotencyKey makes a repeat answer with the first task, changed in
	// nothing, until that task is deleted or, with KeyUntil terminal, ends. It
	// belongs to the queue, and has at most MaxKey bytes.
	IdempotencyKey string     `json:"idempotency_key,omitempty"`
	KeyUntil       KeyUntil   `json:"key_until,omitempty"`
	OnMismatch     OnMismatch `json:"on_mismatch,omitempty"`

	// Deps are at most MaxDeps tasks that have to complete before this one is
	// claimable; OnDepFailure says what becomes of it when one does not.
	Deps         []Ref        `json:"deps,omitempty"`
	OnDepFailure OnDepFailure `json:"on_dep_failure,omitempty"` // default DepBlock
	Parent       int64        `json:"parent,omitempty"`         // id of the task it is a part of; nobody waits

	// Traceparent is the trace that the task belongs to, as W3C Trace Context
	// writes it; its attempts continue it.
	Traceparent string `json:"traceparent,omitempty"`
}

// KeyUntil says how long an idempotency key is taken.
type KeyUntil string

// OnMismatch says what a repeated key with another body answers.
type OnMismatch string

// The choices for keys (spec S18, S19).
const (
	KeyUntilDeleted  KeyUntil   = "deleted"  // the default
	KeyUntilTerminal KeyUntil   = "terminal" // free again when the task ends
	MismatchExisting OnMismatch = "existing" // the default: answer the first task with mismatch: true
	MismatchError    OnMismatch = "error"    // refuse with idempotency_mismatch
)

// Normal returns n with its defaults filled in, ready to be stored, or the
// first rule it breaks (code invalid or too_large, naming the field).
func (n NewTask) Normal() (NewTask, error) {
	if n.Queue == "" {
		n.Queue = DefaultQueue
	}
	if n.MaxAttempts == 0 {
		n.MaxAttempts = DefaultMaxAttempts
	}
	if n.OnDepFailure == "" {
		n.OnDepFailure = DepBlock
	}
	if n.KeyUntil == "" {
		n.KeyUntil = KeyUntilDeleted
	}
	if n.OnMismatch == "" {
		n.OnMismatch = MismatchExisting
	}
	if n.Type == TypeShell && len(n.Payload) > 0 {
		n.Payload = ShellPayload(n.Payload)
	}
	n.Payload = bareJSON(n.Payload)
	if !n.RunAt.IsZero() {
		n.RunAt = At(n.RunAt.Time)
	}
	if err := n.validate(); err != nil {
		return NewTask{}, err
	}
	n.Deps = uniqueRefs(n.Deps)
	return n, nil
}

func (n *NewTask) validate() error {
	checks := []*Error{
		checkName("type", n.Type, MaxTypeName),
		CheckQueue("queue", n.Queue),
		checkLabel("project", n.Project, MaxProject),
		CheckJSON("payload", n.Payload, MaxPayload),
		checkTags(n.Tags),
		checkRange("priority", n.Priority, MinPriority, MaxPriority),
		checkWhen(n.Delay, n.RunAt),
		checkRange("max_attempts", n.MaxAttempts, 1, MaxAttempts),
		checkDuration("timeout_seconds", n.Timeout, 0, MaxTimeout),
		n.Backoff.check(),
		checkLabel("idempotency_key", n.IdempotencyKey, MaxKey),
		checkWord("key_until", string(n.KeyUntil), string(KeyUntilDeleted), string(KeyUntilTerminal)),
		checkWord("on_mismatch", string(n.OnMismatch), string(MismatchExisting), string(MismatchError)),
		checkDeps(n.Deps),
		checkWord("on_dep_failure", string(n.OnDepFailure), string(DepBlock), string(DepCancel), string(DepRun)),
		checkParent(n.Parent),
		checkTraceparent(n.Traceparent),
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckQueue says what is wrong with a queue's name, or nil.
func CheckQueue(field, name string) *Error {
	if queueName.MatchString(name) {
		return nil
	}
	return invalidField(field, "invalid_queue",
		"%s is not a queue name: 1 to %d letters, digits and ._:/-, the first a letter or digit", quote(name), MaxQueueName)
}

// queueName is spec S26's pattern. Compiled once; it never changes.
var queueName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$`)

func checkName(field, s string, limit int) *Error {
	if s == "" {
		return invalidField(field, "required", "is required")
	}
	return checkLabel(field, s, limit)
}

// checkLabel holds a short text to its limit: UTF-8 without control characters.
func checkLabel(field, s string, limit int) *Error {
	switch {
	case len(s) > limit:
		return invalidField(field, "too_long", "is %d bytes, the limit is %d", len(s), limit)
	case !utf8.ValidString(s):
		return invalidField(field, "invalid_utf8", "is not valid UTF-8")
	case strings.ContainsFunc(s, isControl):
		return invalidField(field, "control_character", "has a control character")
	}
	return nil
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

func checkTags(tags []string) *Error {
	if len(tags) > MaxTags {
		return invalidField("tags", "too_many", "are %d, the limit is %d", len(tags), MaxTags)
	}
	for i, tag := range tags {
		if err := checkName("tags."+strconv.Itoa(i), tag, MaxTag); err != nil {
			return err
		}
	}
	return nil
}

func checkRange(field string, v, low, high int) *Error {
	if v >= low && v <= high {
		return nil
	}
	return invalidField(field, "out_of_range", "is %d, want %d to %d", v, low, high)
}

func checkDuration(field string, d Duration, low, high time.Duration) *Error {
	if d.Std() >= low && d.Std() <= high {
		return nil
	}
	return invalidField(field, "out_of_range", "is %s, want %s to %s seconds",
		secondsText(d.Std()), secondsText(low), secondsText(high))
}

func secondsText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

func checkWhen(delay Duration, at Time) *Error {
	if !at.IsZero() && delay != 0 {
		return invalidField("run_at", "conflict_fields", "give delay_seconds or run_at, not both")
	}
	if !at.IsZero() && (at.Year() < 1 || at.Year() > 9998) {
		return invalidField("run_at", "out_of_range", "is in the year %d, want 0001 to 9998", at.Year())
	}
	return checkDuration("delay_seconds", delay, 0, MaxDelay)
}

func checkWord(field, s string, words ...string) *Error {
	for _, w := range words {
		if s == w {
			return nil
		}
	}
	return invalidField(field, "unknown_value", "is %s, want %s", quote(s), strings.Join(words, " or "))
}

func checkParent(id int64) *Error {
	if id >= 0 {
		return nil
	}
	return invalidField("parent", "out_of_range", "is %d, want a task id", id)
}

func checkTraceparent(s string) *Error {
	if s == "" || ValidTraceparent(s) {
		return nil
	}
	return invalidField("traceparent", "malformed", "is %s, want one like 00-<32 hex digits>-<16 hex digits>-01", quote(s))
}

// ValidTraceparent reports whether s is a traceparent of version 00.
func ValidTraceparent(s string) bool { return traceparent.MatchString(s) }

// traceparent is W3C Trace Context's pattern. Compiled once; it never changes.
var traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

func checkDeps(deps []Ref) *Error {
	if len(deps) > MaxDeps {
		return invalidField("deps", "too_many", "are %d, the limit is %d", len(deps), MaxDeps)
	}
	for i, ref := range deps {
		if _, err := ref.parse(); err != nil {
			return invalidField("deps."+strconv.Itoa(i), "unknown_value", "is %s, %s", quote(string(ref)), err)
		}
	}
	return nil
}

func uniqueRefs(refs []Ref) []Ref {
	seen := make(map[Ref]bool, len(refs))
	var out []Ref
	for _, r := range refs {
		if !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}

// quote shows a value inside an error: as Go would write it, and never long.
func quote(s string) string {
	const limit = 60
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strconv.Quote(s)
}
