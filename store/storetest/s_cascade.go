package storetest

import (
	"fmt"
	"time"

	"example.com/tq"
)

// Spec §6, S32: what becomes of a task when one it waits for ends badly.

func cascadePromises() []promise {
	return []promise{
		{"S32 each policy answers each end of a dep", policies},
		{"S32 each policy answers a dep that had ended before the enqueue", policiesAtBirth},
		{"S32 a blocked task resumes when its dead dep is rescued", rescueResumes},
		{"S32 tasks behind a dead dep are counted as blocked by dead", blockedByDead},
		{"S32 a chain is cancelled to its end", chain},
		{"S32 more than 1,000 dependants are all told", manyDependants},
		{"S32 more than 1,000 dependants are all cancelled", manyCancelled},
		{"S32 a diamond is told once", diamond},
		{"S32 the end of a dep comes before what the same batch does to its dependants", batchInOrder},
		{"S32 what a row of a batch unblocks stands before what a later row makes ready", unblockedBeforeRetried},
		{"S32 what falls with a row of a batch has fallen before the next row's task does", fallenInOrder},
		{"S32 a dep with open dependants is not deleted", depIsKept},
		{"S32 a rescued task behind a cancelled dep is blocked until that ends well", rescueBehindCancelled},
	}
}

// policy is what one policy makes of each bad end.
type policy struct {
	on              tq.OnDepFailure
	dead, cancelled tq.Status
}

func policyTable() []policy {
	return []policy{
		{tq.DepBlock, tq.Blocked, tq.Cancelled}, // a cancelled dep cascades under block too
		{tq.DepCancel, tq.Cancelled, tq.Cancelled},
		{tq.DepRun, tq.Pending, tq.Pending},
		{"", tq.Blocked, tq.Cancelled}, // block is the default
	}
}

func policies(q *Queue) {
	for _, p := range policyTable() {
		done, dead, gone := q.started(tq.NewTask{}), q.started(tq.NewTask{}), q.started(tq.NewTask{})
		child := func(dep int64) int64 {
			return q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(dep)}, OnDepFailure: p.on})
		}
		afterDone, afterDead, afterGone := child(done.ID), child(dead.ID), child(gone.ID)
		q.complete(done, `1`)
		q.giveUp(dead, "x")
		q.cancel(gone.ID)
		q.release(gone)
		q.is(gone.ID, tq.Cancelled)
		q.is(afterDone, tq.Pending)
		same(q, fmt.Sprintf("%q after a dead dep", p.on), q.task(afterDead).Status, p.dead)
		same(q, fmt.Sprintf("%q after a cancelled dep", p.on), q.task(afterGone).Status, p.cancelled)
	}
}

// batchInOrder: rows of a batch are one after the other, with all they bring
// about.
func batchInOrder(q *Queue) {
	dep := q.enqueue(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep)}})
	grandchild := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(child)}})
	out, err := q.Store.Change(q.ctx(), []tq.Change{
		{TaskID: dep, Event: tq.EventCancel}, {TaskID: grandchild, Event: tq.EventCancel}, {TaskID: child, Event: tq.EventCancel},
	})
	q.must("cancel", err)
	for i, want := range []int{1, 0, 0} {
		same(q, fmt.Sprintf("facts of row %d", i), len(out[i].Facts), want)
	}
	for _, id := range []int64{child, grandchild} {
		facts := q.facts(tq.FactsIn{TaskID: id})
		same(q, "who cancelled", facts[len(facts)-1].Actor, "tq")
	}
}

