package storetest

import (
	"fmt"
	"strings"
	"time"

	"example.com/tq"
)

// Spec §4: idempotency keys (S18, S19) and acts that may be repeated (S21).

func keyPromises() []promise {
	return []promise{
		{"S18 a repeated key answers with the first task, changed in nothing", keyRepeats},
		{"S18 a key holds whatever the status, until the task is deleted", keyUntilDeleted},
		{"S18 key_until terminal frees the key when the task ends", keyUntilTerminal},
		{"S18 1,000 enqueues of one key at once make one task", keyRace},
		{"S18 a batch may repeat a key within itself", keyWithinBatch},
		{"S18 keys are bytes: no pattern, no folding, per queue", keysAreBytes},
		{"S18 a key is at most 200 bytes of UTF-8 without control characters", keyEdges},
		{"S18 a refused enqueue leaves its key free", refusedKeyIsFree},
		{"S19 the same key with another body says so", keyMismatch},
		{"S19 on_mismatch error refuses and writes nothing", keyMismatchError},
		{"S21 rescue, cancel, requeue, pause and purge may be repeated", repeats},
		{"S21 a rescue takes the epoch it is meant for", rescueIfEpoch},
		{"S21 cancel, requeue and delete take the epoch they are meant for", guardedByEpoch},
		{"S21 a rescue is refused while a twin holds its key", rescueTwin},
		{"S21 of twins that are rescued together the first takes the key", rescueTwins},
		{"S21 a rescue finds what earlier rows of its batch left behind", rescueAfterRows},
		{"S21 a delete finds who waits after the earlier rows of its batch", deleteAfterRows},
		{"S21 100 cancels at once all see the final state", cancelRace},
	}
}

func keyed(key string) tq.NewTask { return tq.NewTask{IdempotencyKey: key, Payload: []byte(`1`)} }

func keyRepeats(q *Queue) {
	n := keyed("k")
	n.Delay = tq.Duration(time.Hour)
	id := q.enqueue(n)
	q.unchanged("a repeated key", func() {
		n.Delay, n.Tags, n.Timeout = 0, []string{"other"}, tq.Duration(time.Minute) // not compared
		q.Clock.Advance(0)
		same(q, "answer", q.enqueueAll(n)[0], tq.Enqueued{ID: id, Status: tq.Pending, Existed: true})
	})
	same(q, "found by its key", q.listed(tq.TasksIn{Key: "k"}), []int64{id})
}

func keyUntilDeleted(q *Queue) {
	dep := q.enqueue(tq.NewTask{})
	for status, to := range map[tq.Status]func(n tq.NewTask) int64{
		tq.Pending:   func(n tq.NewTask) int64 { return q.enqueue(n) },
		tq.Running:   func(n tq.NewTask) int64 { return q.started(n).ID },
		tq.Completed: func(n tq.NewTask) int64 { c := q.started(n); q.complete(c, `1`); return c.ID },
		tq.Dead:      func(n tq.NewTask) int64 { c := q.started(n); q.giveUp(c, "x"); return c.ID },
		tq.Cancelled: func(n tq.NewTask) int64 { id := q.enqueue(n); q.cancel(id); return id },
		tq.Blocked: func(n tq.NewTask) int64 {
			n.Deps = []tq.Ref{tq.ID(dep)}
			return q.enqueue(n)
		},
	} {
		n := keyed("k-" + string(status))
		id := to(n)
		again := q.enqueueAll(n)[0]
		same(q, "answer", []any{again.ID, again.Status, again.Existed}, []any{id, status, true})
		if status.Terminal() {
			q.delete(id)
			fresh := q.enqueueAll(n)[0]
			same(q, "existed after the deletion", fresh.Existed, false)
		}
	}
}

