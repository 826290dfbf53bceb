package server

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Counts as a stream: GET /v1/stats, and the overview in GET /v1/events. All who look at the same counts share one question
// to the store: it is asked when something has happened, at most each second,
// and else each five, since time alone makes tasks ready.

const (
	statsSoonest = time.Second
	statsLatest  = 5 * time.Second
)

// viewers are those who look at the same counts.
type viewers struct {
	n      int
	stop   context.CancelFunc
	mu     sync.Mutex
	counts []byte        // JSON, nil before the first answer
	next   chan struct{} // closed when there are newer counts
}

// lobby has the viewers by what they look at.
type lobby struct {
	mu  sync.Mutex
	all map[string]*viewers
}

// followStats sends the counts now and whenever they have changed.
func (s *Server) followStats(w http.ResponseWriter, r *http.Request, o *ops.Op, raw []byte) error {
	ctx := r.Context()
	first, err := s.firstCounts(ctx, o, raw)
	if err != nil {
		return err
	}
	out, err := openStream(w)
	if err != nil {
		return nil // the client is gone
	}
	v, leave := s.look(ctx, o, raw)
	defer leave()
	s.show(ctx, v, out, first)
	return nil
}

// firstCounts are those of others with the same rights who look at the same, or
// are asked for. It refuses whoever may not read.
func (s *Server) firstCounts(ctx context.Context, o *ops.Op, raw []byte) ([]byte, error) {
	if known := s.lobby.counts(viewKey(ctx, o, raw)); known != nil {
		return known, nil
	}
	answer, err := s.calling(ctx, o, raw)
	if err != nil {
		return nil, err
	}
	return o.Encode(answer)
}

// look joins those who look at the same counts, until leave is called.
func (s *Server) look(ctx context.Context, o *ops.Op, raw []byte) (v *viewers, leave func()) {
	key := viewKey(ctx, o, raw)
	v = s.lobby.enter(key, func(life context.Context, v *viewers) { s.count(life, v, s.Client(ctx), o, raw) })
	return v, func() { s.lobby.leave(key, v) }
}

// viewKey is the same for who asks the same with the same rights.
func viewKey(ctx context.Context, o *ops.Op, raw []byte) string {
	key := o.Name + string(raw)
	if token, ok := Caller(ctx); ok {
		key += string(asLine(token.Rights))
	}
	return key
}

// show sends the first counts, and others as they change.
func (s *Server) show(ctx context.Context, v *viewers, out *stream, first []byte) {
	alive, end := time.NewTicker(aliveEvery), time.NewTimer(streamTime)
	defer alive.Stop()
	defer end.Stop()
	out.event("stats", 0, first)
	for shown := first; out.flush() == nil; {
		counts, next := v.latest()
		if counts == nil || bytes.Equal(counts, shown) {
			if !awaitCounts(ctx, next, alive.C, end.C, s.stopping, out) {
				return
			}
			continue
		}
		out.event("stats", 0, counts)
		shown = counts
	}
}

func awaitCounts(ctx context.Context, next <-chan struct{}, alive, end <-chan time.Time, stopping <-chan struct{}, out *stream) bool {
	for {
		select {
		case <-next:
			return true
		case <-alive:
			if out.comment("") != nil {
				return false
			}
		case <-end:
			return false
		case <-stopping:
			out.farewell()
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// count asks for the counts as long as anybody looks.
func (s *Server) count(life context.Context, v *viewers, c tq.Client, o *ops.Op, raw []byte) {
	x, _, err := s.feed.join(life, func(*tq.Fact) bool { return true })
	if err == nil {
		defer func() { s.feed.leave(x) }()
	}
	for life.Err() == nil {
		if out, err := o.Call(life, c, raw); err == nil {
			if b, err := o.Encode(out); err == nil {
				v.put(b)
			}
		}
		pause(life, statsSoonest)
		if x == nil {
			continue
		}
		x = s.untilNews(life, x)
	}
}

// untilNews waits for a fact, not for ever, and takes what was told. A follower
// that was dropped is replaced: here it only tells that something happened.
func (s *Server) untilNews(life context.Context, x *follower) *follower {
	t := time.NewTimer(statsLatest - statsSoonest)
	defer t.Stop()
	select {
	case <-x.news:
	case <-x.late:
		s.feed.leave(x)
		if again, _, err := s.feed.join(life, x.wants); err == nil {
			return again
		}
	case <-t.C:
	case <-life.Done():
	}
	x.take()
	return x
}

// enter joins those who look at the same; the first one starts the counting.
func (l *lobby) enter(key string, count func(context.Context, *viewers)) *viewers {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.all[key]
	if v == nil {
		life, stop := context.WithCancel(context.Background())
		v = &viewers{stop: stop, next: make(chan struct{})}
		if l.all == nil {
			l.all = map[string]*viewers{}
		}
		l.all[key] = v
		go count(life, v)
	}
	v.n++
	return v
}

// counts are the latest of those who look at the same, nil when nobody does.
func (l *lobby) counts(key string) []byte {
	l.mu.Lock()
	v := l.all[key]
	l.mu.Unlock()
	if v == nil {
		return nil
	}
	counts, _ := v.latest()
	return counts
}

func (l *lobby) leave(key string, v *viewers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.n--; v.n == 0 {
		v.stop()
		delete(l.all, key)
	}
}

func (v *viewers) latest() ([]byte, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts, v.next
}

// put tells of counts that differ from the last.
func (v *viewers) put(counts []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if bytes.Equal(counts, v.counts) {
		return
	}
	v.counts = counts
	close(v.next)
	v.next = make(chan struct{})
}
