package storetest

import (
	"time"

	"example.com/tq"
)

// What people ask: why is it not running, who works here, how many are there.
// The promises behind it are S1, S15, S24 and S28.

func adminPromises() []promise {
	return []promise{
		{"S28 explain says in one sentence why a task is not running", explains},
		{"S15 the registry shows workers, what they hold and when they were seen", registry},
		{"S01 stats are grouped and filtered", statsGrouped},
		{"S01 a series counts what the journal tells, and how long it took", seriesCount},
		{"S01 a series outlives the facts that it was counted from", seriesStays},
		{"S01 lists are filtered by queue, type, project, key and text", listFilters},
		{"S01 dead tasks are grouped by what they died of", deadGroups},
		{"S01 every cause of death is counted exactly, however many died, named or not", manyCauses},
	}
}

func explains(q *Queue) {
	z := newZoo(q)
	other := q.enqueue(tq.NewTask{Queue: "paused"})
	q.pause("paused")
	busy := tq.WorkerInfo{ID: "w1", Name: "box", Types: []string{"served"}, Slots: 1}
	q.enqueue(tq.NewTask{Type: "served"})
	q.claimSome(tq.ClaimIn{Types: []string{"served"}, Worker: busy})
	behind := q.enqueue(tq.NewTask{Type: "served"})
	q.tryClaim(tq.ClaimIn{Types: []string{"idle"}, Worker: tq.WorkerInfo{ID: "w2", Types: []string{"idle"}, Slots: 1}})
	claimable := q.enqueue(tq.NewTask{Type: "idle"})
	for id, want := range map[int64][3]string{
		z["scheduled"]: {"scheduled", "scheduled", "2026-11-29T13:00:00.000Z"},
		z["retrying"]:  {"retrying", "retrying", "not yet"},
		z["blocked"]:   {"blocked", "blocked", "1 of 1"},
		z["running"]:   {"running", "running", "attempt 1 of 3"},
		z["completed"]: {"completed", "completed", "attempt 1 of 3"},
		z["dead"]:      {"dead", "dead", "hopeless"},
		z["cancelled"]: {"cancelled", "cancelled", "cancelled"},
		z["ready"]:     {"ready", "no_worker", "work"},
		other:          {"ready", "paused", "paused"},
		behind:         {"ready", "behind", "busy"},
		claimable:      {"ready", "claimable", "1 workers"},
	} {
		out, err := q.Client.Explain(q.ctx(), tq.ExplainIn{ID: id})
		q.must("explain", err)
		same(q, "id, status and code", []any{out.ID, out.Status, out.Code}, []any{id, want[0], want[1]})
		q.contains("the sentence", out.Sentence, want[2])
	}
}

func registry(q *Queue) {
	q.enqueueN(2, tq.NewTask{})
	info := tq.WorkerInfo{
		ID: "w1", Name: "box", Host: "h", Version: "1.0", Types: []string{"work"}, Queues: []string{"default"}, Slots: 4,
	}
	cs := q.claimSome(tq.ClaimIn{Max: 2, Worker: info})
	q.pass(2 * time.Second)
	_, err := q.Client.Extend(q.ctx(), tq.ExtendIn{Worker: info, Leases: []tq.ExtendLease{{LeaseToken: cs[0].LeaseToken}}})
	q.must("extend", err)
	info2 := tq.WorkerInfo{ID: "w2", Draining: true}
	_, err = q.Client.Extend(q.ctx(), tq.ExtendIn{Worker: info2}) // alive, holding nothing
	q.must("say that one is alive", err)
	q.complete(cs[1], `1`)
	out, err := q.Client.Workers(q.ctx(), tq.WorkersIn{})
	q.must("workers", err)
	rows := map[string]tq.WorkerView{}
	for _, w := range out.Workers {
		rows[w.ID] = w
	}
	same(q, "workers", len(rows), 2)
	w := rows["w1"]
	same(q, "what it says of itself", w.WorkerInfo, info)
	same(q, "holds", w.Running, []int64{cs[0].ID})
	same(q, "started", w.StartedAt, tq.At(noon()))
	same(q, "seen", w.SeenAt, tq.At(q.Clock.Now()))
	same(q, "states", []string{w.State, rows["w2"].State}, []string{"busy", "draining"})
	same(q, "worker of the lease", q.task(cs[0].ID).Lease.Worker, "w1")
	q.Clock.Advance(61 * time.Second)
	stat, err := q.Client.Stats(q.ctx(), tq.StatsIn{})
	q.must("stats", err)
	same(q, "workers counted", stat.Workers, tq.WorkerCounts{Lost: 2})
}

