package sqlite

import (
	"slices"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
)

func enqueueMany(t *testing.T, s *Store, many int, like tq.NewTask) {
	t.Helper()
	like = normal(t, like)
	for ; many > 0; many -= tq.MaxBatch {
		if _, err := s.Enqueue(t.Context(), slices.Repeat([]tq.NewTask{like}, min(many, tq.MaxBatch)), ""); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAWaveOfDueTasksIsMovedInBites(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	s := openStore(t, Options{Clock: clock.Now})
	const many = 2*promoteBite + 500
	enqueueMany(t, s, many, tq.NewTask{Type: "t", Delay: tq.Duration(time.Second)})
	clock.Advance(2 * time.Second)
	for _, want := range []int{promoteBite, promoteBite, 500, 0} {
		swept, err := s.Sweep(t.Context(), tq.Retention{})
		if err != nil || swept.Due != want {
			t.Fatalf("%d became ready, want %d (%v)", swept.Due, want, err)
		}
		if more := want == promoteBite; swept.More != more {
			t.Errorf("after %d it says more: %v", want, swept.More)
		}
	}
	claims, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 100, Lease: time.Minute})
	if err != nil || len(claims.Tasks) != 100 {
		t.Fatalf("claimed %d (%v)", len(claims.Tasks), err)
	}
	for i, c := range claims.Tasks {
		if c.Task.ID != int64(i+1) {
			t.Fatalf("task %d came as number %d", c.Task.ID, i+1)
		}
	}
	sound(t, s)
}

func TestAPurgeGoesInBites(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	const many = 2*purgeBite + 50
	for _, kind := range []string{"a", "b"} {
		enqueueMany(t, s, many/2, tq.NewTask{Type: kind})
	}
	if _, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 3, Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	var sum tq.QueueChanged
	bites := 0
	for next := int64(0); bites == 0 || next > 0; bites++ {
		got, err := s.SetQueue(t.Context(), tq.QueueChange{Queue: "default", Purge: true, After: next})
		if err != nil {
			t.Fatal(err)
		}
		sum.Deleted, sum.Kept, sum.Running = sum.Deleted+got.Deleted, sum.Kept+got.Kept, sum.Running+got.Running
		next = got.Next
	}
	if want := (tq.QueueChanged{Deleted: many - 3, Running: 3}); sum != want || bites != 3 {
		t.Errorf("%+v in %d bites, want %+v in 3", sum, bites, want)
	}
	sound(t, s)
}

// A line's first tasks are kept in memory; what is inserted, taken and cancelled
// in between must not disturb their order.
func TestALongLineKeepsItsOrder(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	var want []int64
	for i := range 300 {
		priority := []int{0, 5, -5}[i%3]
		task := normal(t, tq.NewTask{Type: "t", Priority: priority})
		out, err := s.Enqueue(t.Context(), []tq.NewTask{task}, "")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, out[0].ID)
		if i%10 == 9 { // forget what is in memory, as after another's commit
			if err := s.write(t.Context(), 0, func(n *turn) error { return n.reread(n.cache.version, n.lane) }); err != nil {
				t.Fatal(err)
			}
		}
		if i%7 == 6 {
			gone := want[len(want)/2]
			if _, err := s.Change(t.Context(), []tq.Change{{TaskID: gone, Event: tq.EventCancel}}); err != nil {
				t.Fatal(err)
			}
			want = slices.DeleteFunc(want, func(id int64) bool { return id == gone })
		}
	}
	rank := func(id int64) int64 { return []int64{1, 0, 2}[(id-1)%3]*1_000 + id }
	slices.SortFunc(want, func(a, b int64) int { return int(rank(a) - rank(b)) })
	var got []int64
	for len(got) < len(want) {
		claims, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 7, Lease: time.Minute})
		if err != nil || len(claims.Tasks) == 0 {
			t.Fatalf("after %d of %d: %v", len(got), len(want), err)
		}
		for _, c := range claims.Tasks {
			got = append(got, c.Task.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("claimed in the order\n%v, want\n%v", got, want)
	}
	sound(t, s)
}
