package storetest

import (
	"context"
	"errors"
	"time"

	"example.com/tq"
)

// Spec §5, S25: claims that wait. The store's clock stands still; what wakes a
// claimer is a commit. Each test acts when the store has answered the claimer
// with nothing, so that it waits, or is about to.

func waitPromises() []promise {
	return []promise{
		{"S25 a waiting claim is woken by an enqueue", wokenBy(wakeEnqueue)},
		{"S25 a waiting claim is woken by an unblocked task", wokenBy(wakeUnblock)},
		{"S25 a waiting claim is woken by a retry that is due", wokenBy(wakeRetry)},
		{"S25 a waiting claim is woken by a release", wokenBy(wakeRelease)},
		{"S25 a waiting claim is woken by resume", wokenBy(wakeResume)},
		{"S25 a waiting claim is woken by a rescue", wokenBy(wakeRescue)},
		{"S25 a waiting claim is woken by an expired lease", wokenBy(wakeExpiry)},
		{"S25 a caller that goes away consumes nothing", goneCaller},
		{"S25 of many that wait each gets a task, none gets two", manyWaiters},
		{"S25 a wait that finds nothing ends empty, with the paused queues", emptyWait},
		{"S25 wait_seconds is 0 to 55", waitEdges},
		{"S25 waiting for tasks ends when all have ended", waitForEnd},
		{"S25 a follower of the journal is woken by a fact", waitForFacts},
	}
}

// longest is the longest wait that can be asked for: a test that depends on it
// hangs rather than passes by luck.
const longest = tq.Duration(tq.MaxWait)

// wokenBy lets a claimer find nothing, does what prepare returned, and expects
// the claimer to come back with the task that it names.
func wokenBy(prepare func(q *Queue) (wake func() int64)) func(q *Queue) {
	return func(q *Queue) {
		q.live()
		wake := prepare(q)
		answer := q.waiting(q.ctx(), tq.ClaimIn{Queues: []string{"default"}, Wait: longest})
		await(q, "the first, empty claim", q.probe.empty)
		q.probe.forget()
		id := wake()
		q.hears("a task is claimable", readyIn("default"))
		a := await(q, "the claim's answer", answer)
		q.must("claim", a.err)
		same(q, "claimed", ids(a.out.Tasks), []int64{id})
	}
}

type claimAnswer struct {
	out tq.ClaimOut
	err error
}

// waiting claims in the background.
func (q *Queue) waiting(ctx context.Context, in tq.ClaimIn) <-chan claimAnswer {
	answer := make(chan claimAnswer, 1)
	select {
	case <-q.probe.empty: // of an earlier claim
	default:
	}
	in.Lease = tq.Duration(lease)
	go func() {
		out, err := q.Client.Claim(ctx, in)
		answer <- claimAnswer{out, err}
	}()
	return answer
}

func wakeEnqueue(q *Queue) func() int64 {
	q.enqueue(tq.NewTask{Queue: "elsewhere"})
	return func() int64 { return q.enqueue(tq.NewTask{}) }
}

func wakeUnblock(q *Queue) func() int64 {
	dep := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}})
	return func() int64 {
		q.complete(dep, `1`)
		return child
	}
}

func wakeRetry(q *Queue) func() int64 {
	c := q.started(tq.NewTask{})
	q.failFor(c, "again", 30*time.Second)
	return func() int64 {
		q.Clock.Advance(30 * time.Second)
		q.sweep()
		return c.ID
	}
}

func wakeRelease(q *Queue) func() int64 {
	c := q.started(tq.NewTask{})
	return func() int64 { return q.release(c).TaskID }
}

func wakeResume(q *Queue) func() int64 {
	id := q.enqueue(tq.NewTask{})
	q.pause("default")
	return func() int64 {
		q.resume("default")
		return id
	}
}

func wakeRescue(q *Queue) func() int64 {
	c := q.started(tq.NewTask{})
	q.giveUp(c, "x")
	return func() int64 { return q.rescue(c.ID).ID }
}

func wakeExpiry(q *Queue) func() int64 {
	c := q.started(tq.NewTask{})
	return func() int64 {
		q.pass(lease + time.Second)
		return c.ID
	}
}

func goneCaller(q *Queue) {
	q.live()
	for range 20 {
		ctx, leave := context.WithCancel(q.ctx())
		answer := q.waiting(ctx, tq.ClaimIn{Wait: longest})
		await(q, "the first, empty claim", q.probe.empty)
		leave()
		if a := await(q, "the claim's answer", answer); a.err == nil || len(a.out.Tasks) > 0 {
			q.t.Fatalf("a caller who has gone was answered %+v, %v", a.out, a.err)
		}
	}
	id := q.enqueue(tq.NewTask{})
	same(q, "attempt", q.take(id).Attempt, 1)
	q.tells(id, tq.FactEnqueued, tq.FactClaimed)
}

