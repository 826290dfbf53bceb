package ops

import (
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
)

// One name, one meaning: what a field is, wherever it stands, and its limits.
// The limits are here for readers and generators; the hall enforces them.

// word is what is known of all fields of one name.
type word struct {
	text    string
	low     *float64
	high    *float64
	longest int // characters of text, rows of a list
	example any
	pattern string
	some    bool // text that is given is not empty
}

func (w word) apply(s *jsonschema.Schema) {
	s.Description = w.text
	isText := s.Type == "string"
	isNumber := s.Type == "number" || s.Type == "integer"
	isList := s.Type == "array" || slices.Contains(s.Types, "array")
	switch {
	case isNumber:
		s.Minimum, s.Maximum = w.low, w.high
	case isText && w.longest > 0:
		s.MaxLength = jsonschema.Ptr(w.longest)
	case isList && w.longest > 0:
		s.MaxItems = jsonschema.Ptr(w.longest)
	}
	if isText {
		s.Pattern = w.pattern
	}
	if isText && w.some {
		s.MinLength = jsonschema.Ptr(1)
	}
	if w.example != nil && len(s.Enum) == 0 {
		s.Examples = []any{w.example}
	}
}

func seconds(low, high time.Duration, text string) word {
	l, h := low.Seconds(), high.Seconds()
	return word{text: text, low: &l, high: &h}
}

func number(low, high int, text string) word {
	l, h := float64(low), float64(high)
	return word{text: text, low: &l, high: &h}
}

// count is a number that is not negative.
func count(text string) word { return word{text: text, low: new(float64)} }

func text(longest int, text string) word { return word{text: text, longest: longest} }
func plain(text string) word             { return word{text: text} }

// name is a text that may be left out, but not given as nothing.
func name(longest int, text string) word { return word{text: text, longest: longest, some: true} }

const queuePattern = `^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$`

// fieldWords is every name that inputs and answers use.
func fieldWords() map[string]word {
	all := map[string]word{}
	for _, chapter := range []map[string]word{taskWords(), leaseWords(), askWords(), answerWords()} {
		for name, w := range chapter {
			all[name] = w
		}
	}
	return all
}

func taskWords() map[string]word {
	return map[string]word{
		"id":              plain("The id of the task, or of the worker."),
		"ids":             text(tq.MaxBatch, "Ids of tasks."),
		"tasks":           text(tq.MaxBatch, "Tasks."),
		"type":            {text: "Which handler runs it: sh, http, agent, or a name of your own.", longest: tq.MaxTypeName, example: "build", some: true},
		"queue":           {text: "The queue's name.", pattern: queuePattern, example: "default", some: true},
		"payload":         plain("Any JSON, at most 131072 bytes, kept byte for byte. Of type sh it is a command line."),
		"project":         text(tq.MaxProject, "The repository or tenant that the task belongs to: a label."),
		"tags":            text(tq.MaxTags, "Labels, at most 64 bytes each."),
		"priority":        number(tq.MinPriority, tq.MaxPriority, "Higher comes first; default 0."),
		"delay_seconds":   seconds(0, tq.MaxDelay, "Not claimable before so many seconds have gone by."),
		"run_at":          plain("Not claimable before this instant, RFC 3339 with a zone; the past means now."),
		"max_attempts":    number(1, tq.MaxAttempts, "How often it is tried before it is dead; default 3."),
		"timeout_seconds": seconds(0, tq.MaxTimeout, "The longest that one attempt may take; 0 is no limit."),
		"backoff":         plain("The wait between attempts: min(cap, base * factor^(attempt-1)), give or take 20 %."),
		"base_seconds":    seconds(0, tq.MaxDelay, "The wait after the first attempt; default 2."),
		"cap_seconds":     seconds(0, tq.MaxDelay, "The longest wait; default 3600."),
		"factor":          number(0, 100, "How much longer each wait is; default 2."),
		"idempotency_key": name(tq.MaxKey, "With a key that the queue knows, the first task is answered, changed in nothing."),
		"enqueue_id":      name(tq.MaxKey, "Makes the call repeatable: each row without a key answers with the task that it made the first time."),
		"key_until":       plain("How long the key is taken: until the task is deleted (the default), or until it ends."),
		"on_mismatch":     plain("What a repeated key with another task answers: the existing one (the default), or an error."),
		"deps":            text(tq.MaxDeps, `Tasks to wait for: ids, "key:K" in the same queue, "$0" for an earlier row of the same batch.`),
		"on_dep_failure":  plain("When one of deps ends badly: block (wait on, the default), cancel, or run all the same."),
		"parent":          count("The id of the task that this one is a part of."),
		"traceparent":     text(55, "The trace that the task belongs to, as W3C Trace Context writes it."),
	}
}

