package tq_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

type filterVector struct {
	Filter string          `json:"filter"`
	Terms  []tq.FilterTerm `json:"terms"`
	Error  string          `json:"error"`
}

func filterVectors(t testing.TB) []filterVector {
	t.Helper()
	raw, err := os.ReadFile("testdata/filter-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []filterVector
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFilterFollowsTheSharedVectors(t *testing.T) {
	t.Parallel()
	for _, v := range filterVectors(t) {
		f, err := tq.ParseFilter(v.Filter)
		if v.Error != "" {
			if err == nil || !strings.HasSuffix(err.Error(), ": "+v.Error) || !errors.Is(err, tq.ErrInvalid) {
				t.Errorf("%q: refused with %v, want %q", v.Filter, err, v.Error)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", v.Filter, err)
			continue
		}
		if got := append([]tq.FilterTerm{}, f.Terms...); !reflect.DeepEqual(got, v.Terms) {
			t.Errorf("%q: read as %+v, want %+v", v.Filter, got, v.Terms)
		}
	}
}

func TestFilterNamesThePlaceOfWhatIsWrong(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"queue:a  stauts:dead": "filter: at character 10: unknown field stauts: did you mean status?",
		"é \"timed out":        "filter: at character 3: a quote is not closed",
		"status:dead -":        "filter: at character 13: - stands alone",
	} {
		if _, err := tq.ParseFilter(filter); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", filter, err, want)
		}
	}
	_, err := tq.ParseFilter("colour:red")
	var e *tq.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "queue, type") || e.Errors[0].Pointer != "/filter" {
		t.Errorf("what is allowed is not named: %+v", e)
	}
	if _, err := tq.ParseFilter(strings.Repeat("a", tq.MaxFilter+1)); !errors.Is(err, tq.ErrTooLarge) {
		t.Errorf("a filter that is too long: %v", err)
	}
}

func TestFilterPicks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fp, _ := tq.Fingerprint("mail", "dial: timed out after 3 s")
	task := &tq.Task{
		ID: 42, Queue: "shop:mail", Type: "mail", Project: "my shop", Tags: []string{"nightly"},
		Status: tq.Dead, Priority: -5, IdempotencyKey: "k-1", Attempt: 3, LastError: "dial: timed out after 3 s",
		Payload: json.RawMessage(`{"shard":7,"to":{"name":"sam"},"rows":[1,{"a":true}],"big":9007199254740993}`),
		Parent:  1, Deps: []tq.Dep{{ID: 2}},
		CreatedAt: tq.At(now.Add(-3 * time.Hour)), StartedAt: tq.At(now.Add(-2 * time.Hour)), EndedAt: tq.At(now.Add(-time.Hour)),
	}
	for _, filter := range []string{
		"", "status:dead", "status:done,dead", "queue:shop:mail type:mail", "-type:metrics", `project:"my shop" tag:nightly`,
		"id:41,42", "#42", "key:k-1", "parent:1", "dep:2", "try:3", "try:>=3", "try:<4", "prio:<0", "prio:-5",
		`error:"timed out"`, "timed", "sam", "fp:" + fp, "fp:" + fp[:6], "age:>2h", "age:<1d", "wait:<=1h", "wait:>=60m", "run:>=3600s",
		"payload.shard:7", "payload.to.name:sam", "payload.rows.1.a:true", "payload.big:9007199254740993", "-payload.none:x",
		"-status:completed sort:age",
	} {
		if !pick(t, filter, task, now) {
			t.Errorf("%q does not pick the task", filter)
		}
	}
	for _, filter := range []string{
		"status:running", "-status:dead", "queue:shop", "-tag:nightly", "id:41", "dep:3", "try:>3", "prio:>=0", "error:refused",
		"-timed", "fp:ffffff", "age:<2h", "run:>1h", "wait:>1h", "payload.shard:8", "payload.to:sam", "worker:sam", "status:dead queue:none",
	} {
		if pick(t, filter, task, now) {
			t.Errorf("%q picks the task", filter)
		}
	}
}

func pick(t *testing.T, filter string, task *tq.Task, now time.Time) bool {
	t.Helper()
	f, err := tq.ParseFilter(filter)
	if err != nil {
		t.Fatalf("%q: %v", filter, err)
	}
	return f.Picks(task, now)
}

func TestFilterKnowsTheLabelsOfPending(t *testing.T) {
	t.Parallel()
	now := time.Now()
	retrying := &tq.Task{Status: tq.Pending, Attempt: 1, RunAt: tq.At(now.Add(time.Minute))}
	for filter, want := range map[string]bool{
		"status:pending": true, "status:retrying": true, "status:failed": true, "status:scheduled": true, "status:ready": false,
	} {
		if pick(t, filter, retrying, now) != want {
			t.Errorf("%s of a retrying task: %v", filter, !want)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, v := range filterVectors(f) {
		f.Add(v.Filter)
	}
	task := &tq.Task{ID: 1, Status: tq.Running, Payload: json.RawMessage(`{"a":[1]}`), LastError: "x"}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := tq.ParseFilter(text)
		if err != nil {
			if c := tq.CodeOf(err); c != tq.CodeInvalid && c != tq.CodeTooLarge {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, term := range filter.Terms {
			if len(term.Values) == 0 || term.Key == "" {
				t.Fatalf("%q: an empty term %+v", text, term)
			}
		}
		filter.Picks(task, time.Unix(0, 0))
	})
}
