package tq

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// How many open tasks there may be: in a queue (Depth), and within the rights of
// one caller (Rights.MaxOpen). A producer that nobody keeps up with hears of it,
// instead of filling the disk of everybody else.

// Depth is how many open tasks, those that have not ended, a queue may hold
// before an enqueue into it is refused with too_many. The zero value is no limit.
//
// A Broker never lets a queue go beyond it; of several over one store, each may
// overlook what the others let in within the last second.
type Depth struct {
	Each   int64            // in any queue; 0: no limit
	Queues map[string]int64 // where it is otherwise, MaxDepthQueues of them; 0: no limit
}

// of is the limit of one queue, 0 for none.
func (d Depth) of(queue string) int64 {
	if own, ok := d.Queues[queue]; ok {
		return own
	}
	return d.Each
}

func (d Depth) any() bool { return d.Each > 0 || len(d.Queues) > 0 }

const (
	// countedFor is how long an enqueue is admitted on an old count.
	countedFor = time.Second
	// refusedFor is how long one is refused on it.
	refusedFor = 100 * time.Millisecond
)

// gauge knows how many tasks are open without asking the store at each enqueue:
// what was counted last, and what was admitted since.
type gauge struct {
	limit Depth
	now   func() time.Time

	mu      sync.Mutex
	at      time.Time // when they were counted
	sure    bool      // nothing was pending then
	open    map[queueType]int64
	pending map[queueType]int64 // admitted, the store has not answered yet
}

type queueType struct{ queue, typ string }

func newGauge(limit Depth, now func() time.Time) *gauge {
	return &gauge{limit: limit, now: now, pending: map[queueType]int64{}}
}

// admit lets tasks in, or refuses them all. done is called with the answer of
// the store.
func (g *gauge) admit(ctx context.Context, store Store, tasks []NewTask, only *Rights) (done func(), err error) {
	if !g.limit.any() && (only == nil || only.MaxOpen == 0) {
		return func() {}, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	more := map[queueType]int64{}
	for i := range tasks {
		more[queueType{tasks[i].Queue, tasks[i].Type}]++
	}
	if g.olderThan(countedFor) {
		if err := g.count(ctx, store); err != nil {
			return nil, err
		}
	}
	refusal := g.refuse(tasks, more, only)
	if refusal != nil && (!g.sure || g.olderThan(refusedFor)) {
		if err := g.count(ctx, store); err != nil {
			return nil, err
		}
		refusal = g.refuse(tasks, more, only)
	}
	if refusal != nil {
		refusal.RetryAfter = countedFor
		return nil, refusal
	}
	for line, n := range more {
		g.open[line] += n
		g.pending[line] += n
	}
	return func() { g.answered(more) }, nil
}

func (g *gauge) answered(more map[queueType]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for line, n := range more {
		if g.pending[line] -= n; g.pending[line] == 0 {
			delete(g.pending, line)
		}
	}
}

// olderThan reports whether the last count is, or was never made.
func (g *gauge) olderThan(age time.Duration) bool {
	old := g.now().Sub(g.at)
	return g.open == nil || old < 0 || old >= age
}

// count asks the store. What is pending may be in its answer or not, and is
// added: the count is never too low.
func (g *gauge) count(ctx context.Context, store Store) error {
	now := g.now()
	census, err := store.Queues(ctx)
	if err != nil {
		return err
	}
	g.at, g.open, g.sure = now, map[queueType]int64{}, len(g.pending) == 0
	for i := range census.Lines {
		l := &census.Lines[i]
		g.open[queueType{l.Queue, l.Type}] += l.Ready + l.Scheduled + l.Blocked + l.Running
	}
	for line, n := range g.pending {
		g.open[line] += n
	}
	return nil
}

// refuse says which limit those tasks would go beyond, or nil.
func (g *gauge) refuse(tasks []NewTask, more map[queueType]int64, only *Rights) *Error {
	if only != nil && only.MaxOpen > 0 {
		open := g.within(only) + int64(len(tasks))
		if open > only.MaxOpen {
			return Errorf(CodeTooMany, "it would be %d open tasks, the limit of this token is %d", open, only.MaxOpen).
				WithHint("let workers end some, or cancel what is not wanted; tq token list shows the limit")
		}
	}
	if !g.limit.any() {
		return nil
	}
	queues := map[string]int64{}
	for line, n := range more {
		queues[line.queue] += n
	}
	for line, n := range g.open {
		if _, asked := queues[line.queue]; asked {
			queues[line.queue] += n
		}
	}
	for i := range tasks {
		queue := tasks[i].Queue
		limit := g.limit.of(queue)
		if limit == 0 || queues[queue] <= limit {
			continue
		}
		e := invalidField("queue", "queue_full", "%s would have %d open tasks, the limit is %d", quote(queue), queues[queue], limit)
		e.Code = CodeTooMany
		return e.at("tasks/" + strconv.Itoa(i)).WithHint("let workers end some, start more of them, or raise --max-depth of the hub")
	}
	return nil
}

// within counts the open tasks within those rights.
func (g *gauge) within(only *Rights) int64 {
	var open int64
	for line, n := range g.open {
		if only.Sees(line.queue, line.typ) {
			open += n
		}
	}
	return open
}