func keyUntilTerminal(q *Queue) {
	for what, end := range map[string]func(tq.ClaimedTask){
		"completed": func(c tq.ClaimedTask) { q.complete(c, `1`) },
		"dead":      func(c tq.ClaimedTask) { q.giveUp(c, "x") },
		"cancelled": func(c tq.ClaimedTask) { q.forceCancel(c.ID) },
	} {
		n := keyed("k-" + what)
		n.KeyUntil = tq.KeyUntilTerminal
		c := q.started(n)
		again := n
		again.Type = c.Type
		same(q, "while running", q.enqueueAll(again)[0], tq.Enqueued{ID: c.ID, Status: tq.Running, Existed: true})
		end(c)
		fresh := q.enqueueAll(again)[0]
		if fresh.Existed || fresh.ID == c.ID {
			q.t.Fatalf("after %s: %+v, want a new task", what, fresh)
		}
		same(q, "the new one holds the key", q.enqueueAll(again)[0].ID, fresh.ID)
	}
}

func keyRace(q *Queue) {
	const callers = 1_000
	answers := make([]tq.Enqueued, callers)
	q.together(callers, func(i int) error {
		out, err := q.tryEnqueue(keyed("one"))
		if err == nil {
			answers[i] = out[0]
		}
		return err
	})
	first := 0
	for _, a := range answers {
		same(q, "id", a.ID, answers[0].ID)
		if !a.Existed {
			first++
		}
	}
	same(q, "callers told that it was new", first, 1)
	same(q, "tasks", len(q.list(tq.TasksIn{})), 1)
}

func keyWithinBatch(q *Queue) {
	out := q.enqueueAll(keyed("a"), keyed("b"), keyed("a"), tq.NewTask{}, keyed("b"))
	same(q, "first a", out[0].Existed, false)
	same(q, "second a", out[2], tq.Enqueued{ID: out[0].ID, Status: tq.Pending, Existed: true})
	same(q, "second b", out[4], tq.Enqueued{ID: out[1].ID, Status: tq.Pending, Existed: true})
	same(q, "tasks", len(q.list(tq.TasksIn{})), 3)
}

func keysAreBytes(q *Queue) {
	seen := map[int64]string{}
	for _, key := range []string{
		"user.id", "user*id", "user?id", "user#id", "USER.ID", "user.id ", " user.id", "%", "_", "'", "a:b", "$0",
		"\u00e9", "e\u0301", "\u202e", "null", "0", "0.0",
	} {
		id := q.enqueue(keyed(key))
		if twin, ok := seen[id]; ok {
			q.t.Fatalf("keys %q and %q are taken for one", key, twin)
		}
		seen[id] = key
		same(q, "found by its key", q.listed(tq.TasksIn{Key: key}), []int64{id})
		same(q, "key", q.task(id).IdempotencyKey, key)
	}
	other := keyed("user.id")
	other.Queue = "other"
	if id := q.enqueue(other); seen[id] != "" {
		q.t.Fatal("one key in two queues is taken for one")
	}
	a, b := q.enqueue(tq.NewTask{}), q.enqueue(tq.NewTask{})
	if a == b {
		q.t.Fatal("no key is taken for a key")
	}
}

func keyEdges(q *Queue) {
	q.enqueue(keyed(strings.Repeat("é", 100)))
	for _, bad := range []string{strings.Repeat("é", 100) + "x", "a\nb", "a\x00b", "a\u0085b", "caf\xe9"} {
		_, err := q.tryEnqueue(keyed(bad))
		q.names(q.refused("enqueue", err, tq.CodeInvalid), "/tasks/0/idempotency_key", "idempotency_key")
	}
	same(q, "tasks", len(q.list(tq.TasksIn{})), 1)
}

func refusedKeyIsFree(q *Queue) {
	n := keyed("k")
	n.Deps = []tq.Ref{"4711"}
	_, err := q.tryEnqueue(n)
	q.refused("unknown dependency", err, tq.CodeUnknownDependency)
	_, err = q.tryEnqueue(keyed("k"), tq.NewTask{Deps: []tq.Ref{"4711"}})
	q.refused("unknown dependency in the batch", err, tq.CodeUnknownDependency)
	same(q, "existed", q.enqueueAll(keyed("k"))[0].Existed, false)
}

