package storetest

import (
	"fmt"
	"slices"
	"time"

	"example.com/tq"
)

// Spec §6: dependencies (S31), fan-in (S33), parents and results (S37).

func depPromises() []promise {
	return []promise{
		{"S31 a dep is named by id, by key or by an earlier row", depRefs},
		{"S31 an unknown dep is refused and nothing is stored", unknownDeps},
		{"S31 a dep that has completed counts at once, a repeated one once", doneDeps},
		{"S31 a delay goes on while a task is blocked", delayedAndBlocked},
		{"S31 an enqueue and the end of its dep at once leave no task behind", enqueueAgainstEnd},
		{"S33 1,000 deps completed by 16 workers unblock exactly once", fanIn},
		{"S33 many children of many deps are each unblocked once", fanInMany},
		{"S37 a parent counts its whole tree", parentTree},
		{"S37 a parent must exist", unknownParent},
		{"S37 a task reads the results of its deps", depResults},
	}
}

func depRefs(q *Queue) {
	byID, byKey := q.enqueue(tq.NewTask{}), q.enqueue(keyed("shard-07"))
	elsewhere := keyed("far")
	elsewhere.Queue = "other"
	far := q.enqueue(elsewhere)
	out := q.enqueueAll(
		tq.NewTask{Deps: []tq.Ref{tq.ID(byID), "key:shard-07"}},
		tq.NewTask{Deps: []tq.Ref{"$0"}},
		tq.NewTask{Deps: []tq.Ref{"$0", "$1", tq.ID(far)}},
		tq.NewTask{Queue: "other", Deps: []tq.Ref{"key:far"}},
		keyed("shard-07"),
		tq.NewTask{Deps: []tq.Ref{"$4"}}, // a row that was there before
	)
	for i, want := range [][]int64{
		{byID, byKey}, {out[0].ID}, {far, out[0].ID, out[1].ID}, {far}, nil, {byKey},
	} {
		var got []int64
		for _, d := range q.task(out[i].ID).Deps {
			got = append(got, d.ID)
			same(q, "status of the dep", d.Status, q.task(d.ID).Status)
		}
		slices.Sort(got)
		slices.Sort(want)
		same(q, fmt.Sprintf("deps of row %d", i), got, want)
	}
}

func unknownDeps(q *Queue) {
	gone := q.enqueue(keyed("gone"))
	q.cancel(gone)
	q.delete(gone)
	other := keyed("far")
	other.Queue = "other"
	q.enqueue(other)
	q.unchanged("an unknown dep", func() {
		for _, ref := range []tq.Ref{"4711", tq.ID(gone), "key:gone", "key:never", "key:far"} {
			_, err := q.tryEnqueue(tq.NewTask{}, tq.NewTask{Deps: []tq.Ref{ref}})
			e := q.refused(string(ref), err, tq.CodeUnknownDependency)
			q.contains("the refusal", e.Message, string(ref))
		}
		for _, ref := range []tq.Ref{"$1", "$2", "$5"} { // itself, and forward
			_, err := q.tryEnqueue(tq.NewTask{}, tq.NewTask{Deps: []tq.Ref{ref}}, tq.NewTask{})
			e := q.refused(string(ref), err, tq.CodeInvalid)
			q.contains("the refusal", e.Message, string(ref))
		}
		for _, ref := range []tq.Ref{"", "x", "0", "-1", "1.5", "key:", "$", "$-1", "$x", "99999999999999999999"} {
			_, err := q.tryEnqueue(tq.NewTask{Deps: []tq.Ref{ref}})
			q.names(q.refused(string(ref), err, tq.CodeInvalid), "/tasks/0/deps/0", "deps")
		}
	})
}

func doneDeps(q *Queue) {
	done := q.started(tq.NewTask{})
	q.complete(done, `1`)
	open := q.started(tq.NewTask{})
	same(q, "status", q.enqueueAll(tq.NewTask{Deps: []tq.Ref{tq.ID(done.ID)}})[0].Status, tq.Pending)
	twice := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(open.ID), tq.ID(done.ID), tq.ID(open.ID)}})
	same(q, "deps", len(q.task(twice).Deps), 2)
	q.complete(open, `1`)
	q.tells(twice, tq.FactEnqueued, tq.FactUnblocked)
}

func delayedAndBlocked(q *Queue) {
	dep := q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}, Delay: tq.Duration(5 * time.Second)})
	late := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(dep.ID)}, Delay: tq.Duration(time.Second)})
	q.pass(2 * time.Second)
	q.complete(dep, `1`)
	same(q, "claimable", q.claimedOrder(5, tq.ClaimIn{}), []int64{late})
	same(q, "run_at", q.task(child).RunAt, tq.At(noon().Add(5*time.Second)))
	q.pass(3 * time.Second)
	q.take(child)
}

