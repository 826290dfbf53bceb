package storetest

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"example.com/tq"
)

// Spec S3, the column "by": what a caller may do that has some scopes over some
// queues and types. The whole matrix of operations, scopes, and own and foreign
// tasks; lists and counts; dependencies; claims.

func rightsPromises() []promise {
	return []promise{
		{"S03 whoever has no right may ask nothing", noRights},
		{"S03 each operation needs one of its scopes", scopesMatrix},
		{"S03 a task outside the caller's queues and types is not found, whatever is asked of it", foreignTasks},
		{"S03 a lease token of a task outside the caller's queues settles nothing", foreignLeases},
		{"S03 lists, searches and pages hold the caller's tasks alone", foreignLists},
		{"S03 the journal tells of the caller's queues alone", foreignFacts},
		{"S03 counts and workers are those of the caller's queues", foreignCounts},
		{"S03 a claim takes the caller's tasks alone", foreignClaims},
		{"S03 a claim id of one caller is unknown to another", foreignClaimIDs},
		{"S03 an enqueuer brings nothing back that has ended", enqueuerRequeues},
		{"S03 a purge takes the caller's types alone", foreignPurge},
		{"S03 a worker that serves other queues too is removed by nobody who cannot see them", foreignWorkers},
		{"S31 a dependency that the caller cannot see is unknown", foreignDeps},
	}
}

// caller asks q's store with those rights, over queue own and every type but
// those to be named.
func (q *Queue) caller(can ...tq.Scope) *tq.Broker {
	return tq.New(q.Store, tq.Options{}).For(tq.Rights{Can: can, Queues: []string{"own", "own:*"}, Types: []string{tq.Any}}, "sam")
}

// noRights also holds this table to the Client: a method that is not in it is
// not tested.
func noRights(q *Queue) {
	held := q.started(tq.NewTask{Queue: "own"})
	nobody := tq.New(q.Store, tq.Options{}).For(tq.Rights{}, "nobody")
	var names []string
	for _, op := range operations() {
		names = append(names, op.name)
		q.refused(op.name, op.ask(q.ctx(), nobody, "own", held.ID, held.LeaseToken), tq.CodeForbidden)
	}
	client := reflect.TypeFor[tq.Client]()
	for i := range client.NumMethod() {
		if name := client.Method(i).Name; !slices.Contains(names, name) {
			q.t.Errorf("operations() does not know %s", name)
		}
	}
	q.is(held.ID, tq.Running)
}

func scopesMatrix(q *Queue) {
	for _, op := range operations() {
		for _, scope := range tq.Scopes() {
			held := q.started(tq.NewTask{Queue: "own"})
			err := op.ask(q.ctx(), q.caller(scope), "own", held.ID, held.LeaseToken)
			q.resume("own")
			if may := slices.Contains(op.scopes, scope); may == (tq.CodeOf(err) == tq.CodeForbidden) {
				q.t.Errorf("%s with scope %s: %v", op.name, scope, err)
			}
		}
	}
}

func foreignTasks(q *Queue) {
	all := q.caller(tq.Scopes()...)
	foreign := []int64{
		q.enqueue(tq.NewTask{Queue: "other"}),
		q.enqueue(tq.NewTask{Queue: "own", Type: "sh", Payload: []byte("true")}),
		q.enqueue(tq.NewTask{Queue: "OWN"}),
	}
	own := []int64{q.enqueue(tq.NewTask{Queue: "own"}), q.enqueue(tq.NewTask{Queue: "own:x"})}
	for _, op := range aboutTasks(nil, nil, nil) {
		for _, id := range foreign {
			e := q.refused(op.name, op.ask(q.ctx(), all, "", id, ""), tq.CodeNotFound)
			unknown := q.refused(op.name, op.ask(q.ctx(), all, "", 1<<40, ""), tq.CodeNotFound)
			same(q, op.name+": the hint", e.Hint, unknown.Hint)
		}
		for _, id := range own {
			if err := op.ask(q.ctx(), all, "", id, ""); tq.CodeOf(err) == tq.CodeNotFound {
				q.t.Errorf("%s of an own task: %v", op.name, err)
			}
		}
	}
	for _, id := range foreign {
		q.is(id, tq.Pending)
	}
}

