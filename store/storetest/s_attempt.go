package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// Spec §3: attempts (S13) and claims that may be repeated (S14).

func attemptPromises() []promise {
	return []promise{
		{"S13 a claim counts the attempt, so that a crash counts", crashCounts},
		{"S13 release gives the attempt back, rescue starts over", attemptGivenBack},
		{"S13 max_attempts is 1 to 1,000, 3 when none is asked for", maxAttemptsEdges},
		{"S14 a repeated claim answers with the same tasks and tokens", claimRepeated},
		{"S14 a repeated claim answers in the order of the first, with timeouts of all kinds", claimRepeatedInOrder},
		{"S14 a repeated claim leaves out what has ended, and is new when all has", claimRepeatedLater},
		{"S14 a claim id used by many at once claims once", claimIDRace},
		{"S14 two claim ids are two claims", twoClaimIDs},
		{"S14 a claim id is at most 200 bytes without control characters", claimIDEdges},
		{"S14 a claim whose caller has gone is given back unburnt", undelivered},
	}
}

func crashCounts(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	for want := 1; want <= 3; want++ {
		var c tq.ClaimedTask
		for i := 0; c.ID == 0 && i < 30; i++ { // later expiries wait for their backoff
			if got := q.tryClaim(tq.ClaimIn{}).Tasks; len(got) > 0 {
				c = got[0]
				break
			}
			q.pass(time.Second)
		}
		same(q, "attempt", c.Attempt, want)
		q.expire(c)
	}
	q.is(id, tq.Dead)
	same(q, "attempt", q.task(id).Attempt, 3)
}

func attemptGivenBack(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 2})
	q.failFor(q.take(id), "once", 0)
	q.release(q.take(id))
	same(q, "attempt after release", q.task(id).Attempt, 1)
	same(q, "last error after release", q.task(id).LastError, "once")
	q.fail(q.take(id), "twice")
	q.is(id, tq.Dead)
	q.rescue(id)
	same(q, "attempt after rescue", q.task(id).Attempt, 0)
	q.failFor(q.take(id), "thrice", 0)
	q.is(id, tq.Pending)
}

func maxAttemptsEdges(q *Queue) {
	for asked, want := range map[int]int{0: 3, 1: 1, 1000: 1000} {
		same(q, "max_attempts", q.task(q.enqueue(tq.NewTask{MaxAttempts: asked})).MaxAttempts, want)
	}
	for _, bad := range []int{-1, 1001} {
		_, err := q.tryEnqueue(tq.NewTask{MaxAttempts: bad})
		q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/max_attempts", "1 to 1000")
	}
}

// tokens are what claims are compared by.
func tokens(cs []tq.ClaimedTask) []string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%d %s", c.ID, c.LeaseToken))
	}
	return out
}

func claimRepeated(q *Queue) {
	q.enqueueN(5, tq.NewTask{})
	in := tq.ClaimIn{Max: 3, ClaimID: "c-1"}
	first := q.claimSome(in)
	same(q, "claimed", len(first), 3)
	q.pass(4 * time.Second)
	q.unchanged("a repeated claim", func() {
		again := q.claimSome(in)
		same(q, "tokens", tokens(again), tokens(first))
		for i := range again {
			same(q, "attempt", again[i].Attempt, 1)
			same(q, "payload", string(again[i].Payload), string(first[i].Payload))
			same(q, "lease left", again[i].LeaseLeft, tq.Duration(lease-4*time.Second))
		}
	})
}

func claimRepeatedInOrder(q *Queue) {
	for _, timeout := range []time.Duration{4 * time.Second, 0, 2 * time.Second, 0, 4 * time.Second} {
		q.enqueue(tq.NewTask{Timeout: tq.Duration(timeout)})
	}
	in := tq.ClaimIn{Max: 5, ClaimID: "c-1"}
	first := q.claimSome(in)
	same(q, "claimed", len(first), 5)
	same(q, "tokens", tokens(q.claimSome(in)), tokens(first))
	q.extend(first[2], lease)
	same(q, "what is held", ids(q.claimSome(in)), ids(first))
}

func claimRepeatedLater(q *Queue) {
	q.enqueueN(5, tq.NewTask{})
	in := tq.ClaimIn{Max: 2, ClaimID: "c-1"}
	first := q.claimSome(in)
	q.complete(first[0], `1`)
	same(q, "what is still held", tokens(q.claimSome(in)), tokens(first[1:]))
	q.extend(first[1], lease)
	q.fail(first[1], "no luck")
	second := q.claimSome(in)
	same(q, "a new claim", len(second), 2)
	if slices.Contains(ids(second), first[0].ID) || slices.Contains(ids(second), first[1].ID) {
		q.t.Fatalf("claimed %v again", ids(second))
	}
	q.extend(second[0], time.Minute) // in a lease of its own, still of this claim
	same(q, "what is still held", slices.Sorted(slices.Values(ids(q.claimSome(in)))),
		slices.Sorted(slices.Values(ids(second))))
	q.pass(time.Minute + time.Second)
	for _, c := range q.claimSome(in) { // what ran out is held no longer: a new claim
		if slices.Contains(tokens(second), tokens([]tq.ClaimedTask{c})[0]) {
			q.t.Fatalf("task %d: an attempt whose lease ran out was answered again", c.ID)
		}
	}
}

func claimIDRace(q *Queue) {
	const callers = 32
	q.enqueueN(callers, tq.NewTask{})
	answers := make([][]string, callers)
	q.together(callers, func(i int) error {
		out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{ClaimID: "one", Lease: tq.Duration(lease)})
		answers[i] = tokens(out.Tasks)
		return err
	})
	for _, a := range answers {
		same(q, "answer", a, answers[0])
	}
	same(q, "claimed", len(answers[0]), 1)
	same(q, "running", q.stats().Running, 1)
}

func twoClaimIDs(q *Queue) {
	ids := q.enqueueN(2, tq.NewTask{})
	a := q.claimSome(tq.ClaimIn{ClaimID: "a"})
	b := q.claimSome(tq.ClaimIn{ClaimID: "b"})
	same(q, "claimed", []int64{a[0].ID, b[0].ID}, ids)
	same(q, "none left", len(q.tryClaim(tq.ClaimIn{ClaimID: "c"}).Tasks), 0)
	third := q.enqueue(tq.NewTask{})
	same(q, "an empty claim holds nothing", q.claimSome(tq.ClaimIn{ClaimID: "c"})[0].ID, third)
}

func claimIDEdges(q *Queue) {
	q.enqueue(tq.NewTask{})
	q.claimSome(tq.ClaimIn{ClaimID: strings.Repeat("é", 100)})
	for _, bad := range []string{strings.Repeat("é", 100) + "x", "a\nb", "\xff"} {
		_, err := q.Client.Claim(q.ctx(), tq.ClaimIn{ClaimID: bad})
		q.names(q.refused("claim", err, tq.CodeInvalid), "/claim_id", "claim_id")
	}
}

func undelivered(q *Queue) {
	id := q.enqueue(tq.NewTask{})
	ctx, leave := context.WithCancel(q.ctx())
	q.probe.onClaimed(func(claim context.Context) { // the caller goes when its claim has been written
		leave()
		<-claim.Done() // behind a door it is noticed a moment later
	})
	_, err := q.Client.Claim(ctx, tq.ClaimIn{})
	if err == nil {
		q.t.Fatal("a caller who has gone got an answer")
	}
	q.probe.onClaimed(nil)
	c := q.take(id)
	same(q, "attempt", c.Attempt, 1)
	q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactReleased, tq.FactClaimed)
}
