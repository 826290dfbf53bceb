package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/tq"
)

// What tests of waiting calls need: to run the client, to act when a claimer
// waits, and to see what the store tells those who watch it.

// probe stands between client and store and tells a test what passes there.
type probe struct {
	tq.Store
	empty chan struct{} // a claim has found nothing
	heard chan tq.News  // what watchers were told; a full channel forgets

	mu      sync.Mutex
	claimed func(context.Context) // called when a claim has found something, before it is answered
}

func newProbe(store tq.Store) *probe {
	const enough = 4_096
	return &probe{Store: store, empty: make(chan struct{}, 1), heard: make(chan tq.News, enough)}
}

func (p *probe) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	claims, err := p.Store.Claim(ctx, q)
	p.mu.Lock()
	claimed := p.claimed
	p.mu.Unlock()
	switch {
	case err != nil:
	case len(claims.Tasks) > 0 && claimed != nil:
		claimed(ctx)
	case len(claims.Tasks) == 0:
		select {
		case p.empty <- struct{}{}:
		default:
		}
	}
	return claims, err
}

func (p *probe) onClaimed(f func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claimed = f
}

func (p *probe) Watch(ctx context.Context, news func(tq.News)) error {
	return p.Store.Watch(ctx, func(n tq.News) {
		select {
		case p.heard <- n:
		default:
		}
		news(n)
	})
}

// forget drops what was heard so far.
func (p *probe) forget() {
	for {
		select {
		case <-p.heard:
		default:
			return
		}
	}
}

// runner is a client with a background part, as the Broker is.
type runner interface {
	Run(ctx context.Context) error
}

// live runs the client's background part, if it has one, until the test ends,
// and returns when it hears of commits: waiting calls are then woken by them
// and not by their slow backstop.
func (q *Queue) live() {
	q.t.Helper()
	r, ok := q.Client.(runner)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(q.ctx())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	q.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && ctx.Err() == nil {
			q.t.Error(fmt.Errorf("run the client: %w", err))
		}
	})
	const beat, tries = 5 * time.Millisecond, 12_000
	for range tries {
		q.cancel(q.enqueue(tq.NewTask{Queue: "warm-up", Delay: tq.Duration(time.Hour)}))
		select {
		case <-q.probe.heard:
			return
		case <-time.After(beat): // it does not watch yet: commit again
		}
	}
	q.t.Fatal("watchers are told of nothing")
}

// never is how long a test waits for what must come at once, before it fails.
const never = time.Minute

// await receives what must come.
func await[T any](q *Queue, what string, from <-chan T) T {
	q.t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(never):
		q.t.Fatalf("%s did not come in %s", what, never)
	}
	panic("unreachable")
}

// hears waits until the store has told watchers something.
func (q *Queue) hears(what string, is func(tq.News) bool) {
	q.t.Helper()
	if _, ok := q.Client.(runner); !ok {
		return // watched elsewhere
	}
	deadline := time.After(never)
	for {
		select {
		case n := <-q.probe.heard:
			if is(n) {
				return
			}
		case <-deadline:
			q.t.Fatalf("watchers were not told: %s", what)
		}
	}
}

// readyIn tells news of a task that became claimable in a queue.
func readyIn(queue string) func(tq.News) bool {
	return func(n tq.News) bool {
		return slices.ContainsFunc(n.Ready, func(p tq.Place) bool { return p.Queue == queue && p.N > 0 })
	}
}