func unblockedBeforeRetried(q *Queue) {
	for what, again := range map[string]tq.Event{"failed": tq.EventFail, "requeued": tq.EventRequeue} {
		dep := q.started(tq.NewTask{Queue: what})
		var other tq.ClaimedTask
		if again == tq.EventFail {
			other = q.started(tq.NewTask{Queue: what, MaxAttempts: 2})
		} else {
			other.ID = q.enqueue(tq.NewTask{Queue: what, Delay: tq.Duration(time.Hour)})
		}
		child := q.enqueue(tq.NewTask{Queue: what, Deps: []tq.Ref{tq.ID(dep.ID)}})
		none := time.Duration(0)
		both := []tq.Change{
			{TaskID: dep.ID, Event: tq.EventComplete, Arg: tq.Arg{Epoch: dep.Epoch}},
			{TaskID: other.ID, Event: again, Arg: tq.Arg{Epoch: other.Epoch, Delay: &none}},
		}
		q.changeAll(both)
		same(q, "the order behind one that is "+what, q.claimedOrder(2, tq.ClaimIn{Queues: []string{what}}), []int64{child, other.ID})
	}
}

// changeAll applies a batch of which no row is refused.
func (q *Queue) changeAll(rows []tq.Change) {
	q.t.Helper()
	for i, c := range rows {
		rows[i].Arg.Hash = tq.SettleHash(c.Event, nil, c.Arg)
	}
	out, err := q.Store.Change(q.ctx(), rows)
	q.must("change", err)
	for i := range out {
		q.must(fmt.Sprintf("row %d", i), out[i].Err)
	}
}

// fallenInOrder: who waits for a later row, and for what falls with an earlier
// one, names the latter, whatever makes them fall.
func fallenInOrder(q *Queue) {
	for _, event := range []tq.Event{tq.EventCancel, tq.EventFail} {
		var rows []tq.Change
		for range 2 {
			held := q.started(tq.NewTask{MaxAttempts: 1})
			rows = append(rows, tq.Change{TaskID: held.ID, Event: event, Arg: tq.Arg{Epoch: held.Epoch, Force: true}})
		}
		between := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(rows[0].TaskID)}, OnDepFailure: tq.DepCancel})
		falls := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(rows[1].TaskID), tq.ID(between)}, OnDepFailure: tq.DepCancel})
		q.changeAll(rows)
		same(q, fmt.Sprintf("cause of who falls by %s", event), q.lastFact(falls).Detail.Cause, between)
	}
}

func policiesAtBirth(q *Queue) {
	done, dead, gone := q.started(tq.NewTask{}), q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.complete(done, `1`)
	q.giveUp(dead, "x")
	q.forceCancel(gone.ID)
	for _, p := range policyTable() {
		born := func(deps ...tq.Ref) tq.Enqueued {
			return q.enqueueAll(tq.NewTask{Queue: "child", Deps: deps, OnDepFailure: p.on})[0]
		}
		same(q, "after completed", born(tq.ID(done.ID)).Status, tq.Pending)
		same(q, fmt.Sprintf("%q after dead", p.on), born(tq.ID(dead.ID), tq.ID(done.ID)).Status, p.dead)
		e := born(tq.ID(done.ID), tq.ID(gone.ID))
		same(q, fmt.Sprintf("%q after cancelled", p.on), e.Status, p.cancelled)
		q.is(e.ID, p.cancelled)
		if p.cancelled == tq.Cancelled {
			q.tells(e.ID, tq.FactEnqueued, tq.FactCancelled)
			same(q, "reason", q.task(e.ID).Reason, tq.ReasonDep)
		}
	}
}

func rescueResumes(q *Queue) {
	dep := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(dep.ID)}})
	q.giveUp(dep, "x")
	q.is(child, tq.Blocked)
	q.rescue(dep.ID)
	q.is(child, tq.Blocked)
	q.complete(q.claimSome(tq.ClaimIn{Types: []string{dep.Type}})[0], `1`)
	q.tells(child, tq.FactEnqueued, tq.FactUnblocked)
	q.take(child)
}

func blockedByDead(q *Queue) {
	a, b := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.enqueueN(3, tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(a.ID), tq.ID(b.ID)}})
	q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(b.ID)}})
	counts := func(blocked, byDead int64) {
		q.t.Helper()
		stat := q.statsOf("child")
		same(q, "blocked and blocked by dead", []int64{stat.Blocked, stat.BlockedByDead}, []int64{blocked, byDead})
	}
	counts(4, 0)
	q.giveUp(a, "x")
	counts(4, 3)
	q.giveUp(b, "x")
	counts(4, 4)
	q.rescue(a.ID)
	counts(4, 4)
	q.rescue(b.ID)
	counts(4, 0)
	born := q.started(tq.NewTask{})
	q.giveUp(born, "x")
	q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(born.ID)}})
	counts(5, 1)
	q.rescue(born.ID)
	q.cancel(born.ID)
	counts(4, 0)
}

