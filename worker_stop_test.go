package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/tq"
)

func TestStopLetsRunningAttemptsEndAndKeepsTheirLeases(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(4)...)
		w := y.worker(2, lasting(70*time.Second))
		w.Grace = 2 * time.Minute
		stop := y.run(w)
		pass(time.Second)
		y.stopped(stop)
		if d := y.since(); d != 70*time.Second {
			y.t.Errorf("the stop took until %s, want 70 s when the attempts end", d)
		}
		y.want(tq.Completed, 1, ids[:2]...)
		y.want(tq.Pending, 0, ids[2:]...)
		if n := len(y.wire.of("extend")); n < 5 {
			y.t.Errorf("%d heartbeats in 70 s, most of them during the stop", n)
		}
		if n := len(y.wire.of("claim")); n != 1 {
			y.t.Errorf("%d claims, want none after the stop began", n)
		}
	})
}

func TestStopTellsTheRegistryThatItDrainsAndThenGoes(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		stop := y.run(y.worker(1, lasting(20*time.Second)))
		pass(time.Second)
		ended := make(chan error)
		go func() { ended <- stop() }()
		pass(time.Second)
		out, err := y.Workers(y.t.Context(), tq.WorkersIn{})
		if err != nil || len(out.Workers) != 1 || out.Workers[0].State != "draining" {
			y.t.Errorf("during the stop the registry shows %+v, %v, want one draining worker", out.Workers, err)
		}
		if err := <-ended; err != nil {
			y.t.Errorf("Run returned %v", err)
		}
		out, err = y.Workers(y.t.Context(), tq.WorkersIn{})
		if err != nil || len(out.Workers) != 0 {
			y.t.Errorf("after the stop the registry shows %+v, %v, want nobody", out.Workers, err)
		}
	})
}

func TestStopGivesBackUnburntWhatWasClaimedAhead(t *testing.T) {
	inYard(t, func(y *yard) {
		shorts := y.add(many(100)...)
		longs := y.add(tq.NewTask{Tags: []string{"long"}})
		behind := y.add(many(50)...)
		stop := y.run(y.worker(1, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			if len(task.Tags) > 0 {
				return lasting(10*time.Second)(ctx, task)
			}
			return lasting(time.Millisecond)(ctx, task)
		}))
		for y.task(shorts[99]).Status != tq.Completed {
			pass(time.Millisecond)
		}
		pass(100 * time.Millisecond)
		y.want(tq.Running, 1, behind[0]) // claimed ahead, behind the long one
		ended := make(chan error)
		go func() { ended <- stop() }()
		pass(100 * time.Millisecond)
		y.want(tq.Pending, 0, behind...)
		y.want(tq.Running, 1, longs...)
		if err := <-ended; err != nil {
			y.t.Errorf("Run returned %v: what never began is not a released attempt", err)
		}
		for _, s := range y.wire.of("release") {
			for _, l := range s.in.(tq.ReleaseIn).Leases {
				if !l.Unburnt {
					y.t.Error("a task that never began was given back at the cost of a release")
				}
			}
		}
		y.want(tq.Completed, 1, longs...)
	})
}

func TestStopInterruptsAfterTheGraceAndRefundsTheAttempt(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(3)...)
		causes := make(chan error, 3)
		stop := y.run(y.worker(3, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			pass(2 * time.Second) // to wind up
			switch string(task.Payload) {
			case "0":
				return json.RawMessage(`"made it"`), nil
			case "1":
				return nil, tq.Permanent(errors.New("will never work"))
			}
			return nil, errors.New("signal: terminated")
		}))
		pass(time.Second)
		if err := stop(); !errors.Is(err, tq.ErrTasksReleased) {
			y.t.Errorf("Run returned %v, want ErrTasksReleased", err)
		}
		if d := y.since(); d != 33*time.Second {
			y.t.Errorf("the stop took until %s, want 30 s of grace and 2 s after the 1st", d)
		}
		if cause := <-causes; !errors.Is(cause, tq.ErrInterrupted) {
			y.t.Errorf("executors were stopped because %v, want ErrInterrupted", cause)
		}
		y.want(tq.Completed, 1, ids[0])
		y.want(tq.Dead, 1, ids[1])
		y.want(tq.Pending, 0, ids[2])
		if kinds := y.kinds(ids[2]); kinds[len(kinds)-1] != tq.FactReleased {
			y.t.Errorf("the interrupted task's story ends with %s, want task.released", kinds[len(kinds)-1])
		}
	})
}

