package tq

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"
)

// Bulk operations at work: each goes down the ids in bites, never holding a
// transaction longer than one, and at most at its rate. A bite may be repeated,
// and each task is guarded by the epoch at which it was selected, so whoever
// acts on one meanwhile is not undone.

const (
	bulkBite  = 100       // tasks in one bite
	maxBulks  = 16        // at work at once
	keepBulks = time.Hour // how long one that has ended can be asked about
)

// bulkRun is one operation.
type bulkRun struct {
	broker *Broker // acts with the rights of who began it
	in     BulkIn
	query  TaskQuery
	before int64 // goes on below this id
	ended  chan struct{}

	out  BulkOut   // guarded by the desk
	gone time.Time // ended, by the process's clock
}

// bulkDesk keeps the operations of a process.
type bulkDesk struct {
	mu   sync.Mutex
	runs map[string]*bulkRun
	work chan struct{} // holds one wake-up of Run
	next []*bulkRun    // begun, not taken up yet
}

func newBulkDesk() *bulkDesk {
	return &bulkDesk{runs: map[string]*bulkRun{}, work: make(chan struct{}, 1)}
}

// begin takes an operation up, or answers the one that has its id already.
func (d *bulkDesk) begin(r *bulkRun) (BulkOut, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.runs[r.in.ID]; r.in.ID != "" && known != nil && known.broker.actor == r.broker.actor {
		return known.out, nil
	}
	running := 0
	for id, other := range d.runs {
		switch {
		case other.gone.IsZero():
			running++
		case time.Since(other.gone) > keepBulks:
			delete(d.runs, id)
		}
	}
	if running >= maxBulks || len(d.runs) >= MaxPage {
		return BulkOut{}, Errorf(CodeTooMany, "%d bulk operations are at work, the limit is %d", running, maxBulks).
			WithHint("wait for one to end, or end one")
	}
	if r.in.ID == "" || d.runs[r.in.ID] != nil {
		r.in.ID = strings.ToLower(rand.Text()[:tokenIDSize])
	}
	r.out.ID, r.out.State, r.out.StartedAt = r.in.ID, BulkRunning, At(r.broker.info.Now())
	d.runs[r.in.ID] = r
	d.next = append(d.next, r)
	select {
	case d.work <- struct{}{}:
	default:
	}
	return r.out, nil
}

func (d *bulkDesk) find(id string) *bulkRun {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.runs[id]
}

func (d *bulkDesk) state(r *bulkRun) BulkOut {
	d.mu.Lock()
	defer d.mu.Unlock()
	return r.out
}

// end says how an operation ended; only the first word counts.
func (d *bulkDesk) end(r *bulkRun, state string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !r.gone.IsZero() {
		return
	}
	r.out.State, r.out.EndedAt, r.gone = state, At(r.broker.info.Now()), time.Now()
	if err != nil {
		r.out.Error = asError(err)
	}
	close(r.ended)
}

// Run works on what is begun, until ctx ends.
func (d *bulkDesk) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		d.mu.Lock()
		begun := d.next
		d.next = nil
		d.mu.Unlock()
		for _, r := range begun {
			wg.Go(func() { d.run(ctx, r) })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.work:
		}
	}
}

func (d *bulkDesk) run(ctx context.Context, r *bulkRun) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-r.ended:
			stop()
		case <-ctx.Done():
		}
	}()
	switch err := d.bites(ctx, r); {
	case err == nil:
		d.end(r, BulkDone, nil)
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		d.end(r, BulkEnded, Errorf(CodeUnavailable, "the process that ran it has stopped").
			WithHint("what it did stays; begin the rest again"))
	default:
		d.end(r, BulkFailed, err)
	}
}

// bites goes through all that is selected.
func (d *bulkDesk) bites(ctx context.Context, r *bulkRun) error {
	for {
		tasks, err := r.page(ctx, r.bite())
		if err != nil {
			return err
		}
		begun := time.Now()
		changed, err := r.bitten(ctx, tasks)
		if err != nil {
			return err
		}
		d.mu.Lock()
		r.out.Matched += int64(len(tasks))
		r.out.Changed += changed
		r.out.Skipped += int64(len(tasks)) - changed
		d.mu.Unlock()
		if r.before == 0 {
			return nil
		}
		if !sleep(ctx, r.rest(changed)-time.Since(begun), nil) {
			return ctx.Err()
		}
	}
}

// bite is how many tasks are taken at once: of a slow operation about as many
// as a second has.
func (r *bulkRun) bite() int {
	if r.in.Rate == 0 {
		return bulkBite
	}
	return max(1, min(bulkBite, int(r.in.Rate)))
}

// rest is how long the rate wants to wait after so many changes.
func (r *bulkRun) rest(changed int64) time.Duration {
	if r.in.Rate == 0 {
		return 0
	}
	return time.Duration(float64(changed) / r.in.Rate * float64(time.Second))
}

// bitten changes those of a bite to which the verb applies, and answers how
// many have changed.
func (r *bulkRun) bitten(ctx context.Context, tasks []Task) (int64, error) {
	now := r.broker.info.Now()
	var changes []Change
	for i := range tasks {
		if t := &tasks[i]; r.applies(t, now) {
			changes = append(changes, Change{
				TaskID: t.ID, Event: r.event(), Actor: r.broker.actor, Only: r.broker.sight(),
				Arg: Arg{Force: r.in.Force, Reason: r.in.Reason, IfEpoch: &t.Epoch},
			})
		}
	}
	if len(changes) == 0 {
		return 0, nil
	}
	rows, err := r.broker.store.Change(ctx, changes)
	changed := int64(0)
	for _, row := range rows {
		if row.Err == nil && len(row.Facts) > 0 {
			changed++
		}
	}
	return changed, err
}
