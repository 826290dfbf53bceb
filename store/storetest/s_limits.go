package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// Spec §5, S26: every limit at both edges.

func limitPromises() []promise {
	return []promise{
		{"S26 names and lists are held to their limits", nameEdges},
		{"S26 queue names are letters, digits and ._:/- only", queueNames},
		{"S26 a payload is at most 131,072 bytes", payloadEdges},
		{"S26 a result over 131,072 bytes leaves the lease for a smaller one", resultEdges},
		{"S26 an error is cut with a mark, never refused", errorIsCut},
		{"S26 a batch is 1 to 1,000 tasks and 8 MiB", batchEdges},
		{"S26 a claim is 1 to 100 tasks", claimEdges},
		{"S26 a settle is 1 to 1,000 leases", settleEdges},
		{"S26 a task has at most 1,000 deps, one task 10,000 dependants", depEdges},
		{"S26 a queue holds no more open tasks than its depth", queueDepth},
		{"S26 a page is 1 to 1,000 rows and the next goes on", pageEdges},
	}
}

// edge is a value just within a limit and one just over it.
type edge struct {
	field    string
	in, over tq.NewTask
	code     tq.Code
	names    string // what the refusal must name
}

func nameEdges(q *Queue) {
	x := func(n int) string { return strings.Repeat("x", n) }
	tags := func(n int) []string { return slices.Repeat([]string{"t"}, n) }
	for _, e := range []edge{
		{"type", tq.NewTask{Type: x(64)}, tq.NewTask{Type: x(65)}, tq.CodeInvalid, "64"},
		{"queue", tq.NewTask{Queue: x(128)}, tq.NewTask{Queue: x(129)}, tq.CodeInvalid, "128"},
		{"project", tq.NewTask{Project: x(128)}, tq.NewTask{Project: x(129)}, tq.CodeInvalid, "128"},
		{"tags", tq.NewTask{Tags: tags(20)}, tq.NewTask{Tags: tags(21)}, tq.CodeInvalid, "20"},
		{"tags/0", tq.NewTask{Tags: []string{x(64)}}, tq.NewTask{Tags: []string{x(65)}}, tq.CodeInvalid, "64"},
		{"type", tq.NewTask{Type: "é"}, tq.NewTask{Type: "\xe9"}, tq.CodeInvalid, "UTF-8"},
		{"project", tq.NewTask{Project: "日本"}, tq.NewTask{Project: "a\tb"}, tq.CodeInvalid, "control"},
		{"parent", tq.NewTask{}, tq.NewTask{Parent: -1}, tq.CodeInvalid, "task id"},
		{"key_until", tq.NewTask{KeyUntil: "terminal"}, tq.NewTask{KeyUntil: "never"}, tq.CodeInvalid, "deleted or terminal"},
		{"on_mismatch", tq.NewTask{OnMismatch: "error"}, tq.NewTask{OnMismatch: "x"}, tq.CodeInvalid, "existing or error"},
		{"on_dep_failure", tq.NewTask{OnDepFailure: "run"}, tq.NewTask{OnDepFailure: "x"}, tq.CodeInvalid, "block or cancel or run"},
	} {
		id := q.enqueue(e.in)
		_, err := q.tryEnqueue(e.over)
		q.names(q.refused(e.field, err, e.code), "/tasks/0/"+e.field, e.names)
		task := q.task(id)
		same(q, "project", task.Project, e.in.Project)
		same(q, "tags", len(task.Tags), len(e.in.Tags))
	}
	_, err := q.Client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{{}}})
	q.names(q.refused("no type", err, tq.CodeInvalid), "/tasks/0/type", "required")
}

func queueNames(q *Queue) {
	for _, good := range []string{"a", "9", "shop:tasks", "a/b.c_d-e", "A", strings.Repeat("q", 128), "tasks", "facts"} {
		id := q.enqueue(tq.NewTask{Queue: good})
		same(q, "queue", q.task(id).Queue, good)
		same(q, "claimed", ids(q.claimSome(tq.ClaimIn{Queues: []string{good}})), []int64{id})
	}
	for _, bad := range []string{
		" ", "a b", "../x", "-a", ".a", "a\nb", "a\n", "é", "\U0001f600", "a*", "a%b", "'; DROP TABLE tasks;--", "a\x00b",
		strings.Repeat("q", 10_000),
	} {
		_, err := q.tryEnqueue(tq.NewTask{Queue: bad})
		q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/queue", "128")
		_, err = q.Client.Claim(q.ctx(), tq.ClaimIn{Queues: []string{"a", bad}})
		q.names(q.refused("claim", err, tq.CodeInvalid), "/queues/1", "128")
		for _, act := range []func() error{
			func() error { _, err := q.Client.Pause(q.ctx(), tq.QueueIn{Queue: bad}); return err },
			func() error { _, err := q.Client.Resume(q.ctx(), tq.QueueIn{Queue: bad}); return err },
			func() error { _, err := q.Client.Purge(q.ctx(), tq.QueueIn{Queue: bad}); return err },
		} {
			q.names(q.refused("act on a queue", act(), tq.CodeInvalid), "/queue", "128")
		}
	}
}