func TestHandlerThatIgnoresItsContextCannotHoldTheExit(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		let := make(chan struct{})
		w := y.worker(1, func(context.Context, *tq.Task) (json.RawMessage, error) {
			<-let
			return json.RawMessage(`"too late"`), nil
		})
		w.Grace, w.KillGrace = 5*time.Second, 3*time.Second
		stop := y.run(w)
		pass(time.Second)
		if err := stop(); !errors.Is(err, tq.ErrTasksReleased) {
			y.t.Errorf("Run returned %v, want ErrTasksReleased", err)
		}
		if d := y.since(); !near(d, 9*time.Second, 100*time.Millisecond) {
			y.t.Errorf("Run returned after %s, want 9 s: stopped at 1 s, grace 5 s, then 3 s", d)
		}
		y.want(tq.Pending, 0, ids...)
		close(let)
		pass(time.Second)
		y.want(tq.Pending, 0, ids...)
	})
}

func TestStopReturnsEvenIfTheQueueDoesNotAnswer(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(many(2)...)
		let := make(chan struct{})
		w := y.worker(2, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			if string(task.Payload) == "0" {
				return untilStopped(ctx, task)
			}
			pass(5 * time.Second)
			return nil, nil
		})
		w.Grace, w.KillGrace = 5*time.Second, 3*time.Second
		stop := y.run(w)
		pass(time.Second)
		y.wire.set(func(said) error { <-let; return nil }, nil) // hangs, whatever the context says
		err := stop()
		if d := y.since(); !errors.Is(err, tq.ErrTasksReleased) || d > 20*time.Second {
			y.t.Errorf("Run returned %v after %s, want ErrTasksReleased within 20 s", err, d)
		}
		y.wire.set(nil, nil)
		close(let)
		pass(time.Minute) // for what hung to come home
	})
}

func TestHurrySkipsTheGrace(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		w := y.worker(1, untilStopped)
		w.Hurry() // without a Run it does nothing
		stop := y.run(w)
		pass(time.Second)
		go func() {
			pass(2 * time.Second)
			w.Hurry()
			w.Hurry()
		}()
		if err := stop(); !errors.Is(err, tq.ErrTasksReleased) {
			y.t.Errorf("Run returned %v, want ErrTasksReleased", err)
		}
		if d := y.since(); d != 3*time.Second {
			y.t.Errorf("the stop took until %s, want 3 s when it was hurried", d)
		}
		y.want(tq.Pending, 0, ids...)
	})
}

func TestAgentsHaveALongerGrace(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{Type: tq.TypeAgent})
		w := y.worker(1, nothing)
		w.Handle(tq.TypeAgent, lasting(9*time.Minute))
		stop := y.run(w)
		pass(time.Second)
		y.stopped(stop)
		y.want(tq.Completed, 1, ids...)
	})
}

func TestNegativeGraceIsNone(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		w := y.worker(1, untilStopped)
		w.Grace = -1
		stop := y.run(w)
		pass(time.Second)
		if err := stop(); !errors.Is(err, tq.ErrTasksReleased) || y.since() != time.Second {
			y.t.Errorf("Run returned %v after %s, want ErrTasksReleased at once", err, y.since())
		}
	})
}

func TestGoodbyeFreesAClaimWhoseAnswerWasLost(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		y.wire.set(nil, func(s said) error {
			if s.verb == "claim" {
				return tq.Errorf(tq.CodeOutcomeUnknown, "connection lost")
			}
			return nil
		})
		stop := y.run(y.worker(1, nothing))
		pass(10 * time.Millisecond)
		y.want(tq.Running, 1, ids...)
		y.stopped(stop)
		if task := y.task(ids[0]); task.Status != tq.Pending {
			y.t.Errorf("after the goodbye the task is %s, want pending at once", task.Status)
		}
	})
}

