package storetest

import (
	"time"

	"example.com/tq"
)

// Spec §1, S3: every transition of the table with its fact.

func transitionPromises() []promise {
	return []promise{
		{"S03 T1 an enqueued task is pending, or blocked while a dep is open", t1Enqueue},
		{"S03 T2 the last dep to complete makes a blocked task pending", t2Unblock},
		{"S03 T3 a claim makes a pending task running", t3Claim},
		{"S03 T4 extending a whole claim writes no fact", t4WholeClaim},
		{"S03 T4 a note, or extending one task of a claim, is a heartbeat", t4Heartbeat},
		{"S03 T5 the holder completes its task", t5Complete},
		{"S03 T6 a failed task with attempts left is pending again later", t6Retry},
		{"S03 T7 a task is dead after its last attempt", t7LastAttempt},
		{"S03 T7 a task is dead when its holder gives it up", t7GiveUp},
		{"S03 T8 a release gives the attempt back", t8Release},
		{"S03 T8 more than 20 releases in a row count as attempts", t8TooMany},
		{"S03 T8 releases for a rate limit never count", t8Unburnt},
		{"S03 T9 a task whose lease ran out is pending again", t9Expire},
		{"S03 T10 a task whose last lease ran out is dead", t10ExpireLast},
		{"S03 T11 a waiting task is cancelled", t11Cancel},
		{"S03 T12 cancel of a running task is a request", t12Request},
		{"S03 T13 fail, release and expiry after the request end cancelled", t13Requested},
		{"S03 T13 a forced cancel ends a running task now", t13Force},
		{"S03 T14 a rescue gives a dead or cancelled task a fresh budget", t14Rescue},
		{"S03 T14 a rescued task whose deps are open is blocked", t14RescueBlocked},
		{"S03 T15 the last holder completes late", t15Late},
		{"S03 T16 an ended task is deleted", t16Delete},
		{"S03 T17 a cancelled dep cancels what waits for it", t17Cascade},
		{"S03 T18 requeue runs a scheduled task now", t18Requeue},
	}
}

func t1Enqueue(q *Queue) {
	dep := q.enqueue(tq.NewTask{})
	blocked := q.enqueueAll(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})[0]
	same(q, "answer", blocked, tq.Enqueued{ID: blocked.ID, Status: tq.Blocked})
	q.is(dep, tq.Pending)
	q.is(blocked.ID, tq.Blocked)
	q.tells(dep, tq.FactEnqueued)
	q.tells(blocked.ID, tq.FactEnqueued)
	same(q, "status in the fact", q.lastFact(blocked.ID).Status, tq.Blocked)
}

func t2Unblock(q *Queue) {
	a, b := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(a.ID), tq.ID(b.ID)}})
	q.complete(a, `1`)
	q.is(child, tq.Blocked)
	q.complete(b, `2`)
	q.is(child, tq.Pending) // in the same transaction: no sweep between
	q.tells(child, tq.FactEnqueued, tq.FactUnblocked)
	q.take(child)
}

func t3Claim(q *Queue) {
	id := q.enqueue(tq.NewTask{Payload: []byte(`{"a":1}`)})
	c := q.claimSome(tq.ClaimIn{Worker: tq.WorkerInfo{ID: "w1", Name: "box"}})[0]
	same(q, "claimed status", c.Status, tq.Running)
	same(q, "attempt", c.Attempt, 1)
	same(q, "payload", string(c.Payload), `{"a":1}`)
	task := q.task(id)
	same(q, "status", task.Status, tq.Running)
	same(q, "started", task.StartedAt, tq.At(q.Clock.Now()))
	same(q, "lease", task.Lease.Until, tq.At(q.Clock.Now().Add(lease)))
	q.tells(id, tq.FactEnqueued, tq.FactClaimed)
	f := q.lastFact(id)
	same(q, "epoch and attempt in the fact", []int64{f.Epoch, int64(f.Attempt)}, []int64{1, 1})
	q.claimNothing()
}

