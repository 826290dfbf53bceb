package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/tq"
)

// Spec §5: the order of claims (S22), delays (S23), pause (S24), and queues in
// turn (S47).

func orderPromises() []promise {
	return []promise{
		{"S22 high priority first, then who was ready first", priorityThenAge},
		{"S22 priority is -32768 to 32767", priorityEdges},
		{"S22 the order spans the types and projects of a queue", orderSpansTypes},
		{"S22 released and expired tasks have their old place", oldPlace},
		{"S22 a retried task stands behind those that were ready before it", retryGoesBehind},
		{"S22 delayed and unblocked tasks stand where they became ready", readyMoment},
		{"S22 what came due stands before what became ready later, swept or not", dueUnswept},
		{"S22 no claim passes over a task, whatever the filters", noPassingOver},
		{"S22 claimers at once take every task once", claimersAtOnce},
		{"S22 of 50 claimers of one task one gets it", oneForMany},
		{"S23 a delayed task is not claimable before its time and is then", delayed},
		{"S23 delay_seconds is 0 to 31,536,000, run_at any time, never both", delayEdges},
		{"S24 a paused queue gives no tasks, and says so", paused},
		{"S24 all else of a paused queue goes on", pausedGoesOn},
		{"S47 queues are served in turn", inTurn},
		{"S47 a flood in one queue does not starve another", noStarving},
		{"S47 only the queues that are named are served", namedQueues},
	}
}

// claimedOrder claims everything, n at a time.
func (q *Queue) claimedOrder(n int, in tq.ClaimIn) []int64 {
	q.t.Helper()
	in.Max = n
	var order []int64
	for {
		got := ids(q.tryClaim(in).Tasks)
		if len(got) == 0 {
			return order
		}
		order = append(order, got...)
	}
}

func priorityThenAge(q *Queue) {
	low := q.enqueue(tq.NewTask{Priority: -5})
	first, second := q.enqueue(tq.NewTask{}), q.enqueue(tq.NewTask{})
	q.Clock.Advance(-time.Second) // order is by arrival, not by the clock
	third := q.enqueue(tq.NewTask{})
	high := q.enqueue(tq.NewTask{Priority: 7})
	q.Clock.Advance(time.Second)
	same(q, "order", q.claimedOrder(1, tq.ClaimIn{}), []int64{high, first, second, third, low})
}

func priorityEdges(q *Queue) {
	var all []int64
	for _, p := range []int{32767, 1, 0, -1, -32768} {
		all = append(all, q.enqueue(tq.NewTask{Priority: p}))
		same(q, "priority", q.task(all[len(all)-1]).Priority, p)
	}
	for _, bad := range []int{32768, -32769} {
		_, err := q.tryEnqueue(tq.NewTask{Priority: bad})
		q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/priority", "-32768 to 32767")
	}
	same(q, "order", q.claimedOrder(1, tq.ClaimIn{}), all)
}

func orderSpansTypes(q *Queue) {
	var all []int64
	for i := range 30 {
		all = append(all, q.enqueue(tq.NewTask{Type: fmt.Sprint("t", i%3), Project: fmt.Sprint("p", i%2)}))
	}
	same(q, "order", q.claimedOrder(4, tq.ClaimIn{Types: []string{"t0", "t1", "t2"}}), all)
}

func oldPlace(q *Queue) {
	all := q.enqueueN(6, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 3})
	q.release(cs[1])
	q.pass(time.Second)
	same(q, "released, before those behind it", ids(q.claimSome(tq.ClaimIn{Max: 2})), []int64{all[1], all[3]})
	q.expire(cs[0], cs[2])
	q.pass(time.Second)
	same(q, "order after expiry", q.claimedOrder(1, tq.ClaimIn{}), all)
}

func retryGoesBehind(q *Queue) {
	all := q.enqueueN(3, tq.NewTask{})
	q.failFor(q.take(all[0]), "again", 0)
	late := q.enqueue(tq.NewTask{})
	high := q.enqueue(tq.NewTask{Priority: 1})
	same(q, "order", q.claimedOrder(1, tq.ClaimIn{}), []int64{high, all[1], all[2], all[0], late})
}

