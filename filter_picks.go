package tq

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a filter selects. An engine finds candidates by the parts that it has an
// index for (narrow); whether one is selected is decided here, the same on all.

// Picks reports whether the filter selects t as it stands at the instant now. t
// has its payload and its dependencies when WantsPayload and WantsDeps ask for
// them.
func (f *Filter) Picks(t *Task, now time.Time) bool {
	if f == nil {
		return true
	}
	for i := range f.Terms {
		if f.Terms[i].picks(t, now) == f.Terms[i].Not {
			return false
		}
	}
	return true
}

// WantsPayload reports whether Picks looks into payloads.
func (f *Filter) WantsPayload() bool {
	return f.has(func(t *FilterTerm) bool { return t.Key == textKey || strings.HasPrefix(t.Key, payloadKey) })
}

// WantsDeps reports whether Picks looks at the ids of dependencies.
func (f *Filter) WantsDeps() bool {
	return f.has(func(t *FilterTerm) bool { return t.Key == "dep" })
}

func (f *Filter) has(is func(*FilterTerm) bool) bool {
	return f != nil && slices.ContainsFunc(f.Terms, func(t FilterTerm) bool { return is(&t) })
}

func (x *FilterTerm) picks(t *Task, now time.Time) bool {
	return slices.ContainsFunc(x.Values, func(v string) bool { return x.fits(t, v, now) })
}

// fits holds one value against t.
func (x *FilterTerm) fits(t *Task, v string, now time.Time) bool {
	switch x.Key {
	case "queue":
		return v == t.Queue
	case "type":
		return v == t.Type
	case "project":
		return v == t.Project
	case "key":
		return v == t.IdempotencyKey
	case "tag":
		return slices.Contains(t.Tags, v)
	case "worker":
		return t.Lease != nil && (v == t.Lease.Worker || v == t.Lease.Owner)
	case "status":
		label := t.Label(now)
		return v == string(t.Status) || v == label || v == Scheduled && label == Retrying
	case textKey:
		return strings.Contains(t.LastError, v) || strings.Contains(string(t.Payload), v)
	case "error":
		return strings.Contains(t.LastError, v)
	case "fp":
		return hasFingerprint(t, v)
	case "sort":
		return !x.Not
	}
	if path, ok := strings.CutPrefix(x.Key, payloadKey); ok {
		return payloadAt(t.Payload, strings.Split(path, ".")) == v
	}
	return x.fitsNumber(t, v, now)
}

func (x *FilterTerm) fitsNumber(t *Task, v string, now time.Time) bool {
	if span, timed := filterSpan(v); timed && slices.Contains(timedFields(), x.Key) {
		is, known := lasted(x.Key, t, now)
		return known && compares(is, x.Op, span)
	}
	n, _ := strconv.ParseInt(v, 10, 64) // checked when the filter was read
	switch x.Key {
	case "id":
		return t.ID == n
	case "parent":
		return t.Parent == n
	case "dep":
		return slices.ContainsFunc(t.Deps, func(d Dep) bool { return d.ID == n })
	case "try":
		return compares(int64(t.Attempt), x.Op, n)
	case "prio":
		return compares(int64(t.Priority), x.Op, n)
	}
	return false
}

// lasted is how old a task is, how long it waited for its newest attempt, or
// how long that ran or has been running.
func lasted(key string, t *Task, now time.Time) (time.Duration, bool) {
	switch {
	case key == "age":
		return now.Sub(t.CreatedAt.Time), true
	case key == "wait" && t.StartedAt.IsZero():
		return now.Sub(t.CreatedAt.Time), !t.Status.Terminal()
	case key == "wait":
		return t.StartedAt.Sub(t.CreatedAt.Time), true
	case t.StartedAt.IsZero():
		return 0, false
	case t.Status == Running:
		return now.Sub(t.StartedAt.Time), true
	}
	return t.EndedAt.Sub(t.StartedAt.Time), !t.EndedAt.IsZero()
}

func compares[N cmp.Ordered](is N, op string, limit N) bool {
	switch op {
	case ">":
		return is > limit
	case ">=":
		return is >= limit
	case "<":
		return is < limit
	case "<=":
		return is <= limit
	}
	return is == limit
}

// hasFingerprint reports whether that is how the fingerprint of what t failed
// of begins.
func hasFingerprint(t *Task, prefix string) bool {
	text := cmp.Or(t.LastError, t.Reason)
	if text == "" {
		return false
	}
	fp, _ := Fingerprint(t.Type, text)
	return strings.HasPrefix(fp, strings.ToLower(prefix))
}

// payloadAt is what stands at a path in a payload: text without its quotes, all
// else as it is written; "" where there is nothing.
func payloadAt(payload json.RawMessage, path []string) string {
	for _, name := range path {
		payload = memberOf(payload, name)
	}
	var text string
	if json.Unmarshal(payload, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(payload))
}

func memberOf(value json.RawMessage, name string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil {
		return object[name]
	}
	var list []json.RawMessage
	i, err := strconv.Atoi(name)
	if err != nil || json.Unmarshal(value, &list) != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// narrow tells the engine what of the filter it may have an index for, where q
// does not say so already.
func (f *Filter) narrow(q *TaskQuery) {
	for _, t := range f.Terms {
		if t.Not {
			continue
		}
		if t.Key == "id" && len(q.IDs) == 0 {
			q.IDs = numbers(t.Values)
			continue
		}
		if len(t.Values) == 1 {
			t.narrowTo(q, t.Values[0])
		}
	}
}

func (x *FilterTerm) narrowTo(q *TaskQuery, v string) {
	field := map[string]*string{
		"queue": &q.Queue, "type": &q.Type, "project": &q.Project, "key": &q.Key, "status": &q.Status,
	}[x.Key]
	switch {
	case field != nil && *field == "":
		*field = v
	case x.Key == "fp" && q.Cause == "" && len(v) == 2*fingerprintSize:
		q.Cause = strings.ToLower(v) // a shorter one is the begin of many
	case x.Key == "parent" && q.Parent == 0:
		q.Parent, _ = strconv.ParseInt(v, 10, 64) // checked when the filter was read
	}
}

func numbers(texts []string) []int64 {
	ids := make([]int64, 0, len(texts))
	for _, text := range texts {
		n, _ := strconv.ParseInt(text, 10, 64) // checked when the filter was read
		ids = append(ids, n)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// parseSelection reads the filter of a list or of an operation on many tasks.
// Those go from the newest task to the oldest, so there is one order to ask for.
func parseSelection(text string) (*Filter, error) {
	f, err := ParseFilter(text)
	if err != nil || len(f.Terms) == 0 {
		return nil, err
	}
	for _, t := range f.Terms {
		if t.Key == "sort" && (t.Not || len(t.Values) != 1 || t.Values[0] != "age") {
			return nil, invalidField("filter", "invalid_filter", "sort is %s, want age: tasks come newest first", strings.Join(t.Values, ",")).
				WithHint("leave it out, and sort what comes")
		}
	}
	return f, nil
}
