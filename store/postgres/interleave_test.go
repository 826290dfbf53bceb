package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// Interleavings: two or three sessions do one thing each to one task, and their
// round trips to the server are let through in every order there is. Whatever
// the order, each is answered as a rule would, what was answered stands in the
// journal, and check finds nothing.

// deed is what a session does. Its answer is the facts that it was told of.
type deed struct {
	name string
	do   func(s *Store, task int64) ([]tq.Kind, error)
}

func deeds() []deed {
	now := time.Duration(0)
	change := func(name string, x tq.Change) deed {
		return deed{name, func(s *Store, task int64) ([]tq.Kind, error) {
			x.TaskID, x.Actor = task, name
			x.Arg.Hash = tq.SettleHash(x.Event, x.Body, x.Arg)
			out, err := s.Change(context.Background(), []tq.Change{x})
			if err != nil {
				return nil, err
			}
			var kinds []tq.Kind
			for _, f := range out[0].Facts {
				kinds = append(kinds, f.Kind)
			}
			return kinds, out[0].Err
		}}
	}
	return []deed{
		{"claim", func(s *Store, _ int64) ([]tq.Kind, error) {
			out, err := s.Claim(context.Background(), tq.ClaimQuery{Max: 1, Lease: time.Minute})
			return slices.Repeat([]tq.Kind{tq.FactClaimed}, len(out.Tasks)), err
		}},
		{"sweep", func(s *Store, _ int64) ([]tq.Kind, error) {
			_, err := s.Sweep(context.Background(), tq.Retention{})
			return nil, err
		}},
		change("complete", tq.Change{Event: tq.EventComplete, Body: []byte(`1`), Arg: tq.Arg{Epoch: 1}}),
		change("fail", tq.Change{Event: tq.EventFail, Arg: tq.Arg{Epoch: 1, Delay: &now}}),
		change("cancel", tq.Change{Event: tq.EventCancel}),
		change("rescue", tq.Change{Event: tq.EventRescue}),
	}
}

// starts are where the task stands before.
func starts() []string { return []string{"ready", "running", "lapsed", "dead"} }

// stage is one store to set scenes in, and sessions whose steps are let through
// one by one.
type stage struct {
	*world
	sessions []*session
	scenes   map[int64]string // what was played with each task
	counts   tally.Counts     // of deeds
}

type session struct {
	*Store
	name string // by which the server knows it
	gate *gate

	state    sessionState
	finished chan outcome
	answer   outcome
}

type sessionState int

const (
	atGate   sessionState = iota // wants to send the next round trip
	inServer                     // waits for a lock
	done
)

type outcome struct {
	kinds []tq.Kind
	err   error
}

func newStage(t *testing.T, sessions int) *stage {
	t.Helper()
	x := &stage{world: newWorld(t), scenes: map[int64]string{}}
	for i := range sessions {
		s := &session{name: fmt.Sprint(x.o.Schema, "_", i), gate: newGate(t, Server.URL())}
		var err error
		s.Store, err = Open(s.gate.url+"&application_name="+s.name, Options{Schema: x.o.Schema, Conns: 1, Clock: x.clock.Now})
		x.must("open a session", err)
		t.Cleanup(func() { x.must("close a session", s.Close()) })
		x.sessions = append(x.sessions, s)
	}
	for _, s := range x.sessions { // so that all its statements are prepared
		for _, start := range starts() {
			for _, d := range deeds() {
				x.play(start, []deed{d}, []*session{s}, func(int) int { return 0 })
			}
		}
	}
	return x
}

// set makes a task that stands at start.
func (x *stage) set(start string) int64 {
	x.t.Helper()
	id := x.enqueue(tq.NewTask{MaxAttempts: tq.MaxAttempts})[0]
	if start == "ready" {
		return id
	}
	x.claim(tq.ClaimQuery{}, id)
	switch start {
	case "lapsed":
		x.clock.Advance(2 * time.Minute)
	case "dead":
		x.must("give up", <-x.goChange(tq.Change{TaskID: id, Event: tq.EventFail, Arg: tq.Arg{Epoch: 1, GiveUp: true}}))
	}
	return id
}

// play has each session do its deed on a new task, in the order that choose
// says: the index of one among n that could go on.
func (x *stage) play(start string, what []deed, sessions []*session, choose func(n int) int) {
	x.t.Helper()
	id := x.set(start)
	before := len(x.journal(id))
	for i, s := range sessions {
		s.gate.shut()
		s.finished, s.answer = make(chan outcome, 1), outcome{}
		go func() {
			kinds, err := what[i].do(s.Store, id)
			s.finished <- outcome{kinds, err}
		}()
		x.await(s)
	}
	var order []string
	for {
		var ready []*session
		for _, s := range sessions {
			if s.state == inServer {
				x.await(s)
			}
			if s.state == atGate {
				ready = append(ready, s)
			}
		}
		if len(ready) == 0 && !slices.ContainsFunc(sessions, func(s *session) bool { return s.state == inServer }) {
			break
		}
		if len(ready) == 0 {
			continue // the server finds the deadlock
		}
		s := ready[choose(len(ready))]
		order = append(order, what[slices.Index(sessions, s)].name)
		s.gate.pass <- struct{}{}
		x.await(s)
	}
	for _, s := range sessions {
		s.gate.free()
	}
	x.scenes[id] = fmt.Sprintf("a %s task, round trips of %s", start, strings.Join(order, ", "))
	x.judge(id, before, what, sessions)
	x.clear(id)
}

