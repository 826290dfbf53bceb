package sqlite

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/tq"
	"github.com/fsnotify/fsnotify"
	zs "zombiezen.com/go/sqlite"
)

// Who waits hears of commits: those of this process at once and in detail,
// those of others through the wake file (wake.go). What neither tells, such as
// a commit of a program that is not tq or of EnqueueTx, is found by a look at
// data_version now and then.

const (
	// backstop is about how often data_version is looked at when the kernel
	// tells us of the wake file, at most a second even when jittered (spec S25),
	// and impatient when it cannot.
	backstop  = 800 * time.Millisecond
	impatient = 10 * time.Millisecond
)

// watchers are those of this process.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]bool
}

type watcher struct{ news func(tq.News) }

func (h *watchers) add(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[w] = true
}

func (h *watchers) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, w)
}

func (h *watchers) tell(news tq.News) {
	h.mu.Lock()
	all := make([]*watcher, 0, len(h.all))
	for w := range h.all {
		all = append(all, w)
	}
	h.mu.Unlock()
	for _, w := range all {
		w.news(news)
	}
}

// publish tells everybody of a commit of ours.
func (s *Store) publish(news tq.News) {
	if len(news.Ready) == 0 && !news.Ended && news.Due.IsZero() {
		return
	}
	s.watchers.tell(news)
	if len(news.Ready) > 0 || news.Ended {
		s.waker.poke()
		return
	}
	s.waker.nudge()
}

// Watch calls news after each commit that may matter to somebody who waits,
// until ctx ends or the store is closed.
func (s *Store) Watch(ctx context.Context, news func(tq.News)) error {
	me := &watcher{news}
	s.watchers.add(me)
	defer s.watchers.remove(me)
	for {
		again, err := s.watchOthers(ctx, news)
		if !again {
			return err
		}
	}
}

// watchOthers listens for other processes. Since anything may have happened
// before it did, it begins with news. It answers again when the wake file was
// taken away and has to be found anew.
func (s *Store) watchOthers(ctx context.Context, news func(tq.News)) (again bool, err error) {
	c, err := openConn(s.path, zs.OpenReadOnly, readerPragmas)
	if err != nil {
		return false, fault("watch", err)
	}
	defer func() { err = join(err, c.close()) }()
	var events chan fsnotify.Event // never, without the kernel's help
	pause := impatient
	if l, err := s.waker.listen(); err == nil {
		defer func() { _ = l.Close() }() // ends a goroutine, nothing of ours
		events, pause = l.Events, backstop
	}
	o := others{s: s, c: c, news: news, seen: s.writer.others.Load()}
	news(tq.News{Other: true})
	o.look(ctx)
	for {
		look := time.NewTimer(jittered(pause))
		select {
		case <-ctx.Done():
			look.Stop()
			return false, ctx.Err()
		case <-s.closing:
			look.Stop()
			return false, nil
		case e, open := <-events:
			look.Stop()
			if !open || !e.Has(fsnotify.Write) && s.waker.moved() {
				return true, nil
			}
			if s.waker.foreign() {
				news(tq.News{Other: true})
			}
		case <-look.C:
			o.look(ctx)
		}
	}
}

// jittered keeps many processes from looking all at the same moment.
func jittered(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(rand.Int64N(int64(d/2)))
}

// others finds commits that nobody told us of.
type others struct {
	s       *Store
	c       *conn
	news    func(tq.News)
	seen    int64 // of what our writer has found
	version int64
	known   bool
}

// look asks whether anybody has committed since the last time. If so, a turn of
// our writer finds out whether it was somebody else, and takes in what he left.
func (o *others) look(ctx context.Context) {
	version, err := o.c.one(dataVersion)
	if err != nil {
		return // a failing disk: it is looked at again
	}
	changed := o.known && version != o.version
	o.known, o.version = true, version
	if !changed || o.s.Wake(ctx) != nil {
		return
	}
	if found := o.s.writer.others.Load(); found != o.seen {
		o.seen = found
		o.news(tq.News{Other: true})
	}
}
