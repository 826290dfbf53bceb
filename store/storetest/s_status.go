package storetest

import (
	"slices"
	"time"

	"example.com/tq"
)

// Spec §1: statuses, labels and the fields that safety rests on (S1, S2).

func statusPromises() []promise {
	return []promise{
		{"S01 filters take statuses, labels and the words of other queues", filters},
		{"S01 stats count tasks by what they are doing", statsByDoing},
		{"S01 a filter that is no status is refused with those that are", unknownFilter},
		{"S02 ids rise and are never given twice", idsAreNeverReused},
		{"S02 the epoch rises by one with each claim, rescue and forced cancel", epochRises},
		{"S02 each attempt has a token of its own, told to its claimer alone", tokensAreOwn},
	}
}

// zoo holds one task of every label.
type zoo map[string]int64

func newZoo(q *Queue) zoo {
	z := zoo{}
	retried := q.started(tq.NewTask{})
	q.failFor(retried, "not yet", time.Hour)
	z["retrying"] = retried.ID
	done := q.started(tq.NewTask{})
	q.complete(done, `1`)
	z["completed"] = done.ID
	dead := q.started(tq.NewTask{})
	q.giveUp(dead, "hopeless")
	z["dead"] = dead.ID
	z["running"] = q.started(tq.NewTask{}).ID
	z["cancelled"] = q.enqueue(tq.NewTask{})
	q.cancel(z["cancelled"])
	z["ready"] = q.enqueue(tq.NewTask{})
	z["scheduled"] = q.enqueue(tq.NewTask{Delay: tq.Duration(time.Hour)})
	z["blocked"] = q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(z["ready"])}})
	return z
}

func (z zoo) ids(names ...string) []int64 {
	var out []int64
	for _, n := range names {
		out = append(out, z[n])
	}
	slices.Sort(out)
	return out
}

func filters(q *Queue) {
	z := newZoo(q)
	for word, want := range map[string][]string{
		"":          {"blocked", "ready", "scheduled", "retrying", "running", "completed", "dead", "cancelled"},
		"blocked":   {"blocked"},
		"pending":   {"ready", "scheduled", "retrying"},
		"ready":     {"ready"},
		"scheduled": {"scheduled", "retrying"},
		"retrying":  {"retrying"},
		"failed":    {"retrying"},
		"running":   {"running"},
		"claimed":   {"running"},
		"completed": {"completed"},
		"done":      {"completed"},
		"dead":      {"dead"},
		"cancelled": {"cancelled"},
	} {
		same(q, "tasks with status "+word, q.listed(tq.TasksIn{Status: word}), z.ids(want...))
	}
	for name, id := range z {
		task := q.task(id)
		same(q, "label", task.Label(q.Clock.Now()), name)
	}
}

func statsByDoing(q *Queue) {
	newZoo(q)
	q.pause("default")
	q.Clock.Advance(5 * time.Second)
	same(q, "stats", q.statsOf("default"), tq.Stats{
		Queue: "default", Paused: true,
		Ready: 1, Scheduled: 2, Retrying: 1, Blocked: 1, Running: 1, Completed: 1, Dead: 1, Cancelled: 1,
		OldestReady: tq.Duration(5 * time.Second),
	})
}

func unknownFilter(q *Queue) {
	_, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Status: "banana"})
	e := q.refused("status banana", err, tq.CodeInvalid)
	q.names(e, "/status", "banana", "retrying", "cancelled")
}

func idsAreNeverReused(q *Queue) {
	first, second := q.enqueue(tq.NewTask{}), q.enqueue(tq.NewTask{})
	if second <= first || first <= 0 {
		q.t.Fatalf("ids %d, %d do not rise", first, second)
	}
	q.cancel(second)
	q.delete(second)
	if third := q.enqueue(tq.NewTask{}); third <= second {
		q.t.Fatalf("id %d after %d was deleted", third, second)
	}
	_, err := q.tryEnqueue(tq.NewTask{Deps: []tq.Ref{"999999"}})
	q.refused("unknown dependency", err, tq.CodeUnknownDependency)
	q.isGone(second)
}

func epochRises(q *Queue) {
	id := q.enqueue(tq.NewTask{MaxAttempts: 2})
	same(q, "epoch of a new task", q.task(id).Epoch, 0)
	c := q.take(id)
	same(q, "epoch after a claim", c.Epoch, 1)
	q.release(c)
	same(q, "epoch after a release", q.task(id).Epoch, 1)
	c = q.take(id)
	same(q, "epoch after the next claim", c.Epoch, 2)
	q.extend(c, lease)
	q.expire(c)
	same(q, "epoch after an expiry", q.task(id).Epoch, 2)
	c = q.take(id)
	q.fail(c, "twice")
	same(q, "epoch of a dead task", q.task(id).Epoch, 3)
	q.rescue(id)
	same(q, "epoch after a rescue", q.task(id).Epoch, 4)
	q.take(id)
	q.forceCancel(id)
	same(q, "epoch after a forced cancel", q.task(id).Epoch, 6)
	q.rescue(id)
	q.cancel(id)
	same(q, "epoch after a cancel that took nothing from a holder", q.task(id).Epoch, 7)
}

func tokensAreOwn(q *Queue) {
	q.enqueueN(2, tq.NewTask{})
	both := q.claimSome(tq.ClaimIn{Max: 2, Worker: tq.WorkerInfo{ID: "w1", Name: "box"}})
	same(q, "claimed", len(both), 2)
	tokens := []string{both[0].LeaseToken, both[1].LeaseToken}
	q.release(both[0])
	tokens = append(tokens, q.take(both[0].ID).LeaseToken)
	for i, token := range tokens {
		if token == "" || slices.Index(tokens, token) != i {
			q.t.Fatalf("tokens %q are not all different", tokens)
		}
	}
	workers, err := q.Client.Workers(q.ctx(), tq.WorkersIn{})
	q.must("workers", err)
	explained, err := q.Client.Explain(q.ctx(), tq.ExplainIn{ID: both[1].ID})
	q.must("explain", err)
	for what, read := range map[string]any{
		"a task": q.task(both[0].ID), "the list": q.list(tq.TasksIn{Fields: "payload"}), "the journal": q.facts(tq.FactsIn{}),
		"the task inside a claim": both[0].Task, "the workers": workers, "the explanation": explained,
	} {
		q.noToken(what, read)
	}
}
