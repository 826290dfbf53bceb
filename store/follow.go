package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/tq"
)

// Following is s until it is moved (tq copy), and then the store at the place
// where it has gone, which open opens. Whoever holds it goes on as if nothing
// had happened: tokens hold there, and what is asked in the last moment of the
// move waits for it. moved, which may be nil, is told.
func Following(s tq.Store, open func(place string) (tq.Store, error), moved func(place string)) tq.Store {
	return &following{Store: s, now: s, open: open, moved: moved, changed: make(chan struct{})}
}

const (
	heldFor  = 30 * time.Second // a call waits at most so long for the end of a move
	heldRest = 20 * time.Millisecond
)

type following struct {
	tq.Store // where it began
	open     func(place string) (tq.Store, error)
	moved    func(place string)

	mu      sync.Mutex
	now     tq.Store
	changed chan struct{} // closed when now is another one
}

func (f *following) current() (tq.Store, chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, f.changed
}

// follow asks the store, and where it has gone.
func follow[T any](ctx context.Context, f *following, do func(tq.Store) (T, error)) (T, error) {
	for began := time.Now(); ; {
		s, _ := f.current()
		out, err := do(s)
		moved := tq.AsMoved(err)
		switch {
		case moved == nil:
			return out, err
		case moved.To != "":
			if err := f.goOn(s, moved.To); err != nil {
				return out, err
			}
		case time.Since(began) > heldFor || !rest(ctx):
			return out, err
		}
	}
}

func rest(ctx context.Context) bool {
	timer := time.NewTimer(heldRest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// goOn opens the place where the store left has gone, unless another call was
// faster.
func (f *following) goOn(left tq.Store, place string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != left {
		return nil
	}
	next, err := f.open(place)
	if err != nil {
		return tq.Errorf(tq.CodeUnavailable, "the store was moved to %s, which cannot be opened: %w", place, err).
			WithHint("start again with --db %s; a password comes from PGPASSWORD or ~/.pgpass", place)
	}
	if f.now != f.Store {
		err = f.now.Close() // the first one is closed by whoever opened it
	}
	f.now = next
	close(f.changed)
	f.changed = make(chan struct{})
	if f.moved != nil {
		f.moved(place)
	}
	return err
}

// done is for answers that are nothing but an error.
type done struct{}

func (f *following) Info() tq.StoreInfo {
	s, _ := f.current()
	return s.Info()
}

// Commits counts those of the place where the store is now.
func (f *following) Commits() (commits, calls int64) {
	s, _ := f.current()
	if counts, ok := s.(interface{ Commits() (commits, calls int64) }); ok {
		return counts.Commits()
	}
	return 0, 0
}

func (f *following) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Enqueued, error) { return s.Enqueue(ctx, tasks, actor) })
}

func (f *following) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	return follow(ctx, f, func(s tq.Store) (tq.Claims, error) { return s.Claim(ctx, q) })
}

func (f *following) Change(ctx context.Context, changes []tq.Change) ([]tq.Changed, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Changed, error) { return s.Change(ctx, changes) })
}

func (f *following) Extend(ctx context.Context, x tq.Extension) ([]tq.Changed, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Changed, error) { return s.Extend(ctx, x) })
}

func (f *following) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	return follow(ctx, f, func(s tq.Store) (tq.Swept, error) { return s.Sweep(ctx, keep) })
}

func (f *following) Causes(ctx context.Context, q tq.CauseQuery) (tq.Causes, error) {
	return follow(ctx, f, func(s tq.Store) (tq.Causes, error) { return s.Causes(ctx, q) })
}

func (f *following) Tasks(ctx context.Context, q tq.TaskQuery) (tq.TaskPage, error) {
	return follow(ctx, f, func(s tq.Store) (tq.TaskPage, error) { return s.Tasks(ctx, q) })
}

func (f *following) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Fact, error) { return s.Facts(ctx, q) })
}

func (f *following) Queues(ctx context.Context) (tq.Census, error) {
	return follow(ctx, f, func(s tq.Store) (tq.Census, error) { return s.Queues(ctx) })
}

func (f *following) SetQueue(ctx context.Context, c tq.QueueChange) (tq.QueueChanged, error) {
	return follow(ctx, f, func(s tq.Store) (tq.QueueChanged, error) { return s.SetQueue(ctx, c) })
}

func (f *following) Workers(ctx context.Context) ([]tq.WorkerRow, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.WorkerRow, error) { return s.Workers(ctx) })
}

func (f *following) RemoveWorker(ctx context.Context, id, actor string) error {
	_, err := follow(ctx, f, func(s tq.Store) (done, error) { return done{}, s.RemoveWorker(ctx, id, actor) })
	return err
}

func (f *following) Tokens(ctx context.Context) ([]tq.Token, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Token, error) { return s.Tokens(ctx) })
}

func (f *following) SetToken(ctx context.Context, c tq.TokenChange) error {
	_, err := follow(ctx, f, func(s tq.Store) (done, error) { return done{}, s.SetToken(ctx, c) })
	return err
}

func (f *following) Check(ctx context.Context) ([]tq.Violation, error) {
	return follow(ctx, f, func(s tq.Store) ([]tq.Violation, error) { return s.Check(ctx) })
}

// Watch goes on watching where the store has gone.
func (f *following) Watch(ctx context.Context, news func(tq.News)) error {
	for {
		s, changed := f.current()
		here, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-changed:
				stop()
			case <-here.Done():
			}
		}()
		err := s.Watch(here, news)
		stop()
		next, _ := f.current()
		if ctx.Err() != nil || next == s {
			return err
		}
		news(tq.News{Other: true})
	}
}

// Close closes the store where it is now; the first one too, if it left that.
func (f *following) Close() error {
	s, _ := f.current()
	if s == f.Store {
		return s.Close()
	}
	return errors.Join(s.Close(), f.Store.Close())
}