func TestOnceRunsExactlyOneTask(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(8, lasting(time.Minute)) // longer than the grace, which is not meant here
		w.Once = true
		go func() {
			pass(20 * time.Second) // it waits for one
			y.add(many(3)...)
		}()
		if err := w.Run(y.t.Context()); err != nil || y.since() != 80*time.Second {
			y.t.Errorf("Run returned %v after %s, want nil after 80 s", err, y.since())
		}
		y.want(tq.Completed, 1, 1)
		y.want(tq.Pending, 0, 2, 3)
	})
}

func TestOnceUntilEmptyDoesNotWaitForATask(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nothing)
		w.Once, w.UntilEmpty = true, true
		if err := w.Run(y.t.Context()); err != nil || y.since() != 0 {
			y.t.Errorf("Run on an empty queue returned %v after %s, want nil at once", err, y.since())
		}
		y.add(many(2)...)
		if err := w.Run(y.t.Context()); err != nil {
			y.t.Errorf("Run: %v", err)
		}
		y.want(tq.Completed, 1, 1)
		y.want(tq.Pending, 0, 2)
	})
}

func TestUntilEmptyRunsWhatRunningTasksMakeClaimable(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{}, tq.NewTask{Deps: []tq.Ref{"$0"}}, tq.NewTask{Deps: []tq.Ref{"$1"}})
		later := y.add(tq.NewTask{Delay: tq.Duration(time.Hour)})
		w := y.worker(4, lasting(time.Minute))
		w.UntilEmpty = true
		if err := w.Run(y.t.Context()); err != nil || !near(y.since(), 3*time.Minute, time.Second) {
			y.t.Errorf("Run returned %v after %s, want nil after three minutes", err, y.since())
		}
		y.want(tq.Completed, 1, ids...)
		y.want(tq.Pending, 0, later...)
	})
}

func TestEachRunIsAFreshIncarnation(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nothing)
		w.Version = "1.2.3"
		w.UntilEmpty = true
		for range 2 {
			if err := w.Run(y.t.Context()); err != nil {
				y.t.Errorf("Run: %v", err)
			}
		}
		claims := y.wire.of("claim")
		first, second := claims[0].in.(tq.ClaimIn).Worker, claims[1].in.(tq.ClaimIn).Worker
		if first.ID == second.ID || len(first.ID) < 20 {
			y.t.Errorf("two runs have the ids %q and %q, want two that nobody guesses", first.ID, second.ID)
		}
		if first.Name != "tester" || first.Version != "1.2.3" || first.Slots != 1 || !slices.Equal(first.Types, []string{"work"}) || first.Host == "" {
			y.t.Errorf("the registry hears %+v", first)
		}
	})
}

func TestOneRunGoesOnAtATime(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nothing)
		stop := y.run(w)
		pass(time.Second)
		if err := w.Run(y.t.Context()); tq.CodeOf(err) != tq.CodeInvalidState {
			y.t.Errorf("a second Run returned %v, want invalid_state", err)
		}
		y.stopped(stop)
	})
}

func TestWorkerThatDoesNotFitTogetherIsRefused(t *testing.T) {
	t.Parallel()
	client := &wire{}
	handler := tq.ExecutorFunc(nothing)
	cases := map[string]func(w *tq.Worker){
		"client":      func(w *tq.Worker) { w.Client = nil; w.Handle("work", handler) },
		"types":       func(*tq.Worker) {},
		"handler":     func(w *tq.Worker) { w.Handle("work", handler); w.Types = []string{"other"} },
		"two":         func(w *tq.Worker) { w.Handle("work", handler); w.Handle("work", handler) },
		"executor":    func(w *tq.Worker) { w.Handle("work", nil) },
		"type":        func(w *tq.Worker) { w.Handle("", handler) },
		"concurrency": func(w *tq.Worker) { w.Handle("work", handler); w.Concurrency = -1 },
		"lease":       func(w *tq.Worker) { w.Handle("work", handler); w.Lease = 2 * time.Hour },
	}
	for name, spoil := range cases {
		w := &tq.Worker{Client: client}
		spoil(w)
		if err := w.Run(t.Context()); tq.CodeOf(err) != tq.CodeInvalid {
			t.Errorf("%s: Run returned %v, want an error of code invalid", name, err)
		}
	}
	if n := client.count(); n > 0 {
		t.Errorf("%d calls were made", n)
	}
}
