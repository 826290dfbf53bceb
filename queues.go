package tq

import (
	"context"
	"sync"
)

// The roll of queues: a queue comes into being with its first task, so whoever
// may enqueue could make any number of them. The counts of each are kept for
// ever and shown to everybody.

// unchecked is how many names one process may use before the store is asked how
// many there are: a command that enqueues a few tasks does not pay for it.
const unchecked = 100

type roll struct {
	mu     sync.Mutex
	known  map[string]bool
	called bool // known holds what the store has, or had
}

// admit refuses tasks in new queues where there are MaxQueues already.
func (r *roll) admit(ctx context.Context, store Store, tasks []NewTask) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.fresh(tasks)
	if len(fresh) == 0 {
		return nil
	}
	limit := MaxQueues
	if !r.called {
		limit = unchecked
	}
	if len(r.known)+len(fresh) > limit {
		if err := r.call(ctx, store); err != nil {
			return err
		}
		fresh = r.fresh(tasks)
	}
	if len(fresh) > 0 && len(r.known)+len(fresh) > MaxQueues {
		e := invalidField("queue", "too_many_queues", "%d new ones, there are %d and the limit is %d", len(fresh), len(r.known), MaxQueues)
		e.Code = CodeTooMany
		return e.WithHint("name queues after kinds of work; what they are about goes into project, tags or payload")
	}
	for queue := range fresh {
		r.known[queue] = true
	}
	return nil
}

// fresh are the queues of tasks that are not known.
func (r *roll) fresh(tasks []NewTask) map[string]bool {
	var fresh map[string]bool
	for i := range tasks {
		queue := tasks[i].Queue
		if r.known[queue] || fresh[queue] {
			continue
		}
		if fresh == nil {
			fresh = map[string]bool{}
		}
		fresh[queue] = true
	}
	return fresh
}

// call reads which queues there are.
func (r *roll) call(ctx context.Context, store Store) error {
	census, err := store.Queues(ctx)
	if err != nil {
		return err
	}
	r.called = true
	for i := range census.Lines {
		r.known[census.Lines[i].Queue] = true
	}
	return nil
}
