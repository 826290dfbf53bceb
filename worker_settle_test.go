package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

func TestSettlementsGatherWhileACallIsUnderWay(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(50)...)
		y.wire.set(nil, func(s said) error {
			if s.verb == "complete" {
				pass(time.Second)
			}
			return nil
		})
		turns := make(chan int, 50)
		for i := range 50 {
			turns <- i
		}
		stop := y.run(y.worker(50, func(context.Context, *tq.Task) (json.RawMessage, error) {
			pass(time.Duration(<-turns) * 10 * time.Millisecond) // they end one after another
			return nil, nil
		}))
		pass(3 * time.Second)
		y.want(tq.Completed, 1, ids...)
		calls := y.wire.of("complete")
		if len(calls) != 2 || calls[0].rows != 1 || calls[1].rows != 49 {
			y.t.Errorf("50 results went out in %d calls, want one at once and then the 49 that gathered", len(calls))
		}
		y.stopped(stop)
	})
}

func TestPoisonedResultHoldsBackNoOther(t *testing.T) {
	inYard(t, func(y *yard) {
		tasks := many(20)
		for i := range tasks {
			tasks[i].MaxAttempts = 1
		}
		ids := y.add(tasks...)
		poison := map[string]json.RawMessage{
			"3": json.RawMessage("{"), "7": json.RawMessage("\"\xff\""),
			"11": json.RawMessage(`"` + strings.Repeat("x", tq.MaxPayload) + `"`),
		}
		stop := y.run(y.worker(20, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			pass(time.Second)
			if string(task.Payload) == "15" {
				return nil, errors.New("caf\xe9 \x00 au lait")
			}
			if bad, ok := poison[string(task.Payload)]; ok {
				return bad, nil
			}
			return task.Payload, nil
		}))
		pass(1900 * time.Millisecond)
		for i, id := range ids {
			switch task := y.task(id); i {
			case 3, 7, 11:
				if task.Status != tq.Dead || !strings.Contains(task.LastError, "result") {
					y.t.Errorf("task with a bad result is %s: %q, want dead with an error that names the result", task.Status, task.LastError)
				}
			case 15:
				if task.Status != tq.Dead || task.LastError != "caf\uFFFD \uFFFD au lait" {
					y.t.Errorf("task with a bad error text is %s: %q", task.Status, task.LastError)
				}
			default:
				if task.Status != tq.Completed || string(task.Result) != fmt.Sprint(i) {
					y.t.Errorf("task %d beside the poisoned ones is %s with %s", i, task.Status, task.Result)
				}
			}
		}
		y.stopped(stop)
	})
}

// choking answers a whole call of complete with an error when the result of one
// of its rows is "poison", as a store would that does not know which row it was.
func choking(code tq.Code) func(said) error {
	return func(s said) error {
		in, ok := s.in.(tq.CompleteIn)
		if !ok {
			return nil
		}
		for _, l := range in.Leases {
			if string(l.Result) == `"poison"` {
				return tq.Errorf(code, "cannot store this")
			}
		}
		return nil
	}
}

func TestBatchThatIsRefusedAsAWholeIsNarrowedDown(t *testing.T) {
	for _, code := range []tq.Code{tq.CodeInvalid, tq.CodeTooLarge, tq.CodeInternal} {
		t.Run(string(code), func(t *testing.T) {
			inYard(t, func(y *yard) {
				tasks := many(20)
				for i := range tasks {
					tasks[i].MaxAttempts = 1
				}
				ids := y.add(tasks...)
				y.wire.set(choking(code), nil)
				stop := y.run(y.worker(20, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
					pass(time.Second)
					if string(task.Payload) == "0" {
						return json.RawMessage(`"poison"`), nil
					}
					return nil, nil
				}))
				pass(1900 * time.Millisecond)
				y.want(tq.Completed, 1, ids[1:]...)
				pass(time.Minute)
				if task := y.task(ids[0]); task.Status != tq.Dead || !strings.Contains(task.LastError, "the result was refused: cannot store this") {
					y.t.Errorf("the poisoned task is %s: %q, want dead with the refusal as its error", task.Status, task.LastError)
				}
				y.stopped(stop)
			})
		})
	}
}

