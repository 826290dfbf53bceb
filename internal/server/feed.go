package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"example.com/tq"
)

// The feed: one reader of the journal for all who follow it. It reads only
// while somebody follows. Each follower has a list of its own; one that does
// not empty it is told so and dropped, and goes on later from where it was.

// maxBehind is how many facts a follower may be behind: two of the largest
// batches, each of which is told at once. What is behind costs a follower its
// place in a list; the text of a fact is there once for all.
const maxBehind = 2 * tq.MaxBatch

type feed struct {
	client tq.Client // sees everything
	log    *slog.Logger

	starting sync.Mutex // held while the first follower comes
	mu       sync.Mutex
	last     int64 // the newest seq that followers were told
	all      map[*follower]bool
	stop     context.CancelFunc
}

// follower is one who hears of new facts.
type follower struct {
	wants func(*tq.Fact) bool
	news  chan struct{} // holds one when there is something to take
	late  chan struct{} // closed when there was no room for a fact

	mu     sync.Mutex
	behind []told
}

// told is a fact as it is sent: written once for all who follow.
type told struct {
	seq  int64
	data []byte // JSON
}

// join makes a follower of all facts behind the seq that it returns.
func (f *feed) join(ctx context.Context, wants func(*tq.Fact) bool) (*follower, int64, error) {
	f.starting.Lock()
	defer f.starting.Unlock()
	if err := f.start(ctx); err != nil {
		return nil, 0, err
	}
	x := &follower{wants: wants, news: make(chan struct{}, 1), late: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[x] = true
	return x, f.last, nil
}

// start begins to read at the end of the journal, when nobody does yet.
func (f *feed) start(ctx context.Context) error {
	f.mu.Lock()
	running := f.stop != nil
	f.mu.Unlock()
	if running {
		return nil
	}
	last, err := f.newest(ctx)
	if err != nil {
		return err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.all, f.stop = last, map[*follower]bool{}, stop
	go f.read(life, last)
	return nil
}

// newest is the seq of the last fact in the journal, 0 of none.
func (f *feed) newest(ctx context.Context) (int64, error) {
	end, err := f.client.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil || len(end.Facts) == 0 {
		return 0, err
	}
	return end.Facts[0].Seq, nil
}

// leave ends the reading with the last follower.
func (f *feed) leave(x *follower) {
	f.starting.Lock()
	defer f.starting.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, x)
	if len(f.all) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// read tells followers of all facts behind a seq, until ctx ends.
func (f *feed) read(ctx context.Context, after int64) {
	const rest = 200 * time.Millisecond // when a wait ended early: the hub is stopping, or the store is away
	for ctx.Err() == nil {
		began := time.Now()
		page, err := f.client.Facts(ctx, tq.FactsIn{After: after, Limit: tq.MaxPage, Wait: tq.Duration(tq.MaxWait)})
		if err != nil && ctx.Err() == nil {
			f.log.Warn("read the journal for those who follow it", "error", err)
		}
		if n := len(page.Facts); n > 0 {
			after = page.Facts[n-1].Seq
			f.tell(ctx, page.Facts)
			continue
		}
		if time.Since(began) < rest {
			pause(ctx, rest)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// tell hands facts on. ctx has ended when others read meanwhile.
func (f *feed) tell(ctx context.Context, facts []tq.Fact) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for i := range facts {
		n := told{facts[i].Seq, asLine(&facts[i])}
		for x := range f.all {
			if x.wants(&facts[i]) && !x.hear(n) {
				close(x.late)
				delete(f.all, x)
			}
		}
	}
	f.last = facts[len(facts)-1].Seq
}

// hear adds a fact, unless the follower is too far behind.
func (x *follower) hear(n told) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.behind) == maxBehind {
		return false
	}
	x.behind = append(x.behind, n)
	select {
	case x.news <- struct{}{}:
	default: // it knows already
	}
	return true
}

// take is all that it was told and has not taken yet.
func (x *follower) take() []told {
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.news:
	default:
	}
	all := x.behind
	x.behind = nil
	return all
}
