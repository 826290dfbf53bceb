package storetest

import (
	"time"

	"example.com/tq"
)

// What holds across a restart, for engines that outlive their process.

func restartPromises() []promise {
	return []promise{
		{"S38 a restart changes nothing that can be read", restartChangesNothing},
		{"S02 ids go on after a restart, also when the newest task was deleted", restartIDs},
		{"S05 tokens are as good after a restart as before", restartTokens},
		{"S11 a restart puts expiry off by the time that the store was away", restartGrace},
		{"S14 a claim is repeated across a restart", restartClaimID},
		{"S18 a key holds across a restart", restartKey},
		{"S20 a settle is repeated across a restart", restartReplay},
		{"S22 the order of claims holds across a restart", restartOrder},
		{"S23 what became due while the store was away is claimable at once", restartDue},
		{"S24 a paused queue is paused after a restart", restartPause},
		{"S32 a cascade that was cut short by a restart is finished", restartCascade},
		{"S35 the journal goes on after a restart, also when its end was dropped", restartJournal},
	}
}

func restartChangesNothing(q *Queue) {
	newZoo(q)
	q.unchanged("a restart", func() { q.restart(0) })
	q.soundly()
	q.unchanged("another restart", func() { q.restart(0) })
	q.soundly()
}

func restartIDs(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	q.cancel(id)
	q.delete(id)
	q.restart(time.Second)
	if next := q.enqueue(tq.NewTask{}); next <= id {
		q.t.Fatalf("id %d after %d was deleted", next, id)
	}
}

func restartTokens(q *Queue) {
	stale := q.started(tq.NewTask{})
	q.expire(stale)
	held := q.take(stale.ID)
	q.restart(time.Second)
	q.loses(stale, "reclaimed")
	q.extend(held, lease)
	q.complete(held, `1`)
}

func restartGrace(q *Queue) {
	alive, gone := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.pass(7 * time.Second)
	q.restart(8 * time.Second)
	q.sweep()
	q.is(alive.ID, tq.Running)
	q.is(gone.ID, tq.Running)
	q.extend(alive, 3*lease)
	q.pass(lease)
	q.is(gone.ID, tq.Pending)
	q.complete(alive, `1`)
}

func restartClaimID(q *Queue) {
	q.enqueueN(3, tq.NewTask{})
	in := tq.ClaimIn{Max: 2, ClaimID: "c-1"}
	first := q.claimSome(in)
	q.restart(time.Second)
	q.unchanged("a repeated claim", func() { same(q, "tokens", tokens(q.claimSome(in)), tokens(first)) })
}

func restartKey(q *Queue) {
	id := q.enqueue(keyed("k"))
	q.restart(time.Second)
	same(q, "answer", q.enqueueAll(keyed("k"))[0], tq.Enqueued{ID: id, Status: tq.Pending, Existed: true})
}

func restartReplay(q *Queue) {
	c := q.started(tq.NewTask{})
	first := q.failFor(c, "no luck", time.Minute)
	q.restart(time.Second)
	first.Replayed = true
	same(q, "repeat", q.failFor(c, "no luck", time.Minute), first)
	q.rowRefused("another outcome", q.tryComplete(c, `1`).Error, tq.CodeAlreadySettled)
}

func restartOrder(q *Queue) {
	all := q.enqueueN(6, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 3})
	q.release(cs[1])
	q.restart(time.Second)
	late, high := q.enqueue(tq.NewTask{}), q.enqueue(tq.NewTask{Priority: 1})
	same(q, "order", q.claimedOrder(2, tq.ClaimIn{}), []int64{high, all[1], all[3], all[4], all[5], late})
}

func restartDue(q *Queue) {
	id := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Minute)})
	q.restart(2 * time.Minute)
	q.take(id)
}

func restartPause(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	q.pause("default")
	q.restart(time.Second)
	same(q, "paused", q.claimNothing().Paused, []string{"default"})
	q.resume("default")
	q.restart(time.Second)
	q.take(id)
}

func restartCascade(q *Queue) {
	const many = 2_100
	parent := q.started(tq.NewTask{})
	q.enqueueN(many, tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(parent.ID)}})
	q.complete(parent, `1`)
	same(q, "unblocked at once", q.statsOf("child").Ready, tq.MaxCascade)
	q.restart(time.Second)
	q.sweep()
	same(q, "unblocked", q.statsOf("child").Ready, many)
}

func restartJournal(q *Queue) {
	q.cancel(q.enqueue(tq.NewTask{}))
	facts := q.facts(tq.FactsIn{})
	q.restart(8 * day)
	q.sweep()
	q.restart(31 * day)
	q.sweep()
	same(q, "facts left", len(q.facts(tq.FactsIn{})), 0)
	q.restart(time.Second)
	q.enqueue(tq.NewTask{})
	next := q.facts(tq.FactsIn{After: facts[len(facts)-1].Seq})
	same(q, "facts behind the cursor", len(next), 1)
}
