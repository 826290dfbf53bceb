package storetest

import (
	"fmt"
	"time"

	"example.com/tq"
)

// Spec §6, S36: how long ended tasks and facts are kept; S46: purge.

func retentionPromises() []promise {
	return []promise{
		{"S36 completed and cancelled tasks go after 7 days, dead ones stay", retentionDefaults},
		{"S36 each status is kept as long as asked, -1 for ever", retentionMatrix},
		{"S36 a queue keeps its tasks for a time of its own", retentionByQueue},
		{"S36 a queue may get a time of its own at any moment, and lose it", retentionByQueueChanges},
		{"S36 what a queue keeps is kept while others wait for it", retentionByQueueKeepsDeps},
		{"S36 a task with open dependants stays", retentionKeepsDeps},
		{"S36 retention takes bites and says when there is more", retentionBites},
		{"S36 facts outlive their task, the deletion last", factsOutlive},
		{"S36 facts of tasks that are there stay", factsOfTheLiving},
		{"S36 a dependency is as it ended until its facts are gone, then it has no status", forgottenDep},
		{"S46 a purge cancels and deletes all but what runs", purge},
		{"S46 a purge keeps what tasks elsewhere wait for", purgeKeeps},
		{"S46 a purge goes from the newest task on, and who falls with several names that", purgeNewestFirst},
		{"S46 a purge cancels first: who falls by that holds nothing back any more", purgeCancelsFirst},
		{"S46 a purge cancels all of a bite before it tells who waits elsewhere", purgeTellsLast},
		{"S46 a purge of thousands goes in bites and ends", purgeMany},
		{"S46 a purge leaves other queues alone", purgeElsewhere},
	}
}

const day = 24 * time.Hour

// ended makes one task of each end.
func (q *Queue) ended() (completed, cancelled, dead int64) {
	q.t.Helper()
	ids := q.endedIn("default")
	return ids[0], ids[1], ids[2]
}

// endedIn makes a completed, a cancelled and a dead task in a queue.
func (q *Queue) endedIn(queue string) [3]int64 {
	q.t.Helper()
	c := q.started(tq.NewTask{Queue: queue})
	q.complete(c, `1`)
	d := q.started(tq.NewTask{Queue: queue})
	q.giveUp(d, "x")
	x := q.enqueue(tq.NewTask{Queue: queue})
	q.cancel(x)
	return [3]int64{c.ID, x, d.ID}
}

func retentionDefaults(q *Queue) {
	completed, cancelled, dead := q.ended()
	q.Clock.Advance(7 * day)
	q.sweep()
	q.is(completed, tq.Completed)
	q.is(cancelled, tq.Cancelled)
	q.Clock.Advance(time.Second)
	same(q, "deleted", q.sweep().Deleted, 2)
	q.isGone(completed)
	q.isGone(cancelled)
	q.Clock.Advance(3650 * day)
	q.sweep()
	q.is(dead, tq.Dead)
}

func retentionMatrix(q *Queue) {
	for _, c := range []struct {
		keep tq.Retention
		gone [3]bool // completed, cancelled, dead, after two hours
	}{
		{tq.Retention{Completed: time.Hour, Cancelled: -1, Dead: -1}, [3]bool{true, false, false}},
		{tq.Retention{Completed: -1, Cancelled: time.Hour, Dead: -1}, [3]bool{false, true, false}},
		{tq.Retention{Completed: -1, Cancelled: -1, Dead: time.Hour}, [3]bool{false, false, true}},
		{tq.Retention{Completed: 3 * time.Hour, Cancelled: 3 * time.Hour, Dead: 3 * time.Hour}, [3]bool{}},
		{tq.Retention{}, [3]bool{}},
		{tq.Retention{Completed: time.Hour, Cancelled: time.Hour, Dead: time.Hour}, [3]bool{true, true, true}},
	} {
		completed, cancelled, dead := q.ended()
		q.Clock.Advance(2 * time.Hour)
		q.sweepKeeping(c.keep)
		for i, id := range []int64{completed, cancelled, dead} {
			_, err := q.Client.Task(q.ctx(), tq.TaskIn{ID: id})
			if gone := tq.CodeOf(err) == tq.CodeNotFound; gone != c.gone[i] {
				q.t.Fatalf("%+v: row %d gone is %v (%v)", c.keep, i, gone, err)
			}
		}
		q.sweepKeeping(tq.Retention{Completed: time.Minute, Cancelled: time.Minute, Dead: time.Minute})
		same(q, "tasks left", len(q.list(tq.TasksIn{})), 0)
	}
}

