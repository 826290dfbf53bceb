package storetest

import (
	"fmt"
	"time"

	"example.com/tq"
)

// Spec §2: the lease (S4) and the timeout of an attempt (S45).

func leasePromises() []promise {
	return []promise{
		{"S04 a lease is 1 to 3600 seconds, 300 when none is asked for", leaseEdges},
		{"S04 extend counts from now, any number of times", extendFromNow},
		{"S04 extending one task of a claim leaves the others", extendOne},
		{"S04 an extended task outlives the rest of its claim and still settles", extendThenSettle},
		{"S04 tasks of a claim with several timeouts are extended apart, in one call or one by one", extendAcross},
		{"S45 no lease goes past the timeout of its attempt", timeoutBoundsLease},
		{"S45 a timed-out attempt is retried and says why", timeoutIsRetried},
		{"S45 a timed-out last attempt is dead and says why", timeoutOfLast},
		{"S45 a timeout is 0 to 604,800 seconds", timeoutEdges},
	}
}

func leaseEdges(q *Queue) {
	q.enqueueN(3, tq.NewTask{})
	for asked, want := range map[time.Duration]time.Duration{
		0: 300 * time.Second, time.Second: time.Second, time.Hour: time.Hour,
	} {
		out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Lease: tq.Duration(asked)})
		q.must("claim", err)
		same(q, "claimed", len(out.Tasks), 1)
		c := out.Tasks[0]
		same(q, fmt.Sprintf("lease left of %s", asked), c.LeaseLeft, tq.Duration(want))
		same(q, "lease", q.task(c.ID).Lease.Until, tq.At(q.Clock.Now().Add(want)))
		for _, bad := range badLeases() {
			s := q.tryExtend(c, tq.ExtendLease{Lease: tq.Duration(bad)})
			q.names(q.rowRefused("extend", s.Error, tq.CodeInvalid), "/lease_seconds", "1 to 3600")
		}
	}
	for _, bad := range badLeases() {
		_, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Lease: tq.Duration(bad)})
		q.names(q.refused("claim", err, tq.CodeInvalid), "/lease_seconds", "1 to 3600")
	}
}

// badLeases are over the edge by the smallest length that every door can carry.
func badLeases() []time.Duration {
	return []time.Duration{-time.Millisecond, time.Second - time.Millisecond, time.Hour + time.Millisecond, 1 << 62}
}

func extendFromNow(q *Queue) {
	c := q.started(tq.NewTask{})
	for range 50 {
		q.pass(lease - time.Second)
		same(q, "lease left", q.extend(c, lease).LeaseLeft, tq.Duration(lease))
		same(q, "lease", q.task(c.ID).Lease.Until, tq.At(q.Clock.Now().Add(lease)))
	}
	q.extend(c, 2*time.Second) // shorter is taken as well
	same(q, "seconds left", q.task(c.ID).Lease.SecondsLeft, tq.Duration(2*time.Second))
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed)
	same(q, "attempt", q.task(c.ID).Attempt, 1)
	q.pass(4 * time.Second)
	q.is(c.ID, tq.Pending)
}

func extendOne(q *Queue) {
	q.enqueueN(3, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 3})
	q.pass(lease / 2)
	q.extend(cs[1], lease)
	q.pass(lease/2 + time.Second)
	q.is(cs[0].ID, tq.Pending)
	q.is(cs[1].ID, tq.Running)
	q.is(cs[2].ID, tq.Pending)
	q.pass(lease / 2)
	q.is(cs[1].ID, tq.Pending)
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactHeartbeat, tq.FactLeaseExpired)
}

func extendThenSettle(q *Queue) {
	q.enqueueN(3, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 3})
	q.complete(cs[0], `0`)
	// What is left of the claim is whole: only the lease row is written.
	out, err := q.Client.Extend(q.ctx(), tq.ExtendIn{Leases: []tq.ExtendLease{
		{LeaseToken: cs[1].LeaseToken}, {LeaseToken: cs[2].LeaseToken},
	}})
	q.must("extend", err)
	same(q, "default of extend", out.Leases[0].LeaseLeft, tq.Duration(tq.DefaultLease))
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed)
	q.extend(cs[1], time.Minute)
	q.extend(cs[1], time.Minute) // alone in a lease of its own by now
	q.extend(cs[2], lease)
	q.pass(2 * lease)
	q.is(cs[2].ID, tq.Pending)
	q.complete(cs[1], `1`)
	q.tells(cs[1].ID, tq.FactEnqueued, tq.FactClaimed, tq.FactHeartbeat, tq.FactCompleted)
}

