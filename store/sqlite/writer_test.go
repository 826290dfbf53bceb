package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/tq"
)

// held keeps the writer inside an operation until release is called, so that
// what is asked for meanwhile waits in one queue.
func held(t *testing.T, s *Store) (release func()) {
	t.Helper()
	begun, free := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	var once sync.Once // an operation may be run again
	go func() {
		done <- s.write(context.Background(), 0, func(*turn) error {
			once.Do(func() { close(begun) })
			<-free
			return nil
		})
	}()
	<-begun
	return func() {
		t.Helper()
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// waiting returns when n operations stand in the queue.
func waiting(t *testing.T, s *Store, n int) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if got, _ := s.writer.state(); got == n {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d operations never stood in the queue", n)
		}
	}
}

func normal(t *testing.T, n tq.NewTask) tq.NewTask {
	t.Helper()
	n, err := n.Normal()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sound sweeps what is due, as I10 asks, and looks at every invariant.
func sound(t *testing.T, s *Store) {
	t.Helper()
	for more := true; more; {
		swept, err := s.Sweep(context.Background(), tq.Retention{Completed: -1, Cancelled: -1, Dead: -1, Facts: -1})
		if err != nil {
			t.Fatal(err)
		}
		more = swept.More
	}
	found, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("%s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

func TestCallersThatWaitShareATransaction(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	release := held(t, s)
	const many = 50
	turns, errs := make(chan *turn, many), make(chan error, many)
	for range many {
		go func() {
			errs <- s.write(context.Background(), 0, func(n *turn) error {
				turns <- n
				return nil
			})
		}()
	}
	waiting(t, s, many)
	release()
	first := <-turns
	for range many - 1 {
		if next := <-turns; next != first {
			t.Error("a caller got a transaction of its own")
		}
	}
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestCommitsCountWhoSharedThem(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	commits, calls := s.Commits()
	release := held(t, s)
	const many = 50
	errs := make(chan error, many)
	for range many {
		go func() {
			_, err := s.Enqueue(context.Background(), []tq.NewTask{normal(t, tq.NewTask{Type: "work"})}, "tester")
			errs <- err
		}()
	}
	waiting(t, s, many)
	release()
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	nowCommits, nowCalls := s.Commits()
	if nowCommits != commits+1 || nowCalls != calls+many+1 { // one more was held
		t.Errorf("counted %d commits of %d calls, want 1 of %d", nowCommits-commits, nowCalls-calls, many+1)
	}
}

// An operation that fails half way must take back what it wrote, and only that.
func TestAPoisonedOperationFailsAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	task := normal(t, tq.NewTask{Type: "t"})
	release := held(t, s)
	var wg sync.WaitGroup
	enqueue := func(n int) {
		for range n {
			wg.Go(func() {
				if _, err := s.Enqueue(t.Context(), []tq.NewTask{task}, "good"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	enqueue(20)
	waiting(t, s, 20)
	for i := range 3 {
		wg.Go(func() {
			err := s.write(t.Context(), 0, func(n *turn) error {
				bad := batch{turn: n, tasks: []tq.NewTask{task}, first: n.cache.lastTask}
				if err := bad.resolve(); err != nil {
					return err
				}
				if err := bad.write(&bad.rows[0], "bad"); err != nil {
					return err
				}
				n.count(99, countReady, 1) // and lies about the counters
				return n.exec(n.c.sql(insertLane).text("default").text("t").text(""))
			})
			if tq.CodeOf(err) != tq.CodeInternal {
				t.Errorf("poisoned operation %d: got %v", i, err)
			}
		})
	}
	waiting(t, s, 23)
	enqueue(20)
	waiting(t, s, 43)
	release()
	wg.Wait()
	page, err := s.Tasks(t.Context(), tq.TaskQuery{Limit: 1_000})
	if err != nil || len(page.Tasks) != 40 {
		t.Errorf("%d tasks are there, want 40 (%v)", len(page.Tasks), err)
	}
	sound(t, s)
	claims, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 100, Lease: time.Minute})
	if err != nil || len(claims.Tasks) != 40 {
		t.Errorf("%d tasks were claimed, want 40 (%v)", len(claims.Tasks), err)
	}
	sound(t, s)
}

func TestARefusedBatchHoldsBackNobody(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	good := normal(t, tq.NewTask{Type: "t"})
	bad := normal(t, tq.NewTask{Type: "t", Deps: []tq.Ref{"77"}})
	release := held(t, s)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			tasks := []tq.NewTask{good, good}
			if i%2 == 1 {
				tasks[1] = bad
			}
			_, err := s.Enqueue(t.Context(), tasks, "")
			if want := i%2 == 1; (tq.CodeOf(err) == tq.CodeUnknownDependency) != want {
				t.Errorf("batch %d: %v", i, err)
			}
		})
	}
	waiting(t, s, 10)
	release()
	wg.Wait()
	page, err := s.Tasks(t.Context(), tq.TaskQuery{Limit: 100})
	if err != nil || len(page.Tasks) != 10 {
		t.Errorf("%d tasks are there, want 10 (%v)", len(page.Tasks), err)
	}
	sound(t, s)
}

func TestACallerWhoHasGoneHasDoneNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	release := held(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.Enqueue(ctx, []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, "")
		gone <- err
	}()
	waiting(t, s, 1)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	page, err := s.Tasks(t.Context(), tq.TaskQuery{})
	if err != nil || len(page.Tasks) != 0 {
		t.Errorf("tasks %v, %v", page.Tasks, err)
	}
}

func TestCloseAnswersWhoWaitsAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	release := held(t, s)
	answered := make(chan error, 1)
	go func() {
		_, err := s.Enqueue(context.Background(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, "")
		answered <- err
	}()
	waiting(t, s, 1)
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- s.Close() }()
	}
	release()
	for range 2 {
		if err := <-closed; err != nil {
			t.Error(err)
		}
	}
	if err := <-answered; err != nil {
		t.Errorf("asked before the end: %v", err)
	}
	if _, err := s.Enqueue(context.Background(), nil, ""); tq.CodeOf(err) != tq.CodeUnavailable {
		t.Errorf("asked after the end: %v", err)
	}
	if _, err := s.Tasks(context.Background(), tq.TaskQuery{}); tq.CodeOf(err) != tq.CodeUnavailable {
		t.Errorf("read after the end: %v", err)
	}
}

// Two stores on one file are to each other what two processes are: neither may
// trust what it remembers once the other has written.
func TestTwoWritersSeeWhatTheOtherDid(t *testing.T) {
	t.Parallel()
	a := openStore(t, Options{})
	b, err := Open(a.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	both := []*Store{a, b}
	for i := range 40 {
		here, there := both[i%2], both[(i+1)%2]
		task := normal(t, tq.NewTask{Type: fmt.Sprint("type-", i%7), Queue: fmt.Sprint("queue-", i%3)})
		out, err := here.Enqueue(t.Context(), []tq.NewTask{task}, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := there.Claim(t.Context(), tq.ClaimQuery{Max: 2, Lease: time.Minute})
		if err != nil || len(got.Tasks) != 1 || got.Tasks[0].Task.ID != out[0].ID {
			t.Fatalf("round %d: claimed %+v (%v), want task %d", i, got.Tasks, err, out[0].ID)
		}
		arg := tq.Arg{Epoch: 1}
		changed, err := here.Change(t.Context(), []tq.Change{{TaskID: out[0].ID, Event: tq.EventComplete, Arg: arg}})
		if err != nil || changed[0].Err != nil {
			t.Fatal(err, changed)
		}
	}
	sound(t, a)
}