func readyMoment(q *Queue) {
	dep := q.started(tq.NewTask{})
	in20 := q.enqueue(tq.NewTask{Delay: tq.Duration(20 * time.Second)})
	in10 := q.enqueue(tq.NewTask{Delay: tq.Duration(10 * time.Second)})
	unblocked := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}})
	q.extend(dep, time.Minute)
	now := q.enqueue(tq.NewTask{})
	q.pass(15 * time.Second)
	at15 := q.enqueue(tq.NewTask{})
	q.pass(2 * time.Second)
	q.complete(dep, `1`)
	q.pass(8 * time.Second)
	at25 := q.enqueue(tq.NewTask{})
	same(q, "order", q.claimedOrder(1, tq.ClaimIn{}), []int64{now, in10, at15, unblocked, in20, at25})
}

func dueUnswept(q *Queue) {
	dep := q.started(tq.NewTask{})
	unblocked := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}})
	in10 := q.enqueue(tq.NewTask{Delay: tq.Duration(10 * time.Second)})
	in20 := q.enqueue(tq.NewTask{Delay: tq.Duration(20 * time.Second)})
	q.extend(dep, time.Minute)
	q.Clock.Advance(10 * time.Second)
	at10 := q.enqueue(tq.NewTask{})
	q.Clock.Advance(10 * time.Second)
	q.complete(dep, `1`)
	at20 := q.enqueue(tq.NewTask{})
	same(q, "order", q.claimedOrder(1, tq.ClaimIn{}), []int64{in10, at10, in20, unblocked, at20})
}

func noPassingOver(q *Queue) {
	type made struct {
		id       int64
		priority int
		kind     string
	}
	rng := rand.New(rand.NewPCG(22, 22))
	var all []made
	for range 300 {
		m := made{priority: rng.IntN(4), kind: fmt.Sprint("t", rng.IntN(4))}
		m.id = q.enqueue(tq.NewTask{Priority: m.priority, Type: m.kind})
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b made) int { return cmp.Compare(b.priority, a.priority) })
	for len(all) > 0 {
		kinds := []string{fmt.Sprint("t", rng.IntN(4)), fmt.Sprint("t", rng.IntN(4))}
		n := 1 + rng.IntN(9)
		var want []int64
		var rest []made
		for _, m := range all {
			if len(want) < n && slices.Contains(kinds, m.kind) {
				want = append(want, m.id)
				continue
			}
			rest = append(rest, m)
		}
		all = rest
		same(q, "claimed", ids(q.tryClaim(tq.ClaimIn{Types: kinds, Max: n, Lease: tq.Duration(time.Hour)}).Tasks), want)
	}
}

func claimersAtOnce(q *Queue) {
	const tasks, claimers = 320, 16
	all := q.enqueueN(tasks, tq.NewTask{})
	got := make([][]int64, claimers)
	q.together(claimers, func(i int) error {
		for {
			out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Max: 1 + i%5})
			if err != nil || len(out.Tasks) == 0 {
				return err
			}
			if !slices.IsSorted(ids(out.Tasks)) {
				return fmt.Errorf("claimed %v, out of order", ids(out.Tasks))
			}
			got[i] = append(got[i], ids(out.Tasks)...)
		}
	})
	same(q, "claimed", slices.Sorted(slices.Values(slices.Concat(got...))), all)
}

func oneForMany(q *Queue) {
	const claimers = 50
	id := q.enqueue(tq.NewTask{})
	got := make([]int, claimers)
	q.together(claimers, func(i int) error {
		out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Max: 2, Worker: tq.WorkerInfo{ID: fmt.Sprint("w", i), Name: "same"}})
		got[i] = len(out.Tasks)
		return err
	})
	slices.Sort(got)
	same(q, "claimers that got it", got[claimers-2:], []int{0, 1})
	same(q, "attempt", q.task(id).Attempt, 1)
}

func delayed(q *Queue) {
	id := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Minute)})
	at := q.enqueue(tq.NewTask{RunAt: tq.At(q.Clock.Now().Add(2 * time.Minute))})
	q.Clock.Advance(time.Minute - time.Millisecond)
	out := q.claimNothing()
	same(q, "due in", out.RetryAfter, tq.Duration(time.Millisecond))
	q.Clock.Advance(time.Millisecond)
	q.complete(q.take(id), `1`) // found by the claim itself
	q.Clock.Advance(time.Minute - time.Millisecond)
	q.claimNothing()
	q.Clock.Advance(time.Millisecond)
	q.take(at)
}