func statsGrouped(q *Queue) {
	q.enqueueN(3, tq.NewTask{Queue: "a", Type: "x", Project: "p"})
	q.enqueueN(2, tq.NewTask{Queue: "b", Type: "x"})
	q.enqueue(tq.NewTask{Queue: "b", Type: "y", Project: "p"})
	ready := func(in tq.StatsIn) map[string]int64 {
		out, err := q.Client.Stats(q.ctx(), in)
		q.must("stats", err)
		counts := map[string]int64{"total": out.Total.Ready}
		for _, s := range out.Queues {
			counts[s.Queue+s.Type+s.Project] = s.Ready
		}
		return counts
	}
	same(q, "by queue", ready(tq.StatsIn{}), map[string]int64{"a": 3, "b": 3, "total": 6})
	same(q, "by type", ready(tq.StatsIn{By: "type"}), map[string]int64{"x": 5, "y": 1, "total": 6})
	same(q, "by project", ready(tq.StatsIn{By: "project"}), map[string]int64{"p": 4, "": 2, "total": 6})
	same(q, "of queue b by type", ready(tq.StatsIn{Queue: "b", By: "type"}), map[string]int64{"x": 2, "y": 1, "total": 3})
	same(q, "of type y", ready(tq.StatsIn{Type: "y"}), map[string]int64{"b": 1, "total": 1})
	_, err := q.Client.Stats(q.ctx(), tq.StatsIn{By: "colour"})
	q.names(q.refused("stats", err, tq.CodeInvalid), "/by", "queue or type or project")
}

func listFilters(q *Queue) {
	a := q.enqueue(tq.NewTask{Queue: "a", Type: "x", Project: "p", Payload: []byte(`{"find":"needle 100%"}`)})
	b := q.enqueue(tq.NewTask{Queue: "a", Type: "y", IdempotencyKey: "k"})
	c := q.started(tq.NewTask{Queue: "b", Project: "p"})
	q.failFor(c, "a needle broke", 0)
	for what, f := range map[string]struct {
		in   tq.TasksIn
		want []int64
	}{
		"queue":          {tq.TasksIn{Queue: "a"}, []int64{a, b}},
		"type":           {tq.TasksIn{Type: "y"}, []int64{b}},
		"project":        {tq.TasksIn{Project: "p"}, []int64{a, c.ID}},
		"key":            {tq.TasksIn{Key: "k"}, []int64{b}},
		"text":           {tq.TasksIn{Search: "needle"}, []int64{a, c.ID}},
		"text, literal":  {tq.TasksIn{Search: "100%"}, []int64{a}},
		"no pattern":     {tq.TasksIn{Search: "n%e"}, nil},
		"two at once":    {tq.TasksIn{Project: "p", Queue: "b"}, []int64{c.ID}},
		"queue unknown":  {tq.TasksIn{Queue: "nowhere"}, nil},
		"status of some": {tq.TasksIn{Queue: "a", Status: "ready"}, []int64{a, b}},
	} {
		same(q, what, q.listed(f.in), f.want)
	}
	_, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Fields: "secrets"})
	q.names(q.refused("list", err, tq.CodeInvalid), "/fields", "payload")
}

func deadGroups(q *Queue) {
	q.giveUp(q.take(q.enqueue(tq.NewTask{Queue: "other"})), "disk full")
	old := q.take(q.enqueue(tq.NewTask{}))
	q.giveUp(old, "timed out after 30 s on 10.0.0.1")
	q.pass(time.Minute)
	newest := q.take(q.enqueue(tq.NewTask{Queue: "b"}))
	q.giveUp(newest, "timed out after 7.5 s on 10.0.0.2")
	out, err := q.Client.Errors(q.ctx(), tq.ErrorsIn{})
	q.must("errors", err)
	if len(out.Groups) != 2 || out.Left != 0 || out.Unnamed != 0 {
		q.t.Fatalf("2 causes of death are answered as %+v", out)
	}
	g := out.Groups[0]
	same(q, "the largest group", []any{g.Title, g.Dead, g.Queues, g.Sample, g.IDs == nil},
		[]any{"timed out after <n> s on <host>", int64(2), []string{"b", "default"}, newest.ID, true})
	same(q, "its time", g.LastAt.Sub(g.FirstAt.Time), time.Minute)
	out, err = q.Client.Errors(q.ctx(), tq.ErrorsIn{Fingerprint: g.Fingerprint})
	q.must("errors of one cause", err)
	same(q, "the tasks of one cause", out.Groups[0].IDs, []int64{newest.ID, old.ID})
	out, err = q.Client.Errors(q.ctx(), tq.ErrorsIn{Queue: "other"})
	q.must("errors of one queue", err)
	same(q, "the causes of one queue", []any{len(out.Groups), out.Groups[0].Title}, []any{1, "disk full"})
}
