package storetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/tq"
	"example.com/tq/store/memory"
	"example.com/tq/test/tally"
)

// Does the suite notice? Each mutant is the memory store with one promise
// broken; the model in lockstep, the check of concurrent histories and the
// store's own check must see it, each where it is said to.

type rules = func(tq.State, tq.Event, tq.Arg) (tq.Step, error)

// mutant breaks the rules or the store around them.
type mutant struct {
	name  string
	rules rules
	wrap  func(s *memory.Store, skew *Clock) tq.Store

	// Who sees it beside the model in lockstep, which sees every one.
	history bool // claimers at once
	check   bool // the store's own check
}

func (m *mutant) open(t testing.TB, clock *Clock) tq.Store {
	skew := NewClock(time.Time{})
	now := func() time.Time { return clock.Now().Add(skew.Now().Sub(time.Time{})) }
	s := memory.Open(memory.Options{Clock: now, Next: m.rules})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if m.wrap == nil {
		return s
	}
	return m.wrap(s, skew)
}

// before lets change look at what the rules are asked.
func before(change func(s *tq.State, ev tq.Event, arg *tq.Arg)) rules {
	return func(s tq.State, ev tq.Event, arg tq.Arg) (tq.Step, error) {
		change(&s, ev, &arg)
		return tq.Next(s, ev, arg)
	}
}

// after lets change look at what the rules answered.
func after(change func(s tq.State, ev tq.Event, step *tq.Step)) rules {
	return func(s tq.State, ev tq.Event, arg tq.Arg) (tq.Step, error) {
		step, err := tq.Next(s, ev, arg)
		if err == nil {
			change(s, ev, &step)
		}
		return step, err
	}
}

func settling(ev tq.Event) bool {
	return ev == tq.EventComplete || ev == tq.EventFail || ev == tq.EventRelease
}

func ruleMutants() []mutant {
	return []mutant{
		{name: "the token is not checked", history: true, rules: before(func(s *tq.State, ev tq.Event, arg *tq.Arg) {
			if settling(ev) && s.Status == tq.Running {
				arg.Epoch, s.Settled = s.Epoch, nil
			}
		})},
		{name: "anybody may extend", history: true, rules: before(func(s *tq.State, ev tq.Event, arg *tq.Arg) {
			if ev == tq.EventHeartbeat {
				arg.Epoch = s.Epoch
			}
		})},
		{name: "repeats are not looked up", history: true, rules: before(func(s *tq.State, _ tq.Event, _ *tq.Arg) {
			s.Settled = nil
		})},
		{name: "a repeat with another body is taken for the first", history: true, rules: before(func(s *tq.State, _ tq.Event, arg *tq.Arg) {
			if s.Settled != nil {
				arg.Hash = s.Settled.Hash
			}
		})},
		{name: "fail is taken after the lease ran out", history: true, rules: before(func(s *tq.State, ev tq.Event, _ *tq.Arg) {
			if s.Expired && ev == tq.EventFail {
				s.Status = tq.Running
			}
		})},
		{name: "no complete is taken late", history: true, rules: before(func(s *tq.State, _ tq.Event, _ *tq.Arg) {
			s.Expired = false
		})},
		{name: "a completed task may be claimed again", history: true, check: true, rules: after(func(_ tq.State, ev tq.Event, step *tq.Step) {
			if ev == tq.EventComplete && !step.Replayed {
				step.State.Status = tq.Pending
			}
		})},
		{name: "the epoch starts over on rescue", check: true, rules: after(func(_ tq.State, ev tq.Event, step *tq.Step) {
			if ev == tq.EventRescue && len(step.Facts) > 0 {
				step.State.Epoch = 0
			}
		})},
		{name: "a forced cancel keeps the epoch", check: true, rules: after(func(s tq.State, ev tq.Event, step *tq.Step) {
			if ev == tq.EventCancel && s.Status == tq.Running {
				step.State.Epoch = s.Epoch
			}
		})},
		{name: "attempts are not counted", check: true, rules: after(func(_ tq.State, ev tq.Event, step *tq.Step) {
			if ev == tq.EventClaim {
				step.State.Attempt--
			}
		})},
		{name: "a release burns the attempt", rules: after(func(s tq.State, ev tq.Event, step *tq.Step) {
			if ev == tq.EventRelease && !step.Replayed {
				step.State.Attempt = s.Attempt
			}
		})},
		{name: "one attempt more than allowed", check: true, rules: before(func(s *tq.State, ev tq.Event, _ *tq.Arg) {
			if ev == tq.EventExpire || ev == tq.EventFail || ev == tq.EventClaim {
				s.MaxAttempts++
			}
		})},
		{name: "the last dependency frees nobody", check: true, rules: before(func(s *tq.State, ev tq.Event, _ *tq.Arg) {
			if ev == tq.EventUnblock {
				s.OpenDeps = 1
			}
		})},
		{name: "a rescued task forgets what it waits for", rules: before(func(s *tq.State, ev tq.Event, _ *tq.Arg) {
			if ev == tq.EventRescue {
				s.OpenDeps = 0
			}
		})},
		{name: "a task is deleted under those that wait for it", check: true, rules: before(func(s *tq.State, _ tq.Event, _ *tq.Arg) {
			s.Dependants = 0
		})},
		{name: "a rescued task takes a key that is taken", check: true, rules: before(func(s *tq.State, _ tq.Event, _ *tq.Arg) {
			s.KeyTwin = 0
		})},
		{name: "a requested cancel is forgotten", check: true, rules: before(func(s *tq.State, ev tq.Event, _ *tq.Arg) {
			if settling(ev) || ev == tq.EventExpire {
				s.CancelRequested = false
			}
		})},
		{name: "the second fact of a step is lost", check: true, rules: after(func(_ tq.State, _ tq.Event, step *tq.Step) {
			if len(step.Facts) == 2 {
				step.Facts = step.Facts[:1]
			}
		})},
		{name: "a settling fact is not marked", check: true, history: true, rules: after(func(_ tq.State, ev tq.Event, step *tq.Step) {
			for i := range step.Facts {
				step.Facts[i].Settles = step.Facts[i].Settles && ev != tq.EventFail
			}
		})},
	}
}

