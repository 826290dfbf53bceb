package storetest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/tq"
)

// Spec §3: the wait before the next attempt (S16) and dead tasks (S17).

func retryPromises() []promise {
	return []promise{
		{"S16 the wait doubles from 2 s, give or take 20 %, up to an hour", backoffDoubles},
		{"S16 base, cap and factor are settable per task", backoffOfTask},
		{"S16 a wait is never negative and never overflows, at any attempt", backoffBounds},
		{"S16 retry_delay_seconds overrides, 0 to 31,536,000", retryDelayEdges},
		{"S16 the first expiry costs no wait, later ones do", expiryBackoff},
		{"S16 a backoff that breaks a rule is refused by name", backoffEdges},
		{"S17 a dead task says why, and its last error", deadSaysWhy},
		{"S17 each dead task is met once by a cursor", deadByCursor},
		{"S17 a later error replaces the last one, a success keeps it", lastErrorIsLast},
	}
}

func backoffDoubles(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 20})
	for n := 1; n < 20; n++ {
		s := q.fail(q.take(id), "again")
		mid := min(time.Hour, 2*time.Second<<(n-1))
		q.around(fmt.Sprintf("wait after attempt %d", n), s.RunAt.Sub(q.Clock.Now()), mid)
		q.Clock.Advance(s.RunAt.Sub(q.Clock.Now()) - time.Millisecond)
		q.claimNothing()
		q.pass(time.Second)
	}
	q.is(id, tq.Pending)
}

// around fails the test unless d is mid give or take 20 %, and a millisecond of
// rounding.
func (q *Queue) around(what string, d, mid time.Duration) {
	q.t.Helper()
	if low, high := mid*8/10-time.Millisecond, mid*12/10+time.Millisecond; d < low || d > high {
		q.t.Fatalf("%s: %s, want %s to %s", what, d, low, high)
	}
}

func backoffOfTask(q *Queue) {
	backoff := &tq.Backoff{Base: tq.Duration(10 * time.Second), Cap: tq.Duration(45 * time.Second), Factor: 3}
	id := q.enqueue(tq.NewTask{MaxAttempts: 10, Backoff: backoff})
	same(q, "backoff", *q.task(id).Backoff, *backoff)
	for _, mid := range []time.Duration{10 * time.Second, 30 * time.Second, 45 * time.Second, 45 * time.Second} {
		s := q.fail(q.take(id), "again")
		q.around("wait", s.RunAt.Sub(q.Clock.Now()), mid)
		q.pass(mid*12/10 + time.Second)
	}
}

func backoffBounds(q *Queue) {
	for _, b := range []*tq.Backoff{
		nil,
		{Factor: 100},
		{Base: tq.Duration(tq.MaxDelay), Cap: tq.Duration(tq.MaxDelay), Factor: 100},
		{Base: math.MaxInt64, Cap: math.MaxInt64, Factor: math.MaxFloat64},
	} {
		for _, attempt := range []int{1, 2, 64, 310, 1000, 1_000_000, math.MaxInt32} {
			for _, jitter := range []float64{-1, 0, 1} {
				if d := b.Delay(attempt, jitter); d < 0 || d > tq.MaxDelay {
					q.t.Fatalf("wait after attempt %d with %+v: %s", attempt, b, d)
				}
			}
		}
	}
	id := q.enqueue(tq.NewTask{MaxAttempts: tq.MaxAttempts, Backoff: &tq.Backoff{Factor: 100}})
	for range 60 {
		s := q.fail(q.take(id), "again")
		wait := s.RunAt.Sub(q.Clock.Now())
		if wait < 0 || wait > 72*time.Minute {
			q.t.Fatalf("wait %s", wait)
		}
		q.requeue(id)
	}
}

func retryDelayEdges(q *Queue) {
	for _, seconds := range []int{0, 1, 31_536_000} {
		c := q.started(tq.NewTask{})
		delay := time.Duration(seconds) * time.Second
		s := q.failFor(c, "again", delay)
		same(q, "run_at", s.RunAt, tq.At(q.Clock.Now().Add(delay)))
	}
	c := q.started(tq.NewTask{})
	for _, seconds := range []int{-1, 31_536_001} {
		delay := tq.Duration(time.Duration(seconds) * time.Second)
		s := q.tryFail(c, tq.FailLease{RetryDelay: &delay})
		q.names(q.rowRefused("fail", s.Error, tq.CodeInvalid), "/retry_delay_seconds", "0 to 31536000")
	}
	q.is(c.ID, tq.Running)
}

