package tq

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// The hands of a worker: they own the set of attempts it holds, run as many at
// a time as there are slots, and know how many more may be claimed. Whoever
// waits for that to change waits in await.

const (
	// aheadWork is how much work for each hand is claimed ahead of free ones,
	// about as long as a claim may take: nothing when one task takes longer.
	aheadWork = 50 * time.Millisecond

	// aheadPatience is how long a task claimed ahead waits for a hand. Then the
	// handlers are not so short after all, and it goes back for others to run.
	aheadPatience = time.Second

	meanOver = 8 // attempts that the moving mean looks back over, about

	foreignDelay = time.Minute // before a task that we have no executor for is claimable again
)

type hands struct {
	slots     int
	ahead     bool // tasks may be claimed ahead of free hands
	lease     time.Duration
	executors map[string]Executor
	settle    func(settling) // hands it to a settler, never blocks
	reported  func()         // a progress report waits, never blocks
	log       *slog.Logger

	mu       sync.Mutex
	held     map[string]*attempt // by token
	waiting  []*attempt          // for a free hand, first come first
	busy     int                 // hands whose executor has not returned
	mean     time.Duration       // of an attempt; 0 before the first
	claiming bool                // a claim is under way
	closed   bool                // nothing begins any more
	ended    backlog             // executed, on the way to the store
	gone     int                 // attempts that were settled or lost, ever
	released int                 // begun and given back by a stop
	change   chan struct{}       // closed at the next change; nil while nobody waits
}

// backlog is what has ended and is not settled. It is bounded: nothing is
// claimed while it is full.
type backlog struct{ count, bytes int }

func (b *backlog) full() bool { return b.count >= MaxBatch || b.bytes >= MaxBatchBytes }

// await waits until cond holds; it is asked under the lock at each change.
func (h *hands) await(ctx context.Context, cond func() bool) error {
	for {
		h.mu.Lock()
		if cond() {
			h.mu.Unlock()
			return nil
		}
		if h.change == nil {
			h.change = make(chan struct{})
		}
		change := h.change
		h.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *hands) changed() {
	if h.change != nil {
		close(h.change)
		h.change = nil
	}
}

// idle reports, for await, whether nothing is held and nothing is coming.
func (h *hands) idle() bool { return len(h.held) == 0 && !h.claiming }

// awaitRoom waits until tasks may be claimed and answers how many, 0 when ctx
// has ended. Until take is called, a claim is under way.
func (h *hands) awaitRoom(ctx context.Context) int {
	n := 0
	err := h.await(ctx, func() bool {
		n = h.room()
		h.claiming = n > 0
		return n > 0
	})
	if err != nil {
		return 0
	}
	return n
}

// room is how many tasks to ask for now. While all hands are busy and half of
// what was claimed ahead is still there, there is no hurry: a claim of a few
// costs as much as one of many. Several claims' worth is asked for as long as
// all that is held and not settled stays within a batch.
func (h *hands) room() int {
	ahead := h.spare()
	n := h.slots + ahead - h.busy - len(h.waiting)
	within := MaxBatch - h.busy - len(h.waiting) - h.ended.count
	switch {
	case h.closed || n <= 0 || h.ended.full():
		return 0
	case h.busy >= h.slots && 2*len(h.waiting) > ahead:
		return 0
	case within <= 0 && len(h.waiting) > 0:
		return 0
	}
	return min(n, claimsMost*MaxClaim, max(MaxClaim, within))
}

// spare is how many tasks may be claimed ahead of free hands: some when
// handlers are known to be short, so that no hand waits for a claim.
func (h *hands) spare() int {
	if !h.ahead || h.mean == 0 {
		return 0
	}
	return int(min(int64(h.slots)*int64(aheadWork/h.mean), claimsMost*MaxClaim))
}

// take takes over what a claim sent at sent has brought, which may be nothing,
// and answers how many of the tasks it keeps.
func (h *hands) take(ctx context.Context, tasks []ClaimedTask, sent time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := 0
	for _, c := range tasks {
		if _, twice := h.held[c.LeaseToken]; twice {
			continue
		}
		a := newAttempt(ctx, c, h.lease, sent)
		a.task.report = func(p Progress) { h.report(a, p) }
		h.held[a.token] = a
		if h.keeps(a) {
			h.waiting = append(h.waiting, a)
			kept++
		}
	}
	h.claiming = false
	h.start()
	for _, a := range h.waiting {
		if a.patience == nil {
			a.patience = time.AfterFunc(aheadPatience, func() { h.losePatience(a) })
		}
	}
	h.changed()
	return kept
}

// keeps gives back at once what cannot be run here.
func (h *hands) keeps(a *attempt) bool {
	v := verdict{event: EventRelease, unburnt: true}
	switch {
	case h.executors[a.task.Type] == nil:
		delay := foreignDelay
		v.delay = &delay
		h.log.Warn("claimed a task of a type that has no executor here", "task", a.task.ID, "type", a.task.Type)
	case !h.closed && !errors.Is(context.Cause(a.ctx), errFenced):
		return true
	}
	h.end(a, v)
	return false
}

// mark is where the hands stood at some moment.
type mark struct {
	holding bool
	gone    int
}

func (h *hands) mark() mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	return mark{holding: len(h.held) > 0, gone: h.gone}
}