func retentionByQueue(q *Queue) {
	keep := tq.Retention{Completed: time.Hour, Cancelled: time.Hour, Queues: map[string]tq.Keep{
		"long": {Completed: 5 * time.Hour, Dead: 2 * time.Hour},
		"ever": {Completed: -1, Cancelled: -1},
		"soon": {Completed: time.Minute, Cancelled: time.Minute, Dead: time.Minute},
	}}
	ids := map[string][3]int64{}
	for _, queue := range []string{"long", "usual", "ever", "soon"} {
		ids[queue] = q.endedIn(queue)
	}
	left := func(want map[string][3]bool) {
		q.t.Helper()
		q.sweepKeeping(keep)
		for queue, kept := range want {
			for i, id := range ids[queue] {
				_, err := q.Client.Task(q.ctx(), tq.TaskIn{ID: id})
				if found := tq.CodeOf(err) != tq.CodeNotFound; found != kept[i] {
					q.t.Fatalf("queue %s, row %d is there: %v, want %v (%v)", queue, i, found, kept[i], err)
				}
			}
		}
	}
	all, none := [3]bool{true, true, true}, [3]bool{}
	q.Clock.Advance(2 * time.Minute)
	left(map[string][3]bool{"long": all, "usual": all, "ever": all, "soon": none})
	q.Clock.Advance(time.Hour)
	left(map[string][3]bool{"long": {true, false, true}, "usual": {false, false, true}, "ever": all, "soon": none})
	q.Clock.Advance(time.Hour)
	left(map[string][3]bool{"long": {true, false, false}, "usual": {false, false, true}, "ever": all})
	q.Clock.Advance(3650 * day)
	left(map[string][3]bool{"long": none, "usual": {false, false, true}, "ever": all})
}

// retentionByQueueChanges: the times are settings, and settings change between
// two starts. Nothing falls through between them.
func retentionByQueueChanges(q *Queue) {
	usual := tq.Retention{Completed: time.Hour, Cancelled: time.Hour, Dead: time.Hour}
	apart := usual
	apart.Queues = map[string]tq.Keep{"a": {Completed: -1, Dead: 5 * time.Hour}}
	old := q.endedIn("a")
	q.endedIn("b")
	q.Clock.Advance(2 * time.Hour)
	same(q, "deleted while a keeps longer", q.sweepKeeping(apart).Deleted, 4)
	q.is(old[0], tq.Completed)
	q.is(old[2], tq.Dead)
	same(q, "deleted when a is like the others again", q.sweepKeeping(usual).Deleted, 2)

	young := q.endedIn("a")
	q.Clock.Advance(time.Minute)
	same(q, "deleted of the young", q.sweepKeeping(apart).Deleted, 0)
	apart.Queues["a"] = tq.Keep{Completed: time.Second, Cancelled: time.Second, Dead: time.Second}
	same(q, "deleted when a keeps shortly", q.sweepKeeping(apart).Deleted, 3)
	for _, id := range young {
		q.isGone(id)
	}
	same(q, "tasks left", len(q.list(tq.TasksIn{})), 0)
}

func retentionByQueueKeepsDeps(q *Queue) {
	keep := tq.Retention{Queues: map[string]tq.Keep{"a": {Dead: time.Hour}}}
	held := q.started(tq.NewTask{Queue: "a"})
	parent := held.ID
	child := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(parent)}})
	q.giveUp(held, "x")
	q.enqueueN(1_000, tq.NewTask{Queue: "c"}) // so many facts that the end is left behind
	q.Clock.Advance(2 * time.Hour)
	q.sweepKeeping(keep)
	q.is(parent, tq.Dead)
	q.cancel(child)
	same(q, "deleted", q.sweepKeeping(keep).Deleted, 1)
	q.isGone(parent)
}

