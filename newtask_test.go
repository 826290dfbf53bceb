package tq

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestATaskWithATypeAloneIsComplete(t *testing.T) {
	t.Parallel()
	n, err := NewTask{Type: "mail"}.Normal()
	if err != nil {
		t.Fatal(err)
	}
	if n.Queue != DefaultQueue || n.MaxAttempts != DefaultMaxAttempts || n.OnDepFailure != DepBlock ||
		n.KeyUntil != KeyUntilDeleted || n.OnMismatch != MismatchExisting {
		t.Errorf("got %+v", n)
	}
}

// Every limit at both of its edges: the value on it passes, one more does not.
func TestLimitsOfANewTask(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	tags := func(n int) []string { return slices.Repeat([]string{"a"}, n) }
	deps := func(n int) []Ref {
		refs := make([]Ref, n)
		for i := range refs {
			refs[i] = Ref(strconv.Itoa(i + 1))
		}
		return refs
	}
	day := func(y int) Time { return Time{time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)} }
	for name, edge := range map[string]struct{ in, out NewTask }{
		"type":           {NewTask{Type: x(MaxTypeName)}, NewTask{Type: x(MaxTypeName + 1)}},
		"type is needed": {NewTask{Type: "x"}, NewTask{}},
		"queue":          {NewTask{Queue: x(MaxQueueName)}, NewTask{Queue: x(MaxQueueName + 1)}},
		"project":        {NewTask{Project: x(MaxProject)}, NewTask{Project: x(MaxProject + 1)}},
		"key":            {NewTask{IdempotencyKey: x(MaxKey)}, NewTask{IdempotencyKey: x(MaxKey + 1)}},
		"tags":           {NewTask{Tags: tags(MaxTags)}, NewTask{Tags: tags(MaxTags + 1)}},
		"tag":            {NewTask{Tags: []string{x(MaxTag)}}, NewTask{Tags: []string{x(MaxTag + 1)}}},
		"tag is not ''":  {NewTask{Tags: []string{"a"}}, NewTask{Tags: []string{""}}},
		"deps":           {NewTask{Deps: deps(MaxDeps)}, NewTask{Deps: deps(MaxDeps + 1)}},
		"priority high":  {NewTask{Priority: MaxPriority}, NewTask{Priority: MaxPriority + 1}},
		"priority low":   {NewTask{Priority: MinPriority}, NewTask{Priority: MinPriority - 1}},
		"attempts high":  {NewTask{MaxAttempts: MaxAttempts}, NewTask{MaxAttempts: MaxAttempts + 1}},
		"attempts low":   {NewTask{MaxAttempts: 1}, NewTask{MaxAttempts: -1}},
		"delay high":     {NewTask{Delay: Duration(MaxDelay)}, NewTask{Delay: Duration(MaxDelay) + 1}},
		"delay low":      {NewTask{Delay: 0}, NewTask{Delay: -1}},
		"timeout high":   {NewTask{Timeout: Duration(MaxTimeout)}, NewTask{Timeout: Duration(MaxTimeout) + 1}},
		"timeout low":    {NewTask{Timeout: 0}, NewTask{Timeout: -1}},
		"run_at late":    {NewTask{RunAt: day(9998)}, NewTask{RunAt: day(9999)}},
		"run_at early":   {NewTask{RunAt: Time{time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)}}, NewTask{RunAt: day(0)}},
		"one of two":     {NewTask{RunAt: day(2030)}, NewTask{RunAt: day(2030), Delay: Duration(time.Second)}},
		"base":           {NewTask{Backoff: &Backoff{Base: Duration(MaxDelay)}}, NewTask{Backoff: &Backoff{Base: Duration(MaxDelay) + 1}}},
		"cap":            {NewTask{Backoff: &Backoff{Cap: Duration(MaxDelay)}}, NewTask{Backoff: &Backoff{Cap: -1}}},
		"parent":         {NewTask{Parent: math.MaxInt64}, NewTask{Parent: -1}},
		"key_until":      {NewTask{KeyUntil: KeyUntilTerminal}, NewTask{KeyUntil: "never"}},
		"on_mismatch":    {NewTask{OnMismatch: MismatchError}, NewTask{OnMismatch: "shout"}},
		"on_dep_failure": {NewTask{OnDepFailure: DepRun}, NewTask{OnDepFailure: "ignore"}},
	} {
		if !strings.HasPrefix(name, "type") {
			edge.in.Type, edge.out.Type = "t", "t"
		}
		if edge.in.Type == "" {
			edge.in.Type = "t"
		}
		if _, err := edge.in.Normal(); err != nil {
			t.Errorf("%s: on the limit: %v", name, err)
		}
		_, err := edge.out.Normal()
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeInvalid || len(e.Errors) == 0 || e.Errors[0].Pointer == "" {
			t.Errorf("%s: past the limit: got %+v, want invalid, naming the field", name, err)
		}
	}
}

func TestQueueNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a": true, "A9": true, "shop:tasks": true, "a.b/c-d_e": true, "9": true, "a..b": true, "a//b": true,
		"": false, " ": false, "a b": false, "../x": false, ".a": false, "-a": false, ":a": false, "/a": false, "_a": false,
		"a\nb": false, "a\n": false, "a\x00": false, "ä": false, "a😀": false, "a%2e": false,
		"'; DROP TABLE tasks;--": false,
	} {
		if err := CheckQueue("queue", name); (err == nil) != ok {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestShortTextsHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"a\nb", "a\x00b", "a\x1bb", "a\x7fb", "a\u0085b", "a\xffb"} {
		for field, n := range map[string]NewTask{
			"type":    {Type: bad},
			"project": {Type: "t", Project: bad},
			"tag":     {Type: "t", Tags: []string{bad}},
			"key":     {Type: "t", IdempotencyKey: bad},
			"dep":     {Type: "t", Deps: []Ref{Ref("key:" + bad)}},
		} {
			if _, err := n.Normal(); CodeOf(err) != CodeInvalid {
				t.Errorf("%s %q: got %v, want invalid", field, bad, err)
			}
		}
	}
	if _, err := (NewTask{Type: "Grüße 日本", IdempotencyKey: "ключ 🔑"}).Normal(); err != nil {
		t.Errorf("letters of any script: %v", err)
	}
}

func TestDepsAreIDsKeysOrEarlierRows(t *testing.T) {
	t.Parallel()
	for ref, want := range map[Ref]Target{
		"42": {ID: 42}, "key:shard-07": {Key: "shard-07"}, "$0": {Row: 1}, "$999": {Row: 1000}, "key:key:a": {Key: "key:a"},
	} {
		n, err := NewTask{Type: "t", Deps: []Ref{ref}}.Normal()
		if err != nil || n.Deps[0].Target() != want {
			t.Errorf("%s: got %+v, %v, want %+v", ref, n.Deps, err, want)
		}
	}
	for _, ref := range []Ref{"", "0", "-1", "1.5", "a", "key:", "$", "$-1", "$a", "$4294967296", "9223372036854775808", " 1"} {
		if _, err := (NewTask{Type: "t", Deps: []Ref{ref}}).Normal(); CodeOf(err) != CodeInvalid {
			t.Errorf("%q: got %v, want invalid", ref, err)
		}
	}
}

func TestRepeatedDepsCollapse(t *testing.T) {
	t.Parallel()
	n, err := NewTask{Type: "t", Deps: []Ref{"1", "2", "1", "key:a", "key:a"}}.Normal()
	if err != nil || !slices.Equal(n.Deps, []Ref{"1", "2", "key:a"}) {
		t.Errorf("got %v, %v", n.Deps, err)
	}
}

func TestRefsAreNumbersOrStringsInJSON(t *testing.T) {
	t.Parallel()
	var n NewTask
	if err := json.Unmarshal([]byte(`{"type":"t","deps":[42,"key:a","$0","7"]}`), &n); err != nil {
		t.Fatal(err)
	}
	if want := []Ref{"42", "key:a", "$0", "7"}; !slices.Equal(n.Deps, want) {
		t.Errorf("got %v, want %v", n.Deps, want)
	}
	b, err := json.Marshal(n.Deps)
	if err != nil || string(b) != `[42,"key:a","$0",7]` {
		t.Errorf("got %s, %v", b, err)
	}
}

func TestARefusalShowsALongValueShort(t *testing.T) {
	t.Parallel()
	_, err := NewTask{Type: "t", Queue: strings.Repeat("é ", 10_000)}.Normal()
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("got %d bytes", len(err.Error()))
	}
}
