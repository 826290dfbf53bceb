package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"example.com/tq"
)

// Spec §7: what callers at once and batches may rely on (S39, S40, S44). What
// only a process or a broken disk can show is listed in elsewhere.

func durablePromises() []promise {
	return []promise{
		{"S39 of callers at once a refused one fails alone", refusedAlone},
		{"S39 a poisoned row of a batch settle fails alone", poisonedRow},
		{"S40 every call with a key, a claim id or a token may be repeated", safeToRepeat},
		{"S40 an enqueue with an id may be repeated, and shows no key", enqueueID},
		{"S44 a batch is written whole or not at all", batchWhole},
		{"S44 a batch answers in the order of its rows", batchOrder},
		{"S44 a batch settle answers row by row", settleRows},
	}
}

func refusedAlone(q *Queue) {
	const callers = 90
	q.enqueue(keyed("taken"))
	q.together(callers, func(i int) error {
		good, bad := tq.NewTask{}, tq.NewTask{Deps: []tq.Ref{"4711"}}
		if i%6 == 3 {
			bad = tq.NewTask{IdempotencyKey: "taken", OnMismatch: tq.MismatchError, Payload: []byte(`2`)}
		}
		if i%3 != 0 {
			_, err := q.tryEnqueue(good, good)
			return err
		}
		_, err := q.tryEnqueue(good, bad)
		if code := tq.CodeOf(err); code != tq.CodeUnknownDependency && code != tq.CodeIdempotencyMismatch {
			return fmt.Errorf("a bad batch was answered %q: %w", code, err)
		}
		return nil
	})
	same(q, "tasks", q.stats().Ready, callers/3*2*2+1)
}

func poisonedRow(q *Queue) {
	const many = 50
	q.enqueueN(many, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: many})
	bad := map[int]tq.CompleteLease{
		3:  {LeaseToken: cs[3].LeaseToken, Result: quoted(tq.MaxPayload + 1)},
		17: {LeaseToken: cs[17].LeaseToken, Result: json.RawMessage("\"\xff\"")},
		31: {LeaseToken: cs[31].LeaseToken, Result: json.RawMessage(`{`)},
	}
	var rows []tq.CompleteLease
	for i, c := range cs {
		row := tq.CompleteLease{LeaseToken: c.LeaseToken, Result: json.RawMessage(`"\u0000"`)}
		if b, ok := bad[i]; ok {
			row = b
		}
		rows = append(rows, row)
	}
	out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: rows})
	q.must("complete", err)
	for i, s := range out.Leases {
		if _, ok := bad[i]; ok {
			same(q, "refused", s.Error != nil, true)
			q.complete(cs[i], `"smaller"`)
			continue
		}
		same(q, "status", q.settled("complete", s).Status, tq.Completed)
	}
	same(q, "completed", q.stats().Completed, many)
}

func safeToRepeat(q *Queue) {
	for range 2 { // all of it twice, as a client does whose answers were lost
		q.enqueueAll(keyed("a"), keyed("b"), keyed("c"))
	}
	var cs []tq.ClaimedTask
	for range 2 {
		cs = q.claimSome(tq.ClaimIn{Max: 3, ClaimID: "c-1"})
	}
	same(q, "claimed", len(cs), 3)
	for range 2 {
		q.extend(cs[0], lease)
	}
	for range 2 {
		q.complete(cs[0], `1`)
	}
	for range 2 {
		q.failFor(cs[1], "x", time.Hour)
	}
	for range 2 {
		q.release(cs[2])
	}
	same(q, "enqueued, claimed and settled", len(q.facts(tq.FactsIn{Kinds: []tq.Kind{
		tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted, tq.FactFailed, tq.FactReleased,
	}})), 3+3+3)
}

