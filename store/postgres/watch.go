package postgres

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Wake-ups: after a commit that concerns those who wait, the watchers of this
// process are called, and one NOTIFY tells the other processes, from a
// connection of its own and never from inside a transaction of ours (NOTIFY in
// a transaction makes all commits of the database queue up behind one lock).
// The first goes out at once, later ones at least notifyGap apart. What is lost
// on the way, with a connection or behind a pooler, a look at the store each
// second finds (look.go).

const (
	channelPrefix = "tq_"
	notifyGap     = 2 * time.Millisecond
	quietAfter    = 20 * time.Second
	pingTimeout   = 5 * time.Second
	firstRetry    = 100 * time.Millisecond
	lastRetry     = 10 * time.Second

	notify = `select pg_notify($1, $2)`
)

// watchers are those of this process.
type watchers struct {
	mu     sync.Mutex
	all    map[*func(tq.News)]bool
	closed chan struct{}
	once   sync.Once
	out    chan struct{} // something is to be notified
}

func newWatchers() *watchers {
	return &watchers{all: map[*func(tq.News)]bool{}, closed: make(chan struct{}), out: make(chan struct{}, 1)}
}

func (n *watchers) close() { n.once.Do(func() { close(n.closed) }) }

func (n *watchers) add(f *func(tq.News)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[f] = true
}

func (n *watchers) remove(f *func(tq.News)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, f)
}

func (n *watchers) tell(news tq.News) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for f := range n.all {
		(*f)(news)
	}
}

// after is what a commit sets off.
func (s *Store) after(w *work) {
	if w.sweptNow {
		s.swept.set(w.now, w.asked, w.sweptSaved)
	}
	n := w.news
	if len(n.Ready) == 0 && !n.Ended && n.Due.IsZero() {
		return
	}
	s.news.tell(n)
	select {
	case s.news.out <- struct{}{}:
	default:
	}
}

// Watch calls news after each commit that may concern those who wait, until ctx
// ends.
func (s *Store) Watch(ctx context.Context, news func(tq.News)) error {
	s.news.add(&news)
	defer s.news.remove(&news)
	ctx, stop := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	e := &ear{news: news}
	if s.hears() {
		parts.Go(func() { s.listen(ctx, e) })
		parts.Go(func() { s.notify(ctx) })
	}
	parts.Go(func() { s.look(ctx, e) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.news.closed:
		return errClosed
	}
}

// hears reports whether processes tell each other by NOTIFY.
func (s *Store) hears() bool { return !s.o.NoNotify && !s.o.Pooled }

func (s *Store) channel() string { return channelPrefix + s.o.Schema }

// notify sends one wake-up for all that was committed since the last.
func (s *Store) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.news.out:
		}
		gap := notifyGap
		if _, err := s.pool.Exec(ctx, notify, s.channel(), s.self); err != nil {
			gap = firstRetry
		}
		pause(ctx, gap)
	}
}

// listen hears of the commits of other processes, on a connection of its own,
// and connects again for as long as it takes.
func (s *Store) listen(ctx context.Context, e *ear) {
	wait := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		if err := s.listenOnce(ctx, e); err != nil && time.Since(began) > lastRetry {
			wait = firstRetry
		}
		pause(ctx, time.Duration(float64(wait)*(0.5+rand.Float64())))
		wait = min(2*wait, lastRetry)
	}
}

func (s *Store) listenOnce(ctx context.Context, e *ear) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer stop()
		if err := conn.Close(end); err != nil {
			return // it is gone either way
		}
	}()
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{s.channel()}.Sanitize()); err != nil {
		return err
	}
	e.news(tq.News{Other: true})
	for {
		heard, err := s.hear(ctx, conn)
		if err != nil {
			return err
		}
		if pulse, looked := strings.CutPrefix(heard, lookPrefix); looked {
			e.told(pulse)
		} else if heard != "" && heard != s.self {
			e.news(tq.News{Other: true})
		}
	}
}

// hear waits for one wake-up; in a long silence it asks the server whether it
// is still there.
func (s *Store) hear(ctx context.Context, conn *pgx.Conn) (string, error) {
	quiet, stop := context.WithTimeout(ctx, quietAfter)
	defer stop()
	n, err := conn.WaitForNotification(quiet)
	switch {
	case err == nil:
		return n.Payload, nil
	case quiet.Err() == nil || ctx.Err() != nil:
		return "", err
	}
	ping, stop := context.WithTimeout(ctx, pingTimeout)
	defer stop()
	return "", conn.Ping(ping)
}