func leaseWords() map[string]word {
	return map[string]word{
		"lease_token":         text(256, "The right to settle one attempt, from the claim's answer, unchanged."),
		"task_id":             count("The id of the task."),
		"result":              plain("Any JSON, at most 131072 bytes."),
		"error":               plain("What went wrong; a text longer than 131072 bytes is cut."),
		"retry_delay_seconds": seconds(0, tq.MaxDelay, "Try again after so many seconds, instead of the backoff."),
		"requeue":             plain("false: no further attempt, the task is dead now."),
		"unburnt":             plain("Never counts as an attempt, however often: for rate limits and failed preflights."),
		"lease_seconds":       seconds(tq.MinLease, tq.MaxLease, "Length of the lease from now; default 300."),
		"progress":            plain("How far the attempt has come."),
		"fraction":            number(0, 1, "From 0 to 1."),
		"note":                text(tq.MaxDetail, "A line for people."),
		"leases":              text(tq.MaxBatch, "One row for each lease."),
		"claim":               plain("Take the next tasks in the same call, when the settlement went through."),
		"claim_id":            name(tq.MaxKey, "Makes the claim repeatable: the same tasks are answered again while any is held."),
		"queues":              text(tq.MaxBatch, "Queues by name; none is every one."),
		"types":               text(tq.MaxBatch, "Types by name; none is any but sh, http and agent."),
		"max":                 number(1, tq.MaxClaim, "How many tasks at most; default 1."),
		"wait_seconds":        seconds(0, tq.MaxWait, "How long to wait when there is nothing yet."),
		"worker":              plain("Who works on it."),
		"name":                text(200, "A name for people."),
		"host":                text(200, "The machine."),
		"version":             text(200, "The version of the worker."),
		"slots":               count("How many tasks it runs at a time."),
		"draining":            plain("It takes no new tasks."),
	}
}

func askWords() map[string]word {
	return map[string]word{
		"status":        {text: "Status: blocked, pending, running, completed, dead or cancelled; filters also take ready, scheduled and retrying.", example: "ready"},
		"key":           text(tq.MaxKey, "With this idempotency key."),
		"q":             text(tq.MaxKey, "With this text in the payload or the last error."),
		"filter":        {text: "In the filter language: queue:build,agents status:dead age:>2h -type:metrics payload.shard:7 \"timed out\". Terms are ANDed, commas are OR, - negates.", longest: tq.MaxFilter, example: "status:dead age:>2h"},
		"cursor":        text(64, "Where the next page begins, from the last answer; absent at the end."),
		"limit":         number(1, tq.MaxPage, "Rows of a page; default 50."),
		"fields":        {text: "payload: with payload and result.", example: "payload"},
		"after":         count("The seq of the last fact seen."),
		"kinds":         text(len(tq.Kinds())+len(tq.Acts()), "Only facts of these kinds."),
		"last":          plain("The newest ones."),
		"force":         plain("Take a running task from its holder now."),
		"reason":        text(tq.MaxKey, "Why."),
		"scope":         text(tq.MaxScope, "What cannot be used for a while, as in provider:claude or repo:/srv/shop; no worker takes its tasks until then."),
		"if_epoch":      count("Only if the task's epoch is still this one, as If-Match with its ETag."),
		"paused":        plain("Claims pass over the queue; of a claim's answer: the paused queues among those asked for."),
		"range_seconds": seconds(time.Minute, tq.MaxSeries, "How far back; default 600. The longer, the longer the steps."),
		"fingerprint":   text(32, "The short name of a cause, the same for errors that differ in numbers, ids and paths only."),
		"verb":          {text: "cancel, requeue, rescue or delete.", example: "rescue"},
		"dry_run":       plain("Change nothing, and count what would change."),
		"rate":          number(0, tq.MaxBulkRate, "Tasks in a second, at most; left out, as fast as it goes."),
		"by":            {text: "Group by queue (the default), type or project.", example: "queue"},
	}
}
