package memory

import (
	"context"
	"testing"
	"time"

	tq "example.com/tq"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func open(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)}
	s := Open(Options{Clock: c.Now})
	t.Cleanup(func() {
		sound(t, s)
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s, c
}

func sound(t *testing.T, s *Store) {
	t.Helper()
	found, err := s.Check(context.Background())
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, v := range found {
		t.Errorf("violation %s of task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

func enqueue(t *testing.T, s *Store, tasks ...tq.NewTask) []tq.Enqueued {
	t.Helper()
	for i := range tasks {
		tasks[i].Type = "t"
		n, err := tasks[i].Normal()
		if err != nil {
			t.Fatal(err)
		}
		tasks[i] = n
	}
	out, err := s.Enqueue(context.Background(), tasks, "test")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAFailedBatchLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	first := enqueue(t, s, tq.NewTask{IdempotencyKey: "a"})
	bad := tq.NewTask{Type: "t", Deps: []tq.Ref{"99"}}
	good := tq.NewTask{Type: "t", IdempotencyKey: "b", Deps: []tq.Ref{tq.ID(first[0].ID)}}
	bad, _ = bad.Normal()
	good, _ = good.Normal()
	_, err := s.Enqueue(context.Background(), []tq.NewTask{good, bad}, "test")
	if tq.CodeOf(err) != tq.CodeUnknownDependency {
		t.Fatalf("got %v, want unknown_dependency", err)
	}
	second := enqueue(t, s, tq.NewTask{IdempotencyKey: "b"})
	if second[0].Existed || second[0].ID != first[0].ID+1 {
		t.Errorf("got %+v, want a new task with the next id", second[0])
	}
}

func TestALeaseThatNobodyRenewsIsTakenByTheNextClaim(t *testing.T) {
	t.Parallel()
	s, c := open(t)
	ctx := context.Background()
	enqueue(t, s, tq.NewTask{})
	q := tq.ClaimQuery{Max: 1, Lease: 10 * time.Second, Worker: tq.WorkerInfo{ID: "w1"}}
	claims, err := s.Claim(ctx, q)
	if err != nil || len(claims.Tasks) != 1 {
		t.Fatalf("got %v, %v", claims, err)
	}
	for range 11 {
		c.now = c.now.Add(time.Second)
		if _, err := s.Sweep(ctx, tq.Retention{}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := s.Claim(ctx, q)
	if err != nil || len(again.Tasks) != 1 || again.Tasks[0].Task.Epoch != 2 {
		t.Fatalf("got %v, %v, want the task at epoch 2", again, err)
	}
}

func TestWatchersHearOfReadyTasksAndEnds(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx, stop := context.WithCancel(context.Background())
	heard := make(chan tq.News, 10)
	done := make(chan error)
	go func() { done <- s.Watch(ctx, func(n tq.News) { heard <- n }) }()
	if n := <-heard; !n.Other {
		t.Errorf("at the beginning: got %+v, want that anything may have changed", n)
	}
	out := enqueue(t, s, tq.NewTask{Queue: "q"})
	if n := <-heard; len(n.Ready) != 1 || n.Ready[0].Queue != "q" || n.Ready[0].N != 1 {
		t.Errorf("got %+v, want one ready task in q", n)
	}
	if _, err := s.Change(ctx, []tq.Change{{TaskID: out[0].ID, Event: tq.EventCancel}}); err != nil {
		t.Fatal(err)
	}
	if n := <-heard; !n.Ended {
		t.Errorf("got %+v, want an end", n)
	}
	stop()
	if err := <-done; err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestAClosedStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	s := Open(Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enqueue(context.Background(), nil, ""); tq.CodeOf(err) != tq.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}
