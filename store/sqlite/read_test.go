package sqlite

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
)

// zoo holds one task of every label.
func zoo(w *world) map[string]int64 {
	z := map[string]int64{}
	z["retrying"] = w.enqueueOne(tq.NewTask{Type: "a"})
	c := w.claim(tq.ClaimQuery{Types: []string{"a"}}, z["retrying"])
	hour := time.Hour
	w.change(z["retrying"], tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, Delay: &hour}, "not yet")
	z["completed"] = w.enqueueOne(tq.NewTask{Type: "b"})
	c = w.claim(tq.ClaimQuery{Types: []string{"b"}}, z["completed"])
	w.change(z["completed"], tq.EventComplete, tq.Arg{Epoch: c[0].Task.Epoch}, `{"n": 1.0e2}`)
	z["dead"] = w.enqueueOne(tq.NewTask{Type: "c"})
	c = w.claim(tq.ClaimQuery{Types: []string{"c"}}, z["dead"])
	w.change(z["dead"], tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, GiveUp: true}, "hopeless")
	z["running"] = w.enqueueOne(tq.NewTask{Type: "d"})
	w.claim(tq.ClaimQuery{Types: []string{"d"}}, z["running"])
	z["cancelled"] = w.enqueueOne(tq.NewTask{})
	w.change(z["cancelled"], tq.EventCancel, tq.Arg{Reason: "changed my mind"}, "")
	z["ready"] = w.enqueueOne(tq.NewTask{})
	z["scheduled"] = w.enqueueOne(tq.NewTask{Delay: tq.Duration(time.Hour)})
	z["blocked"] = w.enqueueOne(tq.NewTask{Deps: []tq.Ref{tq.ID(z["ready"])}})
	return z
}

func TestListsFilterByStatusAndLabelInEveryLane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	z := zoo(w)
	for status, want := range map[string][]string{
		"blocked": {"blocked"}, "pending": {"scheduled", "ready", "retrying"}, "ready": {"ready"},
		"scheduled": {"scheduled", "retrying"}, "retrying": {"retrying"}, "running": {"running"},
		"completed": {"completed"}, "dead": {"dead"}, "cancelled": {"cancelled"},
		"": {"blocked", "scheduled", "ready", "cancelled", "running", "dead", "completed", "retrying"},
	} {
		var ids []int64
		for _, name := range want {
			ids = append(ids, z[name])
		}
		for _, queue := range []string{"", tq.DefaultQueue} {
			page := w.page(tq.TaskQuery{Status: status, Queue: queue})
			if got := idsOf(page.Tasks); !slices.Equal(got, ids) || page.More || page.Searched != 0 {
				t.Errorf("status %q in queue %q: got %v, more %v, searched %d, want %v", status, queue, got, page.More, page.Searched, ids)
			}
		}
		if page := w.page(tq.TaskQuery{Status: status, Queue: "elsewhere"}); len(page.Tasks) != 0 {
			t.Errorf("status %q in a queue without tasks: got %v", status, idsOf(page.Tasks))
		}
	}
}

func TestADueTaskIsReadyBeforeAWriterHasMovedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.enqueueOne(tq.NewTask{Delay: tq.Duration(time.Minute)})
	w.clock.Advance(time.Minute)
	for status, want := range map[string]int{tq.Ready: 1, tq.Scheduled: 0, string(tq.Pending): 1} {
		equal(t, "tasks that are "+status, len(w.page(tq.TaskQuery{Status: status}).Tasks), want)
	}
	census, err := w.Queues(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	line := census.Lines[0]
	equal(t, "ready", line.Ready, 1)
	equal(t, "scheduled", line.Scheduled, 0)
	equal(t, "oldest ready", line.OldestReady, w.task(id).RunAt)
}

func TestListsFilterByEverythingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.enqueueOne(tq.NewTask{Queue: "q1", Type: "t1", Project: "p1", Payload: json.RawMessage(`"needle in hay"`)})
	child := w.enqueueOne(tq.NewTask{Queue: "q1", Type: "t2", Project: "p2", Parent: root})
	keyed := w.enqueueOne(tq.NewTask{Queue: "q2", Type: "t1", Project: "p2", IdempotencyKey: "k"})
	freed := w.enqueueOne(tq.NewTask{Queue: "q3", Type: "t3", IdempotencyKey: "k", KeyUntil: tq.KeyUntilTerminal})
	c := w.claim(tq.ClaimQuery{Queues: []string{"q3"}}, freed)
	w.change(freed, tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, GiveUp: true}, "found a needle")
	for _, x := range []struct {
		q    tq.TaskQuery
		want []int64
	}{
		{tq.TaskQuery{Queue: "q1"}, []int64{child, root}},
		{tq.TaskQuery{Type: "t1"}, []int64{keyed, root}},
		{tq.TaskQuery{Project: "p2"}, []int64{keyed, child}},
		{tq.TaskQuery{Project: "p2", Queue: "q2"}, []int64{keyed}},
		{tq.TaskQuery{Parent: root}, []int64{child}},
		{tq.TaskQuery{Parent: root, Type: "t1"}, nil},
		{tq.TaskQuery{Key: "k"}, []int64{freed, keyed}},
		{tq.TaskQuery{Key: "k", Queue: "q2"}, []int64{keyed}},
		{tq.TaskQuery{Search: "needle"}, []int64{freed, root}},
		{tq.TaskQuery{Search: "needle", Status: "ready"}, []int64{root}},
		{tq.TaskQuery{IDs: []int64{keyed, 999, root, keyed}}, []int64{keyed, root}},
	} {
		if got := idsOf(w.page(x.q).Tasks); !slices.Equal(got, x.want) {
			t.Errorf("%+v: got %v, want %v", x.q, got, x.want)
		}
	}
	if page := w.page(tq.TaskQuery{Search: "needle"}); page.Tasks[1].Payload != nil {
		t.Error("a search shows the payload, though it was not asked for")
	}
}

func TestPagesOfManyLanesMeetEveryTaskOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []int64
	for i := range 300 {
		all = append(all, w.enqueueOne(tq.NewTask{Queue: fmt.Sprintf("q%d", i%7), Type: fmt.Sprintf("t%d", i%3)}))
	}
	slices.Reverse(all)
	for _, q := range []tq.TaskQuery{{Limit: 7}, {Limit: 7, Status: "ready"}, {Limit: 7, Project: ""}} {
		if got := w.pages(q); !slices.Equal(got, all) {
			t.Errorf("%+v: %d tasks, want %d", q, len(got), len(all))
		}
	}
	if got := w.pages(tq.TaskQuery{Limit: 7, Type: "t1"}); len(got) != 100 || !slices.IsSortedFunc(got, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("tasks of one type: %d, want 100, newest first", len(got))
	}
}

func (w *world) pages(q tq.TaskQuery) []int64 {
	w.t.Helper()
	var got []int64
	for range 1_000 {
		page := w.page(q)
		got = append(got, idsOf(page.Tasks)...)
		if !page.More {
			return got
		}
		if page.Next <= 0 || q.Before != 0 && page.Next >= q.Before {
			w.t.Fatalf("page before %d goes on before %d", q.Before, page.Next)
		}
		q.Before = page.Next
	}
	w.t.Fatal("pages without end")
	return nil
}

func TestALongWalkEndsWithAShortPageAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.enqueueOne(tq.NewTask{Payload: json.RawMessage(`"needle"`)})
	for range maxWalk/tq.MaxBatch + 1 {
		batch := make([]tq.NewTask, tq.MaxBatch)
		w.enqueue(batch...)
	}
	page := w.page(tq.TaskQuery{Search: "needle"})
	equal(t, "tasks found", len(page.Tasks), 0)
	equal(t, "rows searched", page.Searched, maxWalk)
	if !page.More {
		t.Fatal("a walk cut short does not go on")
	}
	if got := w.pages(tq.TaskQuery{Search: "needle"}); !slices.Equal(got, []int64{first}) {
		t.Errorf("all pages: got %v, want %d", got, first)
	}
	// Too many wait to be enumerated: the lanes are walked instead.
	equal(t, "first page of the ready", len(w.page(tq.TaskQuery{Status: "ready", Limit: 100}).Tasks), 100)
}

func TestTasksThatAreNamedAreAllAnswered(t *testing.T) {
	t.Parallel()
	var ms atomic.Int64 // each look at the clock takes 10 ms
	s := openStore(t, Options{Clock: func() time.Time { return time.UnixMilli(1_700_000_000_000 + ms.Add(10)) }})
	some := make([]tq.NewTask, 400)
	for i := range some {
		some[i] = tq.NewTask{Type: "work", Queue: "q", MaxAttempts: 1}
	}
	added, err := s.Enqueue(t.Context(), some, "test")
	if err != nil {
		t.Fatal(err)
	}
	q := tq.TaskQuery{Limit: len(some)}
	for _, a := range added {
		q.IDs = append(q.IDs, a.ID)
	}
	page, err := s.Tasks(t.Context(), q)
	if err != nil || len(page.Tasks) != len(some) {
		t.Errorf("of %d tasks %d were answered (%v)", len(some), len(page.Tasks), err)
	}
	sound(t, s)
}

func TestATaskShowsAllThatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dep := w.enqueueOne(tq.NewTask{Type: "dep"})
	asked := tq.NewTask{
		Type: "work", Queue: "q", Project: "p", Tags: []string{"x", "y"}, Priority: 5, Payload: json.RawMessage(`{"a":  1}`),
		MaxAttempts: 2, Timeout: tq.Duration(90 * time.Second), Backoff: &tq.Backoff{Factor: 3}, IdempotencyKey: "k",
		Deps: []tq.Ref{tq.ID(dep)}, Parent: dep,
	}
	id := w.enqueueOne(asked)
	start := tq.At(w.clock.Now())
	blocked := w.task(id)
	equal(t, "status", blocked.Status, tq.Blocked)
	equal(t, "run_at while blocked", blocked.RunAt, start)

	w.clock.Advance(time.Second)
	c := w.claim(tq.ClaimQuery{Types: []string{"dep"}}, dep)
	w.change(dep, tq.EventComplete, tq.Arg{Epoch: c[0].Task.Epoch}, `[1,  2]`)
	w.clock.Advance(time.Second)
	c = w.claim(tq.ClaimQuery{Queues: []string{"q"}, Owner: "me"}, id)
	w.clock.Advance(time.Second)
	minute := time.Minute
	w.change(id, tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch, Delay: &minute}, "boom")
	retrying := w.task(id)
	equal(t, "run_at after a failure", retrying.RunAt, tq.At(start.Add(time.Minute+3*time.Second)))
	equal(t, "label", retrying.Label(w.clock.Now()), tq.Retrying)

	w.clock.Advance(time.Minute)
	claimed := tq.At(w.clock.Now())
	c = w.claim(tq.ClaimQuery{Queues: []string{"q"}, Owner: "me"}, id)
	w.clock.Advance(time.Second)
	noted := tq.At(w.clock.Now())
	_, err := w.Extend(w.ctx(), tq.Extension{Actor: "w-1", Leases: []tq.LeaseRef{{
		TaskID: id, Epoch: c[0].Task.Epoch, Progress: &tq.Progress{Fraction: 0.5, Note: "half"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	w.change(id, tq.EventCancel, tq.Arg{}, "")
	got := w.task(id)
	want := tq.Task{
		ID: id, Queue: "q", Type: "work", Project: "p", Tags: []string{"x", "y"}, Status: tq.Running, Priority: 5,
		Payload: asked.Payload, IdempotencyKey: "k", Attempt: 2, MaxAttempts: 2, Epoch: 2, RunAt: retrying.RunAt,
		Timeout: asked.Timeout, Backoff: asked.Backoff, CreatedAt: start, StartedAt: claimed, LastError: "boom",
		Progress: &tq.Progress{At: noted, Fraction: 0.5, Note: "half"}, CancelRequested: true, Parent: dep,
		Deps: []tq.Dep{{ID: dep, Status: tq.Completed, Result: json.RawMessage(`[1,  2]`)}}, OnDepFailure: tq.DepBlock,
		Lease: &tq.Lease{
			Worker: "w-1", Owner: "me", Until: tq.At(claimed.Add(time.Minute)), SecondsLeft: tq.Duration(59 * time.Second),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	tree := w.task(dep)
	if want := map[tq.Status]int{tq.Running: 1}; !reflect.DeepEqual(tree.Children, want) {
		t.Errorf("children: got %v, want %v", tree.Children, want)
	}
	w.change(id, tq.EventFail, tq.Arg{Epoch: c[0].Task.Epoch}, "stopped")
	ended := w.task(id)
	equal(t, "status", ended.Status, tq.Cancelled)
	equal(t, "ended_at", ended.EndedAt, noted)
	equal(t, "lease", ended.Lease, nil)
}

func TestATreeIsCountedOverAllItsLevels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.enqueueOne(tq.NewTask{})
	parent := root
	for range 5 {
		ids := w.enqueue(tq.NewTask{Parent: parent}, tq.NewTask{Parent: parent, Delay: tq.Duration(time.Hour)})
		w.change(ids[1], tq.EventCancel, tq.Arg{}, "")
		parent = ids[0]
	}
	if got, want := w.task(root).Children, (map[tq.Status]int{tq.Pending: 5, tq.Cancelled: 5}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