func payloadEdges(q *Queue) {
	id := q.enqueue(tq.NewTask{Payload: quoted(tq.MaxPayload)})
	same(q, "size", len(q.task(id).Payload), 131_072)
	_, err := q.tryEnqueue(tq.NewTask{Payload: quoted(tq.MaxPayload + 1)})
	e := q.refused("enqueue", err, tq.CodeTooLarge)
	q.names(e, "/tasks/0/payload", "131073", "131072")
	if e.Hint == "" {
		q.t.Fatal("the refusal does not say what to do")
	}
	same(q, "tasks", len(q.list(tq.TasksIn{})), 1)
}

func resultEdges(q *Queue) {
	c := q.started(tq.NewTask{})
	q.unchanged("a refused result", func() {
		e := q.rowRefused("complete", q.tryComplete(c, string(quoted(tq.MaxPayload+1))).Error, tq.CodeTooLarge)
		q.names(e, "/result", "131073", "131072")
	})
	q.complete(c, string(quoted(tq.MaxPayload)))
	same(q, "size", len(q.task(c.ID).Result), 131_072)
}

func errorIsCut(q *Queue) {
	for size, want := range map[int]int{tq.MaxError: tq.MaxError, tq.MaxError + 1: tq.MaxError, 10 << 20: tq.MaxError} {
		c := q.started(tq.NewTask{})
		q.fail(c, strings.Repeat("e", size))
		got := q.task(c.ID).LastError
		if len(got) > want || len(got) < want-100 || strings.HasSuffix(got, "cut") != (size > tq.MaxError) {
			q.t.Fatalf("an error of %d bytes is kept in %d, ending in %q", size, len(got), got[len(got)-10:])
		}
	}
	c := q.started(tq.NewTask{})
	q.fail(c, strings.Repeat("é", tq.MaxError)) // cut between letters
	if got := q.task(c.ID).LastError; len(got) > tq.MaxError || strings.ContainsRune(got, '\uFFFD') {
		q.t.Fatalf("a letter is cut in two, or %d bytes are too many", len(got))
	}
}

func batchEdges(q *Queue) {
	one := tq.NewTask{Type: "work"}
	same(q, "answers", len(q.enqueueAll(slices.Repeat([]tq.NewTask{one}, tq.MaxBatch)...)), 1_000)
	_, err := q.tryEnqueue(slices.Repeat([]tq.NewTask{one}, tq.MaxBatch+1)...)
	q.names(q.refused("1,001 tasks", err, tq.CodeTooLarge), "/tasks", "1001", "1000")
	_, err = q.tryEnqueue()
	q.names(q.refused("no task", err, tq.CodeInvalid), "/tasks", "empty")
	full := slices.Repeat([]tq.NewTask{{Payload: quoted(tq.MaxPayload)}}, tq.MaxBatchBytes/tq.MaxPayload)
	same(q, "answers for 8 MiB", len(q.enqueueAll(full...)), 64)
	_, err = q.tryEnqueue(append(full, tq.NewTask{Payload: []byte(`1`)})...)
	q.names(q.refused("8 MiB and a byte", err, tq.CodeTooLarge), "/tasks", "8388609", "8388608")
	same(q, "tasks", len(q.list(tq.TasksIn{})), 1_064)
}

func claimEdges(q *Queue) {
	q.enqueueN(150, tq.NewTask{})
	same(q, "default", len(q.claimSome(tq.ClaimIn{})), 1)
	same(q, "claimed", len(q.claimSome(tq.ClaimIn{Max: tq.MaxClaim})), 100)
	for _, bad := range []int{-1, 101} {
		_, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Max: bad})
		q.names(q.refused("claim", err, tq.CodeInvalid), "/max", "1 to 100")
	}
	_, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Types: []string{"ok", strings.Repeat("x", 65)}})
	q.names(q.refused("claim", err, tq.CodeInvalid), "/types/1", "64")
	same(q, "running", q.stats().Running, 101)
}

