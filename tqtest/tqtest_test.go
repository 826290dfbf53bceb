package tqtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/tqtest"
)

// t stands for a test's t in the example.
var t console

type console struct{}

func (console) Helper()                           {}
func (console) Cleanup(func())                    {}
func (console) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (console) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestDrainRunsWhatIsClaimableAndWhatThatUnblocks(t *testing.T) {
	t.Parallel()
	q := tqtest.New(t)
	ids := q.Add(
		tq.NewTask{Type: "a", Payload: json.RawMessage(`1`)},
		tq.NewTask{Type: "a", Deps: []tq.Ref{"$0"}},
		tq.NewTask{Type: "a", Delay: tq.Duration(time.Hour)},
		tq.NewTask{Type: "b"},
	)
	var ran atomic.Int64
	w := &tq.Worker{}
	w.Handle("a", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) {
		ran.Add(1)
		return json.RawMessage(`"done"`), nil
	}))
	q.Drain(t.Context(), w)
	want := []tq.Status{tq.Completed, tq.Completed, tq.Pending, tq.Pending}
	if got := statuses(q, ids); !slices.Equal(got, want) || ran.Load() != 2 {
		t.Errorf("got %v after %d runs, want %v after 2", got, ran.Load(), want)
	}
	q.Advance(time.Hour)
	q.Drain(t.Context(), w)
	if got := q.Get(ids[2]).Status; got != tq.Completed {
		t.Errorf("an hour later the delayed task is %s", got)
	}
	if w.Client != nil || w.UntilEmpty {
		t.Error("Drain left its marks on the worker")
	}
}

func TestAdvanceLetsLeasesRunOutAtTheirTime(t *testing.T) {
	t.Parallel()
	q := tqtest.New(t)
	q.Add(tq.NewTask{Type: "a"})
	claim := tq.ClaimIn{Types: []string{"a"}, Lease: tq.Duration(30 * time.Second)}
	first, err := q.Claim(t.Context(), claim)
	if err != nil || len(first.Tasks) != 1 {
		t.Fatalf("got %v, %v", first, err)
	}
	q.Advance(30 * time.Second)
	if got := q.Get(first.Tasks[0].ID).Status; got != tq.Running {
		t.Errorf("at the end of its lease the task is %s", got)
	}
	q.Advance(time.Second)
	if got := q.Get(first.Tasks[0].ID).Status; got != tq.Pending {
		t.Errorf("a second after its lease the task is %s", got)
	}
}

func TestAdvanceOverAWeekDeletesWhatHasEnded(t *testing.T) {
	t.Parallel()
	q := tqtest.New(t)
	ids := q.Add(tq.NewTask{Type: "a"})
	if _, err := q.Cancel(t.Context(), tq.CancelIn{IDs: ids}); err != nil {
		t.Fatal(err)
	}
	begin := q.Now()
	q.Advance(tq.KeepEnded)
	if got := len(q.Enqueued("")); got != 1 {
		t.Errorf("after exactly a week there are %d tasks, want 1", got)
	}
	q.Advance(time.Second)
	if got := len(q.Enqueued("")); got != 0 {
		t.Errorf("a second later there are %d tasks, want none", got)
	}
	if got := q.Now().Sub(begin); got != tq.KeepEnded+time.Second {
		t.Errorf("the clock moved by %s", got)
	}
}

func TestEnqueuedListsOneTypeInOrder(t *testing.T) {
	t.Parallel()
	q := tqtest.New(t)
	ids := q.Add(tq.NewTask{Type: "a"}, tq.NewTask{Type: "b"}, tq.NewTask{Type: "a", Payload: json.RawMessage(`2`)})
	got := q.Enqueued("a")
	if len(got) != 2 || got[0].ID != ids[0] || got[1].ID != ids[2] || string(got[1].Payload) != "2" {
		t.Errorf("got %+v", got)
	}
	if n := len(q.Enqueued("")); n != 3 {
		t.Errorf("got %d tasks of all types, want 3", n)
	}
}

func statuses(q *tqtest.Queue, ids []int64) []tq.Status {
	out := make([]tq.Status, len(ids))
	for i, id := range ids {
		out[i] = q.Get(id).Status
	}
	return out
}