func retentionKeepsDeps(q *Queue) {
	dead := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(dead.ID)}})
	q.giveUp(dead, "x")
	done := q.started(tq.NewTask{})
	free := q.enqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(done.ID)}})
	q.complete(done, `1`)
	keep := tq.Retention{Completed: time.Hour, Cancelled: time.Hour, Dead: time.Hour}
	q.Clock.Advance(2 * time.Hour)
	q.sweepKeeping(keep)
	q.is(dead.ID, tq.Dead)
	q.isGone(done.ID) // its dependant waits no longer
	q.is(free, tq.Pending)
	q.cancel(child)
	q.sweepKeeping(keep)
	q.isGone(dead.ID)
}

func retentionBites(q *Queue) {
	const many = 450
	for _, id := range q.enqueueN(many, tq.NewTask{}) {
		q.cancel(id)
	}
	q.Clock.Advance(8 * day)
	bites, deleted := 0, 0
	for {
		s, err := q.Store.Sweep(q.ctx(), tq.Retention{})
		q.must("sweep", err)
		bites, deleted = bites+1, deleted+s.Deleted
		if !s.More {
			break
		}
	}
	same(q, "deleted", deleted, many)
	if bites < 2 {
		q.t.Fatalf("%d tasks went in one bite", many)
	}
}

func factsOutlive(q *Queue) {
	completed, _, _ := q.ended()
	q.Clock.Advance(8 * day)
	q.sweep()
	q.isGone(completed)
	q.tells(completed, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted, tq.FactDeleted)
	q.Clock.Advance(30*day - time.Second)
	q.sweep()
	q.tells(completed, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted, tq.FactDeleted)
	q.Clock.Advance(2 * time.Second)
	q.sweep()
	q.tells(completed)
	again := q.started(tq.NewTask{})
	q.complete(again, `1`)
	q.delete(again.ID)
	q.Clock.Advance(3650 * day)
	q.sweepKeeping(tq.Retention{Facts: -1})
	same(q, "facts kept for ever", len(q.story(again.ID)), 4)
	q.sweepKeeping(tq.Retention{Facts: time.Hour})
	same(q, "facts kept for an hour", len(q.story(again.ID)), 0)
}

func factsOfTheLiving(q *Queue) {
	_, _, dead := q.ended()
	open := q.enqueue(tq.NewTask{})
	q.Clock.Advance(3650 * day)
	q.sweepKeeping(tq.Retention{Facts: time.Hour})
	q.tells(dead, tq.FactEnqueued, tq.FactClaimed, tq.FactFailed, tq.FactDeadLettered)
	q.tells(open, tq.FactEnqueued)
}

// forgottenDep: what nothing is known of any more is not told to be pending,
// and holds nothing back.
func forgottenDep(q *Queue) {
	old := q.started(tq.NewTask{})
	open := q.enqueue(tq.NewTask{Delay: tq.Duration(300 * day)})
	waits := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(old.ID), tq.ID(open)}})
	q.complete(old, `1`)
	standing := func() []tq.Status {
		var all []tq.Status
		for _, d := range q.task(waits).Deps {
			all = append(all, d.Status)
		}
		return all
	}
	same(q, "while it is there", standing(), []tq.Status{tq.Completed, tq.Pending})
	q.delete(old.ID)
	same(q, "while its facts are there", standing(), []tq.Status{tq.Completed, tq.Pending})
	q.Clock.Advance(31 * day)
	q.sweep()
	same(q, "when they are gone", standing(), []tq.Status{"", tq.Pending})
	why, err := q.Client.Explain(q.ctx(), tq.ExplainIn{ID: waits})
	q.must("explain", err)
	same(q, "sentence", why.Sentence, fmt.Sprintf("waits for 1 of 2 dependencies: %d (pending)", open))
}

func (q *Queue) purge(queue string) tq.PurgeOut {
	q.t.Helper()
	out, err := q.Client.Purge(q.ctx(), tq.QueueIn{Queue: queue})
	q.must("purge", err)
	same(q, "queue", out.Queue, queue)
	return out
}