func settleEdges(q *Queue) {
	q.enqueueN(tq.MaxBatch, tq.NewTask{})
	var rows []tq.CompleteLease
	for len(rows) < tq.MaxBatch {
		for _, c := range q.claimSome(tq.ClaimIn{Max: tq.MaxClaim, Lease: tq.Duration(time.Hour)}) {
			rows = append(rows, tq.CompleteLease{LeaseToken: c.LeaseToken})
		}
	}
	_, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: append(slices.Clone(rows), rows[0])})
	q.names(q.refused("1,001 leases", err, tq.CodeTooLarge), "/leases", "1001", "1000")
	_, err = q.Client.Extend(q.ctx(), tq.ExtendIn{Leases: slices.Repeat([]tq.ExtendLease{{}}, tq.MaxBatch+1)})
	q.names(q.refused("1,001 leases", err, tq.CodeTooLarge), "/leases", "1001", "1000")
	for what, call := range map[string]func() error{
		"complete": func() error { _, err := q.Client.Complete(q.ctx(), tq.CompleteIn{}); return err },
		"fail":     func() error { _, err := q.Client.Fail(q.ctx(), tq.FailIn{}); return err },
		"release":  func() error { _, err := q.Client.Release(q.ctx(), tq.ReleaseIn{}); return err },
	} {
		q.names(q.refused(what, call(), tq.CodeInvalid), "/leases", "empty")
	}
	same(q, "running", q.stats().Running, 1_000)
	out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: rows})
	q.must("complete", err)
	for _, s := range out.Leases {
		q.settled("complete", s)
	}
	same(q, "completed", q.stats().Completed, 1_000)
}

func depEdges(q *Queue) {
	deps := make([]tq.Ref, 0, tq.MaxDeps+1)
	for _, id := range q.enqueueN(tq.MaxDeps+1, tq.NewTask{}) {
		deps = append(deps, tq.ID(id))
	}
	child := q.enqueue(tq.NewTask{Deps: deps[:tq.MaxDeps]})
	same(q, "deps", len(q.task(child).Deps), 1_000)
	_, err := q.tryEnqueue(tq.NewTask{Deps: deps})
	q.names(q.refused("1,001 deps", err, tq.CodeInvalid), "/tasks/0/deps", "1001", "1000")
	const dependants = 10_000
	parent := q.started(tq.NewTask{})
	q.enqueueN(dependants, tq.NewTask{Queue: "fan", Deps: []tq.Ref{tq.ID(parent.ID)}})
	same(q, "blocked", q.statsOf("fan").Blocked, dependants)
	q.complete(parent, `1`)
	q.sweep()
	stat := q.statsOf("fan")
	same(q, "ready and blocked", []int64{stat.Ready, stat.Blocked}, []int64{dependants, 0})
}

func pageEdges(q *Queue) {
	all := q.enqueueN(120, tq.NewTask{})
	var met []int64
	in := tq.TasksIn{Limit: 50}
	for page := 0; ; page++ {
		out, err := q.Client.Tasks(q.ctx(), in)
		q.must("list", err)
		for _, t := range out.Tasks {
			met = append(met, t.ID)
		}
		if in.Cursor = out.Cursor; in.Cursor == "" {
			break
		}
		same(q, fmt.Sprintf("rows on page %d", page), len(out.Tasks), 50)
		q.enqueue(tq.NewTask{}) // what comes meanwhile shifts no page
	}
	slices.Reverse(met)
	same(q, "tasks met", met, all)
	for _, bad := range []int{-1, 1_001} {
		_, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Limit: bad})
		q.names(q.refused("list", err, tq.CodeInvalid), "/limit", "1 to 1000")
		_, err = q.Client.Facts(q.ctx(), tq.FactsIn{Limit: bad})
		q.names(q.refused("facts", err, tq.CodeInvalid), "/limit", "1 to 1000")
	}
	for _, bad := range []string{"x", "17", "c-1", "c", "c0", "cZZZZZZZZZZZZZZZZ"} {
		_, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Cursor: bad})
		q.names(q.refused("list", err, tq.CodeInvalid), "/cursor", "cursor")
	}
}

func queueDepth(q *Queue) {
	b := tq.New(q.Store, tq.Options{Depth: tq.Depth{Each: 3, Queues: map[string]int64{"free": 0, "one": 1}}})
	enqueue := func(queues ...string) error {
		var in tq.EnqueueIn
		for _, queue := range queues {
			in.Tasks = append(in.Tasks, tq.NewTask{Queue: queue, Type: "work"})
		}
		_, err := b.Enqueue(q.ctx(), in)
		return err
	}
	q.enqueueAll(tq.NewTask{Queue: "a", Type: "work"}, tq.NewTask{Queue: "a", Type: "other", Delay: tq.Duration(time.Hour)})
	held := q.claimSome(tq.ClaimIn{Queues: []string{"a"}})[0]
	e := q.refused("two more", enqueue("b", "a", "a"), tq.CodeTooMany)
	same(q, "reason", e.Reason, "queue_full")
	same(q, "names the field", e.Errors[0].Pointer, "/tasks/1/queue")
	same(q, "nothing was stored", len(q.list(tq.TasksIn{Queue: "b"})), 0)
	q.must("one more, and elsewhere", enqueue("a", "b", "b", "b", "one", "free", "free", "free", "free"))
	q.refused("another", enqueue("a"), tq.CodeTooMany)
	q.refused("into one of its own depth", enqueue("one"), tq.CodeTooMany)
	q.giveUp(held, "x")
	q.pass(time.Second)
	q.must("another when one has ended", enqueue("a"))
	q.refused("one more", enqueue("a"), tq.CodeTooMany)
}