func t4WholeClaim(q *Queue) {
	q.enqueueN(2, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 2})
	q.pass(5 * time.Second)
	out, err := q.Client.Extend(q.ctx(), tq.ExtendIn{Leases: []tq.ExtendLease{
		{LeaseToken: cs[0].LeaseToken, Lease: tq.Duration(time.Minute)},
		{LeaseToken: cs[1].LeaseToken, Lease: tq.Duration(time.Minute)},
	}})
	q.must("extend", err)
	for i, s := range out.Leases {
		q.settled("extend", s)
		same(q, "lease left", s.LeaseLeft, tq.Duration(time.Minute))
		same(q, "lease", q.task(cs[i].ID).Lease.Until, tq.At(q.Clock.Now().Add(time.Minute)))
		q.tells(cs[i].ID, tq.FactEnqueued, tq.FactClaimed)
	}
}

func t4Heartbeat(q *Queue) {
	q.enqueueN(2, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 2})
	q.pass(5 * time.Second)
	q.extend(cs[0], time.Minute)
	q.tells(cs[0].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactHeartbeat)
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed)
	q.settled("progress", q.tryExtend(cs[1], tq.ExtendLease{Progress: &tq.Progress{Fraction: 0.5, Note: "half"}}))
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactHeartbeat)
	f, task := q.lastFact(cs[1].ID), q.task(cs[1].ID)
	same(q, "note in the fact", f.Detail.Note, "half")
	same(q, "fraction in the fact", f.Detail.Fraction, 0.5)
	same(q, "progress", *task.Progress, tq.Progress{At: tq.At(q.Clock.Now()), Fraction: 0.5, Note: "half"})
	same(q, "status", task.Status, tq.Running)
	q.complete(cs[0], `1`)
	q.complete(cs[1], `2`)
}

func t5Complete(q *Queue) {
	c := q.started(tq.NewTask{})
	q.pass(2 * time.Second)
	s := q.complete(c, `{"n": 1}`)
	same(q, "answer", s, tq.Settlement{TaskID: c.ID, Status: tq.Completed})
	task := q.task(c.ID)
	same(q, "status", task.Status, tq.Completed)
	same(q, "result", string(task.Result), `{"n": 1}`)
	same(q, "ended", task.EndedAt, tq.At(q.Clock.Now()))
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted)
	same(q, "settles", q.lastFact(c.ID).Settles, true)
}

func t6Retry(q *Queue) {
	c := q.started(tq.NewTask{})
	s := q.failFor(c, "no luck", time.Minute)
	due := tq.At(q.Clock.Now().Add(time.Minute))
	same(q, "answer", s, tq.Settlement{TaskID: c.ID, Status: tq.Pending, RunAt: due})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactFailed)
	f, task := q.lastFact(c.ID), q.task(c.ID)
	same(q, "run_at in the fact", f.Detail.RunAt, due)
	same(q, "error in the fact", f.Detail.Error, "no luck")
	same(q, "run_at", task.RunAt, due)
	same(q, "last error", task.LastError, "no luck")
	same(q, "attempt", task.Attempt, 1)
	q.claimTypeNothing(c.Type)
	q.pass(time.Minute)
	q.claimSome(tq.ClaimIn{Types: []string{c.Type}})
}

func t7LastAttempt(q *Queue) {
	c := q.started(tq.NewTask{MaxAttempts: 1})
	same(q, "status", q.fail(c, "no luck").Status, tq.Dead)
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactFailed, tq.FactDeadLettered)
	same(q, "reason in the fact", q.lastFact(c.ID).Detail.Reason, tq.ReasonMaxAttempts)
	same(q, "reason", q.task(c.ID).Reason, tq.ReasonMaxAttempts)
}

func t7GiveUp(q *Queue) {
	c := q.started(tq.NewTask{MaxAttempts: 5})
	same(q, "status", q.giveUp(c, "hopeless").Status, tq.Dead)
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactFailed, tq.FactDeadLettered)
	same(q, "reason in the fact", q.lastFact(c.ID).Detail.Reason, tq.ReasonGaveUp)
	same(q, "last error", q.task(c.ID).LastError, "hopeless")
}