func keyMismatch(q *Queue) {
	dep, other := q.enqueue(tq.NewTask{}), q.enqueue(tq.NewTask{})
	n := keyed("k")
	n.Deps = []tq.Ref{tq.ID(dep)}
	id := q.enqueue(n)
	q.unchanged("another body under a known key", func() {
		for what, change := range map[string]func(n *tq.NewTask){
			"type":         func(n *tq.NewTask) { n.Type = "other" },
			"payload":      func(n *tq.NewTask) { n.Payload = []byte(`2`) },
			"no payload":   func(n *tq.NewTask) { n.Payload = nil },
			"deps":         func(n *tq.NewTask) { n.Deps = []tq.Ref{tq.ID(other)} },
			"no deps":      func(n *tq.NewTask) { n.Deps = nil },
			"priority":     func(n *tq.NewTask) { n.Priority = 1 },
			"max_attempts": func(n *tq.NewTask) { n.MaxAttempts = 4 },
		} {
			m := n
			change(&m)
			same(q, what, q.enqueueAll(m)[0], tq.Enqueued{ID: id, Status: tq.Blocked, Existed: true, Mismatch: true})
		}
		n.MaxAttempts = tq.DefaultMaxAttempts // said or left out is the same
		same(q, "the same", q.enqueueAll(n)[0], tq.Enqueued{ID: id, Status: tq.Blocked, Existed: true})
	})
}

func keyMismatchError(q *Queue) {
	id := q.enqueue(keyed("k"))
	q.unchanged("a refused batch", func() {
		n := keyed("k")
		n.Payload, n.OnMismatch = []byte(`2`), tq.MismatchError
		_, err := q.tryEnqueue(tq.NewTask{}, n, tq.NewTask{})
		e := q.refused("enqueue", err, tq.CodeIdempotencyMismatch)
		same(q, "task in the refusal", e.TaskID, id)
	})
	n := keyed("k")
	n.OnMismatch = tq.MismatchError
	same(q, "the same body", q.enqueueAll(n)[0], tq.Enqueued{ID: id, Status: tq.Pending, Existed: true})
}

func repeats(q *Queue) {
	dead := q.started(tq.NewTask{})
	q.giveUp(dead, "x")
	later := q.enqueue(tq.NewTask{Delay: tq.Duration(time.Hour)})
	gone, held := q.enqueue(tq.NewTask{}), q.started(tq.NewTask{})
	for _, a := range []struct {
		what string
		do   func(int64) tq.ChangedTask
		id   int64
	}{
		{"rescue", q.rescue, dead.ID},
		{"requeue", q.requeue, later},
		{"cancel", q.cancel, gone},
		{"cancel of a running task", q.cancel, held.ID},
		{"forced cancel", q.forceCancel, held.ID},
	} {
		first := a.do(a.id)
		same(q, a.what+" changed something", first.Changed, true)
		q.unchanged("a repeated "+a.what, func() {
			again := a.do(a.id)
			first.Changed = false
			same(q, "repeated "+a.what, again, first)
		})
	}
	q.pause("default")
	q.unchanged("a repeated pause", func() { q.pause("default") })
	q.resume("default")
	q.unchanged("a repeated resume", func() { q.resume("default") })
	for range 2 {
		_, err := q.Client.Purge(q.ctx(), tq.QueueIn{Queue: "default"})
		q.must("purge", err)
	}
	same(q, "tasks left", len(q.list(tq.TasksIn{})), 0)
}

func rescueIfEpoch(q *Queue) {
	c := q.started(tq.NewTask{})
	q.giveUp(c, "x")
	for _, wrong := range []int64{0, 2, -1} {
		q.unchanged("a rescue meant for another epoch", func() {
			s := q.tryRescue(tq.RescueIn{IDs: []int64{c.ID}, IfEpoch: &wrong})
			e := q.rowRefused("rescue", s.Error, tq.CodeInvalidState)
			same(q, "epoch in the refusal", e.Epoch, 1)
		})
	}
	right := int64(1)
	same(q, "changed", q.changed("rescue", q.tryRescue(tq.RescueIn{IDs: []int64{c.ID}, IfEpoch: &right})).Changed, true)
}

