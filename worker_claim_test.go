package tq_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
)

func TestClaimAsksForFreeHandsOnly(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(10)...)
		one := make(chan struct{})
		stop := y.run(y.worker(3, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			select {
			case <-one:
				return nil, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}))
		pass(time.Second)
		one <- struct{}{}
		synctest.Wait()
		var asked []int
		for _, s := range y.wire.of("claim") {
			asked = append(asked, s.rows)
		}
		if !slices.Equal(asked, []int{3, 1}) {
			y.t.Errorf("claims asked for %v tasks; with three hands and then one of them free, want [3 1]", asked)
		}
		close(one)
		y.stopped(stop)
	})
}

func TestIdleWorkerCallsLessThanOnceASecond(t *testing.T) {
	inYard(t, func(y *yard) {
		stop := y.run(y.worker(4, nothing))
		pass(time.Minute)
		if n := y.wire.count(); n < 3 || n > 12 {
			y.t.Errorf("an idle worker made %d calls in a minute, want a few", n)
		}
		y.stopped(stop)
	})
}

func TestIdleWorkerPicksATaskUpAtOnce(t *testing.T) {
	inYard(t, func(y *yard) {
		picked := make(chan time.Time, 1)
		stop := y.run(y.worker(1, func(context.Context, *tq.Task) (json.RawMessage, error) {
			picked <- time.Now()
			return nil, nil
		}))
		pass(17 * time.Second)
		y.add(tq.NewTask{})
		if d := (<-picked).Sub(y.start); d != 17*time.Second {
			y.t.Errorf("a task enqueued after 17 s was begun after %s", d)
		}
		y.stopped(stop)
	})
}

func TestClaimWithoutAnAnswerIsRepeatedUnderItsID(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(2)...)
		lost := false
		y.wire.set(nil, func(s said) error {
			if s.verb != "claim" || lost {
				return nil
			}
			lost = true
			return tq.Errorf(tq.CodeOutcomeUnknown, "connection lost")
		})
		stop := y.run(y.worker(2, nothing))
		pass(5 * time.Second)
		y.want(tq.Completed, 1, ids...)
		claims := y.wire.of("claim")
		first, second, third := claims[0].in.(tq.ClaimIn), claims[1].in.(tq.ClaimIn), claims[2].in.(tq.ClaimIn)
		if first.ClaimID == "" || first.ClaimID != second.ClaimID {
			y.t.Errorf("the repeated claim has id %q, the first %q: want the same", second.ClaimID, first.ClaimID)
		}
		if third.ClaimID == first.ClaimID {
			y.t.Error("an answered claim's id was used again")
		}
		y.stopped(stop)
	})
}

func TestShortHandlersAreFedAhead(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(400)...)
		stop := y.run(y.worker(2, lasting(time.Millisecond)))
		pass(time.Second)
		most := 0
		for _, s := range y.wire.of("claim") {
			most = max(most, s.rows)
		}
		if most < 20 || most > tq.MaxClaim {
			y.t.Errorf("with two hands and tasks of 1 ms the largest claim asked for %d, want dozens", most)
		}
		y.stopped(stop)
	})
}

func TestPlentyOfShortTasksIsClaimedInSeveralCallsAtOnce(t *testing.T) {
	inYard(t, func(y *yard) {
		for range 3 {
			y.add(many(1000)...)
		}
		stop := y.run(y.worker(100, lasting(time.Millisecond)))
		pass(time.Minute)
		stats, err := y.Stats(y.t.Context(), tq.StatsIn{})
		if err != nil || stats.Total.Completed != 3000 {
			y.t.Errorf("%d of 3,000 are completed (%v)", stats.Total.Completed, err)
		}
		most, together := 0, map[time.Time]int{} // of calls that do not wait
		for _, s := range y.wire.of("claim") {
			if s.rows > tq.MaxClaim {
				y.t.Errorf("a claim asked for %d", s.rows)
			}
			if s.in.(tq.ClaimIn).Wait == 0 {
				together[s.at] += s.rows
				most = max(most, together[s.at])
			}
		}
		if most <= tq.MaxClaim || most > 5*tq.MaxClaim {
			y.t.Errorf("at most %d tasks were asked for at once by calls that do not wait, want several claims' worth", most)
		}
		y.stopped(stop)
	})
}

func TestLongHandlersAreNotFedAhead(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(20)...)
		stop := y.run(y.worker(2, lasting(200*time.Millisecond)))
		pass(5 * time.Second)
		for _, s := range y.wire.of("claim") {
			if s.rows > 2 {
				y.t.Errorf("with two hands and tasks of 200 ms a claim asked for %d", s.rows)
			}
		}
		y.stopped(stop)
	})
}

