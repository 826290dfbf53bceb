package storetest

import (
	"fmt"
	"time"

	"example.com/tq"
)

// Spec §4, S20: a repeated settle gets the first answer.

func replayPromises() []promise {
	return []promise{
		{"S20 a repeated settle gets the first answer and changes nothing", settleRepeats},
		{"S20 a repeat is answered even when the task has moved on", settleRepeatsLater},
		{"S20 a repeat of a dead end is answered", settleRepeatsDead},
		{"S20 the same token with another outcome is refused with what stands", otherOutcome},
		{"S20 a settle is repeated after its task was deleted", settleRepeatsDeleted},
		{"S20 a settle after a requested cancel is repeated as cancelled", settleRepeatsCancelled},
		{"S20 100 settles of one attempt at once are recorded once", settleRace},
		{"S20 settles and expiry at once end an attempt once", settleAgainstSweep},
	}
}

// settles are the three acts that end an attempt, each with a body.
func settles() []act {
	return []act{
		{"complete", func(q *Queue, c tq.ClaimedTask) tq.Settlement { return q.tryComplete(c, `{"n": 1}`) }},
		{"fail", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			return q.tryFail(c, tq.FailLease{Error: "no luck"})
		}},
		{"fail for a while", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			delay := tq.Duration(time.Minute)
			return q.tryFail(c, tq.FailLease{Error: "no luck", RetryDelay: &delay})
		}},
		{"give up", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			again := false
			return q.tryFail(c, tq.FailLease{Error: "no luck", Requeue: &again})
		}},
		{"release", func(q *Queue, c tq.ClaimedTask) tq.Settlement { return q.tryRelease(c, tq.ReleaseLease{}) }},
		{"release for a while", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			return q.tryRelease(c, tq.ReleaseLease{Delay: tq.Duration(time.Minute)})
		}},
	}
}

// replays fails the test unless a repeat is answered with first, replayed.
func (q *Queue) replays(a act, c tq.ClaimedTask, first tq.Settlement) {
	q.t.Helper()
	q.unchanged("a repeated "+a.name, func() {
		again := q.settled(a.name, a.do(q, c))
		first.Replayed = true
		same(q, "repeated "+a.name, again, first)
	})
}

func settleRepeats(q *Queue) {
	for _, a := range settles() {
		c := q.started(tq.NewTask{})
		first := q.settled(a.name, a.do(q, c))
		same(q, "first time", first.Replayed, false)
		for range 3 {
			q.replays(a, c, first)
			q.pass(time.Second)
		}
	}
}

func settleRepeatsLater(q *Queue) {
	for _, a := range settles() {
		if a.name == "complete" || a.name == "give up" {
			continue // these are ends
		}
		c := q.started(tq.NewTask{})
		first := q.settled(a.name, a.do(q, c))
		q.pass(time.Minute + time.Second)
		next := q.claimSome(tq.ClaimIn{Types: []string{c.Type}})[0]
		q.replays(a, c, first)
		q.complete(next, `"by another"`)
		q.replays(a, c, first)
		same(q, "result", string(q.task(c.ID).Result), `"by another"`)
	}
}

func settleRepeatsDead(q *Queue) {
	c := q.started(tq.NewTask{MaxAttempts: 1})
	fail := settles()[1]
	first := q.settled("fail", fail.do(q, c))
	same(q, "status", first.Status, tq.Dead)
	q.replays(fail, c, first)
	q.rescue(c.ID)
	q.replays(fail, c, first)
	q.claimSome(tq.ClaimIn{Types: []string{c.Type}})
	q.replays(fail, c, first)
}

// settleRepeatsDeleted: the facts outlive their task, and so does the answer.
func settleRepeatsDeleted(q *Queue) {
	for _, a := range settles() {
		c := q.started(tq.NewTask{})
		first := q.settled(a.name, a.do(q, c))
		if !first.Status.Terminal() {
			q.cancel(c.ID)
		}
		q.delete(c.ID)
		q.replays(a, c, first)
		q.unchanged("another outcome", func() {
			q.rowRefused("another outcome", q.tryComplete(c, `"other"`).Error, tq.CodeAlreadySettled)
		})
	}
	c := q.started(tq.NewTask{})
	q.forceCancel(c.ID)
	q.delete(c.ID)
	q.rowRefused("what nobody settled", q.tryComplete(c, `1`).Error, tq.CodeNotFound)
}