func foreignLeases(q *Queue) {
	held := q.started(tq.NewTask{Queue: "other"})
	for _, op := range aboutLeases(nil) {
		q.refused(op.name, op.ask(q.ctx(), q.caller(tq.Scopes()...), "", 0, held.LeaseToken), tq.CodeNotFound)
	}
	q.is(held.ID, tq.Running)
	q.complete(held, `1`)
	for _, op := range aboutLeases(nil) {
		q.refused(op.name+" again", op.ask(q.ctx(), q.caller(tq.Scopes()...), "", 0, held.LeaseToken), tq.CodeNotFound)
	}
}

func foreignLists(q *Queue) {
	var own []int64
	for range 7 {
		own = append(own, q.enqueue(tq.NewTask{Queue: "own:a", Payload: []byte(`"needle"`)}))
		q.enqueueN(3, tq.NewTask{Queue: "other", Payload: []byte(`"needle"`)})
		q.enqueue(tq.NewTask{Queue: "own", Type: "agent", Payload: []byte(`"needle"`)})
	}
	slices.Reverse(own)
	sam := q.caller(tq.CanRead)
	for _, in := range []tq.TasksIn{{}, {Status: "ready"}, {Search: "needle"}, {Status: "pending", Search: "needle"}} {
		in.Limit = 2
		var got []int64
		for {
			page, err := sam.Tasks(q.ctx(), in)
			q.must("list", err)
			for _, t := range page.Tasks {
				got = append(got, t.ID)
			}
			if page.Cursor == "" {
				break
			}
			same(q, "tasks on a page", len(page.Tasks), 2)
			in.Cursor = page.Cursor
		}
		same(q, "listed", got, own)
	}
	page, err := sam.Tasks(q.ctx(), tq.TasksIn{Queue: "other"})
	q.must("list", err)
	same(q, "tasks of another queue", len(page.Tasks), 0)
}

func foreignFacts(q *Queue) {
	own, other := q.enqueue(tq.NewTask{Queue: "own"}), q.enqueue(tq.NewTask{Queue: "other"})
	q.enqueue(tq.NewTask{Queue: "own", Type: "sh", Payload: []byte("true")})
	q.pause("other")
	q.pause("own:never-used")
	q.tryClaim(tq.ClaimIn{Queues: []string{"nothing"}, Worker: tq.WorkerInfo{ID: "w"}})
	_, err := q.Client.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "w"})
	q.must("remove the worker", err)
	out, err := q.caller(tq.CanRead).Facts(q.ctx(), tq.FactsIn{})
	q.must("facts", err)
	var got []string
	for _, f := range out.Facts {
		got = append(got, string(f.Kind)+" "+f.Queue)
	}
	same(q, "facts", got, []string{"task.enqueued own", "queue.paused own:never-used"})
	for _, in := range []tq.FactsIn{{TaskID: other}, {Queue: "other"}, {TaskID: other, Last: true}} {
		out, err := q.caller(tq.CanRead).Facts(q.ctx(), in)
		q.must("facts", err)
		same(q, "facts of another queue", len(out.Facts), 0)
	}
	out, err = q.caller(tq.CanRead).Facts(q.ctx(), tq.FactsIn{TaskID: own})
	q.must("facts", err)
	same(q, "facts of an own task", len(out.Facts), 1)
}