// extendAcross: a claim has a lease for each timeout of its tasks, and each of
// them is left by one task, and then by another.
func extendAcross(q *Queue) {
	for _, timeout := range []time.Duration{0, time.Hour, 0, time.Hour, 0, time.Hour} {
		q.enqueue(tq.NewTask{Timeout: tq.Duration(timeout)})
	}
	cs := q.claimSome(tq.ClaimIn{Max: 6, ClaimID: "c"})
	both := func(some ...int) {
		var in tq.ExtendIn
		for _, i := range some {
			in.Leases = append(in.Leases, tq.ExtendLease{LeaseToken: cs[i].LeaseToken, Lease: tq.Duration(time.Minute)})
		}
		out, err := q.Client.Extend(q.ctx(), in)
		q.must("extend", err)
		for _, s := range out.Leases {
			same(q, "lease left", q.settled("extend", s).LeaseLeft, tq.Duration(time.Minute))
		}
	}
	both(0, 1)
	both(2)
	both(3)
	q.pass(lease + time.Second)
	var running []int64
	for _, c := range cs {
		if q.task(c.ID).Status == tq.Running {
			running = append(running, c.ID)
		}
	}
	same(q, "who still runs", running, ids(cs[:4]))
	again := q.claimSome(tq.ClaimIn{Max: 6, ClaimID: "c"})
	same(q, "the claim repeated", ids(again), running)
}

func timeoutBoundsLease(q *Queue) {
	c := q.started(tq.NewTask{Timeout: tq.Duration(6 * time.Second)})
	same(q, "lease left", c.LeaseLeft, tq.Duration(6*time.Second))
	q.pass(2 * time.Second)
	same(q, "lease left after extend", q.extend(c, time.Minute).LeaseLeft, tq.Duration(4*time.Second))
	end := tq.At(noon().Add(6 * time.Second))
	same(q, "lease", q.task(c.ID).Lease.Until, end)
	q.pass(6 * time.Second)
	if q.task(c.ID).Status == tq.Running {
		q.t.Fatal("running two seconds after its timeout")
	}
	short := q.started(tq.NewTask{Timeout: tq.Duration(time.Minute)})
	same(q, "lease within the timeout", short.LeaseLeft, tq.Duration(lease))
}

func timeoutIsRetried(q *Queue) {
	c := q.started(tq.NewTask{Timeout: tq.Duration(6 * time.Second)})
	q.pass(5 * time.Second)
	q.extend(c, time.Minute)
	q.pass(2 * time.Second)
	task := q.task(c.ID)
	same(q, "status", task.Status, tq.Pending)
	same(q, "last error", task.LastError, "timed out after 6 s")
	if wait := task.RunAt.Sub(q.Clock.Now()); wait <= 0 || wait > 3*time.Second {
		q.t.Fatalf("retried in %s, want the backoff of a first attempt", wait)
	}
	q.pass(3 * time.Second)
	same(q, "attempt", q.claim().Attempt, 2)
	q.pass(5 * time.Second)
	q.is(c.ID, tq.Running) // the next attempt has a timeout of its own
}

func timeoutOfLast(q *Queue) {
	c := q.started(tq.NewTask{Timeout: tq.Duration(2 * time.Second), MaxAttempts: 1})
	q.pass(4 * time.Second)
	task := q.task(c.ID)
	same(q, "status", task.Status, tq.Dead)
	same(q, "last error", task.LastError, "timed out after 2 s")
}

func timeoutEdges(q *Queue) {
	for _, ok := range []int{0, 1, 604_800} {
		id := q.enqueue(tq.NewTask{Timeout: tq.Duration(time.Duration(ok) * time.Second)})
		same(q, "timeout", q.task(id).Timeout, tq.Duration(time.Duration(ok)*time.Second))
	}
	for _, bad := range []int{-1, 604_801} {
		_, err := q.tryEnqueue(tq.NewTask{Timeout: tq.Duration(time.Duration(bad) * time.Second)})
		q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/timeout_seconds", "0 to 604800")
	}
}
