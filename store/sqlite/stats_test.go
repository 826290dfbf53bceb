package sqlite

import (
	"slices"
	"testing"
	"time"

	"example.com/tq"
)

func TestCountsStandInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	zoo(w)
	w.enqueueOne(tq.NewTask{Queue: "a", Type: "z"})
	paused := true
	for _, queue := range []string{"z", "a"} {
		if _, err := w.SetQueue(w.ctx(), tq.QueueChange{Queue: queue, Pause: &paused}); err != nil {
			t.Fatal(err)
		}
	}
	census, err := w.Queues(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	now := tq.At(w.clock.Now())
	want := []tq.LineCount{
		{Queue: "a", Type: "z", Ready: 1, OldestReady: now},
		{Queue: "default", Type: "a", Scheduled: 1, Retrying: 1},
		{Queue: "default", Type: "b", Completed: 1},
		{Queue: "default", Type: "c", Dead: 1},
		{Queue: "default", Type: "d", Running: 1},
		{Queue: "default", Type: "work", Ready: 1, OldestReady: now, Scheduled: 1, Blocked: 1, Cancelled: 1},
	}
	if !slices.Equal(census.Lines, want) {
		t.Errorf("got  %+v\nwant %+v", census.Lines, want)
	}
	if !slices.Equal(census.Paused, []string{"a", "z"}) {
		t.Errorf("paused: %v", census.Paused)
	}
}

func TestTheOldestReadyTaskCountsWhateverItsPriority(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.enqueueOne(tq.NewTask{Priority: -1})
	first := tq.At(w.clock.Now())
	w.clock.Advance(time.Minute)
	w.enqueueOne(tq.NewTask{Priority: 9})
	census, err := w.Queues(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "oldest ready", census.Lines[0].OldestReady, first)
}

func TestWorkersShowWhatTheyAreRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.enqueue(tq.NewTask{Queue: "q1"}, tq.NewTask{Queue: "q1"}, tq.NewTask{Queue: "q1"}, tq.NewTask{Queue: "q2"})
	one := tq.WorkerInfo{ID: "w-1", Name: "box", Host: "h", Version: "v", Types: []string{"work"}, Queues: []string{"q1"}, Slots: 3}
	claimed := w.claim(tq.ClaimQuery{Queues: []string{"q1"}, Worker: one, Owner: "me"}, ids[:3]...)
	start := tq.At(w.clock.Now())
	w.clock.Advance(time.Second)
	w.claim(tq.ClaimQuery{Queues: []string{"q2"}, Worker: tq.WorkerInfo{ID: "w-2"}}, ids[3])
	for _, c := range claimed {
		if c.Task.ID == ids[1] {
			w.change(ids[1], tq.EventComplete, tq.Arg{Epoch: c.Task.Epoch}, "")
		}
	}
	rows, err := w.Workers(w.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].ID != "w-2" || rows[1].ID != "w-1" {
		t.Fatalf("got %+v, want w-2 and w-1, newest seen first", rows)
	}
	row := rows[1]
	if !slices.Equal(row.Running, []int64{ids[0], ids[2]}) || !slices.Equal(rows[0].Running, []int64{ids[3]}) {
		t.Errorf("running: %v and %v", rows[0].Running, row.Running)
	}
	if !slices.Equal(row.Types, one.Types) || !slices.Equal(row.Queues, one.Queues) {
		t.Errorf("types %v, queues %v", row.Types, row.Queues)
	}
	equal(t, "name", row.Name, "box")
	equal(t, "slots", row.Slots, 3)
	equal(t, "owner", row.Owner, "me")
	equal(t, "started_at", row.StartedAt, start)
	equal(t, "seen_at", row.SeenAt, start)
}
