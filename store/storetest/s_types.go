package storetest

import (
	"time"

	"example.com/tq"
)

// Spec §5: which types a claim takes (S28), and that a claim finds its task
// whatever else is there (S29; what that costs is for the benchmarks).

func typePromises() []promise {
	return []promise{
		{"S28 a claim takes only the types that it names", namedTypes},
		{"S28 a claim that names no types takes any but sh, http and agent", unnamedTypes},
		{"S28 a task that no worker serves stays, and explain says so", unknownType},
		{"S28 a claim takes only its project, when it names one", namedProject},
		{"S28 sh takes a bare command line, kept as a JSON string", shellPayload},
		{"S29 a claim finds its task behind all that it may not take", findsBehind},
	}
}

func namedTypes(q *Queue) {
	a, b := q.enqueue(tq.NewTask{Type: "a"}), q.enqueue(tq.NewTask{Type: "b"})
	c := q.enqueue(tq.NewTask{Type: "A"})
	same(q, "b", q.claimedOrder(5, tq.ClaimIn{Types: []string{"b", "unknown"}}), []int64{b})
	same(q, "a", q.claimedOrder(5, tq.ClaimIn{Types: []string{"a"}}), []int64{a})
	q.is(c, tq.Pending)
}

func unnamedTypes(q *Queue) {
	sh, http := q.enqueue(tq.NewTask{Type: "sh", Payload: []byte(`"true"`)}), q.enqueue(tq.NewTask{Type: "http"})
	agent, other := q.enqueue(tq.NewTask{Type: "agent"}), q.enqueue(tq.NewTask{Type: "task"})
	same(q, "unnamed", q.claimedOrder(5, tq.ClaimIn{}), []int64{other})
	same(q, "named", q.claimedOrder(5, tq.ClaimIn{Types: []string{"sh", "agent"}}), []int64{sh, agent})
	q.is(http, tq.Pending)
}

func unknownType(q *Queue) {
	id := q.enqueue(tq.NewTask{Type: "exotic"})
	q.tryClaim(tq.ClaimIn{Types: []string{"work"}, Worker: tq.WorkerInfo{ID: "w1", Types: []string{"work"}, Slots: 4}})
	q.pass(time.Second)
	q.is(id, tq.Pending)
	out, err := q.Client.Explain(q.ctx(), tq.ExplainIn{ID: id})
	q.must("explain", err)
	same(q, "code", out.Code, "no_worker")
	q.contains("the sentence", out.Sentence, "no worker", "exotic")
	q.tells(id, tq.FactEnqueued)
	q.claimSome(tq.ClaimIn{Types: []string{"exotic"}})
}

func namedProject(q *Queue) {
	a, b := q.enqueue(tq.NewTask{Project: "a"}), q.enqueue(tq.NewTask{Project: "b"})
	none := q.enqueue(tq.NewTask{})
	same(q, "b", q.claimedOrder(5, tq.ClaimIn{Project: "b"}), []int64{b})
	same(q, "any", q.claimedOrder(5, tq.ClaimIn{}), []int64{a, none})
}

func shellPayload(q *Queue) {
	for text, want := range map[string]string{
		`go test ./...`: `"go test ./..."`, `true`: `"true"`, `123`: `"123"`,
		`"echo hi"`: `"echo hi"`, `{"cmd":"ls"}`: `{"cmd":"ls"}`, `{"x":1}`: `"{\"x\":1}"`,
		`a<b && c>d`: `"a<b && c>d"`, `-n`: `"-n"`, `$(reboot)`: `"$(reboot)"`,
	} {
		id := q.enqueue(tq.NewTask{Type: "sh", Payload: []byte(text)})
		same(q, "payload", string(q.task(id).Payload), want)
	}
}

// findsBehind puts one task behind rows of every kind that a claim must not
// walk into, and claims it with a single call.
func findsBehind(q *Queue) {
	const many = 300
	q.enqueueN(many, tq.NewTask{Type: "foreign", Priority: 9})
	q.enqueueN(many, tq.NewTask{Queue: "paused", Priority: 9})
	q.pause("paused")
	q.enqueueN(many, tq.NewTask{Delay: tq.Duration(time.Hour), Priority: 9})
	q.enqueueN(many, tq.NewTask{Type: "ended"})
	var held []tq.ClaimedTask
	for range 3 {
		held = append(held, q.claimSome(tq.ClaimIn{Max: 100, Types: []string{"ended"}, Lease: tq.Duration(time.Hour)})...)
	}
	for i, c := range held {
		switch i % 4 {
		case 0:
			q.complete(c, `1`)
		case 1:
			q.giveUp(c, "x")
		case 2:
			q.forceCancel(c.ID)
		}
	}
	q.enqueueN(many, tq.NewTask{Deps: []tq.Ref{tq.ID(held[3].ID)}, Priority: 9})
	id := q.enqueue(tq.NewTask{Priority: -9})
	same(q, "claimed", ids(q.claimSome(tq.ClaimIn{Max: 5, Types: []string{"work"}})), []int64{id})
	stat := q.stats()
	same(q, "running, completed, dead, cancelled", []int64{stat.Running, stat.Completed, stat.Dead, stat.Cancelled},
		[]int64{many/4 + 1, many / 4, many / 4, many / 4})
}