func t8Release(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	same(q, "status", q.release(q.take(id)).Status, tq.Pending)
	same(q, "attempt", q.task(id).Attempt, 0)
	q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactReleased)
	c := q.take(id)
	s := q.settled("release", q.tryRelease(c, tq.ReleaseLease{Delay: tq.Duration(time.Minute)}))
	same(q, "run_at", s.RunAt, tq.At(q.Clock.Now().Add(time.Minute)))
	q.claimNothing()
	q.pass(time.Minute)
	same(q, "attempt", q.take(id).Attempt, 1)
}

func t8TooMany(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 2})
	for i := range tq.MaxReleases {
		c := q.take(id)
		same(q, "attempt", c.Attempt, 1)
		same(q, "status", q.release(c).Status, tq.Pending)
		same(q, "attempt after release "+time.Duration(i+1).String(), q.task(id).Attempt, 0)
	}
	same(q, "status after release 21", q.release(q.take(id)).Status, tq.Pending)
	same(q, "attempt after release 21", q.task(id).Attempt, 1)
	same(q, "status after release 22", q.release(q.take(id)).Status, tq.Dead)
	same(q, "reason", q.task(id).Reason, tq.ReasonMaxAttempts)
}

func t8Unburnt(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 1})
	for range 3 * tq.MaxReleases {
		s := q.settled("release", q.tryRelease(q.take(id), tq.ReleaseLease{Unburnt: true}))
		same(q, "status", s.Status, tq.Pending)
	}
	same(q, "attempt", q.task(id).Attempt, 0)
	same(q, "attempt of the next claim", q.take(id).Attempt, 1)
}

func t9Expire(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	q.expire(q.take(id))
	q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired)
	same(q, "attempt", q.task(id).Attempt, 1)
	same(q, "settles", q.lastFact(id).Settles, false)
	same(q, "attempt of the next claim", q.take(id).Attempt, 2)
}

func t10ExpireLast(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 1})
	q.expire(q.take(id))
	q.is(id, tq.Dead)
	q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired, tq.FactDeadLettered)
	same(q, "reason in the fact", q.lastFact(id).Detail.Reason, tq.ReasonLeaseExpired)
	same(q, "reason", q.task(id).Reason, "lease expired after max attempts")
	q.claimNothing()
}

func t11Cancel(q *Queue) {
	ready := q.enqueue(tq.NewTask{})
	later := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Hour)})
	blocked := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(later)}})
	for _, id := range []int64{blocked, ready, later} {
		c := q.changed("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{id}, Reason: "not wanted"}))
		same(q, "answer", c, tq.ChangedTask{ID: id, Status: tq.Cancelled, Changed: true})
		q.tells(id, tq.FactEnqueued, tq.FactCancelled)
		same(q, "reason in the fact", q.lastFact(id).Detail.Reason, "not wanted")
		same(q, "reason", q.task(id).Reason, "not wanted")
	}
	q.Clock.Advance(2 * time.Hour) // nothing runs, so no outage is seen
	q.claimNothing()
}

func t12Request(q *Queue) {
	c := q.started(tq.NewTask{})
	same(q, "answer", q.cancel(c.ID),
		tq.ChangedTask{ID: c.ID, Status: tq.Running, Changed: true, CancelRequested: true})
	same(q, "cancel requested", q.task(c.ID).CancelRequested, true)
	q.is(c.ID, tq.Running)
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCancelRequested)
}

func t13Requested(q *Queue) {
	for what, end := range map[string]func(tq.ClaimedTask){
		"fail":    func(c tq.ClaimedTask) { same(q, "status", q.fail(c, "stopped").Status, tq.Cancelled) },
		"release": func(c tq.ClaimedTask) { same(q, "status", q.release(c).Status, tq.Cancelled) },
		"expiry":  func(c tq.ClaimedTask) { q.expire(c) },
	} {
		c := q.started(tq.NewTask{MaxAttempts: 3})
		q.cancel(c.ID)
		end(c)
		q.is(c.ID, tq.Cancelled)
		q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCancelRequested, tq.FactCancelled)
		same(q, "settles after "+what, q.lastFact(c.ID).Settles, true)
		same(q, "cancel requested after "+what, q.task(c.ID).CancelRequested, false)
	}
}

