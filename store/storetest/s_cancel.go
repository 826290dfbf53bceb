package storetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"example.com/tq"
)

// Spec §6, S30: cancel of a running task.

func cancelPromises() []promise {
	return []promise{
		{"S30 a requested cancel is told at the next heartbeat", cancelIsTold},
		{"S30 a holder that completes first wins", completeWins},
		{"S30 fail, release and expiry end a requested task cancelled", requestedEndsCancelled},
		{"S30 the reason of a request is that of the cancel", requestGivesItsReason},
		{"S30 a forced cancel takes the task from its holder", forcedCancel},
		{"S30 a forced cancel after a request ends it now", forcedAfterRequest},
		{"S30 a cancel between claim and start is not lost", cancelBetween},
		{"S30 cancel and complete at once agree on one end", cancelAgainstComplete},
		{"S30 a cancelled attempt leaves nothing behind after a rescue", rescueAfterRequest},
	}
}

func cancelIsTold(q *Queue) {
	q.enqueueN(2, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 2})
	q.cancel(cs[0].ID)
	out, err := q.Client.Extend(q.ctx(), tq.ExtendIn{Leases: []tq.ExtendLease{
		{LeaseToken: cs[0].LeaseToken}, {LeaseToken: cs[1].LeaseToken},
	}})
	q.must("extend", err)
	same(q, "cancel requested", q.settled("extend", out.Leases[0]).CancelRequested, true)
	same(q, "cancel requested of the other", q.settled("extend", out.Leases[1]).CancelRequested, false)
	q.pass(lease / 2)
	same(q, "told again", q.extend(cs[0], lease).CancelRequested, true)
	s := q.settled("progress", q.tryExtend(cs[0], tq.ExtendLease{Progress: &tq.Progress{Note: "stopping"}}))
	same(q, "told with progress", s.CancelRequested, true)
	same(q, "cancel requested", q.task(cs[0].ID).CancelRequested, true)
}

func completeWins(q *Queue) {
	c := q.started(tq.NewTask{})
	q.cancel(c.ID)
	same(q, "status", q.complete(c, `"done"`).Status, tq.Completed)
	task := q.task(c.ID)
	same(q, "result", string(task.Result), `"done"`)
	same(q, "cancel requested", task.CancelRequested, false)
	q.rowRefused("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{c.ID}}).Error, tq.CodeInvalidState)
}

func requestedEndsCancelled(q *Queue) {
	for _, a := range settles()[1:] {
		c := q.started(tq.NewTask{})
		q.cancel(c.ID)
		q.extend(c, lease)
		same(q, "status after "+a.name, q.settled(a.name, a.do(q, c)).Status, tq.Cancelled)
		q.claimTypeNothing(c.Type)
	}
	last := q.started(tq.NewTask{MaxAttempts: 1})
	q.cancel(last.ID)
	q.expire(last)
	q.is(last.ID, tq.Cancelled)
}

func requestGivesItsReason(q *Queue) {
	ask := func(id int64) {
		q.t.Helper()
		q.changed("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{id}, Reason: "not needed"}))
	}
	for _, a := range settles()[1:] {
		c := q.started(tq.NewTask{})
		ask(c.ID)
		q.extend(c, lease)
		q.settled(a.name, a.do(q, c))
		same(q, "reason after "+a.name, q.task(c.ID).Reason, "not needed")
		same(q, "reason in the fact", q.lastFact(c.ID).Detail.Reason, "not needed")
	}
	c := q.started(tq.NewTask{})
	ask(c.ID)
	q.expire(c)
	same(q, "reason after expiry", q.task(c.ID).Reason, "not needed")

	// A request that came to nothing is forgotten.
	again := q.enqueue(tq.NewTask{})
	first := q.take(again)
	ask(again)
	q.fail(first, "x")
	q.rescue(again)
	second := q.take(again)
	q.cancel(again)
	q.fail(second, "x")
	same(q, "reason of a later request", q.task(again).Reason, "")
}

func forcedCancel(q *Queue) {
	c := q.started(tq.NewTask{})
	q.changed("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{c.ID}, Force: true, Reason: "stuck"}))
	task := q.task(c.ID)
	same(q, "status", task.Status, tq.Cancelled)
	same(q, "reason", task.Reason, "stuck")
	same(q, "lease", task.Lease, nil)
	q.loses(c, "cancelled")
	waiting := q.enqueue(tq.NewTask{})
	q.forceCancel(waiting)
	same(q, "epoch of one that nobody held", q.task(waiting).Epoch, 0)
}

func forcedAfterRequest(q *Queue) {
	c := q.started(tq.NewTask{})
	q.cancel(c.ID)
	same(q, "answer", q.forceCancel(c.ID), tq.ChangedTask{ID: c.ID, Status: tq.Cancelled, Changed: true})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCancelRequested, tq.FactCancelled)
	q.loses(c, "cancelled")
}

// cancelBetween cancels after the store has leased the task and before its
// claimer knows of it.
func cancelBetween(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	q.probe.onClaimed(func(context.Context) { q.cancel(id) })
	c := q.take(id)
	q.probe.onClaimed(nil)
	same(q, "told at the first heartbeat", q.extend(c, lease).CancelRequested, true)
	same(q, "status", q.fail(c, "stopped").Status, tq.Cancelled)
}

func cancelAgainstComplete(q *Queue) {
	const tasks = 40
	q.enqueueN(tasks, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: tasks})
	var completed atomic.Int64
	q.together(2*tasks, func(i int) error {
		c := cs[i/2]
		if i%2 == 0 {
			_, err := q.Client.Cancel(q.ctx(), tq.CancelIn{IDs: []int64{c.ID}, Force: i%4 == 0})
			return err
		}
		out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
		switch {
		case err != nil:
			return err
		case out.Leases[0].Error == nil:
			completed.Add(1)
		case out.Leases[0].Error.Code != tq.CodeLeaseLost:
			return fmt.Errorf("task %d: %w", c.ID, out.Leases[0].Error)
		}
		return nil
	})
	stat := q.stats()
	same(q, "completed", stat.Completed, completed.Load())
	same(q, "completed and cancelled", stat.Completed+stat.Cancelled, tasks)
}

func rescueAfterRequest(q *Queue) {
	c := q.started(tq.NewTask{})
	q.cancel(c.ID)
	q.pass(time.Second)
	q.fail(c, "stopped")
	q.rescue(c.ID)
	again := q.claimSome(tq.ClaimIn{Types: []string{c.Type}})[0]
	same(q, "cancel requested", q.extend(again, lease).CancelRequested, false)
	same(q, "status", q.failFor(again, "x", 0).Status, tq.Pending)
}
