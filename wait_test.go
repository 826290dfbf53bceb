package tq

import "testing"

func waiting(r *room, queues ...string) *waiter {
	return r.enter(ClaimQuery{Queues: queues})
}

func woken(w *waiter) bool { return len(w.wake) == 1 }

func TestRoomWakesAsManyAsTasksBecameReady(t *testing.T) {
	r := newRoom()
	first, second, third := waiting(r), waiting(r, "a"), waiting(r, "b")
	r.news(News{Ready: []Place{{Queue: "a", N: 2}}})
	if !woken(first) || !woken(second) {
		t.Error("two tasks of queue a became ready, two waiters for it were not woken")
	}
	if woken(third) {
		t.Error("a waiter for queue b was woken by a task of queue a")
	}
}

func TestRoomPassesAnUnusedWakeUpOn(t *testing.T) {
	r := newRoom()
	first, second := waiting(r, "a"), waiting(r, "a")
	r.news(News{Ready: []Place{{Queue: "a", N: 1}}})
	if woken(second) {
		t.Fatal("one task woke two waiters")
	}
	r.leave(first, false)
	if !woken(second) {
		t.Error("the woken waiter left without claiming, and nobody was woken in its place")
	}
}

func TestRoomWakesTheNextWhenOneTookSomething(t *testing.T) {
	r := newRoom()
	first, second, other := waiting(r, "a"), waiting(r, "a"), waiting(r, "b")
	r.news(News{Other: true})
	if !woken(first) || woken(second) || !woken(other) {
		t.Fatal("news from another process wakes one waiter of each kind")
	}
	<-first.wake
	r.leave(first, true)
	if !woken(second) {
		t.Error("who found something wakes the next of its kind")
	}
}

func TestRoomCloseSendsAllHome(t *testing.T) {
	r := newRoom()
	w, next := waiting(r), r.next()
	r.close()
	if !woken(w) || !r.isClosed() {
		t.Error("close leaves a claim waiting")
	}
	select {
	case <-next:
	default:
		t.Error("close leaves a follower waiting")
	}
}

func TestWantsHoldsEveryFilter(t *testing.T) {
	place := Place{Queue: "q", Type: "build", Project: "p"}
	for _, c := range []struct {
		name string
		q    ClaimQuery
		want bool
	}{
		{"no filter", ClaimQuery{}, true},
		{"its queue", ClaimQuery{Queues: []string{"x", "q"}}, true},
		{"another queue", ClaimQuery{Queues: []string{"x"}}, false},
		{"its type", ClaimQuery{Types: []string{"build"}}, true},
		{"another type", ClaimQuery{Types: []string{"sh"}}, false},
		{"an excluded type", ClaimQuery{NotTypes: []string{"build"}}, false},
		{"its project", ClaimQuery{Project: "p"}, true},
		{"another project", ClaimQuery{Project: "x"}, false},
	} {
		if got := wants(&c.q, place); got != c.want {
			t.Errorf("%s: wants = %v", c.name, got)
		}
	}
}