// wrapped is a store whose methods a mutant overrides.
type wrapped struct {
	tq.Store
	claim   func(context.Context, tq.ClaimQuery) (tq.Claims, error)
	enqueue func(context.Context, []tq.NewTask, string) ([]tq.Enqueued, error)
	facts   func(context.Context, tq.FactQuery) ([]tq.Fact, error)
	sweep   func(context.Context, tq.Retention) (tq.Swept, error)
}

func (w *wrapped) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	if w.claim == nil {
		return w.Store.Claim(ctx, q)
	}
	return w.claim(ctx, q)
}

func (w *wrapped) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	if w.enqueue == nil {
		return w.Store.Enqueue(ctx, tasks, actor)
	}
	return w.enqueue(ctx, tasks, actor)
}

func (w *wrapped) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	if w.facts == nil {
		return w.Store.Facts(ctx, q)
	}
	return w.facts(ctx, q)
}

func (w *wrapped) Sweep(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
	if w.sweep == nil {
		return w.Store.Sweep(ctx, keep)
	}
	return w.sweep(ctx, keep)
}

// asking changes what a claim asks for.
func asking(change func(q *tq.ClaimQuery)) func(*memory.Store, *Clock) tq.Store {
	return func(s *memory.Store, _ *Clock) tq.Store {
		return &wrapped{Store: s, claim: func(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
			change(&q)
			return s.Claim(ctx, q)
		}}
	}
}

// producing changes what is enqueued.
func producing(change func(n *tq.NewTask)) func(*memory.Store, *Clock) tq.Store {
	return func(s *memory.Store, _ *Clock) tq.Store {
		return &wrapped{Store: s, enqueue: func(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
			tasks = slices.Clone(tasks)
			for i := range tasks {
				change(&tasks[i])
			}
			return s.Enqueue(ctx, tasks, actor)
		}}
	}
}

func storeMutants() []mutant {
	return []mutant{
		{name: "a claim takes one more than asked for", wrap: asking(func(q *tq.ClaimQuery) { q.Max++ })},
		{name: "claim ids are not kept", wrap: asking(func(q *tq.ClaimQuery) { q.ClaimID = "" })},
		{name: "the first queue is always served first", wrap: asking(func(q *tq.ClaimQuery) { q.After = "" })},
		{name: "types are not looked at", wrap: asking(func(q *tq.ClaimQuery) { q.Types, q.NotTypes = nil, nil })},
		{name: "paused queues are served", wrap: servesPaused},
		{name: "a claim hands out again what it gave last", history: true, wrap: givesTwice},
		{name: "the sweep ends leases that have not run out", wrap: sweepsLive},
		{name: "a reader that goes on misses a fact", wrap: missesFacts},
		{name: "an enqueue is acknowledged but not written", wrap: losesEnqueues},
		{name: "keys are not looked at", wrap: producing(func(n *tq.NewTask) { n.IdempotencyKey = "" })},
		{name: "one dependency is overlooked", wrap: producing(func(n *tq.NewTask) { n.Deps = n.Deps[:max(0, len(n.Deps)-1)] })},
		{name: "a dead dependency never cancels", wrap: producing(func(n *tq.NewTask) { n.OnDepFailure = tq.DepBlock })},
		{name: "due tasks come late", wrap: producing(func(n *tq.NewTask) {
			if n.Delay > 0 {
				n.Delay += tq.Duration(time.Second)
			}
		})},
	}
}

// servesPaused lifts the pause around each claim, and hides it.
func servesPaused(s *memory.Store, _ *Clock) tq.Store {
	const hidden = "mutant"
	set := func(ctx context.Context, queues []string, paused bool) error {
		for _, q := range queues {
			if _, err := s.SetQueue(ctx, tq.QueueChange{Queue: q, Pause: &paused, Actor: hidden}); err != nil {
				return err
			}
		}
		return nil
	}
	return &wrapped{
		Store: s,
		claim: func(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
			census, err := s.Queues(ctx)
			if err != nil {
				return tq.Claims{}, err
			}
			if err := set(ctx, census.Paused, false); err != nil {
				return tq.Claims{}, err
			}
			out, err := s.Claim(ctx, q)
			if err != nil {
				return out, err
			}
			for _, name := range census.Paused {
				if len(q.Queues) == 0 || slices.Contains(q.Queues, name) {
					out.Paused = append(out.Paused, name)
				}
			}
			return out, set(ctx, census.Paused, true)
		},
		facts: func(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
			facts, err := s.Facts(ctx, q)
			return slices.DeleteFunc(facts, func(f tq.Fact) bool { return f.Actor == hidden }), err
		},
	}
}