func enqueueID(q *Queue) {
	rows := []tq.NewTask{{Type: "a"}, {Type: "b", Deps: []tq.Ref{"$0"}}, {Type: "a"}, {Type: "a", IdempotencyKey: "own"}}
	ask := func(id string) []tq.Enqueued {
		out, err := q.Client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: rows, EnqueueID: id})
		q.must("enqueue", err)
		return out.Tasks
	}
	first := ask("e-1")
	c := q.claimSome(tq.ClaimIn{Max: 1, Types: []string{"a"}})[0]
	same(q, "key of what was claimed", c.IdempotencyKey, "")
	q.complete(c, `1`) // faster than the repeat
	q.unchanged("a repeated enqueue", func() {
		for i, again := range ask("e-1") {
			same(q, "repeated row", []any{again.ID, again.Existed, again.Mismatch}, []any{first[i].ID, true, false})
		}
	})
	for i, want := range []string{"", "", "", "own"} {
		same(q, "key", q.task(first[i].ID).IdempotencyKey, want)
	}
	for _, t := range q.list(tq.TasksIn{}) {
		same(q, "key in a list", t.IdempotencyKey == "" || t.IdempotencyKey == "own", true)
	}
	other := ask("e-2")
	same(q, "another id makes other tasks", []bool{other[0].Existed, other[3].Existed}, []bool{false, true})
	_, err := q.Client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: rows, EnqueueID: "a\nb"})
	q.refused("an id with a control character", err, tq.CodeInvalid)
}

func batchWhole(q *Queue) {
	q.unchanged("a batch with one bad row", func() {
		good := slices.Repeat([]tq.NewTask{{Payload: []byte(`1`)}}, 999)
		bad := func(n tq.NewTask) []tq.NewTask { return slices.Insert(slices.Clone(good), 500, n) }
		for _, c := range []struct {
			row  tq.NewTask
			code tq.Code
			at   string
		}{
			{tq.NewTask{Priority: 99_999}, tq.CodeInvalid, "/tasks/500/priority"},
			{tq.NewTask{Payload: quoted(tq.MaxPayload + 1)}, tq.CodeTooLarge, "/tasks/500/payload"},
			{tq.NewTask{Queue: "a b"}, tq.CodeInvalid, "/tasks/500/queue"},
		} {
			_, err := q.tryEnqueue(bad(c.row)...)
			q.names(q.refused("batch", err, c.code), c.at, "500")
		}
		_, err := q.tryEnqueue(bad(tq.NewTask{Deps: []tq.Ref{"4711"}})...)
		q.contains("the refusal", q.refused("batch", err, tq.CodeUnknownDependency).Message, "500", "4711")
		_, err = q.tryEnqueue(bad(tq.NewTask{Deps: []tq.Ref{"$500"}})...)
		q.contains("the refusal", q.refused("batch", err, tq.CodeInvalid).Message, "500", "$500")
	})
}

func batchOrder(q *Queue) {
	known := q.enqueue(keyed("known"))
	var batch []tq.NewTask
	for i := range 50 {
		batch = append(batch, tq.NewTask{Project: fmt.Sprint("p", i)})
	}
	batch[20] = keyed("known")
	out := q.enqueueAll(batch...)
	for i, e := range out {
		if i == 20 {
			same(q, "row 20", e, tq.Enqueued{ID: known, Status: tq.Pending, Existed: true})
			continue
		}
		same(q, "project", q.task(e.ID).Project, batch[i].Project)
	}
}

func settleRows(q *Queue) {
	good, stale, done := q.started(tq.NewTask{}), q.started(tq.NewTask{}), q.started(tq.NewTask{})
	q.forceCancel(stale.ID)
	q.complete(done, `"first"`)
	rows := []tq.CompleteLease{
		{LeaseToken: stale.LeaseToken, Result: []byte(`1`)},
		{TaskID: good.ID, LeaseToken: good.LeaseToken, Result: []byte(`1`)},
		{LeaseToken: done.LeaseToken, Result: []byte(`"second"`)},
		{LeaseToken: done.LeaseToken, Result: []byte(`"first"`)},
		{LeaseToken: "nonsense"},
	}
	out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: rows})
	q.must("complete", err)
	same(q, "answers", len(out.Leases), len(rows))
	q.rowRefused("stale", out.Leases[0].Error, tq.CodeLeaseLost)
	same(q, "good", out.Leases[1], tq.Settlement{TaskID: good.ID, Status: tq.Completed})
	q.rowRefused("other outcome", out.Leases[2].Error, tq.CodeAlreadySettled)
	same(q, "repeat", q.settled("complete", out.Leases[3]).Replayed, true)
	q.rowRefused("nonsense", out.Leases[4].Error, tq.CodeInvalid)
}
