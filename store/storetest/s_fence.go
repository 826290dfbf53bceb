package storetest

import (
	"strings"
	"time"

	"example.com/tq"
)

// Spec §2: who may settle (S5 to S8). Every case of a lost lease is tried with
// all five acts of a holder.

func fencePromises() []promise {
	return []promise{
		{"S05 a stale token settles nothing: reclaimed", staleReclaimed},
		{"S05 a stale token settles nothing: completed by another", staleCompleted},
		{"S05 a stale token settles nothing: cancelled by force", staleCancelled},
		{"S05 a stale token settles nothing: rescued", staleRescued},
		{"S05 a stale token settles nothing: dead after its last lease", staleDead},
		{"S05 a stale token settles nothing: the peers' own case", stalePeers},
		{"S05 time is not consulted: an unswept lease settles", timeIsNotConsulted},
		{"S06 the last holder completes after expiry, until the next claim", lateUntilClaimed},
		{"S06 after expiry the last holder can do nothing but complete", lateIsCompleteOnly},
		{"S06 to run a task now does not shut out its last holder", lateAfterRequeue},
		{"S06 after a requested cancel, expiry refuses everything", lateAfterCancel},
		{"S07 the fence is the epoch and rises with each attempt", fenceRises},
		{"S08 a forged token settles nothing", forgedTokens},
		{"S08 what is no token is refused by name", malformedTokens},
	}
}

// loses fails the test unless every act of a holder with c's token is refused
// with lease_lost for that reason, and leaves no trace.
func (q *Queue) loses(c tq.ClaimedTask, reason string) {
	q.t.Helper()
	for _, a := range holderActs() {
		q.unchanged("stale "+a.name, func() { q.losesAct(a, c, reason) })
	}
}

func (q *Queue) losesAct(a act, c tq.ClaimedTask, reason string) {
	q.t.Helper()
	e := q.rowRefused(a.name, a.do(q, c).Error, tq.CodeLeaseLost)
	same(q, "message", e.Message, "lease no longer held")
	task := q.task(c.ID)
	same(q, "reason for "+a.name, e.Reason, reason)
	same(q, "task", e.TaskID, c.ID)
	same(q, "status", e.Status, task.Status)
	same(q, "epoch", e.Epoch, task.Epoch)
}

func staleReclaimed(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	old := q.take(id)
	q.expire(old)
	now := q.take(id)
	q.loses(old, "reclaimed")
	q.complete(now, `"mine"`)
	same(q, "result", string(q.task(id).Result), `"mine"`)
}

func staleCompleted(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	old := q.take(id)
	q.expire(old)
	q.complete(q.take(id), `"mine"`)
	q.loses(old, "completed")
	same(q, "result", string(q.task(id).Result), `"mine"`)
}

func staleCancelled(q *Queue) {
	c := q.started(tq.NewTask{})
	q.forceCancel(c.ID)
	q.loses(c, "cancelled")
}

func staleRescued(q *Queue) {
	c := q.started(tq.NewTask{})
	q.forceCancel(c.ID)
	q.rescue(c.ID)
	q.loses(c, "rescued")
	dead := q.started(tq.NewTask{MaxAttempts: 1})
	q.expire(dead)
	q.rescue(dead.ID)
	q.loses(dead, "rescued")
}

func staleDead(q *Queue) {
	c := q.started(tq.NewTask{MaxAttempts: 1})
	q.expire(c)
	q.is(c.ID, tq.Dead)
	q.loses(c, "expired_dead")
}

// stalePeers is what a current release of the best-known peer fails: attempt
// 2, long rescued, completes the row while attempts 3 and 4 run.
func stalePeers(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 2})
	q.expire(q.take(id))
	second := q.take(id)
	q.giveUp(second, "hopeless")
	q.rescue(id)
	third := q.take(id)
	same(q, "attempt in the new budget", third.Attempt, 1)
	q.unchanged("the second attempt, long rescued", func() {
		e := q.rowRefused("complete", q.tryComplete(second, `"old"`).Error, tq.CodeAlreadySettled)
		same(q, "what was recorded", e.Reason, string(tq.FactFailed))
		q.losesAct(holderActs()[3], second, "reclaimed")
	})
	q.is(id, tq.Running)
	q.complete(third, `"new"`)
}

