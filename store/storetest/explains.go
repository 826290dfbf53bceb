package storetest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/tq"
)

// What explain says against what a claim does: whoever asks why a task is not
// running must not be told of a hand that would take it when none would, nor
// the other way round.

// ExplainKeepsItsWord plays random histories, as Lockstep does, and asks about
// every task that they leave. Those that explain calls claimable must be exactly
// those that the live workers with a free hand then take; those that it says
// wait for a worker or a free hand, exactly those that another worker, which
// serves everything, takes after that; all others stay. It must not be called
// from a parallel test.
func ExplainKeepsItsWord(t *testing.T, open func(t testing.TB, clock *Clock) tq.Store, runs, steps int) {
	t.Helper()
	histories(t, runs, steps, func(rt *rapid.T, run *episode, steps int) {
		d := newDuo(rt, run, model, open)
		d.turnsBack = false // until it has caught up, a claim goes by the latest time that the store has seen
		for range steps {
			d.step()
		}
		e := &explained{duo: d, broker: tq.New(d.engine, tq.Options{Actor: "asker"})}
		e.hire()
		e.ask()
	})
}

// explained is a store after its history.
type explained struct {
	*duo
	broker *tq.Broker
}

// hire lets workers of all kinds show up: some are lost by the end, some have
// their hands full, some leave.
func (e *explained) hire() {
	_, err := e.broker.Enqueue(ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "a", Type: "sh", Payload: []byte(`"true"`)}}})
	e.fine("enqueue", err)
	for i := range pick(e.duo, "workers", 0, 1, 2, 3, 4) {
		w := tq.WorkerInfo{
			ID:       []string{"e0", "e1", "e2", "e3"}[i],
			Queues:   pick(e.duo, "its queues", nil, []string{"a"}, []string{"b", "c"}, []string{"nowhere"}),
			Types:    pick(e.duo, "its types", nil, []string{"x"}, []string{"y", "x"}, []string{"sh"}),
			Slots:    pick(e.duo, "its slots", 0, 1, 2, 4),
			Draining: pick(e.duo, "it leaves", false, false, false, true),
		}
		_, err := e.broker.Extend(ctx(), tq.ExtendIn{Worker: w})
		e.fine("show up", err)
		if pick(e.duo, "it begins", false, true) {
			_, err := e.broker.Claim(ctx(), tq.ClaimIn{Queues: w.Queues, Types: w.Types, Max: max(w.Slots, 1), Worker: w, Lease: tq.Duration(time.Hour)})
			e.fine("begin", err)
		}
		if pick(e.duo, "a while", false, false, true) {
			e.clock.Advance(2 * time.Minute)
		}
	}
	_, err = e.engine.Sweep(ctx(), tq.Retention{})
	e.fine("sweep", err)
}

// ask compares what explain says of every task with who takes it.
func (e *explained) ask() {
	codes := map[int64]string{}
	for id := int64(1); id <= e.last+1; id++ { // the last of them from hire
		out, err := e.broker.Explain(ctx(), tq.ExplainIn{ID: id})
		if tq.CodeOf(err) == tq.CodeNotFound {
			continue // deleted
		}
		e.fine("explain", err)
		codes[id] = out.Code
	}
	workers, err := e.broker.Workers(ctx(), tq.WorkersIn{})
	e.fine("workers", err)
	taken := map[int64]bool{}
	for i := range workers.Workers {
		w := &workers.Workers[i]
		if (w.State == "polling" || w.State == "busy") && max(w.Slots, 1) > len(w.Running) {
			e.take(taken, tq.ClaimIn{Queues: w.Queues, Types: w.Types})
		}
	}
	e.expect("the workers that are there", codes, taken, "claimable")
	clear(taken)
	e.take(taken, tq.ClaimIn{Types: []string{"x", "y", "sh"}})
	e.expect("one more worker", codes, taken, "behind", "no_worker")
}

// take claims until nothing is left for such a worker.
func (e *explained) take(taken map[int64]bool, in tq.ClaimIn) {
	in.Max, in.Lease = tq.MaxClaim, tq.Duration(time.Hour)
	for {
		out, err := e.broker.Claim(ctx(), in)
		e.fine("claim", err)
		if len(out.Tasks) == 0 {
			return
		}
		for i := range out.Tasks {
			taken[out.Tasks[i].ID] = true
		}
	}
}

// expect fails unless those that were taken are those with one of the codes.
func (e *explained) expect(who string, codes map[int64]string, taken map[int64]bool, want ...string) {
	e.rt.Helper()
	for _, id := range slices.Sorted(maps.Keys(codes)) {
		if told := slices.Contains(want, codes[id]); told != taken[id] {
			e.rt.Errorf("task %d: explain says %s; taken by %s: %v", id, codes[id], who, taken[id])
		}
	}
}

func (e *explained) fine(what string, err error) {
	e.rt.Helper()
	if err != nil {
		e.rt.Fatalf("%s: %v", what, err)
	}
}