func TestErrorTextThatIsRefusedIsLeftOut(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{MaxAttempts: 1})
		y.wire.set(func(s said) error {
			if in, ok := s.in.(tq.FailIn); ok && strings.Contains(in.Leases[0].Error, "poison") {
				return tq.Errorf(tq.CodeInvalid, "cannot store this")
			}
			return nil
		}, nil)
		stop := y.run(y.worker(1, func(context.Context, *tq.Task) (json.RawMessage, error) {
			return nil, tq.Permanent(errors.New("poison"))
		}))
		pass(time.Second)
		if task := y.task(ids[0]); task.Status != tq.Dead || task.Reason != tq.ReasonGaveUp || !strings.Contains(task.LastError, "error text was refused") {
			y.t.Errorf("the task is %s (%s): %q", task.Status, task.Reason, task.LastError)
		}
		y.stopped(stop)
	})
}

func TestWorkerOutlivesAStoreThatIsAway(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(8)...)
		w := y.worker(4, lasting(2*time.Second))
		w.Lease = 5 * time.Minute
		stop := y.run(w)
		pass(time.Second)
		before := y.wire.count()
		y.wire.set(away, nil)
		pass(time.Minute)
		if n := y.wire.count() - before; n > 60 {
			y.t.Errorf("%d calls in the minute that the store was away, want a few from each part", n)
		}
		y.want(tq.Running, 1, ids[:4]...)
		y.wire.set(nil, nil)
		pass(8 * time.Second)
		y.want(tq.Completed, 1, ids[:4]...)
		pass(8 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

func TestNothingIsClaimedWhileTooMuchWaitsToBeSettled(t *testing.T) {
	inYard(t, func(y *yard) {
		for range 2 {
			y.add(many(1000)...)
		}
		y.wire.set(func(s said) error {
			if s.verb == "complete" && y.since() < 10*time.Second {
				return away(s)
			}
			return nil
		}, nil)
		stop := y.run(y.worker(16, nothing))
		pass(9 * time.Second)
		stats, err := y.Stats(y.t.Context(), tq.StatsIn{})
		if err != nil || stats.Total.Running < tq.MaxBatch || stats.Total.Running > tq.MaxBatch+16+2*tq.MaxClaim {
			y.t.Errorf("%d results wait to be settled (%v), want about %d", stats.Total.Running, err, tq.MaxBatch)
		}
		pass(10 * time.Second)
		stats, err = y.Stats(y.t.Context(), tq.StatsIn{})
		if err != nil || stats.Total.Completed != 2000 {
			y.t.Errorf("%d of 2,000 are completed (%v)", stats.Total.Completed, err)
		}
		y.stopped(stop)
	})
}

func TestRowThatIsPutOffIsSentAgain(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(3)...)
		w := y.worker(3, nothing)
		w.Client = &fickle{wire: y.wire}
		stop := y.run(w)
		pass(10 * time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}

// fickle is a queue that at first is too busy for one row of a call.
type fickle struct {
	*wire
	calls int
}

func (f *fickle) Complete(ctx context.Context, in tq.CompleteIn) (tq.SettleOut, error) {
	f.calls++
	if f.calls > 3 {
		return f.wire.Complete(ctx, in)
	}
	busy := tq.Settlement{Error: tq.Errorf(tq.CodeTooMany, "one after another")}
	if len(in.Leases) == 1 {
		return tq.SettleOut{Leases: []tq.Settlement{busy}}, nil
	}
	in.Leases = in.Leases[1:]
	out, err := f.wire.Complete(ctx, in)
	out.Leases = append([]tq.Settlement{busy}, out.Leases...)
	return out, err
}

func TestCompleteWithoutAnAnswerIsRepeatedAndCountsOnce(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(3)...)
		lost := 0
		y.wire.set(nil, func(s said) error {
			if s.verb != "complete" || lost == 2 {
				return nil
			}
			lost++
			return context.DeadlineExceeded
		})
		runs := make(chan int64, 10)
		stop := y.run(y.worker(3, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			runs <- task.ID
			return json.RawMessage(`{"ok":true}`), nil
		}))
		pass(10 * time.Second)
		y.want(tq.Completed, 1, ids...)
		if n := len(runs); n != 3 {
			y.t.Errorf("three tasks were run %d times", n)
		}
		y.stopped(stop)
	})
}

