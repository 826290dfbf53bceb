package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/tq"
)

// Group commit. What callers ask for while a flush is on its way is written by
// the next one together. There is no timer: a lone caller waits for nothing, and
// the more come the more share a commit. When so many wait that they would make
// a large flush of their own, a second one runs beside the first, so that one
// reads while the other is synced. With fewer it would only halve the flushes: a
// hundred callers that claim and complete one task at a time cost the server
// twice as much that way.
//
// A flush that fails is taken apart: who is known to be at fault is answered
// alone and the rest tried again; else each half is tried by itself, so that one
// poisoned row fails for its own caller only.

const (
	flushes      = 2
	manyWait     = 100 // rows: reason for a second flush
	flushTimeout = time.Minute
)

// pending is what one caller wants written.
type pending struct {
	rows, bytes int
	part        *part        // of an enqueue
	changes     []tq.Change  // of a change
	changed     []tq.Changed // its answer
	claim       *claimPart   // of a claim
	group       string       // only callers of one group share a flush
	name        string       // and no two of one name

	err   error
	done  chan struct{}
	taken bool // it is being written
}

// flusher writes what waits, at most most rows at once.
type flusher struct {
	most  int
	flush func(ctx context.Context, all []*pending) error

	commits, shared atomic.Int64 // flushes that were done, and the calls in them

	mu      sync.Mutex
	waiting []*pending
	rows    int // of those
	running int
}

// Commits counts, since the store was opened here, the transactions that wrote
// for callers and the calls that shared them.
func (s *Store) Commits() (commits, calls int64) {
	for _, f := range []*flusher{s.enqueues, s.claims, s.changes} {
		commits, calls = commits+f.commits.Load(), calls+f.shared.Load()
	}
	return commits, calls
}

// blame says whose part of a flush was refused.
type blame struct {
	part *part
	err  error
}

func (b *blame) Error() string { return b.err.Error() }
func (b *blame) Unwrap() error { return b.err }

// do answers when p is durable, or has failed. When ctx ends before it was
// begun with, nothing is done.
func (f *flusher) do(ctx context.Context, p *pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.done = make(chan struct{})
	f.mu.Lock()
	f.waiting = append(f.waiting, p)
	f.rows += p.rows
	start := f.running == 0 || f.running < flushes && f.rows >= manyWait
	if start {
		f.running++
	}
	f.mu.Unlock()
	if start {
		go f.run()
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
	}
	if f.leave(p) {
		return ctx.Err()
	}
	<-p.done
	return p.err
}

// leave takes p back unless it is being written.
func (f *flusher) leave(p *pending) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.taken {
		return false
	}
	for i, other := range f.waiting {
		if other == p {
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
			f.rows -= p.rows
			break
		}
	}
	return true
}

// run flushes until nothing waits.
func (f *flusher) run() {
	for {
		// Callers that come together, as those that were answered together do,
		// are to be in the same flush: let those that are on their way come.
		runtime.Gosched()
		all := f.next()
		if len(all) == 0 {
			return
		}
		f.write(all)
	}
}

// next takes what shares the next flush: who has waited longest, and those of
// the same group for whom there is room.
func (f *flusher) next() []*pending {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all, rest []*pending
	rows, size, names := 0, 0, map[string]bool{}
	for _, p := range f.waiting {
		fits := len(all) == 0 || p.group == all[0].group && rows+p.rows <= f.most && size+p.bytes <= tq.MaxBatchBytes
		if !fits || names[p.name] {
			rest = append(rest, p)
			continue
		}
		rows, size = rows+p.rows, size+p.bytes
		p.taken = true
		names[p.name] = p.name != ""
		all = append(all, p)
	}
	f.waiting = rest
	f.rows -= rows
	if len(all) == 0 {
		f.running--
	}
	return all
}

// write answers all of them.
func (f *flusher) write(all []*pending) {
	ctx, stop := context.WithTimeout(context.Background(), flushTimeout)
	defer stop()
	for len(all) > 0 {
		err := f.flush(ctx, all)
		var fault *blame
		switch guilty := errors.As(err, &fault); {
		case guilty:
			all = answer(all, fault)
			continue
		case len(all) > 1 && separable(err):
			f.write(all[:len(all)/2])
			all = all[len(all)/2:]
			continue
		case err == nil:
			f.commits.Add(1)
			f.shared.Add(int64(len(all)))
		}
		for _, p := range all {
			p.err = err
			close(p.done)
		}
		return
	}
}

// answer tells the one whose fault it was, and returns the others.
func answer(all []*pending, fault *blame) []*pending {
	rest := make([]*pending, 0, len(all))
	for _, p := range all {
		if p.part != fault.part {
			rest = append(rest, p)
			continue
		}
		p.err = fault.err
		close(p.done)
	}
	return rest
}

// separable reports whether a smaller flush may do better: not when the server
// is away, or may have committed.
func separable(err error) bool {
	return errors.Is(err, errLost) || codeOf(err) != "" && !gone(err) && tq.CodeOf(err) != tq.CodeOutcomeUnknown
}