func foreignCounts(q *Queue) {
	q.enqueueN(3, tq.NewTask{Queue: "own"})
	q.enqueueN(5, tq.NewTask{Queue: "other"})
	q.enqueue(tq.NewTask{Queue: "own", Type: "agent"})
	q.pause("other")
	q.pause("secret")
	for id, queues := range map[string][]string{"mine": {"own:x"}, "theirs": {"other"}, "both": {"own", "other"}, "wide": {"*"}} {
		q.tryClaim(tq.ClaimIn{Queues: []string{"nothing"}, Worker: tq.WorkerInfo{ID: id, Queues: queues}})
	}
	held := q.claimSome(tq.ClaimIn{Queues: []string{"own"}, Worker: tq.WorkerInfo{ID: "both", Queues: []string{"own", "other"}}})[0]
	q.resume("other")
	q.claimSome(tq.ClaimIn{Queues: []string{"other"}, Worker: tq.WorkerInfo{ID: "both", Queues: []string{"own", "other"}}})
	sam := q.caller(tq.CanRead)
	stats, err := sam.Stats(q.ctx(), tq.StatsIn{})
	q.must("stats", err)
	same(q, "queues", len(stats.Queues), 1)
	same(q, "ready", stats.Total.Ready, 2)
	same(q, "running", stats.Total.Running, 1)
	out, err := sam.Workers(q.ctx(), tq.WorkersIn{})
	q.must("workers", err)
	var names []string
	for _, w := range out.Workers {
		names = append(names, w.ID)
		if w.ID == "both" {
			same(q, "what it is seen to run", w.Running, []int64{held.ID})
			same(q, "its leases", len(w.Leases), 1)
			same(q, "time left", w.Leases[0].Left, tq.Duration(lease))
		}
	}
	slices.Sort(names)
	same(q, "workers", names, []string{"both", "mine", "wide"})
}

func foreignClaims(q *Queue) {
	q.enqueueN(3, tq.NewTask{Queue: "other", Priority: 9})
	q.enqueue(tq.NewTask{Queue: "own", Type: "sh", Payload: []byte("true"), Priority: 9})
	q.enqueue(tq.NewTask{Queue: "other", Delay: tq.Duration(time.Second)})
	q.pause("paused")
	want := []int64{q.enqueue(tq.NewTask{Queue: "own"}), q.enqueue(tq.NewTask{Queue: "own:z"})}
	sam := q.caller(tq.CanClaim)
	out, err := sam.Claim(q.ctx(), tq.ClaimIn{Max: 100, Worker: tq.WorkerInfo{ID: "w"}})
	q.must("claim", err)
	got := ids(out.Tasks)
	slices.Sort(got)
	same(q, "claimed", got, want)
	out, err = sam.Claim(q.ctx(), tq.ClaimIn{Max: 100})
	q.must("claim", err)
	same(q, "claimed again", len(out.Tasks), 0)
	same(q, "next due", out.RetryAfter, 0)
	same(q, "paused", out.Paused, nil)
	for _, in := range []tq.ClaimIn{{Queues: []string{"own", "other"}}, {Types: []string{"sh"}}} {
		_, err := sam.Claim(q.ctx(), in)
		q.refused("claim what was named", err, tq.CodeForbidden)
	}
	for _, in := range []tq.NewTask{{Queue: "other"}, {Queue: "own", Type: "sh", Payload: []byte("true")}} {
		in.Type = cmp.Or(in.Type, "work")
		_, err := q.caller(tq.CanEnqueue).Enqueue(q.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{in}})
		q.refused("enqueue what was named", err, tq.CodeForbidden)
	}
}

func foreignClaimIDs(q *Queue) {
	q.enqueueN(2, tq.NewTask{Queue: "own"})
	rights := tq.Rights{Can: []tq.Scope{tq.CanClaim}, Queues: []string{"own"}, Types: []string{tq.Any}}
	sam, eve := q.caller(tq.CanClaim), tq.New(q.Store, tq.Options{}).For(rights, "eve")
	in := tq.ClaimIn{ClaimID: "c1"}
	first, err := sam.Claim(q.ctx(), in)
	q.must("claim", err)
	other, err := eve.Claim(q.ctx(), in)
	q.must("claim under the same id", err)
	again, err := sam.Claim(q.ctx(), in)
	q.must("claim again", err)
	same(q, "claimed again", ids(again.Tasks), ids(first.Tasks))
	if len(other.Tasks) != 1 || other.Tasks[0].ID == first.Tasks[0].ID {
		q.t.Errorf("another caller got %v", ids(other.Tasks))
	}
}

