package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// peer is a queue of others, as it is measured. Tasks carry a number, so that
// one that is lost or comes twice shows.
type peer interface {
	// put puts n tasks in with one call, numbered from first on.
	put(ctx context.Context, first, n int) error
	// work runs tasks with that many hands until ctx ends, and tells the number
	// of each.
	work(ctx context.Context, hands int, ran func(number int)) error
	close() error
}

// opener opens a fresh, empty queue.
type opener func(ctx context.Context, place string) (peer, error)

// sample is one measure of one system.
type sample struct {
	Measure string  `json:"measure"` // as in measures()
	Tasks   int     `json:"tasks"`
	Rate    float64 `json:"rate,omitempty"` // tasks a second
	P50     float64 `json:"p50_ms,omitempty"`
	P99     float64 `json:"p99_ms,omitempty"`
	Bytes   float64 `json:"bytes_per_task,omitempty"` // of Postgres's log
	Lost    int     `json:"lost,omitempty"`
	Again   int     `json:"again,omitempty"` // tasks that were run more than once
}

// bulk is how a queue is filled before a measure.
type bulk struct{ callers, batch int }

// scenario measures one of them with a peer of others.
func (o opener) scenario(fill bulk, what string, hands []int) func(context.Context, string, string, settings) ([]sample, error) {
	return func(ctx context.Context, name, place string, s settings) ([]sample, error) {
		var all []sample
		add := func(one func(context.Context, peer) (sample, error)) error {
			p, err := o(ctx, place)
			if err != nil {
				return err
			}
			got, err := one(ctx, p)
			all = append(all, got)
			return errors.Join(err, p.close())
		}
		switch name {
		case "enqueue":
			return all, enqueues(add, fill, s)
		case "drain":
			for _, n := range hands {
				err := add(func(ctx context.Context, p peer) (sample, error) {
					from := written(ctx, place)
					got, all, err := drain(ctx, p, fill, n, s, from > 0)
					got.Measure = fmt.Sprintf("%s %d", what, n)
					if to := written(ctx, place); all && to > from {
						got.Bytes = float64(to-from) / float64(s.tasks)
					}
					return got, err
				})
				if err != nil {
					return nil, err
				}
			}
			return all, nil
		case "pickup":
			return all, add(func(ctx context.Context, p peer) (sample, error) { return pickup(ctx, p, s) })
		}
		return nil, fmt.Errorf("no scenario %s", name)
	}
}

func enqueues(add func(func(context.Context, peer) (sample, error)) error, fill bulk, s settings) error {
	loads := []bulk{{1, 1}, {16, 1}, {100, 1}}
	if fill.batch > 1 {
		loads = append(loads, fill)
	}
	for _, load := range loads {
		if err := add(func(ctx context.Context, p peer) (sample, error) { return enqueue(ctx, p, load, s) }); err != nil {
			return err
		}
	}
	return nil
}

// enqueue measures callers that put tasks in.
func enqueue(ctx context.Context, p peer, load bulk, s settings) (sample, error) {
	name := fmt.Sprintf("enqueue %d", load.callers)
	if load.batch > 1 {
		name = "enqueue batch"
	}
	done, took, err := load.put(ctx, p, s.tasks, time.Now().Add(s.span))
	return sample{Measure: name, Tasks: done, Rate: float64(done) / took.Seconds()}, err
}

// put puts up to n tasks in, and answers how many.
func (l bulk) put(ctx context.Context, p peer, n int, until time.Time) (int, time.Duration, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, done atomic.Int64
	var callers sync.WaitGroup
	begun := time.Now()
	for range l.callers {
		callers.Go(func() {
			for ctx.Err() == nil && time.Now().Before(until) {
				first := int(next.Add(int64(l.batch))) - l.batch
				if first >= n {
					return
				}
				if err := p.put(ctx, first, l.batch); err != nil {
					stop(err)
					return
				}
				done.Add(int64(l.batch))
			}
		})
	}
	callers.Wait()
	return int(done.Load()), time.Since(begun), context.Cause(ctx)
}

// restFor is how long what is left of a drain may take, where its bytes count.
const restFor = 20 * time.Second

// drain measures how fast a full queue is emptied: until its last task has
// begun, which is in favour of who settles late. With rest it goes on, unmeasured,
// and answers whether all have run.
func drain(ctx context.Context, p peer, fill bulk, hands int, s settings, rest bool) (got sample, all bool, err error) {
	n, _, err := fill.put(ctx, p, s.tasks, time.Now().Add(time.Minute))
	if err != nil {
		return sample{}, false, err
	}
	c := newCounter(n)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	begun := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- p.work(ctx, hands, c.ran) }()
	within(c.all, s.span)
	took := time.Since(begun)
	got = sample{Tasks: c.done(), Rate: float64(c.done()) / took.Seconds()}
	if rest {
		within(c.all, restFor)
	}
	stop()
	err = <-ended
	got.Again = c.again()
	return got, c.done() == n, err
}

// within waits for done, or until the time is up.
func within(done <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// pickup measures how soon an idle worker begins a task.
func pickup(ctx context.Context, p peer, s settings) (sample, error) {
	began := make(chan time.Time, 1)
	work, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- p.work(work, 4, func(int) { began <- time.Now() }) }()
	var all []time.Duration
	until := time.Now().Add(2 * s.span)
	for i := 0; i < 300 && time.Now().Before(until) && ctx.Err() == nil; i++ {
		<-time.After(5 * time.Millisecond)
		if err := p.put(ctx, i, 1); err != nil {
			return sample{}, err
		}
		answered := time.Now()
		all = append(all, max(0, (<-began).Sub(answered)))
	}
	stop()
	err := <-ended
	all = all[min(len(all)/10, 5):] // the first ones find it not idle yet
	slices.Sort(all)
	at := func(q float64) float64 { return float64(all[int(q*float64(len(all)-1))]) / float64(time.Millisecond) }
	return sample{Measure: "pick-up", Tasks: len(all), P50: at(0.5), P99: at(0.99)}, err
}

// counter counts how often each number came.
type counter struct {
	mu   sync.Mutex
	runs []int
	left int
	all  chan struct{}
}

func newCounter(n int) *counter {
	return &counter{runs: make([]int, n), left: n, all: make(chan struct{})}
}

func (c *counter) ran(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[number]++
	if c.runs[number] > 1 {
		return
	}
	if c.left--; c.left == 0 {
		close(c.all)
	}
}

func (c *counter) done() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.runs) - c.left
}

func (c *counter) again() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, runs := range c.runs {
		if runs > 1 {
			n++
		}
	}
	return n
}

// payload is that of every task: 200 bytes, like ours.
type payload struct {
	N int    `json:"n"`
	X string `json:"x"`
}

func newPayload(n int) payload { return payload{N: n, X: strings.Repeat("x", 180)} }

// written is the length of the log of a PostgreSQL, 0 elsewhere.
func written(ctx context.Context, place string) (size int64) {
	if !strings.HasPrefix(place, "postgres://") {
		return 0
	}
	c, err := pgx.Connect(ctx, place)
	if err != nil {
		return 0
	}
	defer func() { _ = c.Close(ctx) }() // it only looked
	if err := c.QueryRow(ctx, `select (pg_current_wal_insert_lsn() - '0/0')::bigint`).Scan(&size); err != nil {
		return 0
	}
	return size
}