func manyWaiters(q *Queue) {
	const waiters = 40
	q.live()
	var answers []<-chan claimAnswer
	for range waiters {
		answers = append(answers, q.waiting(q.ctx(), tq.ClaimIn{Wait: longest}))
	}
	await(q, "a first, empty claim", q.probe.empty)
	q.together(waiters, func(int) error {
		_, err := q.tryEnqueue(tq.NewTask{})
		return err
	})
	seen := map[int64]bool{}
	for _, answer := range answers {
		a := await(q, "the claim's answer", answer)
		q.must("claim", a.err)
		same(q, "claimed", len(a.out.Tasks), 1)
		seen[a.out.Tasks[0].ID] = true
	}
	same(q, "tasks", len(seen), waiters)
}

func emptyWait(q *Queue) {
	q.live()
	q.pause("default")
	q.enqueue(tq.NewTask{})
	a := await(q, "the claim's answer", q.waiting(q.ctx(), tq.ClaimIn{Wait: tq.Duration(20 * time.Millisecond)}))
	q.must("claim", a.err)
	same(q, "claimed", ids(a.out.Tasks), nil)
	same(q, "paused", a.out.Paused, []string{"default"})
}

func waitEdges(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Wait: longest})
	q.must("claim", err)
	same(q, "claimed", ids(out.Tasks), []int64{id})
	for _, bad := range []time.Duration{-time.Millisecond, tq.MaxWait + time.Millisecond} {
		_, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Wait: tq.Duration(bad)})
		q.names(q.refused("claim", err, tq.CodeInvalid), "/wait_seconds", "0 to 55")
		_, err = q.Client.Wait(q.ctx(), tq.WaitIn{IDs: []int64{id}, Wait: tq.Duration(bad)})
		q.names(q.refused("wait", err, tq.CodeInvalid), "/wait_seconds", "0 to 55")
		_, err = q.Client.Facts(q.ctx(), tq.FactsIn{Wait: tq.Duration(bad)})
		q.names(q.refused("facts", err, tq.CodeInvalid), "/wait_seconds", "0 to 55")
	}
}

func waitForEnd(q *Queue) {
	q.live()
	done, dead := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	type answer struct {
		out tq.TasksOut
		err error
	}
	ended := make(chan answer, 1)
	go func() {
		out, err := q.Client.Wait(q.ctx(), tq.WaitIn{IDs: []int64{dead.ID, done.ID}, Wait: longest})
		ended <- answer{out, err}
	}()
	q.complete(done, `"yes"`)
	q.probe.forget()
	q.giveUp(dead, "no")
	q.hears("a task has ended", func(n tq.News) bool { return n.Ended })
	a := await(q, "the end of the wait", ended)
	q.must("wait", a.err)
	same(q, "order", []int64{a.out.Tasks[0].ID, a.out.Tasks[1].ID}, []int64{dead.ID, done.ID})
	same(q, "status", []tq.Status{a.out.Tasks[0].Status, a.out.Tasks[1].Status}, []tq.Status{tq.Dead, tq.Completed})
	same(q, "result", string(a.out.Tasks[1].Result), `"yes"`)
	open := q.enqueue(tq.NewTask{})
	out, err := q.Client.Wait(q.ctx(), tq.WaitIn{IDs: []int64{open}})
	q.must("wait for an open task, no longer than now", err)
	same(q, "status", out.Tasks[0].Status, tq.Pending)
}

func waitForFacts(q *Queue) {
	q.live()
	first := q.enqueue(tq.NewTask{})
	cursor := q.lastFact(first).Seq
	type answer struct {
		out tq.FactsOut
		err error
	}
	followed := make(chan answer, 1)
	go func() {
		out, err := q.Client.Facts(q.ctx(), tq.FactsIn{After: cursor, Wait: longest})
		followed <- answer{out, err}
	}()
	second := q.enqueue(tq.NewTask{})
	a := await(q, "the fact", followed)
	q.must("follow", a.err)
	same(q, "followed", []any{len(a.out.Facts), a.out.Facts[0].TaskID}, []any{1, second})
	ctx, leave := context.WithCancel(q.ctx())
	leave()
	_, err := q.Client.Facts(ctx, tq.FactsIn{After: a.out.Facts[0].Seq, Wait: longest})
	if !errors.Is(err, context.Canceled) {
		q.t.Fatalf("a follower who has gone was answered %v", err)
	}
}
