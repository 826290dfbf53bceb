package sqlite

import (
	"context"
	"slices"
	"sync"
	"testing"

	"example.com/tq"
)

func (w *world) facts(q tq.FactQuery) []tq.Fact {
	w.t.Helper()
	facts, err := w.Facts(w.ctx(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	return facts
}

func kindsOf(facts []tq.Fact) []tq.Kind {
	var kinds []tq.Kind
	for _, f := range facts {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func TestFactsAndActsStandInOneOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.enqueueOne(tq.NewTask{Queue: "qa", Type: "ta"})
	paused := true
	if _, err := w.SetQueue(w.ctx(), tq.QueueChange{Queue: "qa", Pause: &paused, Actor: "boss"}); err != nil {
		t.Fatal(err)
	}
	b := w.enqueueOne(tq.NewTask{Queue: "qb", Type: "tb", Project: "pb"})
	c := w.claim(tq.ClaimQuery{}, b)
	w.change(b, tq.EventComplete, tq.Arg{Epoch: c[0].Task.Epoch}, `1`)
	all := w.facts(tq.FactQuery{})
	want := []tq.Kind{tq.FactEnqueued, tq.ActPaused, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted}
	if got := kindsOf(all); !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Seq <= all[i-1].Seq {
			t.Errorf("seq %d follows %d", all[i].Seq, all[i-1].Seq)
		}
	}
	equal(t, "actor of the act", all[1].Actor, "boss")
	last := all[4]
	want4 := tq.Fact{
		Seq: last.Seq, TaskID: b, Rev: 3, Queue: "qb", Type: "tb", Project: "pb", Kind: tq.FactCompleted, Status: tq.Completed,
		Epoch: 1, Attempt: 1, Actor: "tester", At: tq.At(w.clock.Now()), Settles: true,
	}
	equal(t, "fact", last, want4)
	for _, x := range []struct {
		q    tq.FactQuery
		want []tq.Fact
	}{
		{tq.FactQuery{Limit: 2}, all[:2]},
		{tq.FactQuery{Last: true, Limit: 2}, all[3:]},
		{tq.FactQuery{Last: true, Limit: 4}, all[1:]},
		{tq.FactQuery{After: all[1].Seq}, all[2:]},
		{tq.FactQuery{Queue: "qa"}, all[:2]},
		{tq.FactQuery{Type: "tb"}, all[2:]},
		{tq.FactQuery{Queue: "qa", Type: "tb"}, nil},
		{tq.FactQuery{TaskID: a}, all[:1]},
		{tq.FactQuery{TaskID: b, After: all[2].Seq}, all[3:]},
		{tq.FactQuery{TaskID: b, Last: true, Limit: 1}, all[4:]},
		{tq.FactQuery{TaskID: b, Queue: "qa"}, nil},
		{tq.FactQuery{Kinds: []tq.Kind{tq.ActPaused}}, all[1:2]},
		{tq.FactQuery{Kinds: []tq.Kind{tq.FactClaimed, tq.FactCompleted}}, all[3:]},
		{tq.FactQuery{Kinds: []tq.Kind{tq.ActResumed}}, nil},
	} {
		if got := w.facts(x.q); !slices.Equal(got, x.want) {
			t.Errorf("%+v: got %v, want %v", x.q, got, x.want)
		}
	}
}

// A reader that follows while many write meets every fact, each once.
func TestAFollowerMissesNoFactAndMeetsNoneTwice(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 40
	w := newWorld(t)
	done := make(chan struct{})
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				n, err := tq.NewTask{Type: "work"}.Normal()
				if err == nil {
					_, err = w.Enqueue(context.WithoutCancel(t.Context()), []tq.NewTask{n}, "")
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { group.Wait(); close(done) }()
	seen := map[int64]bool{}
	after := int64(0)
	for ended := false; ; {
		facts := w.facts(tq.FactQuery{After: after, Limit: 7})
		for _, f := range facts {
			if f.Seq <= after || seen[f.TaskID] {
				t.Fatalf("fact %d of task %d after %d", f.Seq, f.TaskID, after)
			}
			after, seen[f.TaskID] = f.Seq, true
		}
		if len(facts) > 0 {
			continue
		}
		if ended {
			break
		}
		select {
		case <-done:
			ended = true
		default:
		}
	}
	equal(t, "facts", len(seen), writers*each)
}
