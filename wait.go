package tq

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"
)

// The waiting room: where claims, waits and followers of the journal stand
// until a commit may have changed something for them. Nobody polls; a slow
// backstop heals a wake-up that was lost between processes.

const (
	backstop    = 5 * time.Second // while the store is watched
	backstopOff = time.Second     // while it is not
)

type room struct {
	mu      sync.Mutex
	waiters []*waiter     // claims, first come first
	changed chan struct{} // closed and replaced at each commit
	closed  bool          // draining: nobody waits
	watched bool
}

// waiter is one claim that found nothing.
type waiter struct {
	query ClaimQuery
	wake  chan struct{} // holds one wake-up
}

func newRoom() *room { return &room{changed: make(chan struct{})} }

// open lets claims wait; close sends all of them home with empty hands.
func (r *room) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.watched = false, true
}

func (r *room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.watched = true, false
	for _, w := range r.waiters {
		w.signal()
	}
	r.broadcast()
}

func (r *room) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// enter must come before the claim that may find nothing, so that no commit
// falls between the two unheard.
func (r *room) enter(q ClaimQuery) *waiter {
	w := &waiter{query: q, wake: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiters = append(r.waiters, w)
	return w
}

// leave takes w out. If it took something there may be more of it, and if it
// goes with a wake-up unused somebody else must have that: the next is woken.
func (r *room) leave(w *waiter, took bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiters = slices.DeleteFunc(r.waiters, func(x *waiter) bool { return x == w })
	select {
	case <-w.wake:
		took = true
	default:
	}
	if took {
		r.wakeOne(func(q *ClaimQuery) bool { return overlaps(q, &w.query) })
	}
}

// news wakes those whom a commit may concern: as many claims as tasks became
// ready, and when another process committed, one claim of each kind, which
// wakes the next when it finds something.
func (r *room) news(n News) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range n.Ready {
		for range min(p.N, len(r.waiters)) {
			if !r.wakeOne(func(q *ClaimQuery) bool { return wants(q, p) }) {
				break
			}
		}
	}
	if n.Other {
		r.wakeEachKind()
	}
	r.broadcast()
}

func (r *room) wakeOne(match func(*ClaimQuery) bool) bool {
	for _, w := range r.waiters {
		if len(w.wake) == 0 && match(&w.query) {
			w.signal()
			return true
		}
	}
	return false
}

func (r *room) wakeEachKind() {
	var woken []*waiter
	for _, w := range r.waiters {
		same := func(x *waiter) bool { return sameKind(&x.query, &w.query) }
		if !slices.ContainsFunc(woken, same) {
			w.signal()
			woken = append(woken, w)
		}
	}
}

func (w *waiter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (r *room) broadcast() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// next returns a channel that is closed at the next commit.
func (r *room) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (r *room) backstop() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watched {
		return backstop
	}
	return backstopOff
}

// sleep waits for the channel, for d or for ctx to end, and reports whether it
// is worth going on.
func sleep(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-woken:
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	return true
}

// wants reports whether a claim could take tasks at p.
func wants(q *ClaimQuery, p Place) bool {
	return (len(q.Queues) == 0 || slices.Contains(q.Queues, p.Queue)) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, p.Type)) &&
		!slices.Contains(q.NotTypes, p.Type) &&
		(q.Project == "" || q.Project == p.Project) && q.Only.Sees(p.Queue, p.Type)
}

func sameKind(a, b *ClaimQuery) bool {
	return reflect.DeepEqual(a.Only, b.Only) && slices.Equal(a.Queues, b.Queues) && slices.Equal(a.Types, b.Types) && a.Project == b.Project
}

// overlaps reports whether one task could be taken by both claims.
func overlaps(a, b *ClaimQuery) bool {
	return meets(a.Queues, b.Queues) && meets(a.Types, b.Types) &&
		(a.Project == "" || b.Project == "" || a.Project == b.Project)
}

// meets reports whether two lists share a name; an empty one stands for all.
func meets(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