func TestAgentsAreNotFedAhead(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(50)...)
		w := y.worker(2, nothing)
		w.Handle(tq.TypeAgent, tq.ExecutorFunc(nothing))
		stop := y.run(w)
		pass(5 * time.Second)
		for _, s := range y.wire.of("claim") {
			if s.rows > 2 {
				y.t.Errorf("a worker that also runs agents asked for %d tasks with two hands", s.rows)
			}
		}
		y.stopped(stop)
	})
}

func TestTaskClaimedAheadGoesBackWhenNoHandComesFree(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(100)...) // short ones, so that more are claimed ahead
		long := y.add(tq.NewTask{Tags: []string{"long"}})
		behind := y.add(many(5)...)
		stop := y.run(y.worker(1, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			if len(task.Tags) > 0 {
				return lasting(time.Minute)(ctx, task)
			}
			return lasting(time.Millisecond)(ctx, task)
		}))
		pass(10 * time.Second)
		y.want(tq.Running, 1, long...)
		y.want(tq.Pending, 0, behind...)
		other := y.run(y.worker(1, nothing))
		pass(time.Second)
		y.want(tq.Completed, 1, behind...)
		pass(time.Minute)
		y.stopped(stop)
		y.stopped(other)
	})
}

func TestRefusedClaimEndsTheWorker(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nothing)
		w.Queues = []string{"no such name!"}
		if err := w.Run(y.t.Context()); tq.CodeOf(err) != tq.CodeInvalid {
			y.t.Errorf("Run with a bad queue name returned %v, want an error of code invalid", err)
		}
	})
}

func TestRefusedClaimLetsRunningAttemptsEnd(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		w := y.worker(2, lasting(time.Minute))
		y.wire.set(func(s said) error {
			if s.verb == "claim" && time.Since(y.start) > time.Second {
				return tq.Errorf(tq.CodeForbidden, "the token was revoked")
			}
			return nil
		}, nil)
		if err := w.Run(y.t.Context()); tq.CodeOf(err) != tq.CodeForbidden || y.since() < time.Minute {
			y.t.Errorf("Run returned %v after %s, want forbidden after the attempt of a minute", err, y.since())
		}
		y.want(tq.Completed, 1, ids...)
	})
}

func TestQueueThatAnswersEmptyAtOnceIsNotHammered(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nothing)
		w.Client = emptyHanded{y.wire}
		stop := y.run(w)
		pass(time.Minute)
		if n := y.wire.count(); n > 30 {
			y.t.Errorf("a queue that stops was asked %d times in a minute", n)
		}
		y.stopped(stop)
	})
}

// emptyHanded is a queue that answers each claim with nothing, at once.
type emptyHanded struct{ *wire }

func (e emptyHanded) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	in.Wait = 0
	return e.wire.Claim(ctx, in)
}

func TestTaskOfAForeignTypeIsGivenBackForAWhile(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{Type: "foreign"})
		w := y.worker(1, nothing)
		w.Client = careless{y.wire}
		stop := y.run(w)
		pass(time.Second)
		if task := y.task(ids[0]); task.Label(time.Now()) != tq.Scheduled || task.Attempt != 0 {
			y.t.Errorf("a task without a handler here is %s at attempt %d, want scheduled at 0", task.Label(time.Now()), task.Attempt)
		}
		y.stopped(stop)
	})
}

// careless is a queue that does not look at types.
type careless struct{ *wire }

func (c careless) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	in.Types = append(in.Types, "foreign")
	return c.wire.Claim(ctx, in)
}

func TestTaskThatComesTwiceIsRunOnce(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(2)...)
		runs := make(chan int64, 10)
		w := y.worker(4, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			runs <- task.ID
			return lasting(time.Second)(ctx, task)
		})
		w.Client = stuttering{y.wire}
		stop := y.run(w)
		pass(5 * time.Second)
		y.want(tq.Completed, 1, ids...)
		if n := len(runs); n != 2 {
			y.t.Errorf("two tasks, answered twice, were run %d times", n)
		}
		y.stopped(stop)
	})
}

// stuttering is a queue that says everything twice.
type stuttering struct{ *wire }

func (s stuttering) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	out, err := s.wire.Claim(ctx, in)
	out.Tasks = append(out.Tasks, out.Tasks...)
	return out, err
}
