package storetest

import (
	"cmp"
	"context"
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/tq"
	"example.com/tq/store/memory"
	"example.com/tq/test/tally"
)

// Lockstep gives random orders to the memory model and to an engine at once, on
// one clock, and fails t at the first order that they answer differently or
// that leaves something different behind. At the end of each history both must
// find nothing broken.
//
// It draws runs histories of steps orders each from a fixed seed. With
// TQ_LOCKSTEP=N in the environment it draws N histories of at least 100 orders
// from the seed TQ_SEED, or a fresh one, which a failure prints. It must not be called from a
// parallel test, since it sets flags of rapid.
func Lockstep(t *testing.T, open func(t testing.TB, clock *Clock) tq.Store, runs, steps int) {
	t.Helper()
	orders := 0
	seed := histories(t, runs, steps, func(rt *rapid.T, run *episode, steps int) {
		d := newDuo(rt, run, model, open)
		d.play(steps)
		orders += d.orders
	})
	tally.Counts{Seed: seed, Attempted: orders, Acknowledged: orders, OK: orders}.Report(t)
}

// histories draws runs episodes of steps orders each, and returns their seed.
func histories(t *testing.T, runs, steps int, play func(rt *rapid.T, run *episode, steps int)) uint64 {
	t.Helper()
	seed := "1"
	if n := tally.Number(t, "TQ_LOCKSTEP", 0); n > 0 {
		runs, steps, seed = n, max(steps, campaignSteps), cmp.Or(os.Getenv("TQ_SEED"), "0")
	}
	if testing.Short() {
		runs *= 5 // rapid takes a fifth of them
	}
	setFlag(t, "rapid.checks", strconv.Itoa(runs))
	if flag.Lookup("rapid.seed").Value.String() == "0" {
		setFlag(t, "rapid.seed", seed)
	}
	rapid.Check(t, func(rt *rapid.T) {
		run := &episode{TB: t}
		defer run.end()
		play(rt, run, steps)
	})
	drawn, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatalf("the seed of rapid: %v", err)
	}
	return drawn
}

const campaignSteps = 100

// setFlag sets a flag of the test binary until t ends.
func setFlag(t testing.TB, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	if f == nil {
		t.Fatalf("rapid has no flag %s", name)
	}
	before := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) }) // the flag printed it itself
}

// model opens what an engine is compared with.
func model(t testing.TB, clock *Clock) tq.Store {
	s := memory.Open(memory.Options{Clock: clock.Now})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the model: %v", err)
		}
	})
	return s
}

// newDuo opens a fresh pair of stores for one random history.
func newDuo(rt *rapid.T, run *episode, model, engine func(t testing.TB, clock *Clock) tq.Store) *duo {
	clock := NewClock(dawn())
	d := &duo{rt: rt, clock: clock, model: model(run, clock), engine: engine(run, clock)}
	d.turnsBack = pick(d, "the clock is turned back at times", false, true)
	return d
}

// episode is a part of a test with its own end, so that thousands of stores do
// not stay open until the test's.
type episode struct {
	testing.TB
	cleanups []func()
}

// Cleanup calls f at the end of the episode.
func (e *episode) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

// TempDir returns a folder that is gone at the end of the episode.
func (e *episode) TempDir() string {
	e.Helper()
	dir, err := os.MkdirTemp("", "lockstep")
	if err != nil {
		e.Fatal(err)
	}
	e.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			e.Error(err)
		}
	})
	return dir
}

func (e *episode) end() {
	for len(e.cleanups) > 0 {
		last := len(e.cleanups) - 1
		f := e.cleanups[last]
		e.cleanups = e.cleanups[:last]
		f()
	}
}

// duo is the model and an engine, given the same orders.
type duo struct {
	rt            *rapid.T
	clock         *Clock
	model, engine tq.Store

	// A history in which the clock is turned back has no short retention: that
	// goes by time, and an engine may go along its journal instead.
	turnsBack bool

	orders  int           // that were given
	last    int64         // id of the newest task
	held    []tq.LeaseRef // every lease that was granted, the newest last
	settles []tq.Change   // every settle that was tried
	seen    map[tq.Store]int64
}

// play gives steps orders and looks at everything after each.
func (d *duo) play(steps int) {
	for range steps {
		d.step()
		d.compare()
	}
	d.sound()
}

// step draws one order and gives it.
func (d *duo) step() {
	orders := []struct {
		weight int
		give   func()
	}{
		{18, d.enqueue},
		{22, d.claim},
		{22, d.settle},
		{4, d.repeatSettle},
		{8, d.extend},
		{6, d.cancel},
		{7, d.rescue},
		{3, d.requeue},
		{7, d.remove},
		{8, d.mixed},
		{3, d.pause},
		{1, d.purge},
		{8, d.sweep},
		{1, d.removeWorker},
		{16, d.pass},
		{3, d.list},
	}
	var all []func()
	for _, o := range orders {
		for range o.weight {
			all = append(all, o.give)
		}
	}
	d.draw(len(all), all)
}

func (d *duo) draw(n int, orders []func()) { orders[rapid.IntRange(0, n-1).Draw(d.rt, "order")]() }

// both gives one order to both and compares what they answer.
func (d *duo) both(order string, give func(s tq.Store) any) {
	d.rt.Helper()
	d.rt.Logf("%s  %s", d.clock.Now().Sub(dawn()), order)
	d.orders++
	want, got := text(give(d.model)), text(give(d.engine))
	if want != got {
		d.rt.Fatalf("%s\nmodel:  %s\nengine: %s", order, want, got)
	}
}

// sound checks both stores.
func (d *duo) sound() {
	d.rt.Helper()
	for name, s := range map[string]tq.Store{"model": d.model, "engine": d.engine} {
		if _, err := s.Sweep(ctx(), tq.Retention{}); err != nil {
			d.rt.Fatalf("%s: sweep: %v", name, err)
		}
		found, err := s.Check(ctx())
		if err != nil {
			d.rt.Fatalf("%s: check: %v", name, err)
		}
		for _, v := range found {
			d.rt.Errorf("%s: %s, task %d: %s", name, v.Invariant, v.TaskID, v.Detail)
		}
	}
}

func ctx() context.Context { return context.Background() }

// pick draws one of the choices; a choice that stands there twice is likelier.
func pick[T any](d *duo, name string, choices ...T) T {
	return rapid.SampledFrom(choices).Draw(d.rt, name)
}

// anID is mostly a task that was enqueued, at times one that never was.
func (d *duo) anID() int64 {
	return rapid.Int64Range(1, cmp.Or(d.last, 1)+1).Draw(d.rt, "id")
}

// dawn is when every history begins.
func dawn() time.Time { return time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC) }
