package postgres

import (
	"context"
	"math/rand/v2"
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
// second finds.

const (
	channelPrefix = "tq_"
	notifyGap     = 2 * time.Millisecond
	lookEvery     = time.Second
	quietAfter    = 20 * time.Second
	pingTimeout   = 5 * time.Second
	firstRetry    = 100 * time.Millisecond
	lastRetry     = 10 * time.Second

	notify = `select pg_notify($1, $2)`

	// selectPulse changes with every fact, also one that commits behind others
	// of higher seqs. (The numbers that are drawn would not do: an idle claim
	// draws one too, and a fleet would keep itself awake.)
	selectPulse = `select coalesce((select sum(seq)::bigint from (select seq from tq.facts order by seq desc limit 64) f), 0),
		exists (select 1 from tq.inbox)`
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
		s.swept.set(w.now, w.sweptSaved)
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
	if !s.o.NoNotify && !s.o.Pooled {
		parts.Go(func() { s.listen(ctx, news) })
		parts.Go(func() { s.notify(ctx) })
	}
	parts.Go(func() { s.look(ctx, news) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.news.closed:
		return errClosed
	}
}

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
func (s *Store) listen(ctx context.Context, news func(tq.News)) {
	wait := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		if err := s.listenOnce(ctx, news); err != nil && time.Since(began) > lastRetry {
			wait = firstRetry
		}
		pause(ctx, time.Duration(float64(wait)*(0.5+rand.Float64())))
		wait = min(2*wait, lastRetry)
	}
}

func (s *Store) listenOnce(ctx context.Context, news func(tq.News)) error {
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
	news(tq.News{Other: true})
	for {
		heard, err := s.hear(ctx, conn)
		if err != nil {
			return err
		}
		if heard != "" && heard != s.self {
			news(tq.News{Other: true})
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

// look is the backstop: it finds within a second what nobody was told of, and
// moves in what callers' transactions have left in the inbox.
func (s *Store) look(ctx context.Context, news func(tq.News)) {
	var last int64
	for ctx.Err() == nil {
		pause(ctx, time.Duration(float64(lookEvery)*(0.8+0.2*rand.Float64())))
		var now int64
		var inbox bool
		err := s.pool.QueryRow(ctx, s.texts.of(selectPulse)).Scan(&now, &inbox)
		if err == nil && inbox {
			err = s.Wake(ctx)
		}
		if err != nil || now == last {
			continue
		}
		if last = now; ctx.Err() == nil {
			news(tq.News{Other: true})
		}
	}
}
