package storetest

import (
	"fmt"

	"example.com/tq"
)

// Rows of one batch of changes, as callers send them, or as callers at once share
// a transaction: each finds what those before it left behind (S21).

// twins are two tasks whose key was freed, the older first.
func (q *Queue) twins(key string) (older, younger int64) {
	q.t.Helper()
	n := keyed(key)
	n.KeyUntil = tq.KeyUntilTerminal
	older = q.enqueue(n)
	q.cancel(older)
	younger = q.enqueue(n)
	q.cancel(younger)
	return older, younger
}

func rescueTwins(q *Queue) {
	older, younger := q.twins("k")
	for _, ids := range [][]int64{{older, younger}, {younger, older}} {
		out, err := q.Client.Rescue(q.ctx(), tq.RescueIn{IDs: ids})
		q.must("rescue twins", err)
		same(q, "status of the first", out.Tasks[0].Status, tq.Pending)
		e := q.rowRefused("rescue of the second", out.Tasks[1].Error, tq.CodeInvalidState)
		q.contains("the refusal", e.Message+e.Hint, fmt.Sprint(ids[0]))
		same(q, "the key names the first", q.enqueueAll(keyed("k"))[0].ID, ids[0])
		q.cancel(ids[0])
	}
}

// rescueAfterRows: a key that a row frees is free for the next, and a task that
// a row ends is rescued by the next as one that had ended long before, with its
// key and what it waits for.
func rescueAfterRows(q *Queue) {
	older, younger := q.twins("k")
	q.rescue(younger)
	q.changeAll([]tq.Change{{TaskID: younger, Event: tq.EventCancel}, {TaskID: older, Event: tq.EventRescue}})
	same(q, "the freed key names the other", q.enqueueAll(keyed("k"))[0].ID, older)

	dep := q.enqueue(tq.NewTask{})
	for _, until := range []tq.KeyUntil{tq.KeyUntilDeleted, tq.KeyUntilTerminal} {
		n := keyed(string(until))
		n.KeyUntil, n.Deps = until, []tq.Ref{tq.ID(dep)}
		id := q.enqueue(n)
		q.changeAll([]tq.Change{{TaskID: id, Event: tq.EventCancel}, {TaskID: id, Event: tq.EventRescue}})
		q.is(id, tq.Blocked)
		same(q, "its key until "+string(until), q.enqueueAll(n)[0].ID, id)

		n = keyed("held " + string(until))
		n.KeyUntil, n.MaxAttempts = until, 1
		held := q.started(n)
		q.changeAll([]tq.Change{
			{TaskID: held.ID, Event: tq.EventFail, Arg: tq.Arg{Epoch: held.Epoch}},
			{TaskID: held.ID, Event: tq.EventRescue},
		})
		q.is(held.ID, tq.Pending)
		n.Type = held.Type
		same(q, "its key until "+string(until), q.enqueueAll(n)[0].ID, held.ID)
	}
}

func deleteAfterRows(q *Queue) {
	parent := q.enqueue(tq.NewTask{})
	child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(parent)}, OnDepFailure: tq.DepCancel})
	q.changeAll([]tq.Change{{TaskID: parent, Event: tq.EventCancel}, {TaskID: parent, Event: tq.EventDelete}})
	q.is(child, tq.Cancelled)

	held := q.started(tq.NewTask{MaxAttempts: 1})
	q.giveUp(held, "x")
	waits := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(held.ID)}})
	q.cancel(waits)
	out, err := q.Store.Change(q.ctx(), []tq.Change{{TaskID: waits, Event: tq.EventRescue}, {TaskID: held.ID, Event: tq.EventDelete}})
	q.must("rescue who waits, delete what it waits for", err)
	q.refused("the delete", out[1].Err, tq.CodeInvalidState)
	q.is(waits, tq.Blocked)
}
