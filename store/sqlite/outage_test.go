package sqlite

import (
	"errors"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
	zs "zombiezen.com/go/sqlite"
)

// An outage is seen by whoever comes after it, also another process.
func TestAnOutageIsForgivenOnceAcrossRestarts(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	first := openStore(t, Options{Clock: clock.Now})
	if _, err := first.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Claim(t.Context(), tq.ClaimQuery{Max: 1, Lease: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(12 * time.Second)
	s, err := Open(first.path, Options{Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	// The lease ran out 2 s ago. It is put off by 10 s, its own length, and by
	// no more however often one looks.
	lasts(t, s, clock, 8)
}

// A process that is stopped in the middle of a transaction, and a clock that
// jumps there, is an outage as any other: what was judged at the transaction's
// time must not count as seen to for the time it ended at.
func TestAnOutageInTheMiddleOfATurnIsForgiven(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	s := leased(t, clock)
	err := s.write(t.Context(), 0, func(n *turn) error {
		clock.Advance(9 * time.Second)
		return n.forgive()
	})
	if err != nil {
		t.Fatal(err)
	}
	lasts(t, s, clock, 10) // 1 s was left, and it is put off by 9
}

// What a transaction put off is undone when it is rolled back, and so must be
// that it was seen to.
func TestAnOutageIsForgivenThoughItsFirstTurnFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, fail := range map[string]func(n *turn) error{
		"alone": func(n *turn) error { return broken },
		"half done": func(n *turn) error {
			n.writes++
			return broken
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := storetest.NewClock(time.Now())
			s := leased(t, clock)
			clock.Advance(9 * time.Second)
			err := s.write(t.Context(), 0, func(n *turn) error {
				if err := n.forgive(); err != nil {
					return err
				}
				return fail(n)
			})
			if !errors.Is(err, broken) {
				t.Fatalf("the turn answered %v", err)
			}
			lasts(t, s, clock, 10)
		})
	}
}

// A full disk is an outage too: who cannot be heard must not be expired for it.
// That nothing was due meanwhile does not make it shorter.
func TestAFullDiskIsAnOutage(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Now())
	s := leased(t, clock)
	for range 12 {
		clock.Advance(time.Second)
		err := s.write(t.Context(), 0, func(*turn) error { return zs.ResultFull.ToError() })
		if tq.CodeOf(err) != tq.CodeUnavailable {
			t.Fatalf("a full disk answered %v", err)
		}
		if _, err := s.look(t.Context(), tq.Retention{}); err != nil {
			t.Fatal(err)
		}
	}
	lasts(t, s, clock, 8) // the lease ran out 2 s ago and is put off by its length
}

// leased is a store with one task under a lease of ten seconds.
func leased(t *testing.T, clock *storetest.Clock) *Store {
	t.Helper()
	s := openStore(t, Options{Clock: clock.Now})
	if _, err := s.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 1, Lease: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	return s
}

// lasts fails t unless the lease, whatever it is put off by now, lasts for so
// many seconds, looked at in each, and not a millisecond longer.
func lasts(t *testing.T, s *Store, clock *storetest.Clock, seconds int) {
	t.Helper()
	swept(t, s, 0)
	for range seconds {
		clock.Advance(time.Second)
		swept(t, s, 0)
	}
	clock.Advance(time.Millisecond)
	swept(t, s, 1)
	sound(t, s)
}

func swept(t *testing.T, s *Store, expired int) {
	t.Helper()
	got, err := s.Sweep(t.Context(), tq.Retention{})
	if err != nil || got.Expired != expired {
		t.Errorf("the sweep ended %d leases, want %d (%v)", got.Expired, expired, err)
	}
}
