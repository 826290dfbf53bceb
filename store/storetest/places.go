package storetest

import (
	"testing"
	"time"

	"example.com/tq"
)

// Engines that outlive a process show some promises twice: after a restart, and
// with several stores on one place at once, as several processes have them.

// OpenAt opens the store at a place, a folder of the test's own, and makes it
// when there is none. The suite closes it.
type OpenAt func(tb testing.TB, place string, clock *Clock) tq.Store

// RunPlaces shows what holds across restarts and across stores on one place.
func RunPlaces(t *testing.T, openAt OpenAt) {
	t.Helper()
	for _, p := range append(restartPromises(), sharedPromises()...) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			defer failsAlone(t)
			here := &place{openAt: openAt, dir: t.TempDir()}
			t.Cleanup(func() { here.close(t) }) // after the queue's own last look
			q := newQueue(t, here.open, InProcess)
			q.place = here
			p.show(q)
		})
	}
}

// place is where a queue's store lives.
type place struct {
	openAt OpenAt
	dir    string
	stores []tq.Store // that are open
}

func (p *place) open(tb testing.TB, clock *Clock) tq.Store {
	tb.Helper()
	store := p.openAt(tb, p.dir, clock)
	p.stores = append(p.stores, store)
	return store
}

func (p *place) close(tb testing.TB) {
	tb.Helper()
	for _, store := range p.stores {
		if err := store.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	}
	p.stores = nil
}

// restart closes the store, lets it be away for a while and opens it again.
func (q *Queue) restart(away time.Duration) {
	q.t.Helper()
	q.place.close(q.t)
	q.Clock.Advance(away)
	q.probe = newProbe(q.place.open(q.t, q.Clock))
	q.Store, q.Client = q.probe, InProcess(q.t, q.probe)
}

// beside is the same queue through another store on the same place.
func (q *Queue) beside() *Queue {
	q.t.Helper()
	p := newProbe(q.place.open(q.t, q.Clock))
	return &Queue{Client: InProcess(q.t, p), Store: p, Clock: q.Clock, t: q.t, probe: p, place: q.place}
}