func TestPanicFailsTheAttemptWithItsStack(t *testing.T) {
	inYard(t, func(y *yard) {
		cases := map[string]tq.ExecutorFunc{
			"panic: boom": func(context.Context, *tq.Task) (json.RawMessage, error) { panic("boom") },
			"panic: runtime error: slice bounds out of range": func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
				return task.Payload[task.Attempt:][:1], nil
			},
			"panic: no text": func(context.Context, *tq.Task) (json.RawMessage, error) { return nil, sullen{} },
			"runtime.Goexit": func(context.Context, *tq.Task) (json.RawMessage, error) {
				runtime.Goexit()
				return nil, nil
			},
			"a b c": func(context.Context, *tq.Task) (json.RawMessage, error) { return nil, list{"a", "b", "c"} },
		}
		w := y.worker(2, nothing)
		ids := map[string]int64{}
		for want, x := range cases {
			kind := fmt.Sprintf("case%d", len(ids))
			w.Handle(kind, x)
			ids[want] = y.add(tq.NewTask{Type: kind, MaxAttempts: 1})[0]
		}
		stop := y.run(w)
		pass(time.Second)
		for want, id := range ids {
			task := y.task(id)
			if task.Status != tq.Dead || !strings.Contains(task.LastError, want) {
				y.t.Errorf("task is %s: %.100q, want dead with %q", task.Status, task.LastError, want)
			}
			if strings.HasPrefix(want, "panic") && !strings.Contains(task.LastError, "worker_settle_test.go") {
				y.t.Errorf("the error %.60q has no stack that leads here", task.LastError)
			}
		}
		y.stopped(stop)
	})
}

// sullen is an error that panics when asked for its text.
type sullen struct{}

func (sullen) Error() string { panic("no text") }

// list is an error that Go cannot compare.
type list []string

func (l list) Error() string { return strings.Join(l, " ") }

func TestExecutorsSayHowTheirAttemptEnds(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(4, func(context.Context, *tq.Task) (json.RawMessage, error) {
			return nil, fmt.Errorf("while working: %w", tq.Permanent(errors.New("bad address")))
		})
		w.Handle("later", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) {
			return nil, fmt.Errorf("busy: %w", tq.RetryAfter(time.Hour))
		}))
		w.Handle("back", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) { return nil, tq.Release(2 * time.Hour) }))
		w.Handle("slow down", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) {
			return nil, fmt.Errorf("429 from\x1b host%s: %w\nplease", strings.Repeat("é", 200), tq.RateLimited(1000*24*time.Hour))
		}))
		ids := y.add(tq.NewTask{}, tq.NewTask{Type: "later"}, tq.NewTask{Type: "back"}, tq.NewTask{Type: "slow down"})
		stop := y.run(w)
		pass(time.Second)
		want := []struct {
			status  tq.Status
			attempt int
			due     time.Duration
			text    string
		}{
			{status: tq.Dead, attempt: 1, text: "while working: bad address"},
			{status: tq.Pending, attempt: 1, due: time.Hour, text: "busy: retry after 1h0m0s"},
			{status: tq.Pending, attempt: 0, due: 2 * time.Hour},
			{status: tq.Pending, attempt: 0, due: tq.MaxDelay},
		}
		reasons := map[int64]string{
			ids[2]: "released for 2h0m0s",
			ids[3]: "429 from host" + strings.Repeat("é", 92) + "…",
		}
		for i, c := range want {
			if got := y.lastReason(ids[i]); reasons[ids[i]] != "" && got != reasons[ids[i]] {
				y.t.Errorf("task %d was released because of %q (%d bytes), want %q", ids[i], got, len(got), reasons[ids[i]])
			}
			task := y.task(ids[i])
			if task.Status != c.status || task.Attempt != c.attempt || task.LastError != c.text {
				y.t.Errorf("%s: %s at attempt %d, %q; want %s at %d, %q", task.Type, task.Status, task.Attempt, task.LastError, c.status, c.attempt, c.text)
			}
			if c.due > 0 && !near(task.RunAt.Sub(y.start), c.due, time.Second) {
				y.t.Errorf("%s is due in %s, want %s", task.Type, task.RunAt.Sub(y.start), c.due)
			}
		}
		y.stopped(stop)
	})
}

func TestThousandTasksAreEachRunOnce(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(many(1000)...)
		runs := make(chan int64, 2000)
		w := y.worker(16, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			pass(time.Duration(task.ID%7) * time.Millisecond)
			runs <- task.ID
			return task.Payload, nil
		})
		w.UntilEmpty = true
		if err := w.Run(y.t.Context()); err != nil {
			y.t.Errorf("Run: %v", err)
		}
		y.want(tq.Completed, 1, ids...)
		if n := len(runs); n != 1000 {
			y.t.Errorf("1,000 tasks were run %d times", n)
		}
	})
}

func TestWhatAnExecutorDoesToItsTaskIsItsOwnAffair(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{})
		stop := y.run(y.worker(1, func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			*task = tq.Task{ID: 4711}
			return nil, nil
		}))
		pass(time.Second)
		y.want(tq.Completed, 1, ids...)
		y.stopped(stop)
	})
}