func chain(q *Queue) {
	const length = 1_200
	batch := []tq.NewTask{{}}
	for len(batch) < tq.MaxBatch {
		batch = append(batch, tq.NewTask{Deps: []tq.Ref{tq.Ref(fmt.Sprintf("$%d", len(batch)-1))}})
	}
	made := q.enqueueAll(batch...)
	last := made[len(made)-1].ID
	for range length - tq.MaxBatch {
		last = q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(last)}})
	}
	q.cancel(made[0].ID)
	q.sweep()
	same(q, "cancelled", q.stats().Cancelled, length)
	q.tells(last, tq.FactEnqueued, tq.FactCancelled)
	same(q, "reason", q.task(last).Reason, tq.ReasonDep)
}

func manyDependants(q *Queue) {
	const many = 2_500
	parent := q.started(tq.NewTask{})
	all := q.enqueueN(many, tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(parent.ID)}})
	q.complete(parent, `1`)
	same(q, "unblocked in the same transaction", q.statsOf("child").Ready, tq.MaxCascade)
	q.soundly()
	q.sweep()
	same(q, "unblocked after the sweep", q.statsOf("child").Ready, many)
	same(q, "facts", len(q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.FactUnblocked}})), many)
	for _, id := range []int64{all[0], all[999], all[1_000], all[many-1]} {
		q.tells(id, tq.FactEnqueued, tq.FactUnblocked)
	}
}

func manyCancelled(q *Queue) {
	const many = 2_500
	parent := q.started(tq.NewTask{MaxAttempts: 1})
	all := q.enqueueN(many, tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(parent.ID)}, OnDepFailure: tq.DepCancel})
	leaf := q.enqueue(tq.NewTask{Queue: "leaf", Deps: []tq.Ref{tq.ID(all[many-1])}})
	q.fail(parent, "x")
	same(q, "cancelled in the same transaction", q.statsOf("child").Cancelled, tq.MaxCascade)
	q.rowRefused("delete", q.tryDelete(parent.ID).Error, tq.CodeInvalidState)
	q.soundly()
	q.sweep()
	same(q, "cancelled after the sweep", q.statsOf("child").Cancelled, many)
	q.is(leaf, tq.Cancelled)
}

func diamond(q *Queue) {
	top := q.started(tq.NewTask{})
	left := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(top.ID)}})
	right := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(top.ID)}})
	bottom := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(left), tq.ID(right), tq.ID(top.ID)}})
	q.forceCancel(top.ID)
	q.sweep()
	for _, id := range []int64{left, right, bottom} {
		q.tells(id, tq.FactEnqueued, tq.FactCancelled)
	}
}

func depIsKept(q *Queue) {
	dead := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(dead.ID)}})
	q.giveUp(dead, "x")
	q.unchanged("a delete of a dep that is waited for", func() {
		e := q.rowRefused("delete", q.tryDelete(dead.ID).Error, tq.CodeInvalidState)
		q.contains("the refusal", e.Message, "wait")
	})
	q.cancel(child)
	q.delete(dead.ID)
	same(q, "status once its dep is gone", q.rescue(child).Status, tq.Pending)
}

func rescueBehindCancelled(q *Queue) {
	dep := q.enqueue(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(dep)}})
	q.cancel(dep)
	q.is(child, tq.Cancelled)
	same(q, "status", q.rescue(child).Status, tq.Blocked)
	q.rescue(dep)
	q.is(child, tq.Blocked)
	q.complete(q.claimSome(tq.ClaimIn{Queues: []string{"default"}})[0], `1`)
	q.take(child)
}
