package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/tq"
)

func TestOneHeartbeatCarriesAllLeases(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(20)...)
		stop := y.run(y.worker(20, lasting(5*time.Minute)))
		pass(5*time.Minute - time.Second)
		beats := y.wire.of("extend")
		if n := len(beats); n < 27 || n > 33 {
			y.t.Errorf("%d heartbeats in five minutes with leases of 30 s, want about 30", n)
		}
		for i, s := range beats {
			if s.rows != 20 {
				y.t.Errorf("heartbeat %d carries %d of 20 leases", i, s.rows)
			}
			if i > 0 && !near(s.at.Sub(beats[i-1].at), 10*time.Second, time.Second) {
				y.t.Errorf("heartbeat %d came %s after the one before, want 10 s ± 1 s", i, s.at.Sub(beats[i-1].at))
			}
		}
		pass(2 * time.Second)
		y.want(tq.Completed, 1, ids...)
		if slices.Contains(y.kinds(ids[0]), tq.FactHeartbeat) {
			y.t.Error("renewing the whole claim wrote a fact for a task")
		}
		y.stopped(stop)
	})
}

func TestHeartbeatsAreScattered(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		stop := y.run(y.worker(1, lasting(5*time.Minute)))
		pass(4 * time.Minute)
		gaps := map[time.Duration]bool{}
		beats := y.wire.of("extend")
		for i := 1; i < len(beats); i++ {
			gaps[beats[i].at.Sub(beats[i-1].at)] = true
		}
		if len(gaps) < 10 {
			y.t.Errorf("%d heartbeats are %d different times apart: no jitter", len(beats), len(gaps))
		}
		pass(2 * time.Minute)
		y.stopped(stop)
	})
}

func TestBusyWorkerWithLongLeasesTellsThatItLives(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		w := y.worker(1, lasting(5*time.Minute))
		w.Lease = time.Hour
		stop := y.run(w)
		for range 4 {
			pass(time.Minute)
			out, err := y.Workers(y.t.Context(), tq.WorkersIn{})
			if err != nil || len(out.Workers) != 1 || out.Workers[0].State != "busy" {
				y.t.Errorf("the registry shows %+v, %v, want one busy worker", out.Workers, err)
			}
		}
		pass(2 * time.Minute)
		y.stopped(stop)
	})
}

func TestLostLeaseStopsTheHandlerAndNothingIsSettled(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		causes := make(chan error, 1)
		stop := y.run(y.worker(1, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			pass(30 * time.Second) // it takes its time, which must not matter
			return json.RawMessage(`1`), nil
		}))
		pass(time.Second)
		if _, err := y.Cancel(y.t.Context(), tq.CancelIn{IDs: ids, Force: true}); err != nil {
			y.t.Fatal(err)
		}
		if cause := <-causes; !errors.Is(cause, tq.ErrLeaseLost) || y.since() > 12*time.Second {
			y.t.Errorf("the handler was stopped after %s because %v, want ErrLeaseLost at the next heartbeat", y.since(), cause)
		}
		beats := len(y.wire.of("extend"))
		pass(time.Minute)
		for _, s := range y.wire.of("extend")[beats:] {
			if s.rows > 0 {
				y.t.Error("a heartbeat asked for a lease that was lost")
			}
		}
		for _, verb := range []string{"complete", "fail", "release"} {
			if n := len(y.wire.of(verb)); n > 0 {
				y.t.Errorf("%d calls to %s a task whose lease was lost", n, verb)
			}
		}
		y.want(tq.Cancelled, 1, ids...)
		y.stopped(stop)
	})
}

func TestCancelStopsTheHandlerAndTheTaskIsCancelled(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		causes := make(chan error, 1)
		stop := y.run(y.worker(1, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		}))
		pass(time.Second)
		if _, err := y.Cancel(y.t.Context(), tq.CancelIn{IDs: ids}); err != nil {
			y.t.Fatal(err)
		}
		if cause := <-causes; !errors.Is(cause, tq.ErrCancelRequested) || y.since() > 12*time.Second {
			y.t.Errorf("the handler was stopped after %s because %v, want ErrCancelRequested at the next heartbeat", y.since(), cause)
		}
		pass(time.Second)
		y.want(tq.Cancelled, 1, ids...)
		y.stopped(stop)
	})
}