// await follows a session until it has come to its gate, to a lock, or to its
// end.
func (x *stage) await(s *session) {
	x.t.Helper()
	const usually = 2 * time.Millisecond
	for began := time.Now(); time.Since(began) < time.Minute; {
		look := time.NewTimer(usually)
		select {
		case <-s.gate.arrived:
			s.state = atGate
			return
		case s.answer = <-s.finished:
			s.state = done
			return
		case <-look.C:
			if x.number(`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name = $1`, s.name) > 0 {
				s.state = inServer
				return
			}
		}
	}
	x.t.Fatalf("session %s neither asks nor waits", s.name)
}

func (x *stage) journal(id int64) []tq.Fact {
	x.t.Helper()
	facts, err := x.Facts(x.ctx(), tq.FactQuery{TaskID: id, Limit: tq.MaxPage})
	x.must("facts", err)
	return facts
}

// judge compares what the sessions were told with what stands in the journal.
// A sweep and a claim write facts of their own accord: expiries, and the end of
// a task whose cancel was asked for.
func (x *stage) judge(id int64, before int, what []deed, sessions []*session) {
	x.t.Helper()
	stands := map[tq.Kind]int{}
	for _, f := range x.journal(id)[before:] {
		stands[f.Kind]++
	}
	for i, s := range sessions {
		var known *tq.Error
		if err := s.answer.err; err != nil && (!errors.As(err, &known) || known.Code == tq.CodeInternal || known.Code == tq.CodeUnavailable || known.Code == tq.CodeOutcomeUnknown) {
			x.t.Errorf("%s: %s was answered %v", x.scenes[id], what[i].name, err)
			x.counts.Unexpected++
		}
		x.counts.Attempted++
		if s.answer.err == nil {
			x.counts.Acknowledged++
		}
		for _, k := range s.answer.kinds {
			stands[k]--
		}
	}
	for kind, n := range stands {
		unasked := kind == tq.FactLeaseExpired || kind == tq.FactCancelled
		if n < 0 {
			x.counts.Lost -= n
		}
		if n > 0 && !unasked {
			x.counts.Recovered += n
		}
		if n < 0 || n > 0 && !unasked {
			x.t.Errorf("%s: the journal has %d of %s more than were answered", x.scenes[id], n, kind)
		}
	}
}

// clear takes the task out of the way of the next.
func (x *stage) clear(id int64) {
	x.t.Helper()
	err := <-x.goChange(tq.Change{TaskID: id, Event: tq.EventCancel, Arg: tq.Arg{Force: true}})
	if code := tq.CodeOf(err); err != nil && code != tq.CodeInvalidState {
		x.t.Fatalf("%s: clear: %v", x.scenes[id], err)
	}
}

// checked is check with the scene of each task that it finds.
func (x *stage) checked() {
	x.t.Helper()
	found, err := x.Check(x.ctx())
	x.must("check", err)
	for _, v := range found {
		x.t.Errorf("check: %s: task %d: %s (%s)", v.Invariant, v.TaskID, v.Detail, x.scenes[v.TaskID])
	}
}

// everyOrder calls play once for each sequence of choices there is, and gives up
// after most of them: two sessions that undo each other try again, and again.
func everyOrder(most int, play func(choose func(n int) int)) (whole bool) {
	type choice struct{ taken, of int }
	var path []choice
	for range most {
		at := 0
		play(func(n int) int {
			if at == len(path) {
				path = append(path, choice{})
			}
			c := &path[at]
			c.of, c.taken = n, min(c.taken, n-1)
			at++
			return c.taken
		})
		path = path[:at]
		for len(path) > 0 && path[len(path)-1].taken+1 >= path[len(path)-1].of {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return true
		}
		path[len(path)-1].taken++
	}
	return false
}

// casts are what two or three sessions do at once.
func casts(sessions int) [][]deed {
	all := deeds()
	var out [][]deed
	var add func(from int, cast []deed)
	add = func(from int, cast []deed) {
		if len(cast) == sessions {
			out = append(out, slices.Clone(cast))
			return
		}
		for i := from; i < len(all); i++ {
			add(i, append(cast, all[i]))
		}
	}
	add(0, nil)
	return out
}

// Every two deeds from every start, and some of three, each in an order drawn by
// lot. With TQ_INTERLEAVE it is every order of two deeds, and that many orders of
// every three.
func TestRoundTripsInAnyOrderKeepTheRules(t *testing.T) {
	t.Parallel()
	const most = 100
	seed := tally.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	drawn, cut := tally.Number(t, "TQ_INTERLEAVE", 0), 0
	x := newStage(t, 3)
	orders := map[int]int{}
	for _, start := range starts() {
		for _, sessions := range []int{2, 3} {
			for _, cast := range casts(sessions) {
				scene := func(choose func(int) int) {
					orders[sessions]++
					x.play(start, cast, x.sessions[:sessions], choose)
				}
				switch {
				case sessions == 2 && drawn > 0:
					if !everyOrder(most, scene) {
						cut++
					}
				case sessions == 2, drawn == 0 && rng.IntN(8) == 0:
					scene(rng.IntN)
				}
				for range drawn * (sessions - 2) {
					scene(rng.IntN)
				}
			}
		}
	}
	x.checked()
	t.Logf("seed %d: %d orders of two sessions, %d of three, each answered by the rules; %d pairs have more than %d", seed, orders[2], orders[3], cut, most)
	x.counts.Seed, x.counts.OK = seed, x.counts.Acknowledged-x.counts.Lost
	x.counts.Report(t)
}