// guardedByEpoch: somebody looked at a task, and before he acts another has.
func guardedByEpoch(q *Queue) {
	waits := q.enqueue(tq.NewTask{Type: "waits", Delay: tq.Duration(time.Hour)})
	c := q.started(tq.NewTask{})
	ended := q.started(tq.NewTask{})
	q.giveUp(ended, "x")
	wrong, first := int64(7), int64(1)
	q.unchanged("what was meant for another epoch", func() {
		for what, row := range map[string]tq.ChangedTask{
			"cancel":          q.tryCancel(tq.CancelIn{IDs: []int64{c.ID}, IfEpoch: &wrong}),
			"cancel by force": q.tryCancel(tq.CancelIn{IDs: []int64{c.ID}, IfEpoch: &wrong, Force: true}),
			"requeue":         q.tryRequeueIf(waits, wrong),
			"delete":          q.tryDeleteIf(ended.ID, wrong),
		} {
			e := q.rowRefused(what, row.Error, tq.CodeInvalidState)
			same(q, "reason of a refused "+what, e.Reason, tq.ReasonMoved)
		}
	})
	same(q, "requeued", q.changed("requeue", q.tryRequeueIf(waits, 0)).Changed, true)
	same(q, "deleted", q.changed("delete", q.tryDeleteIf(ended.ID, first)).Changed, true)
	in := tq.CancelIn{IDs: []int64{c.ID}, IfEpoch: &first, Force: true}
	same(q, "cancelled", q.changed("cancel", q.tryCancel(in)).Changed, true)
	same(q, "cancelled again, though by now it stands at another epoch", q.changed("cancel", q.tryCancel(in)).Changed, false)
}

func (q *Queue) tryRequeueIf(id, epoch int64) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{id}, IfEpoch: &epoch})
	return q.changeRow("requeue", out, err)
}

func (q *Queue) tryDeleteIf(id, epoch int64) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Delete(q.ctx(), tq.DeleteIn{IDs: []int64{id}, IfEpoch: &epoch})
	return q.changeRow("delete", out, err)
}

func rescueTwin(q *Queue) {
	n := keyed("k")
	n.KeyUntil = tq.KeyUntilTerminal
	dead := q.started(n)
	q.giveUp(dead, "x")
	n.Type = dead.Type
	twin := q.enqueue(n)
	q.unchanged("a rescue beside a twin", func() {
		e := q.rowRefused("rescue", q.tryRescue(tq.RescueIn{IDs: []int64{dead.ID}}).Error, tq.CodeInvalidState)
		if !strings.Contains(e.Message+e.Hint, fmt.Sprint(twin)) {
			q.t.Fatalf("the refusal %q (%s) does not name the twin %d", e.Message, e.Hint, twin)
		}
		q.rowRefused("requeue", q.tryRequeue(dead.ID).Error, tq.CodeInvalidState)
	})
	q.cancel(twin)
	same(q, "status once the twin has ended", q.rescue(dead.ID).Status, tq.Pending)
	same(q, "the key names it again", q.enqueueAll(n)[0].ID, dead.ID)
	q.rowRefused("rescue of the twin", q.tryRescue(tq.RescueIn{IDs: []int64{twin}}).Error, tq.CodeInvalidState)
}

func cancelRace(q *Queue) {
	const callers = 100
	waiting, held := q.enqueue(tq.NewTask{}), q.started(tq.NewTask{})
	want := []tq.ChangedTask{
		{ID: waiting, Status: tq.Cancelled},
		{ID: held.ID, Status: tq.Running, CancelRequested: true},
	}
	q.together(callers, func(int) error {
		out, err := q.Client.Cancel(q.ctx(), tq.CancelIn{IDs: []int64{waiting, held.ID}})
		if err != nil {
			return err
		}
		for i, got := range out.Tasks {
			got.Changed = false // for all but one of them
			if got != want[i] {
				return fmt.Errorf("cancel answered %+v, want %+v", got, want[i])
			}
		}
		return nil
	})
	q.tells(waiting, tq.FactEnqueued, tq.FactCancelled)
	q.tells(held.ID, tq.FactEnqueued, tq.FactClaimed, tq.FactCancelRequested)
}
