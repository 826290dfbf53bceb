// Package memory keeps tasks in the memory of one process: for tests, and as
// the model that every other engine is compared with. It is simple rather than
// fast, and nothing outlives Close.
package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	tq "example.com/tq"
)

// Options of a Store; the zero value works.
type Options struct {
	Clock func() time.Time // default: time.Now

	// Next replaces the rules: for tests that want a broken one noticed.
	Next func(tq.State, tq.Event, tq.Arg) (tq.Step, error) // default: tq.Next
}

// Store is a tq.Store in memory. It is safe for concurrent use.
type Store struct {
	clock   func() time.Time
	rules   func(tq.State, tq.Event, tq.Arg) (tq.Step, error)
	secret  []byte
	closing chan struct{}

	mu         sync.Mutex
	closed     bool
	seq        int64 // of the last fact or place given
	last       int64 // id of the last task
	tasks      []*task
	journal    []*record
	history    map[int64][]*record // the facts of each task, also of deleted ones
	dependants map[int64][]int64   // ids of those that named a task in their deps
	telling    map[int64]int64     // ended tasks whose dependants are told up to this one
	keys       map[key]int64
	lines      map[line]bool // every one that was ever used
	paused     map[string]bool
	workers    map[string]*tq.WorkerRow
	tokens     map[string]tq.Token
	claims     int64   // numbers what is leased together
	swept      tq.Time // when expiry could run last
	grace      time.Duration
	watchers   map[*watcher]bool
	rollups    tq.Rollups // of all facts there were
}

var _ tq.Store = (*Store)(nil)

type key struct{ queue, key string }

type line struct{ queue, kind, project string }

// Open returns an empty Store.
func Open(o Options) *Store {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Next == nil {
		o.Next = tq.Next
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	return &Store{
		clock:      o.Clock,
		rules:      o.Next,
		secret:     secret,
		closing:    make(chan struct{}),
		history:    map[int64][]*record{},
		dependants: map[int64][]int64{},
		telling:    map[int64]int64{},
		keys:       map[key]int64{},
		lines:      map[line]bool{},
		paused:     map[string]bool{},
		workers:    map[string]*tq.WorkerRow{},
		tokens:     map[string]tq.Token{},
		watchers:   map[*watcher]bool{},
		rollups:    tq.Rollups{},
	}
}

// Info describes the store.
func (s *Store) Info() tq.StoreInfo {
	return tq.StoreInfo{Engine: "memory", Place: "memory", Durability: "relaxed", Secret: s.secret, Now: s.clock}
}

// Close ends every Watch; later calls are refused as unavailable.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	return nil
}

// writer is one transaction: it holds the lock, and collects the news.
type writer struct {
	*Store
	now   tq.Time
	news  tq.News
	ended []int64 // whose dependants are to be told
	left  int     // dependants that may still be told
}

// write runs f as one transaction, with due tasks made ready first. What f
// answers with an error it must not have changed. Watchers hear of it last.
func (s *Store) write(ctx context.Context, f func(w *writer) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	w := &writer{Store: s, now: tq.At(s.clock()), left: tq.MaxCascade}
	w.promote()
	err := f(w)
	watchers := slices.Collect(maps.Keys(s.watchers))
	s.mu.Unlock()
	w.tell(watchers)
	return err
}

// read runs f under the lock, with the time.
func (s *Store) read(ctx context.Context, f func(now tq.Time)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	f(tq.At(s.clock()))
	return nil
}

func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return tq.Errorf(tq.CodeUnavailable, "the store is closed")
	}
	return nil
}

// next is the next free seq.
func (s *Store) next() int64 {
	s.seq++
	return s.seq
}

// find returns the task of that id, nil if there is none.
func (s *Store) find(id int64) *task {
	i, ok := slices.BinarySearchFunc(s.tasks, id, func(t *task, id int64) int { return cmp.Compare(t.id, id) })
	if !ok {
		return nil
	}
	return s.tasks[i]
}

func notFound(id int64) error {
	e := tq.Errorf(tq.CodeNotFound, "no task %d", id)
	e.TaskID = id
	return e
}
