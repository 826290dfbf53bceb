package storetest

import (
	"time"

	"example.com/tq"
)

// Spec §3, S15: when leases end, and who ends them.

func expiryPromises() []promise {
	return []promise{
		{"S15 a lease that ran out is found within a second", expiryIsPrompt},
		{"S15 a claim that would return empty expires first", emptyClaimExpires},
		{"S15 any claimer expires tasks of any type", anyTypeExpires},
		{"S15 mass expiry goes in batches until nothing is left", massExpiry},
		{"S15 sweeps at once expire each lease once", sweepsAtOnce},
		{"S15 a settled task is not expired with its claim", settledIsNotExpired},
		{"S15 a removed worker's leases end at once", removedWorker},
		{"S15 leases of one claim that end together do so in the order of the tasks", endTogether},
		{"S15 with several timeouts they do so as the claim answered the first of each", endByTimeouts},
		{"S15 a worker that is not there is not found", unknownWorker},
	}
}

func expiryIsPrompt(q *Queue) {
	c := q.started(tq.NewTask{})
	q.pass(lease)
	q.is(c.ID, tq.Running)
	q.pass(time.Second)
	q.is(c.ID, tq.Pending)
	q.take(c.ID)
}

func emptyClaimExpires(q *Queue) {
	c := q.started(tq.NewTask{})
	q.pass(lease)
	q.Clock.Advance(time.Second) // no sweep
	again := q.claimSome(tq.ClaimIn{Types: []string{c.Type}})
	same(q, "claimed", ids(again), []int64{c.ID})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired, tq.FactClaimed)
}

func anyTypeExpires(q *Queue) {
	c := q.started(tq.NewTask{MaxAttempts: 5})
	q.pass(lease)
	q.Clock.Advance(time.Second)
	q.claimTypeNothing("unheard-of") // by a claimer that could not run it
	task := q.task(c.ID)
	same(q, "status", task.Status, tq.Pending)
	same(q, "attempts left", task.MaxAttempts-task.Attempt, 4)
	q.claimSome(tq.ClaimIn{Types: []string{c.Type}})
}

func massExpiry(q *Queue) {
	const many = 350
	all := q.enqueueN(many, tq.NewTask{})
	var held []tq.ClaimedTask
	for len(held) < many {
		held = append(held, q.claimSome(tq.ClaimIn{Max: tq.MaxClaim})...)
	}
	q.pass(lease)
	q.Clock.Advance(time.Second)
	same(q, "expired", q.sweep().Expired, many)
	same(q, "ready", q.stats().Ready, many)
	for _, id := range []int64{all[0], all[many/2], all[many-1]} {
		q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired)
	}
}

func sweepsAtOnce(q *Queue) {
	const many = 150
	q.enqueueN(many, tq.NewTask{})
	q.claimSome(tq.ClaimIn{Max: 100})
	q.claimSome(tq.ClaimIn{Max: 50})
	q.pass(lease)
	q.Clock.Advance(time.Second)
	q.together(8, func(int) error {
		for {
			s, err := q.Store.Sweep(q.ctx(), tq.Retention{})
			if err != nil || !s.More {
				return err
			}
		}
	})
	same(q, "ready", q.stats().Ready, many)
	same(q, "expiries", len(q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.FactLeaseExpired}})), many)
}

func settledIsNotExpired(q *Queue) {
	q.enqueueN(3, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 3})
	q.complete(cs[0], `1`)
	q.failFor(cs[1], "later", time.Hour)
	q.expire(cs[2])
	q.tells(cs[0].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted)
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactFailed)
	q.tells(cs[2].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactLeaseExpired)
}

func removedWorker(q *Queue) {
	all := q.enqueueN(4, tq.NewTask{})
	mine := tq.WorkerInfo{ID: "w-gone", Name: "box"}
	q.claimSome(tq.ClaimIn{Max: 2, Worker: mine, Lease: tq.Duration(time.Hour)})
	held := q.claimSome(tq.ClaimIn{Worker: mine, Lease: tq.Duration(time.Hour)})[0]
	kept := q.claimSome(tq.ClaimIn{Worker: tq.WorkerInfo{ID: "w-here", Name: "box"}})[0]
	_, err := q.Client.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "w-gone"})
	q.must("remove worker", err)
	again := q.claimSome(tq.ClaimIn{Max: 4}) // at once, with no time going by
	same(q, "claimed", ids(again), all[:3])
	q.is(kept.ID, tq.Running)
	q.loses(held, "reclaimed")
	same(q, "act", q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.ActWorkerRemoved}})[0].TaskID, 0)
	workers, err := q.Client.Workers(q.ctx(), tq.WorkersIn{})
	q.must("workers", err)
	same(q, "workers left", len(workers.Workers), 1)
	same(q, "who", workers.Workers[0].ID, "w-here")
}

func unknownWorker(q *Queue) {
	_, err := q.Client.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "nobody"})
	q.refused("remove", err, tq.CodeNotFound)
}

// endTogether: the second task is claimed first, for its priority, and ends last.
// What waits for both says which one that was.
func endTogether(q *Queue) {
	for _, end := range []func(){
		func() { q.pass(time.Hour) },
		func() {
			_, err := q.Client.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "w-gone"})
			q.must("remove the worker", err)
		},
	} {
		first := q.enqueue(tq.NewTask{MaxAttempts: 1})
		second := q.enqueue(tq.NewTask{MaxAttempts: 1, Priority: 9})
		waits := q.enqueue(tq.NewTask{
			Type: "rest", Deps: []tq.Ref{tq.ID(first), tq.ID(second)}, OnDepFailure: tq.DepRun, Delay: tq.Duration(300 * day),
		})
		held := q.claimSome(tq.ClaimIn{Max: 2, Types: []string{"work"}, Worker: tq.WorkerInfo{ID: "w-gone"}})
		same(q, "claimed", ids(held), []int64{second, first})
		end()
		q.is(first, tq.Dead)
		facts := q.facts(tq.FactsIn{TaskID: waits})
		same(q, "the one that ended last", facts[len(facts)-1].Detail.Cause, second)
	}
}

// endByTimeouts: the timeout of one task ends with the lease of the other, whose
// timeout is later or which has none.
func endByTimeouts(q *Queue) {
	for _, other := range []time.Duration{0, time.Hour} {
		of := func(priority int, timeout time.Duration) int64 {
			return q.enqueue(tq.NewTask{MaxAttempts: 1, Priority: priority, Timeout: tq.Duration(timeout)})
		}
		last, first := of(0, other), of(9, lease)
		waits := q.enqueue(tq.NewTask{
			Type: "rest", Deps: []tq.Ref{tq.ID(last), tq.ID(first)}, OnDepFailure: tq.DepRun, Delay: tq.Duration(300 * day),
		})
		same(q, "claimed", ids(q.claimSome(tq.ClaimIn{Max: 2, Types: []string{"work"}})), []int64{first, last})
		q.pass(time.Minute)
		facts := q.facts(tq.FactsIn{TaskID: waits})
		same(q, "the one that ended last", facts[len(facts)-1].Detail.Cause, last)
	}
}