func timeIsNotConsulted(q *Queue) {
	done, kept := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.Clock.Advance(lease + time.Hour)
	s := q.complete(done, `1`)
	same(q, "late", s.Late, false)
	q.extend(kept, lease)
	same(q, "lease", q.task(kept.ID).Lease.Until, tq.At(q.Clock.Now().Add(lease)))
	q.pass(lease - time.Second)
	q.is(kept.ID, tq.Running)
}

func lateUntilClaimed(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	first := q.take(id)
	q.expire(first)
	second := q.take(id)
	q.expire(second)
	q.loses(first, "reclaimed")
	same(q, "late", q.complete(second, `"late"`).Late, true)
	s := q.complete(second, `"late"`)
	same(q, "repeat of a late complete", []bool{s.Replayed, s.Late}, []bool{true, true})
	same(q, "result", string(q.task(id).Result), `"late"`)
}

func lateIsCompleteOnly(q *Queue) {
	c := q.started(tq.NewTask{})
	q.expire(c)
	for _, a := range holderActs()[1:] {
		q.unchanged("late "+a.name, func() {
			q.rowRefused(a.name, a.do(q, c).Error, tq.CodeLeaseLost)
		})
	}
	same(q, "late", q.complete(c, `1`).Late, true)
}

func lateAfterRequeue(q *Queue) {
	for _, claimed := range []bool{false, true} {
		id := q.enqueue(tq.NewTask{})
		q.expire(q.take(id))
		c := q.take(id)
		q.expire(c) // the second time it waits
		out, err := q.Client.Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{id}})
		q.must("requeue", err)
		same(q, "changed", out.Tasks[0].Changed, true)
		if claimed {
			q.take(id)
			q.loses(c, "reclaimed")
			continue
		}
		q.rowRefused("fail", q.tryFail(c, tq.FailLease{Error: "x"}).Error, tq.CodeLeaseLost)
		same(q, "late", q.complete(c, `"late"`).Late, true)
		q.is(id, tq.Completed)
	}
}

func lateAfterCancel(q *Queue) {
	c := q.started(tq.NewTask{})
	q.cancel(c.ID)
	q.expire(c)
	q.loses(c, "cancelled")
}

func fenceRises(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	for want := int64(1); want <= 5; want++ {
		c := q.take(id)
		same(q, "fence", c.Fence, want)
		same(q, "epoch", c.Epoch, want)
		q.release(c)
	}
}

func forgedTokens(q *Queue) {
	c, other := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	end := strings.TrimRight(c.LeaseToken, "AQgw") // the last letter holds two bits only
	flipped := []byte(c.LeaseToken)
	at := len(end) / 2
	flipped[at] = map[bool]byte{true: 'B', false: 'A'}[flipped[at] == 'A']
	for what, token := range map[string]string{
		"a flipped letter": string(flipped),
		"another store's":  tq.SignToken([]byte(strings.Repeat("k", 32)), c.ID, c.Epoch),
		"a later epoch":    tq.SignToken([]byte(strings.Repeat("k", 32)), c.ID, c.Epoch+1),
	} {
		forged := c
		forged.LeaseToken = token
		for _, a := range holderActs() {
			q.unchanged(what, func() {
				e := q.rowRefused(what, a.do(q, forged).Error, tq.CodeLeaseLost)
				same(q, "message", e.Message, "lease no longer held")
			})
		}
	}
	q.unchanged("another task's token", func() {
		out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{
			{TaskID: c.ID, LeaseToken: other.LeaseToken},
		}})
		s := q.row("complete", out, err)
		same(q, "task", s.TaskID, c.ID)
		q.rowRefused("complete", s.Error, tq.CodeLeaseLost)
	})
	q.complete(c, `1`)
	q.complete(other, `1`)
}

func malformedTokens(q *Queue) {
	c := q.started(tq.NewTask{})
	for what, token := range map[string]string{
		"empty": "", "a word": "token", "cut": c.LeaseToken[:20], "long": strings.Repeat("x", 1<<20),
		"padded": c.LeaseToken + "=", "no base64": c.LeaseToken[:len(c.LeaseToken)-2] + "!!",
	} {
		bad := c
		bad.LeaseToken = token
		for _, a := range holderActs() {
			e := q.rowRefused(what, a.do(q, bad).Error, tq.CodeInvalid)
			q.names(e, "/lease_token", "lease_token")
			if strings.Contains(e.Error()+e.Hint, "tqt_") {
				q.t.Fatalf("the refusal shows the token: %v", e)
			}
		}
	}
	q.is(c.ID, tq.Running)
}