func TestResultWinsOverACancelThatCameTooLate(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		stop := y.run(y.worker(1, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			return json.RawMessage(`"done"`), nil
		}))
		pass(time.Second)
		if _, err := y.Cancel(y.t.Context(), tq.CancelIn{IDs: ids}); err != nil {
			y.t.Fatal(err)
		}
		pass(15 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

func TestCancelBetweenClaimAndBeginningKeepsTheHandlerFromRunning(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		lost := false
		y.wire.set(nil, func(s said) error { // the claim is granted, its answer is lost, the cancel comes
			if s.verb != "claim" || lost {
				return nil
			}
			lost = true
			_, err := y.Cancel(y.t.Context(), tq.CancelIn{IDs: ids})
			return errors.Join(tq.Errorf(tq.CodeOutcomeUnknown, "connection lost"), err)
		})
		stop := y.run(y.worker(1, func(context.Context, *tq.Task) (json.RawMessage, error) {
			y.t.Error("the handler of a cancelled task was run")
			return nil, nil
		}))
		pass(5 * time.Second)
		y.want(tq.Cancelled, 1, ids...)
		y.stopped(stop)
	})
}

func TestExecutorIsStoppedAtNineTenthsOfALeaseWithoutHeartbeat(t *testing.T) {
	inYard(t, func(y *yard) {
		pass(3 * time.Second)
		ids := y.add(tq.NewTask{})
		causes := make(chan error, 1)
		y.wire.set(func(s said) error {
			if s.verb != "claim" {
				return away(s)
			}
			return nil
		}, nil)
		stop := y.run(y.worker(1, func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
			if task.Epoch > 1 {
				return nil, nil
			}
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		}))
		cause := <-causes
		if d := y.since(); !errors.Is(cause, tq.ErrLeaseLost) || d != 30*time.Second {
			y.t.Errorf("claimed at 3 s for 30 s, stopped at %s because %v, want ErrLeaseLost at 30 s", d, cause)
		}
		y.wire.set(nil, nil)
		pass(10 * time.Second)
		if len(y.wire.of("fail")) > 0 {
			y.t.Error("an attempt was failed because the store was away")
		}
		y.want(tq.Completed, 1, ids...) // given back unburnt, then run again
		y.stopped(stop)
	})
}

func TestLeaseIsCountedFromBeforeTheClaimWasSent(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		stopped := make(chan time.Duration, 1)
		y.wire.set(func(s said) error {
			if s.verb != "claim" {
				return away(s)
			}
			return nil
		}, func(said) error {
			pass(5 * time.Second) // the answer takes its time
			return nil
		})
		stop := y.run(y.worker(1, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			select {
			case stopped <- y.since():
			default:
			}
			return nil, context.Cause(ctx)
		}))
		if d := <-stopped; d != 27*time.Second {
			y.t.Errorf("stopped after %s; claimed at 0 with the answer at 5 s, want 27 s", d)
		}
		y.wire.set(nil, nil)
		_ = stop() // the task is running again or not, either is fine here
	})
}

func TestClaimWhoseAnswerCameTooLateIsNotBegun(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		slow := true
		y.wire.set(nil, func(s said) error {
			if s.verb == "claim" && slow {
				slow = false
				pass(40 * time.Second)
			}
			return nil
		})
		begun := make(chan time.Duration, 5)
		stop := y.run(y.worker(1, func(context.Context, *tq.Task) (json.RawMessage, error) {
			begun <- y.since()
			return nil, nil
		}))
		if d := <-begun; d < 40*time.Second {
			y.t.Errorf("begun after %s", d)
		}
		pass(time.Second)
		if n := len(begun); n > 0 {
			y.t.Errorf("a task was begun under a lease that had run out")
		}
		y.want(tq.Completed, 2, ids...) // the first lease ran out, which counts
		y.stopped(stop)
	})
}

func TestResultThatComesAfterTheLeaseIsStillReported(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		y.wire.set(func(s said) error {
			if s.verb != "claim" || time.Since(y.start) > time.Second {
				return away(s)
			}
			return nil
		}, nil)
		stop := y.run(y.worker(1, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			return json.RawMessage(`"done all the same"`), nil
		}))
		pass(45 * time.Second)
		y.want(tq.Pending, 1, ids...) // the lease has run out, nobody else has claimed
		y.wire.set(func(s said) error {
			if s.verb == "claim" {
				return away(s)
			}
			return nil
		}, nil)
		pass(10 * time.Second)
		if task := y.task(ids[0]); task.Status != tq.Completed || string(task.Result) != `"done all the same"` {
			y.t.Errorf("the late result left the task %s with %s", task.Status, task.Result)
		}
		y.stopped(stop)
	})
}

