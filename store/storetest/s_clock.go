package storetest

import (
	"time"

	"example.com/tq"
)

// Spec §2: the store's clock and what happens when it jumps (S9 to S11).

func clockPromises() []promise {
	return []promise{
		{"S09 every time that is kept is the store's", storeTime},
		{"S09 times are kept to the millisecond, in UTC", milliseconds},
		{"S10 a clock turned back ends leases late and the journal goes on", backwardJump},
		{"S10 a clock turned forward ends leases early and the first holder is fenced", forwardJump},
		{"S11 an outage puts expiry off once, by its length", shortOutage},
		{"S11 an outage puts expiry off by a lease at most", longOutage},
		{"S11 a worker that comes back within the grace keeps its tasks", graceIsUsed},
		{"S11 expiry that keeps running is not put off", noGraceWithoutOutage},
		{"S11 progress told right after an outage finds its lease put off", progressAfterOutage},
	}
}

func progressAfterOutage(q *Queue) {
	c := q.started(tq.NewTask{})
	q.Clock.Advance(5 * time.Second)
	out, err := q.Store.Extend(q.ctx(), tq.Extension{Leases: []tq.LeaseRef{
		{TaskID: c.ID, Epoch: c.Epoch, Progress: &tq.Progress{Note: "back"}},
	}})
	q.must("tell progress", err)
	same(q, "lease left", out[0].Left, lease)
}

func storeTime(q *Queue) {
	q.Clock.Advance(50 * 365 * 24 * time.Hour)
	now := tq.At(q.Clock.Now())
	id := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Minute)})
	same(q, "created", q.task(id).CreatedAt, now)
	same(q, "run_at", q.task(id).RunAt, tq.Time{Time: now.Add(time.Minute)})
	q.pass(time.Minute)
	c := q.take(id)
	q.pass(time.Second)
	q.complete(c, `1`)
	task := q.task(id)
	same(q, "started", task.StartedAt, tq.Time{Time: now.Add(time.Minute)})
	same(q, "ended", task.EndedAt, tq.Time{Time: now.Add(61 * time.Second)})
	facts := q.facts(tq.FactsIn{TaskID: id})
	same(q, "time of the first fact", facts[0].At, now)
	same(q, "time of the last fact", facts[2].At, task.EndedAt)
}

func milliseconds(q *Queue) {
	for _, at := range []string{".000", ".100", ".120", ".999"} {
		id := q.enqueue(tq.NewTask{RunAt: parse("2027-01-01T00:00:00" + at + "Z")})
		same(q, "run_at", q.task(id).RunAt.String(), "2027-01-01T00:00:00"+at+"Z")
	}
	zoned := q.enqueue(tq.NewTask{RunAt: parse("2027-01-01T02:00:00.0009+02:00")})
	same(q, "run_at", q.task(zoned).RunAt.String(), "2027-01-01T00:00:00.000Z")
}

func parse(s string) tq.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err) // a constant of these tests
	}
	return tq.Time{Time: t}
}

func backwardJump(q *Queue) {
	kept, done := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.pass(5 * time.Second)
	q.Clock.Advance(-time.Hour)
	q.pass(lease)
	q.is(kept.ID, tq.Running)
	q.complete(done, `1`)
	facts := q.facts(tq.FactsIn{})
	last := facts[len(facts)-1]
	same(q, "newest fact", last.Kind, tq.FactCompleted)
	if !last.At.Before(facts[0].At.Time) {
		q.t.Fatalf("fact of %s, want one before %s", last.At, facts[0].At)
	}
	q.extend(kept, lease)
	q.expire(kept)
	late := q.enqueue(tq.NewTask{})
	q.take(kept.ID)
	q.take(late)
}

func forwardJump(q *Queue) {
	c := q.started(tq.NewTask{})
	q.Clock.Advance(time.Hour)
	q.pass(2 * lease)
	q.is(c.ID, tq.Pending)
	next := q.claim()
	q.loses(c, "reclaimed")
	q.complete(next, `1`)
}

func shortOutage(q *Queue) {
	c := q.started(tq.NewTask{})
	q.pass(7 * time.Second)
	q.Clock.Advance(5 * time.Second) // the lease ended 2 s ago, nothing has run for 5
	q.sweep()
	q.is(c.ID, tq.Running)
	q.pass(2 * time.Second)
	q.is(c.ID, tq.Running)
	q.pass(5 * time.Second)
	q.is(c.ID, tq.Pending)
}

func longOutage(q *Queue) {
	c := q.started(tq.NewTask{})
	q.pass(8 * time.Second)
	q.Clock.Advance(lease + time.Second) // put off by 10 s, not 11: until 20 s after the claim
	q.sweep()
	q.is(c.ID, tq.Running)
	q.pass(lease + 2*time.Second)
	q.is(c.ID, tq.Pending)
}

func graceIsUsed(q *Queue) {
	alive, gone := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.pass(7 * time.Second)
	q.Clock.Advance(8 * time.Second)
	q.claimTypeNothing("none") // a claim that finds nothing expires, with the same grace
	q.is(alive.ID, tq.Running)
	q.is(gone.ID, tq.Running)
	q.extend(alive, 3*lease)
	q.pass(lease)
	q.is(alive.ID, tq.Running)
	q.is(gone.ID, tq.Pending)
	q.complete(alive, `1`)
}

func noGraceWithoutOutage(q *Queue) {
	c := q.started(tq.NewTask{})
	for range 6 {
		q.Clock.Advance(2 * time.Second) // expiry stands still for 2 s at most
		q.sweep()
	}
	q.is(c.ID, tq.Pending)
}