// start gives waiting tasks to free hands.
func (h *hands) start() {
	for h.busy < h.slots && len(h.waiting) > 0 {
		a := h.waiting[0]
		h.waiting[0] = nil
		h.waiting = h.waiting[1:]
		if a.patience != nil {
			a.patience.Stop()
		}
		a.stage = stageRunning
		h.busy++
		began := time.Now()
		go a.run(h.executors[a.task.Type], func(v verdict) { h.finish(a, v, time.Since(began)) })
	}
}

// finish frees the hand of an executor that has returned.
func (h *hands) finish(a *attempt, v verdict, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy--
	h.measure(took)
	if a.stage == stageRunning { // else the stop did not wait for it
		h.end(a, v)
	}
	h.start()
	h.changed()
}

func (h *hands) measure(took time.Duration) {
	took = max(took, time.Microsecond)
	if h.mean == 0 {
		h.mean = took
		return
	}
	h.mean += (took - h.mean) / meanOver
}

// end sends an attempt to be settled, or lets go of it when its lease is lost.
func (h *hands) end(a *attempt, v verdict) {
	a.stage = stageEnded
	a.close()
	if a.lost || v.event == "" {
		h.drop(a)
		return
	}
	if v.interrupted {
		h.released++
	}
	s := settling{attempt: a, verdict: v}
	h.ended.count++
	h.ended.bytes += s.size()
	a.size = s.size()
	h.settle(s)
}

// settled lets go of an attempt that the store has answered for.
func (h *hands) settled(a *attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended.count--
	h.ended.bytes -= a.size
	h.drop(a)
	h.changed()
}

func (h *hands) drop(a *attempt) {
	delete(h.held, a.token)
	h.gone++
}

// losePatience gives back a task that has waited too long for a hand, and
// remembers that handlers take that long.
func (h *hands) losePatience(a *attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.waiting, a)
	if i < 0 {
		return
	}
	h.waiting = slices.Delete(h.waiting, i, i+1)
	h.mean = max(h.mean, aheadPatience)
	h.end(a, verdict{event: EventRelease, unburnt: true})
	h.changed()
}

// close lets nothing begin any more: what waits for a hand is given back, and
// so is what a claim may still bring.
func (h *hands) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, a := range h.waiting {
		h.end(a, verdict{event: EventRelease, unburnt: true})
	}
	h.waiting = nil
	h.changed()
}

// interrupt ends the contexts of all running executors.
func (h *hands) interrupt() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.held {
		if a.stage == stageRunning {
			a.stop(ErrInterrupted)
		}
	}
}

// abandon gives back the tasks whose executors have not returned.
func (h *hands) abandon() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.held {
		if a.stage == stageRunning {
			h.log.Warn("executor does not return, its task is released", "task", a.task.ID, "type", a.task.Type)
			h.end(a, verdict{event: EventRelease, interrupted: true})
		}
	}
	h.changed()
}

// unfinished counts the tasks that were begun and not settled by their
// executor's end.
func (h *hands) unfinished() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.released + len(h.held)
}