func TestReportsAreGatheredAndTheNewestIsSent(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{}, tq.NewTask{})
		stop := y.run(y.worker(2, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			if task.ID == ids[0] {
				for i := range 500 { // five seconds
					task.Report(float64(i)/500, "half way")
					pass(10 * time.Millisecond)
				}
			}
			pass(25 * time.Second)
			return nil, nil
		}))
		pass(7 * time.Second)
		notes := 0
		for _, s := range y.wire.of("extend") {
			for _, l := range s.in.(tq.ExtendIn).Leases {
				if l.Progress != nil {
					notes++
				}
			}
		}
		if notes < 4 || notes > 6 {
			y.t.Errorf("500 reports in five seconds were sent as %d, want one a second", notes)
		}
		if p := y.task(ids[0]).Progress; p == nil || p.Fraction < 0.99 || p.Note != "half way" {
			y.t.Errorf("the task shows progress %+v, want the newest report", p)
		}
		if slices.Contains(y.kinds(ids[1]), tq.FactHeartbeat) {
			y.t.Error("reports of one task wrote facts for another of the same claim")
		}
		pass(30 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

func TestReportThatDidNotGetThroughIsSentAgain(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		y.wire.set(func(s said) error {
			if s.verb == "extend" && y.since() < 5*time.Second {
				return away(s)
			}
			return nil
		}, nil)
		stop := y.run(y.worker(1, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			task.Report(0.5, "half way")
			pass(time.Minute)
			return nil, nil
		}))
		pass(12 * time.Second)
		if p := y.task(ids[0]).Progress; p == nil || p.Note != "half way" {
			y.t.Errorf("after an outage of 5 s the task shows progress %+v", p)
		}
		pass(time.Minute)
		y.stopped(stop)
	})
}

func TestReportThatIsRefusedHarmsNoHeartbeat(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(2)...)
		y.wire.set(func(s said) error {
			in, ok := s.in.(tq.ExtendIn)
			if ok && slices.ContainsFunc(in.Leases, func(l tq.ExtendLease) bool { return l.Progress != nil }) {
				return tq.Errorf(tq.CodeInvalid, "cannot store this")
			}
			return nil
		}, nil)
		stop := y.run(y.worker(2, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			task.Report(0.5, "poison")
			pass(2 * time.Minute)
			return nil, nil
		}))
		pass(3 * time.Minute)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

func TestLeaseOfAResultOnItsWayIsKept(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(2)...)
		y.wire.set(func(s said) error {
			if s.verb == "complete" && y.since() < 2*time.Minute {
				return away(s)
			}
			return nil
		}, nil)
		stop := y.run(y.worker(2, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			if string(task.Payload) == "1" {
				pass(3 * time.Minute)
			}
			return nil, nil
		}))
		pass(2*time.Minute - time.Second)
		y.want(tq.Running, 1, ids...)
		pass(90 * time.Second)
		y.want(tq.Completed, 1, ids...)
		if slices.Contains(y.kinds(ids[1]), tq.FactHeartbeat) {
			y.t.Error("a heartbeat named only a part of the claim")
		}
		y.stopped(stop)
	})
}

func TestReportThatMakesNoSenseHarmsNoHeartbeat(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		stop := y.run(y.worker(1, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			for _, f := range []float64{math.NaN(), math.Inf(-1), -3, 7} {
				task.Report(f, "\xff\x00"+string(make([]byte, 100_000)))
				pass(20 * time.Second)
			}
			return nil, nil
		}))
		pass(90 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

func TestTimeoutEndsTheAttempt(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(
			tq.NewTask{Timeout: tq.Duration(5 * time.Second), MaxAttempts: 1},
			tq.NewTask{Timeout: tq.Duration(100 * time.Second), MaxAttempts: 1}, // longer than the lease
		)
		ends := make(chan time.Duration, 2)
		stop := y.run(y.worker(2, func(ctx context.Context, _ *tq.Task) (json.RawMessage, error) {
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), tq.ErrTimedOut) {
				y.t.Errorf("stopped because %v", context.Cause(ctx))
			}
			ends <- y.since()
			return nil, context.Cause(ctx)
		}))
		if d := <-ends; !near(d, 4500*time.Millisecond, 100*time.Millisecond) {
			y.t.Errorf("a timeout of 5 s ended the attempt after %s, want a tenth before", d)
		}
		if d := <-ends; !near(d, 99*time.Second, 100*time.Millisecond) {
			y.t.Errorf("a timeout of 100 s ended the attempt after %s, want a second before", d)
		}
		pass(2 * time.Second)
		y.want(tq.Dead, 1, ids...)
		for i, want := range []string{"timed out after 5 s", "timed out after 100 s"} {
			if got := y.task(ids[i]).LastError; got != want {
				y.t.Errorf("the error of task %d is %q, want %q", ids[i], got, want)
			}
		}
		y.stopped(stop)
	})
}

func TestTimeoutIsNotShortenedByTheWaitForTheTask(t *testing.T) {
	inYard(t, func(y *yard) {
		stop := y.run(y.worker(1, lasting(3*time.Second)))
		pass(7 * time.Second) // most of a long poll
		ids := y.add(tq.NewTask{Timeout: tq.Duration(4 * time.Second)})
		pass(4 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}