func delayEdges(q *Queue) {
	year := 365 * 24 * time.Hour
	id := q.enqueue(tq.NewTask{Delay: tq.Duration(year)})
	same(q, "run_at", q.task(id).RunAt, tq.At(q.Clock.Now().Add(year)))
	for field, n := range map[string]tq.NewTask{
		"/tasks/0/delay_seconds": {Delay: tq.Duration(year + time.Millisecond)},
		"/tasks/0/run_at":        {Delay: tq.Duration(time.Second), RunAt: tq.At(q.Clock.Now())},
	} {
		_, err := q.tryEnqueue(n)
		q.names(q.refused("enqueue", err, tq.CodeInvalid), field, "delay_seconds")
	}
	_, err := q.tryEnqueue(tq.NewTask{Delay: -tq.Duration(time.Millisecond)})
	q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/delay_seconds", "0 to 31536000")
	_, err = q.tryEnqueue(tq.NewTask{RunAt: tq.Time{Time: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}})
	q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/run_at", "9998")
	past := q.enqueue(tq.NewTask{RunAt: parse("1970-01-02T00:00:00Z")})
	early := q.enqueue(tq.NewTask{RunAt: tq.Time{Time: time.Date(1, 6, 1, 0, 0, 0, 0, time.UTC)}})
	same(q, "the past is now, in order of arrival", q.claimedOrder(1, tq.ClaimIn{}), []int64{past, early})
}

func paused(q *Queue) {
	a, b := q.enqueue(tq.NewTask{Queue: "a"}), q.enqueue(tq.NewTask{Queue: "b"})
	q.pause("a")
	out := q.tryClaim(tq.ClaimIn{Max: 5})
	same(q, "claimed", ids(out.Tasks), []int64{b})
	same(q, "paused", out.Paused, []string{"a"})
	out = q.tryClaim(tq.ClaimIn{Queues: []string{"a", "b"}})
	same(q, "claimed from both", ids(out.Tasks), nil)
	same(q, "paused of both", out.Paused, []string{"a"})
	same(q, "paused of b", q.tryClaim(tq.ClaimIn{Queues: []string{"b"}}).Paused, nil)
	stat := q.statsOf("a")
	same(q, "stats", []any{stat.Paused, stat.Ready}, []any{true, int64(1)})
	q.resume("a")
	q.take(a)
	same(q, "acts", len(q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.ActPaused, tq.ActResumed}})), 2)
	q.pause("never-used")
	same(q, "stats of a queue without tasks", q.statsOf("never-used"), tq.Stats{Queue: "never-used", Paused: true})
}

func pausedGoesOn(q *Queue) {
	held, lost := q.started(tq.NewTask{MaxAttempts: 1}), q.started(tq.NewTask{})
	later := q.enqueue(tq.NewTask{Delay: tq.Duration(5 * time.Second)})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(held.ID)}})
	q.pause("default")
	q.enqueue(tq.NewTask{})
	q.extend(held, time.Minute)
	q.expire(lost)
	q.is(lost.ID, tq.Pending)
	q.complete(held, `1`)
	q.is(child, tq.Pending)
	q.claimNothing()
	q.cancel(later)
	q.is(later, tq.Cancelled)
	q.resume("default")
	same(q, "claimable again", len(q.claimSome(tq.ClaimIn{Max: 10})), 3)
}

func inTurn(q *Queue) {
	names := []string{"a", "b", "c"}
	for _, name := range names {
		q.enqueueN(4, tq.NewTask{Queue: name})
	}
	for round := range 4 {
		var served []string
		for range names {
			served = append(served, q.claim().Queue)
		}
		slices.Sort(served)
		same(q, fmt.Sprintf("served in round %d", round), served, names)
	}
}

func noStarving(q *Queue) {
	q.enqueueN(500, tq.NewTask{Queue: "flood", Priority: 9})
	small := q.enqueue(tq.NewTask{Queue: "small", Priority: -9})
	var order []int64
	for range 3 {
		order = append(order, ids(q.claimSome(tq.ClaimIn{Max: 2}))...)
	}
	if !slices.Contains(order, small) {
		q.t.Fatalf("claimed %v in three turns, without task %d of the other queue", order, small)
	}
}

func namedQueues(q *Queue) {
	a := q.enqueue(tq.NewTask{Queue: "a"})
	q.enqueue(tq.NewTask{Queue: "a/b"})
	c := q.enqueue(tq.NewTask{Queue: "c"})
	same(q, "claimed", q.claimedOrder(5, tq.ClaimIn{Queues: []string{"a", "c"}}), []int64{a, c})
	same(q, "from an unknown queue", q.claimedOrder(1, tq.ClaimIn{Queues: []string{"nowhere"}}), nil)
	same(q, "rows of stats", len(func() []tq.Stats {
		out, err := q.Client.Stats(q.ctx(), tq.StatsIn{})
		q.must("stats", err)
		return out.Queues
	}()), 3) // a claim makes no queue
}