func givesTwice(s *memory.Store, _ *Clock) tq.Store {
	var mu sync.Mutex
	var last tq.Claims
	return &wrapped{Store: s, claim: func(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(last.Tasks) > 0 && q.Max == 2 {
			again := last
			last = tq.Claims{}
			return again, nil
		}
		out, err := s.Claim(ctx, q)
		last = out
		return out, err
	}}
}

// sweepsLive looks at leases as if it were an hour later.
func sweepsLive(s *memory.Store, skew *Clock) tq.Store {
	return &wrapped{Store: s, sweep: func(ctx context.Context, keep tq.Retention) (tq.Swept, error) {
		skew.Advance(time.Hour)
		defer skew.Advance(-time.Hour)
		return s.Sweep(ctx, keep)
	}}
}

func missesFacts(s *memory.Store, _ *Clock) tq.Store {
	return &wrapped{Store: s, facts: func(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
		facts, err := s.Facts(ctx, q)
		if q.After > 0 && len(facts) > 1 {
			facts = facts[1:]
		}
		return facts, err
	}}
}

// losesEnqueues answers every fifth plain task as if it had been written.
func losesEnqueues(s *memory.Store, _ *Clock) tq.Store {
	var mu sync.Mutex
	calls, last := 0, int64(0)
	return &wrapped{Store: s, enqueue: func(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if n := &tasks[0]; calls%5 == 0 && len(tasks) == 1 && len(n.Deps) == 0 && n.IdempotencyKey == "" {
			return []tq.Enqueued{{ID: last + 1, Status: tq.Pending}}, nil
		}
		out, err := s.Enqueue(ctx, tasks, actor)
		for _, e := range out {
			last = max(last, e.ID)
		}
		return out, err
	}}
}

func TestEveryMutantIsNoticed(t *testing.T) {
	setFlag(t, "rapid.nofailfile", "true")
	setFlag(t, "rapid.shrinktime", "1ms")
	setFlag(t, "rapid.seed", "1")
	checks := 600
	if testing.Short() {
		checks *= 5 // rapid takes a fifth of them
	}
	setFlag(t, "rapid.checks", fmt.Sprint(checks))
	c := tally.Counts{Seed: 1}
	for _, m := range append(ruleMutants(), storeMutants()...) {
		c.Faults++
		c.Attempted++
		caught := t.Run(m.name, func(t *testing.T) {
			if !notices(t, m.inLockstep) {
				t.Error("the model in lockstep sees nothing")
			}
			if m.check && !notices(t, m.alone) {
				t.Error("the store's own check sees nothing")
			}
			if m.history && !m.shownBy(t, 10) {
				t.Error("the check of histories sees nothing")
			}
		})
		if caught {
			c.Acknowledged++
			c.OK++
		}
	}
	c.Lost = c.Attempted - c.OK
	c.Report(t)
}

func (m *mutant) inLockstep(w *witness) {
	rapid.Check(w, func(rt *rapid.T) {
		run := &episode{TB: w}
		defer run.end()
		newDuo(rt, run, model, m.open).play(60)
	})
}

// alone is beside itself: every order is answered alike, so that only the check
// at the end can tell.
func (m *mutant) alone(w *witness) {
	rapid.Check(w, func(rt *rapid.T) {
		run := &episode{TB: w}
		defer run.end()
		d := newDuo(rt, run, m.open, m.open)
		for range 60 {
			d.step()
		}
		d.sound()
	})
}

// shownBy tries some concurrent histories, since the mutant may get away with
// one.
func (m *mutant) shownBy(t *testing.T, tries uint64) bool {
	for seed := range tries {
		clock := NewClock(dawn())
		if _, err := linear(m.open(t, clock), clock, 4_000, seed); err != nil {
			return true
		}
	}
	return false
}

// witness is a test that is expected to fail.
type witness struct {
	testing.TB
	mu     sync.Mutex
	failed bool
}

// notices reports whether f fails its test.
func notices(t testing.TB, f func(w *witness)) bool {
	w := &witness{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(w)
	}()
	<-done
	return w.Failed()
}

func (w *witness) Fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = true
}

func (w *witness) Failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

func (w *witness) FailNow() {
	w.Fail()
	runtime.Goexit()
}

func (w *witness) Error(...any)          { w.Fail() }
func (w *witness) Errorf(string, ...any) { w.Fail() }
func (w *witness) Fatal(...any)          { w.FailNow() }
func (w *witness) Fatalf(string, ...any) { w.FailNow() }
func (w *witness) Log(...any)            {}
func (w *witness) Logf(string, ...any)   {}