// enqueueAgainstEnd is the lost wake-up: a task is enqueued behind a dep while
// that dep completes.
func enqueueAgainstEnd(q *Queue) {
	const rounds = 60
	q.enqueueN(rounds, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: rounds})
	children := make([]int64, rounds)
	q.together(2*rounds, func(i int) error {
		c := cs[i/2]
		if i%2 == 0 {
			_, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
			return err
		}
		out, err := q.tryEnqueue(tq.NewTask{Queue: "child", Deps: []tq.Ref{tq.ID(c.ID)}})
		if err == nil {
			children[i/2] = out[0].ID
		}
		return err
	})
	slices.Sort(children)
	same(q, "claimable", slices.Sorted(slices.Values(q.claimedOrder(100, tq.ClaimIn{Queues: []string{"child"}}))), children)
}

// drain completes everything that can be claimed, with so many workers at once.
func (q *Queue) drain(workers, batch int, in tq.ClaimIn) {
	q.t.Helper()
	q.together(workers, func(int) error {
		for {
			out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Queues: in.Queues, Max: batch})
			if err != nil || len(out.Tasks) == 0 {
				return err
			}
			var rows []tq.CompleteLease
			for _, c := range out.Tasks {
				rows = append(rows, tq.CompleteLease{LeaseToken: c.LeaseToken, Result: []byte(`1`)})
			}
			settled, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: rows})
			if err != nil {
				return err
			}
			for _, s := range settled.Leases {
				if s.Error != nil {
					return fmt.Errorf("complete task %d: %w", s.TaskID, s.Error)
				}
			}
		}
	})
}

func fanIn(q *Queue) {
	var deps []tq.Ref
	for _, id := range q.enqueueN(tq.MaxDeps, tq.NewTask{}) {
		deps = append(deps, tq.ID(id))
	}
	child := q.enqueue(tq.NewTask{Queue: "child", Deps: deps})
	q.drain(16, 7, tq.ClaimIn{Queues: []string{"default"}})
	same(q, "completed", q.statsOf("default").Completed, 1_000)
	q.is(child, tq.Pending)
	q.tells(child, tq.FactEnqueued, tq.FactUnblocked)
	q.take(child)
}

func fanInMany(q *Queue) {
	const deps, children = 40, 50
	all := q.enqueueN(deps, tq.NewTask{})
	var batch []tq.NewTask
	for i := range children {
		n := tq.NewTask{Queue: "child"}
		for j := range 8 {
			n.Deps = append(n.Deps, tq.ID(all[(i*7+j*j)%deps]))
		}
		batch = append(batch, n)
	}
	made := q.enqueueAll(batch...)
	q.drain(16, 1, tq.ClaimIn{Queues: []string{"default"}})
	for _, e := range made {
		q.tells(e.ID, tq.FactEnqueued, tq.FactUnblocked)
	}
	same(q, "ready", q.statsOf("child").Ready, children)
}

func parentTree(q *Queue) {
	root := q.started(tq.NewTask{})
	done, open := q.started(tq.NewTask{Parent: root.ID}), q.enqueue(tq.NewTask{Parent: root.ID})
	grandchild := q.started(tq.NewTask{Parent: done.ID})
	q.enqueue(tq.NewTask{Parent: grandchild.ID, Deps: []tq.Ref{tq.ID(open)}})
	q.complete(done, `1`)
	q.giveUp(grandchild, "x")
	same(q, "tree of the root", q.task(root.ID).Children,
		map[tq.Status]int{tq.Completed: 1, tq.Pending: 1, tq.Dead: 1, tq.Blocked: 1})
	same(q, "tree of the child", q.task(done.ID).Children, map[tq.Status]int{tq.Dead: 1, tq.Blocked: 1})
	same(q, "tree of a leaf", len(q.task(open).Children), 0)
	same(q, "children", q.listed(tq.TasksIn{Parent: root.ID}), []int64{done.ID, open})
	same(q, "parent", q.task(open).Parent, root.ID)
}

func unknownParent(q *Queue) {
	q.unchanged("an unknown parent", func() {
		_, err := q.tryEnqueue(tq.NewTask{}, tq.NewTask{Parent: 4711})
		e := q.refused("enqueue", err, tq.CodeUnknownDependency)
		q.contains("the refusal", e.Message, "parent", "4711")
	})
}

func depResults(q *Queue) {
	done, dead := q.started(tq.NewTask{}), q.started(tq.NewTask{})
	child := q.enqueue(tq.NewTask{OnDepFailure: tq.DepRun, Deps: []tq.Ref{tq.ID(done.ID), tq.ID(dead.ID)}})
	q.complete(done, `{"sum": 1.0e2}`)
	q.giveUp(dead, "x")
	q.take(child)
	deps := q.task(child).Deps
	same(q, "deps", []any{deps[0].ID, deps[0].Status, string(deps[0].Result)}, []any{done.ID, tq.Completed, `{"sum": 1.0e2}`})
	same(q, "deps", []any{deps[1].ID, deps[1].Status, len(deps[1].Result)}, []any{dead.ID, tq.Dead, 0})
}
