package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

func TestFailuresHaveAClass(t *testing.T) {
	t.Parallel()
	plain := errors.New("no")
	for _, c := range []struct {
		err  error
		want tq.Class
	}{
		{nil, ""},
		{plain, tq.ClassTransient},
		{tq.RetryAfter(time.Second), tq.ClassTransient},
		{tq.Release(time.Second), tq.ClassTransient},
		{fmt.Errorf("read: %w", tq.Permanent(plain)), tq.ClassPermanent},
		{tq.RateLimited(time.Second), tq.ClassRateLimited},
		{fmt.Errorf("ask: %w", tq.ParkRateLimited("provider:x", time.Second, plain)), tq.ClassRateLimited},
		{tq.Preflight("repo:/x", time.Second, plain), tq.ClassPreflight},
	} {
		if got := tq.ClassOf(c.err); got != c.want {
			t.Errorf("class of %v is %q, want %q", c.err, got, c.want)
		}
	}
}

func TestAParkedScopeBurnsNoAttemptAndEverybodyHearsOfIt(t *testing.T) {
	inYard(t, func(y *yard) {
		w := y.worker(1, nil)
		scopes := map[string]string{"1": "provider:x", "2": `repo:/a "b"`}
		w.Handle(tq.TypeAgent, tq.ExecutorFunc(func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
			err := errors.New("limit reached")
			if string(task.Payload) == "1" {
				return nil, tq.ParkRateLimited(scopes["1"], time.Hour, err)
			}
			return nil, tq.Preflight(scopes["2"], 2*time.Hour, err)
		}))
		ids := y.add(
			tq.NewTask{Type: tq.TypeAgent, Payload: json.RawMessage("1"), MaxAttempts: 1},
			tq.NewTask{Type: tq.TypeAgent, Payload: json.RawMessage("2"), MaxAttempts: 1},
		)
		stop := y.run(w)
		pass(time.Second)
		y.want(tq.Pending, 0, ids...)
		stats, err := w.Client.Stats(y.t.Context(), tq.StatsIn{})
		if err != nil || len(stats.Parked) != 2 {
			y.t.Fatalf("parked: %+v (%v), want two scopes", stats.Parked, err)
		}
		for i, p := range stats.Parked {
			in := time.Duration(i+1) * time.Hour
			if p.Scope != scopes[fmt.Sprint(i+1)] || p.Reason != "limit reached" || !near(p.Until.Sub(y.start), in, time.Second) {
				y.t.Errorf("parked %+v, want %s for %s", p, scopes[fmt.Sprint(i+1)], in)
			}
		}
		why, err := w.Client.Explain(y.t.Context(), tq.ExplainIn{ID: ids[0]})
		if err != nil || why.Code != "parked" || !strings.Contains(why.Sentence, "provider:x: limit reached") {
			y.t.Errorf("explain: %+v (%v)", why, err)
		}
		pass(90 * time.Minute) // the first is tried again, and parked again
		if got := y.task(ids[0]); got.Epoch != 2 || got.Attempt != 0 {
			y.t.Errorf("after the limit task 1 is at epoch %d, attempt %d; want 2, 0", got.Epoch, got.Attempt)
		}
		y.stopped(stop)
	})
}

func TestAScopeNeedsADelay(t *testing.T) {
	inYard(t, func(y *yard) {
		y.add(tq.NewTask{})
		c := y.worker(1, nil).Client
		got, err := c.Claim(y.t.Context(), tq.ClaimIn{})
		if err != nil || len(got.Tasks) != 1 {
			y.t.Fatalf("claimed %d (%v)", len(got.Tasks), err)
		}
		out, err := c.Release(y.t.Context(), tq.ReleaseIn{Leases: []tq.ReleaseLease{
			{LeaseToken: got.Tasks[0].LeaseToken, Scope: "provider:x"},
		}})
		if err != nil || !errors.Is(out.Leases[0].Error, tq.ErrInvalid) {
			y.t.Errorf("release with a scope and no delay: %+v (%v)", out.Leases, err)
		}
	})
}
