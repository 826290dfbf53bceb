package memory

import (
	"context"
	"slices"

	tq "example.com/tq"
)

type watcher struct{ news func(tq.News) }

// Watch calls news after each write that may matter to somebody who waits.
func (s *Store) Watch(ctx context.Context, news func(tq.News)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	me := &watcher{news}
	s.watchers[me] = true
	s.mu.Unlock()
	news(tq.News{Other: true})
	defer func() {
		s.mu.Lock()
		delete(s.watchers, me)
		s.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return nil
	}
}

// ready notes that t became claimable.
func (w *writer) ready(t *task) {
	p := tq.Place{Queue: t.asked.Queue, Type: t.asked.Type, Project: t.asked.Project, N: 1}
	i := slices.IndexFunc(w.news.Ready, func(q tq.Place) bool {
		return q.Queue == p.Queue && q.Type == p.Type && q.Project == p.Project
	})
	if i < 0 {
		w.news.Ready = append(w.news.Ready, p)
		return
	}
	w.news.Ready[i].N++
}

// due notes that something was put off until then.
func (w *writer) due(at tq.Time) {
	if w.news.Due.IsZero() || at.Before(w.news.Due.Time) {
		w.news.Due = at
	}
}

// tell hands the news to those who wait, outside the lock.
func (w *writer) tell(watchers []*watcher) {
	if len(w.news.Ready) == 0 && !w.news.Ended && w.news.Due.IsZero() {
		return
	}
	for _, one := range watchers {
		one.news(w.news)
	}
}