func enqueuerRequeues(q *Queue) {
	waits := q.enqueue(tq.NewTask{Queue: "own", Delay: tq.Duration(time.Hour)})
	ended := q.started(tq.NewTask{Queue: "own"})
	q.giveUp(ended, "no")
	sam := q.caller(tq.CanEnqueue)
	q.must("run now", changeError(sam.Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{waits}})))
	err := changeError(sam.Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{ended.ID}}))
	q.refused("bring back", err, tq.CodeForbidden)
	q.is(ended.ID, tq.Dead)
	q.must("bring back", changeError(q.caller(tq.CanAdmin).Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{ended.ID}})))
}

func foreignPurge(q *Queue) {
	q.enqueueN(2, tq.NewTask{Queue: "own"})
	kept := q.enqueue(tq.NewTask{Queue: "own", Type: "agent"})
	out, err := q.caller(tq.CanAdmin).Purge(q.ctx(), tq.QueueIn{Queue: "own"})
	q.must("purge", err)
	same(q, "deleted", out.Deleted, 2)
	q.is(kept, tq.Pending)
	_, err = q.caller(tq.CanAdmin).Purge(q.ctx(), tq.QueueIn{Queue: "other"})
	q.refused("purge another queue", err, tq.CodeForbidden)
}

func foreignWorkers(q *Queue) {
	for id, queues := range map[string][]string{"mine": {"own", "own:*"}, "both": {"own", "other"}, "all": nil, "wide": {"*"}} {
		q.tryClaim(tq.ClaimIn{Queues: []string{"nothing"}, Worker: tq.WorkerInfo{ID: id, Queues: queues}})
	}
	sam := q.caller(tq.CanAdmin)
	for _, id := range []string{"both", "all", "wide", "unknown"} {
		_, err := sam.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: id})
		q.refused("remove "+id, err, tq.CodeNotFound)
	}
	_, err := sam.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "mine"})
	q.must("remove its own", err)
}

func foreignDeps(q *Queue) {
	other := q.enqueue(tq.NewTask{Queue: "other"})
	secret := q.enqueue(tq.NewTask{Queue: "own", Type: "agent", IdempotencyKey: "k"})
	own := q.enqueue(tq.NewTask{Queue: "own"})
	dep := func(c *tq.Broker, n tq.NewTask) error {
		n.Queue, n.Type = "own", "work"
		_, err := c.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{n}})
		return err
	}
	sam := q.caller(tq.CanEnqueue, tq.CanRead)
	for name, n := range map[string]tq.NewTask{
		"by id": {Deps: []tq.Ref{tq.ID(other)}}, "of a type": {Deps: []tq.Ref{tq.ID(secret)}},
		"by key": {Deps: []tq.Ref{"key:k"}}, "a parent": {Parent: other},
	} {
		e := q.refused(name, dep(sam, n), tq.CodeUnknownDependency)
		if e.Hint == "" {
			q.t.Errorf("%s: no hint", name)
		}
	}
	q.must("an own one", dep(sam, tq.NewTask{Deps: []tq.Ref{tq.ID(own)}, Parent: own}))
	q.refused("without read", dep(q.caller(tq.CanEnqueue), tq.NewTask{Deps: []tq.Ref{tq.ID(own)}}), tq.CodeUnknownDependency)

	q.must("by an admin", dep(tq.New(q.Store, tq.Options{}), tq.NewTask{Deps: []tq.Ref{tq.ID(other)}, IdempotencyKey: "shown"}))
	q.complete(q.claimSome(tq.ClaimIn{Queues: []string{"other"}})[0], `"secret"`)
	page, err := sam.Tasks(q.ctx(), tq.TasksIn{Key: "shown"})
	q.must("list", err)
	shown, err := sam.Task(q.ctx(), tq.TaskIn{ID: page.Tasks[0].ID})
	q.must("show", err)
	same(q, "the dependency", shown.Deps, []tq.Dep{{ID: other, Status: tq.Completed}})
}
