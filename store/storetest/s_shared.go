package storetest

import (
	"fmt"
	"slices"
	"time"

	"example.com/tq"
)

// What holds when several stores are open on one place, as several processes
// have them.

func sharedPromises() []promise {
	return []promise{
		{"S18 one key through two stores makes one task", sharedKey},
		{"S22 two stores hand out every task once", sharedClaims},
		{"S20 an attempt that two stores settle is settled once", sharedSettle},
		{"S24 a pause holds in every store at once", sharedPause},
		{"S25 a waiting claim is woken by a commit of another store", sharedWake},
		{"S11 an outage is one of all stores, not of one", sharedGrace},
		{"S33 deps completed through two stores unblock exactly once", sharedFanIn},
		{"S35 a follower in one store sees the facts of another exactly once", sharedJournal},
	}
}

// either is one of two queues, by number.
func either(i int, a, b *Queue) *Queue {
	if i%2 == 0 {
		return a
	}
	return b
}

func sharedKey(q *Queue) {
	other := q.beside()
	answers := make([]tq.Enqueued, 40)
	q.together(len(answers), func(i int) error {
		out, err := either(i, q, other).tryEnqueue(keyed("one"))
		if err == nil {
			answers[i] = out[0]
		}
		return err
	})
	for _, a := range answers {
		same(q, "id", a.ID, answers[0].ID)
	}
	same(q, "tasks", len(q.list(tq.TasksIn{})), 1)
}

func sharedClaims(q *Queue) {
	other := q.beside()
	const tasks, claimers = 200, 8
	all := q.enqueueN(tasks, tq.NewTask{})
	got := make([][]int64, claimers)
	q.together(claimers, func(i int) error {
		for {
			out, err := either(i, q, other).Client.Claim(q.ctx(), tq.ClaimIn{Max: 1 + i%3})
			if err != nil || len(out.Tasks) == 0 {
				return err
			}
			got[i] = append(got[i], ids(out.Tasks)...)
		}
	})
	same(q, "claimed", slices.Sorted(slices.Values(slices.Concat(got...))), all)
	same(q, "running, seen by the other", other.stats().Running, tasks)
}

func sharedSettle(q *Queue) {
	other := q.beside()
	c := q.started(tq.NewTask{})
	q.together(20, func(i int) error {
		out, err := either(i, q, other).Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{
			{LeaseToken: c.LeaseToken, Result: []byte(fmt.Sprint(i))},
		}})
		if err == nil && out.Leases[0].Error != nil && out.Leases[0].Error.Code != tq.CodeAlreadySettled {
			return out.Leases[0].Error
		}
		return err
	})
	q.tells(c.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted)
}

func sharedPause(q *Queue) {
	other := q.beside()
	id := q.enqueue(tq.NewTask{})
	other.claimTypeNothing("none") // so that it has seen the queue before
	q.pause("default")
	same(q, "paused, seen by the other", other.claimNothing().Paused, []string{"default"})
	other.resume("default")
	q.take(id)
}

func sharedWake(q *Queue) {
	other := q.beside()
	other.live()
	answer := other.waiting(q.ctx(), tq.ClaimIn{Queues: []string{"default"}, Wait: longest})
	await(q, "the first, empty claim", other.probe.empty)
	other.probe.forget()
	id := q.enqueue(tq.NewTask{})
	ready := readyIn("default")
	other.hears("a task is claimable", func(n tq.News) bool { return n.Other || ready(n) })
	a := await(q, "the claim's answer", answer)
	q.must("claim", a.err)
	same(q, "claimed", ids(a.out.Tasks), []int64{id})
}

// sharedGrace lets one store stand still while the other sweeps: the leases end
// in time, and nothing is put off.
func sharedGrace(q *Queue) {
	other := q.beside()
	c := q.started(tq.NewTask{})
	other.pass(lease + time.Second)
	q.sweep()
	q.is(c.ID, tq.Pending)
	again := q.take(c.ID)
	other.pass(lease)
	q.claimTypeNothing("none")
	q.is(again.ID, tq.Running)
	other.pass(time.Second)
	q.is(again.ID, tq.Pending)
}

func sharedFanIn(q *Queue) {
	other := q.beside()
	const many = 120
	var deps []tq.Ref
	for _, id := range q.enqueueN(many, tq.NewTask{}) {
		deps = append(deps, tq.ID(id))
	}
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: deps})
	mine := q.claimSome(tq.ClaimIn{Max: 60})
	others := other.claimSome(tq.ClaimIn{Max: 60})
	q.together(many, func(i int) error {
		c := mine[i/2]
		if i%2 == 1 {
			c = others[i/2]
		}
		out, err := either(i/2, q, other).Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
		if err == nil && out.Leases[0].Error != nil {
			return out.Leases[0].Error
		}
		return err
	})
	q.tells(child, tq.FactEnqueued, tq.FactUnblocked)
	other.take(child)
}

func sharedJournal(q *Queue) {
	other := q.beside()
	stopped := make(chan struct{})
	followed := make(chan []tq.Fact, 1)
	go func() { followed <- other.follow(stopped) }()
	q.together(6, func(i int) error { return q.write(i, 15) })
	close(stopped)
	same(q, "facts met", await(q, "the follower", followed), q.facts(tq.FactsIn{}))
}

// follow reads the journal from its beginning until nobody writes any more and
// it has come to the end, or to an error.
func (q *Queue) follow(stopped <-chan struct{}) []tq.Fact {
	var met []tq.Fact
	for last := false; ; {
		select {
		case <-stopped:
			last = true
		default:
		}
		in := tq.FactsIn{Limit: 7}
		if len(met) > 0 {
			in.After = met[len(met)-1].Seq
		}
		out, err := q.Client.Facts(q.ctx(), in)
		met = append(met, out.Facts...)
		if err != nil || last && len(out.Facts) == 0 {
			return met
		}
	}
}
