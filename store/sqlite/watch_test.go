package sqlite

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
)

// listening hands on what Watch tells, once it is known to listen to others.
func listening(t *testing.T, s *Store) <-chan tq.News {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	news, ended := make(chan tq.News, 1_000), make(chan error, 1)
	go func() { ended <- s.Watch(ctx, func(n tq.News) { news <- n }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("watch: %v", err)
		}
	})
	heard(t, news, "the beginning", func(n tq.News) bool { return n.Other })
	return news
}

func heard(t *testing.T, news <-chan tq.News, what string, is func(tq.News) bool) tq.News {
	t.Helper()
	patience := time.After(10 * time.Second)
	for {
		select {
		case n := <-news:
			if is(n) {
				return n
			}
		case <-patience:
			t.Fatalf("never heard: %s", what)
		}
	}
}

func TestWatchersHearOfTheirOwnProcessInDetail(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	news := listening(t, s)
	tasks := []tq.NewTask{
		normal(t, tq.NewTask{Type: "a"}), normal(t, tq.NewTask{Type: "a"}),
		normal(t, tq.NewTask{Type: "b", Delay: tq.Duration(time.Hour)}),
	}
	if _, err := s.Enqueue(t.Context(), tasks, ""); err != nil {
		t.Fatal(err)
	}
	n := heard(t, news, "an enqueue", func(n tq.News) bool { return len(n.Ready) > 0 })
	want := tq.Place{Queue: "default", Type: "a", N: 2}
	if len(n.Ready) != 1 || n.Ready[0] != want || n.Due.IsZero() || n.Ended || n.Other {
		t.Errorf("heard %+v, want %+v ready and one due", n, want)
	}
	if _, err := s.Change(t.Context(), []tq.Change{{TaskID: 1, Event: tq.EventCancel}}); err != nil {
		t.Fatal(err)
	}
	heard(t, news, "an end", func(n tq.News) bool { return n.Ended && !n.Other })
}

func TestWatchersHearOfOtherProcesses(t *testing.T) {
	t.Parallel()
	here := openStore(t, Options{})
	there, err := Open(here.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := there.Close(); err != nil {
			t.Error(err)
		}
	}()
	news := listening(t, here)
	for range 3 {
		if _, err := there.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
			t.Fatal(err)
		}
		heard(t, news, "another's commit", func(n tq.News) bool { return n.Other })
	}
	// The file is taken away: they find the new one.
	if err := os.Remove(here.path + wakeSuffix); err != nil {
		t.Fatal(err)
	}
	third, err := Open(here.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := third.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := third.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
		t.Fatal(err)
	}
	heard(t, news, "a commit told through a new file, or found by the backstop", func(n tq.News) bool {
		return n.Other || len(n.Ready) > 0
	})
}

func TestWatchersDoNotTakeThemselvesForOthers(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	news := listening(t, s)
	for range 50 {
		if _, err := s.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
			t.Fatal(err)
		}
		heard(t, news, "an enqueue", func(n tq.News) bool {
			if n.Other {
				t.Error("our own commit was told as another's")
			}
			return len(n.Ready) > 0
		})
	}
}

func TestWatchEndsWithTheStore(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	ended := make(chan error, 1)
	go func() { ended <- s.Watch(context.Background(), func(tq.News) {}) }()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil && tq.CodeOf(err) != tq.CodeUnavailable {
		t.Errorf("watch: %v", err)
	}
}

// A store that nothing happens in is not written to, even while long leases are
// held and the sweep watches over them.
func TestSweepsOfAnIdleStoreWriteNothing(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	s := openStore(t, Options{Clock: clock.Now})
	if _, err := s.Enqueue(t.Context(), []tq.NewTask{normal(t, tq.NewTask{Type: "t"})}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(t.Context(), tq.ClaimQuery{Max: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for range 11 { // what happened is counted in rollups, once
		clock.Advance(time.Second)
		if _, err := s.Sweep(t.Context(), tq.Retention{}); err != nil {
			t.Fatal(err)
		}
	}
	// Nobody can write meanwhile, so a sweep that wants to would not come back.
	release := held(t, s)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 600 {
		clock.Advance(time.Second)
		swept, err := s.Sweep(ctx, tq.Retention{})
		if err != nil || swept.Expired+swept.Due+swept.Deleted > 0 || swept.More {
			t.Fatalf("swept %+v, %v", swept, err)
		}
		if swept.NextDue <= 0 || swept.NextDue > time.Second {
			t.Fatalf("the next sweep is due in %s, want at most a second while a lease is held", swept.NextDue)
		}
	}
}

func walSize(t *testing.T, s *Store) int64 {
	t.Helper()
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