func expiryBackoff(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 5})
	q.expire(q.take(id))
	same(q, "wait after the first expiry", max(0, q.task(id).RunAt.Sub(q.Clock.Now())), 0)
	for n, mid := range []time.Duration{4 * time.Second, 8 * time.Second} {
		q.take(id)
		q.pass(lease)
		q.Clock.Advance(time.Millisecond)
		q.sweep()
		q.around(fmt.Sprintf("wait after expiry %d", n+2), q.task(id).RunAt.Sub(q.Clock.Now()), mid)
		q.pass(mid*12/10 + time.Second)
	}
	q.giveUp(q.take(id), "hopeless")
	q.rescue(id)
	q.expire(q.take(id)) // after a rescue the next one is a first again
	q.take(id)
}

func backoffEdges(q *Queue) {
	year := tq.Duration(tq.MaxDelay)
	for field, b := range map[string]tq.Backoff{
		"/tasks/0/backoff/base_seconds": {Base: -tq.Duration(time.Millisecond)},
		"/tasks/0/backoff/cap_seconds":  {Cap: year + tq.Duration(time.Millisecond)},
		"/tasks/0/backoff/factor":       {Factor: 0.5},
	} {
		_, err := q.tryEnqueue(tq.NewTask{Backoff: &b})
		q.names(q.refused("enqueue", err, tq.CodeInvalid), field, "want")
	}
	for _, factor := range []float64{101, -1, math.NaN(), math.Inf(1)} {
		n := tq.NewTask{Backoff: &tq.Backoff{Factor: factor}}
		if _, err := n.Normal(); tq.CodeOf(err) != tq.CodeInvalid {
			q.t.Fatalf("factor %v: %v, want it refused", factor, err)
		}
	}
	q.enqueue(tq.NewTask{Backoff: &tq.Backoff{Base: year, Cap: year, Factor: 100}})
}

func deadSaysWhy(q *Queue) {
	spent := q.started(tq.NewTask{MaxAttempts: 1})
	q.fail(spent, "boom\nat line 3")
	given := q.started(tq.NewTask{})
	q.giveUp(given, "hopeless")
	lost := q.started(tq.NewTask{MaxAttempts: 2})
	q.failFor(lost, "first", 0)
	q.claimSome(tq.ClaimIn{Types: []string{lost.Type}})
	q.pass(lease + time.Second)
	for id, want := range map[int64][2]string{
		spent.ID: {"max_attempts", "boom\nat line 3"},
		given.ID: {"gave_up", "hopeless"},
		lost.ID:  {"lease expired after max attempts", "first"},
	} {
		task, f := q.task(id), q.lastFact(id)
		same(q, "status", task.Status, tq.Dead)
		same(q, "reason", task.Reason, want[0])
		same(q, "reason in the fact", f.Detail.Reason, want[0])
		if !strings.HasPrefix(task.LastError, want[1]) {
			q.t.Fatalf("last error %q, want %q", task.LastError, want[1])
		}
	}
}

func deadByCursor(q *Queue) {
	var want, met []int64
	var cursor int64
	for range 5 {
		for range 3 {
			c := q.started(tq.NewTask{MaxAttempts: 1})
			q.fail(c, "boom")
			want = append(want, c.ID)
		}
		for _, f := range q.facts(tq.FactsIn{After: cursor, Kinds: []tq.Kind{tq.FactDeadLettered}}) {
			met, cursor = append(met, f.TaskID), f.Seq
		}
	}
	same(q, "dead tasks met", met, want)
}

func lastErrorIsLast(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	q.failFor(q.take(id), "first", 0)
	q.failFor(q.take(id), "second", 0)
	same(q, "last error", q.task(id).LastError, "second")
	q.complete(q.take(id), `1`)
	task := q.task(id)
	same(q, "status", task.Status, tq.Completed)
	same(q, "reason", task.Reason, "")
}
