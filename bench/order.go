package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/tq"
)

// What tells the tasks of one queue apart: priorities, failures, dependencies.

const (
	levels     = 8
	smallBatch = 10
)

// priorities measures a drain of mixed priorities by one caller, and that none
// comes before a higher one.
func priorities(ctx context.Context, x *session) error {
	name := fmt.Sprintf("%d priorities, 1 caller, batches of %d", levels, smallBatch)
	return x.trial(ctx, name, func(ctx context.Context, t *trial) error {
		err := t.fill(ctx, t.tasks(DefaultTasks), func(i int) tq.NewTask {
			n := t.task()
			n.Priority = i % levels
			return n
		})
		if err != nil {
			return err
		}
		if err := t.inOrder(ctx); err != nil {
			return err
		}
		if err := t.rest(ctx); err != nil {
			return err
		}
		return t.delivered(ctx)
	})
}

// inOrder drains by one caller and refuses a task that comes too late.
func (t *trial) inOrder(ctx context.Context) error {
	lowest := levels
	claims := new(histogram)
	begun, until := time.Now(), t.end(DefaultFor)
	for time.Now().Before(until) {
		sent := time.Now()
		tasks, err := t.claim(ctx, smallBatch, lease)
		if err != nil {
			return err
		}
		if len(tasks) == 0 {
			break
		}
		claims.add(time.Since(sent))
		for i := range tasks {
			if p := tasks[i].Priority; p > lowest {
				return tq.Errorf(tq.CodeInternal, "task %d of priority %d came after one of %d", tasks[i].ID, p, lowest)
			}
			lowest = tasks[i].Priority
		}
		if err := t.complete(ctx, tasks); err != nil {
			return err
		}
		_, done := t.ledger.count()
		t.tell("drain", done, t.tasks(DefaultTasks))
	}
	_, done := t.ledger.count()
	t.m.timed(done, time.Since(begun))
	t.m.Latency = claims.latency("claim")
	return nil
}

const failEvery = 100

// retries measures a worker whose every hundredth task fails once.
func retries(ctx context.Context, x *session) error {
	return x.trial(ctx, "1 % of the tasks fail once", func(ctx context.Context, t *trial) error {
		err := t.fill(ctx, t.tasks(DefaultTasks)/2, func(int) tq.NewTask {
			task := t.task()
			task.Backoff = &tq.Backoff{Base: tq.Duration(10 * time.Millisecond)}
			return task
		})
		if err != nil {
			return err
		}
		n, _ := t.ledger.count()
		bad := errors.New("fails once, for the measure")
		ended := newCountdown(n)
		w := t.worker(t.most(), func(task *tq.Task, before int) error {
			if task.ID%failEvery == 0 && before == 0 {
				return bad
			}
			ended.one()
			return nil
		})
		begun := time.Now()
		err = beside(ctx, w, func(ctx context.Context) error { return t.awaitAll(ctx, ended, n) })
		t.m.timed(n-ended.left(), time.Since(begun))
		if err != nil {
			return err
		}
		return t.delivered(ctx)
	})
}

// fanSize is how many tasks each final one waits for.
const fanSize = 99

// fanIn measures tasks that wait for 99 others each, and that none begins before.
func fanIn(ctx context.Context, x *session) error {
	return x.trial(ctx, fmt.Sprintf("each 100th task waits for %d", fanSize), func(ctx context.Context, t *trial) error {
		groups := max(1, t.tasks(DefaultTasks)/2/(fanSize+1))
		fan := &fan{waitsFor: make(map[int64][]int64)}
		for until := t.end(DefaultFor); len(fan.waitsFor) < groups && time.Now().Before(until); {
			if err := fan.group(ctx, t); err != nil {
				return err
			}
		}
		n, _ := t.ledger.count()
		ended := newCountdown(n)
		w := t.worker(t.most(), func(task *tq.Task, _ int) error {
			fan.check(t, task.ID)
			ended.one()
			return nil
		})
		begun := time.Now()
		err := beside(ctx, w, func(ctx context.Context) error { return t.awaitAll(ctx, ended, n) })
		t.m.timed(n-ended.left(), time.Since(begun))
		if err != nil {
			return err
		}
		if early := fan.early(); early > 0 {
			return tq.Errorf(tq.CodeInternal, "%s began before what they wait for", plural(early, "task"))
		}
		return t.delivered(ctx)
	})
}

// fan knows which tasks wait for which.
type fan struct {
	waitsFor map[int64][]int64 // not changed while a worker runs
	mu       sync.Mutex
	tooEarly int
}

func (f *fan) group(ctx context.Context, t *trial) error {
	tasks := make([]tq.NewTask, 0, fanSize+1)
	last := t.task()
	for i := range fanSize {
		tasks = append(tasks, t.task())
		last.Deps = append(last.Deps, tq.Ref(fmt.Sprintf("$%d", i)))
	}
	out, err := t.enqueue(ctx, append(tasks, last)...)
	if err != nil {
		return err
	}
	ids := make([]int64, fanSize)
	for i := range ids {
		ids[i] = out[i].ID
	}
	f.waitsFor[out[fanSize].ID] = ids
	return nil
}

// check notes a task that has begun before one that it waits for.
func (f *fan) check(t *trial, id int64) {
	for _, dep := range f.waitsFor[id] {
		if t.ledger.runs(dep) == 0 {
			f.mu.Lock()
			f.tooEarly++
			f.mu.Unlock()
			return
		}
	}
}

func (f *fan) early() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tooEarly
}