func t13Force(q *Queue) {
	c := q.started(tq.NewTask{})
	same(q, "answer", q.forceCancel(c.ID), tq.ChangedTask{ID: c.ID, Status: tq.Cancelled, Changed: true})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCancelled)
	same(q, "forced, in the fact", q.lastFact(c.ID).Detail.Force, true)
	same(q, "epoch", q.task(c.ID).Epoch, c.Epoch+1)
}

func t14Rescue(q *Queue) {
	dead := q.started(tq.NewTask{MaxAttempts: 2})
	q.giveUp(dead, "hopeless")
	cancelled := q.enqueue(tq.NewTask{})
	q.cancel(cancelled)
	for _, id := range []int64{dead.ID, cancelled} {
		before := q.task(id)
		same(q, "answer", q.rescue(id), tq.ChangedTask{ID: id, Status: tq.Pending, Changed: true})
		task := q.task(id)
		same(q, "attempt", task.Attempt, 0)
		same(q, "epoch", task.Epoch, before.Epoch+1)
		same(q, "ended", task.EndedAt, tq.Time{})
		same(q, "fact", q.lastFact(id).Kind, tq.FactRescued)
	}
	same(q, "claimable", len(q.claimSome(tq.ClaimIn{Max: 2})), 2)
}

func t14RescueBlocked(q *Queue) {
	dep := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}})
	q.cancel(child)
	same(q, "status", q.rescue(child).Status, tq.Blocked)
	q.is(child, tq.Blocked)
	q.complete(dep, `1`)
	q.tells(child, tq.FactEnqueued, tq.FactCancelled, tq.FactRescued, tq.FactUnblocked)
	q.take(child)
}

func t15Late(q *Queue) {
	c := q.started(tq.NewTask{})
	q.expire(c)
	q.is(c.ID, tq.Pending)
	same(q, "answer", q.complete(c, `"done"`), tq.Settlement{TaskID: c.ID, Status: tq.Completed, Late: true})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired, tq.FactCompleted)
	same(q, "late, in the fact", q.lastFact(c.ID).Detail.Late, true)
	same(q, "settles", q.lastFact(c.ID).Settles, true)
	q.claimTypeNothing(c.Type)
}

func t16Delete(q *Queue) {
	c := q.started(tq.NewTask{})
	q.complete(c, `1`)
	same(q, "answer", q.delete(c.ID).Changed, true)
	q.isGone(c.ID)
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted, tq.FactDeleted)
	same(q, "tasks left", len(q.list(tq.TasksIn{})), 0)
}

func t17Cascade(q *Queue) {
	dep := q.enqueue(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})
	q.cancel(dep)
	q.is(child, tq.Cancelled) // in the same transaction: no sweep between
	q.tells(child, tq.FactEnqueued, tq.FactCancelled)
	f := q.lastFact(child)
	same(q, "reason in the fact", f.Detail.Reason, tq.ReasonDep)
	same(q, "cause in the fact", f.Detail.Cause, dep)
	same(q, "reason", q.task(child).Reason, tq.ReasonDep)
}

func t18Requeue(q *Queue) {
	id := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Hour)})
	same(q, "answer", q.requeue(id), tq.ChangedTask{ID: id, Status: tq.Pending, Changed: true})
	q.tells(id, tq.FactEnqueued, tq.FactRequeued)
	same(q, "run_at", q.task(id).RunAt, tq.At(q.Clock.Now()))
	q.take(id)
	retried := q.started(tq.NewTask{})
	q.failFor(retried, "later", time.Hour)
	q.requeue(retried.ID)
	same(q, "attempt", q.task(retried.ID).Attempt, 1)
	q.take(retried.ID)
}

// claimTypeNothing fails the test when a task of that type can be claimed.
func (q *Queue) claimTypeNothing(kind string) {
	q.t.Helper()
	same(q, "claimed", ids(q.tryClaim(tq.ClaimIn{Types: []string{kind}}).Tasks), nil)
}