func purge(q *Queue) {
	z := newZoo(q)
	same(q, "answer", q.purge("default"), tq.PurgeOut{Queue: "default", Deleted: 7, Running: 1})
	same(q, "tasks left", q.listed(tq.TasksIn{}), z.ids("running"))
	q.tells(z["ready"], tq.FactEnqueued, tq.FactCancelled, tq.FactDeleted)
	q.tells(z["blocked"], tq.FactEnqueued, tq.FactCancelled, tq.FactDeleted)
	same(q, "reason", q.facts(tq.FactsIn{TaskID: z["scheduled"]})[1].Detail.Reason, tq.ReasonPurged)
	same(q, "an empty purge", q.purge("nowhere"), tq.PurgeOut{Queue: "nowhere"})
}

func purgeKeeps(q *Queue) {
	dead := q.started(tq.NewTask{Queue: "a"})
	waits := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(dead.ID)}})
	q.giveUp(dead, "x")
	open := q.enqueue(tq.NewTask{Queue: "a"})
	falls := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(open)}})
	same(q, "answer", q.purge("a"), tq.PurgeOut{Queue: "a", Deleted: 1, Kept: 1})
	q.is(dead.ID, tq.Dead)
	q.is(waits, tq.Blocked)
	q.isGone(open)
	q.is(falls, tq.Cancelled) // a cancelled dep cascades
}

func purgeNewestFirst(q *Queue) {
	deps := q.enqueueN(2, tq.NewTask{Queue: "a"})
	falls := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(deps[0]), tq.ID(deps[1])}})
	q.purge("a")
	q.is(falls, tq.Cancelled)
	same(q, "cause in the fact", q.lastFact(falls).Detail.Cause, deps[1])
}

func purgeCancelsFirst(q *Queue) {
	open := q.enqueue(tq.NewTask{Queue: "a"})
	dead := q.started(tq.NewTask{Queue: "a", Type: "u"})
	falls := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(open), tq.ID(dead.ID)}})
	q.giveUp(dead, "x")
	same(q, "answer", q.purge("a"), tq.PurgeOut{Queue: "a", Deleted: 2})
	q.isGone(dead.ID)
	q.is(falls, tq.Cancelled)
	same(q, "cause in the fact", q.lastFact(falls).Detail.Cause, open)
}

func purgeTellsLast(q *Queue) {
	deps := q.enqueueN(2, tq.NewTask{Queue: "a"})
	between := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(deps[1])}})
	falls := q.enqueue(tq.NewTask{Queue: "b", Deps: []tq.Ref{tq.ID(deps[0]), tq.ID(between)}})
	q.purge("a")
	same(q, "cause of what stands between", q.lastFact(between).Detail.Cause, deps[1])
	same(q, "cause of who waited for both", q.lastFact(falls).Detail.Cause, deps[0])
}

func purgeMany(q *Queue) {
	const many = 2_300
	all := q.enqueueN(many, tq.NewTask{Queue: "a"})
	q.enqueue(tq.NewTask{Queue: "a", Deps: []tq.Ref{tq.ID(all[0]), tq.ID(all[many-1])}})
	held := q.claimSome(tq.ClaimIn{Max: 3, Queues: []string{"a"}})
	same(q, "answer", q.purge("a"), tq.PurgeOut{Queue: "a", Deleted: many - 2, Running: 3})
	same(q, "tasks left", len(q.list(tq.TasksIn{})), 3)
	same(q, "acts", len(q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.ActPurged}})), 1)
	q.complete(held[0], `1`)
}

func purgeElsewhere(q *Queue) {
	q.enqueueN(3, tq.NewTask{Queue: "a"})
	other := q.enqueueN(3, tq.NewTask{Queue: "a/b"})
	q.pause("a")
	same(q, "deleted", q.purge("a").Deleted, 3)
	same(q, "tasks left", q.listed(tq.TasksIn{}), other)
	same(q, "still paused", q.statsOf("a").Paused, true)
}