func otherOutcome(q *Queue) {
	recorded := map[string]tq.Kind{
		"complete": tq.FactCompleted, "fail": tq.FactFailed, "fail for a while": tq.FactFailed,
		"give up": tq.FactFailed, "release": tq.FactReleased, "release for a while": tq.FactReleased,
	}
	for _, first := range settles() {
		for _, second := range append(settles(), holderActs()[0]) {
			if second.name == first.name && first.name != "complete" {
				continue
			}
			if second.name == "complete" && first.name == "complete" {
				second = holderActs()[0] // complete, with another result
			}
			c := q.started(tq.NewTask{})
			q.settled(first.name, first.do(q, c))
			what := fmt.Sprintf("%s after %s", second.name, first.name)
			q.unchanged(what, func() {
				e := q.rowRefused(what, second.do(q, c).Error, tq.CodeAlreadySettled)
				same(q, "what was recorded", e.Reason, string(recorded[first.name]))
				same(q, "task in the refusal", e.TaskID, c.ID)
			})
		}
	}
}

func settleRepeatsCancelled(q *Queue) {
	for _, a := range settles()[1:] {
		c := q.started(tq.NewTask{})
		q.cancel(c.ID)
		first := q.settled(a.name, a.do(q, c))
		same(q, "status", first.Status, tq.Cancelled)
		q.replays(a, c, first)
		q.unchanged("another outcome", func() {
			e := q.rowRefused("complete", q.tryComplete(c, `1`).Error, tq.CodeAlreadySettled)
			same(q, "what was recorded", e.Reason, string(tq.FactCancelled))
		})
	}
}

func settleRace(q *Queue) {
	const callers = 100
	c := q.started(tq.NewTask{})
	fresh := make(chan int, callers)
	q.together(callers, func(i int) error {
		result := fmt.Sprintf(`%d`, i%2) // two outcomes, fifty callers each
		out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{
			{LeaseToken: c.LeaseToken, Result: []byte(result)},
		}})
		if err != nil {
			return err
		}
		s := out.Leases[0]
		switch {
		case s.Error != nil && s.Error.Code != tq.CodeAlreadySettled:
			return s.Error
		case s.Error == nil && !s.Replayed:
			fresh <- i
		}
		return nil
	})
	close(fresh)
	winner := <-fresh
	if more, ok := <-fresh; ok {
		q.t.Fatalf("callers %d and %d both settled", winner, more)
	}
	same(q, "result", string(q.task(c.ID).Result), fmt.Sprint(winner%2))
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted)
}

func settleAgainstSweep(q *Queue) {
	const tasks = 40
	q.enqueueN(tasks, tq.NewTask{MaxAttempts: 1})
	cs := q.claimSome(tq.ClaimIn{Max: tasks})
	q.pass(lease)
	q.Clock.Advance(time.Second)
	q.together(2*tasks, func(i int) error {
		if i%2 == 0 {
			_, err := q.Store.Sweep(q.ctx(), tq.Retention{})
			return err
		}
		out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{
			{LeaseToken: cs[i/2].LeaseToken, Result: []byte(`1`)},
		}})
		if err == nil && out.Leases[0].Error == nil && out.Leases[0].Status != tq.Completed {
			return fmt.Errorf("task %d: %+v", cs[i/2].ID, out.Leases[0])
		}
		return err
	})
	for _, c := range cs {
		ends := 0
		for _, f := range q.facts(tq.FactsIn{TaskID: c.ID}) {
			if f.Settles {
				ends++
			}
		}
		same(q, fmt.Sprintf("ends of task %d", c.ID), ends, 1)
	}
}
