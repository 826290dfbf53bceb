package storetest

import (
	"time"

	"example.com/tq"
)

// Operations on every task that a filter selects.

func bulkPromises() []promise {
	return []promise{
		{"S21 a bulk operation changes what its filter selects and nothing else", bulkChanges},
		{"S21 a dry run counts and changes nothing", bulkCounts},
		{"S21 a bulk operation that is begun twice is one", bulkTwice},
		{"S21 a bulk operation is asked for with a verb and a filter", bulkEdges},
		{"S21 a bulk operation ends when it is told to", bulkEnds},
		{"S21 a bulk operation touches and counts only what its caller may", bulkRights},
	}
}

// someDead makes n dead tasks of a queue.
func (q *Queue) someDead(queue string, n int) []int64 {
	q.t.Helper()
	out := make([]int64, n)
	for i := range out {
		c := q.started(tq.NewTask{Queue: queue, MaxAttempts: 1})
		q.fail(c, "boom")
		out[i] = c.ID
	}
	return out
}

// bulk begins an operation and waits for its end.
func (q *Queue) bulk(in tq.BulkIn) tq.BulkOut {
	q.t.Helper()
	out, err := q.Client.Bulk(q.ctx(), in)
	q.must("begin", err)
	same(q, "state", out.State, tq.BulkRunning)
	out, err = q.Client.BulkState(q.ctx(), tq.BulkStateIn{ID: out.ID, Wait: longest})
	q.must("state", err)
	return out
}

func bulkChanges(q *Queue) {
	q.live()
	dead, others := q.someDead("a", 5), q.someDead("b", 2)
	out := q.bulk(tq.BulkIn{Verb: tq.BulkRescue, Filter: "queue:a status:dead"})
	same(q, "state", out.State, tq.BulkDone)
	same(q, "matched, changed, skipped", []int64{out.Matched, out.Changed, out.Skipped}, []int64{5, 5, 0})
	for _, id := range dead {
		q.is(id, tq.Pending)
	}
	for _, id := range others {
		q.is(id, tq.Dead)
	}
	out = q.bulk(tq.BulkIn{Verb: tq.BulkDelete, Filter: "queue:a,b"})
	same(q, "deleted, skipped", []int64{out.Changed, out.Skipped}, []int64{2, 5})
	out = q.bulk(tq.BulkIn{Verb: tq.BulkCancel, Filter: "queue:a", Reason: "not needed"})
	same(q, "cancelled", out.Changed, 5)
}

func bulkCounts(q *Queue) {
	dead := q.someDead("a", 7)
	q.enqueue(tq.NewTask{Queue: "a"})
	q.unchanged("a dry run", func() {
		out, err := q.Client.Bulk(q.ctx(), tq.BulkIn{Verb: tq.BulkRescue, Filter: "queue:a", DryRun: true})
		q.must("count", err)
		same(q, "state", out.State, tq.BulkCounted)
		same(q, "matched, changed, skipped", []int64{out.Matched, out.Changed, out.Skipped}, []int64{8, 7, 1})
		same(q, "sample", out.Sample[0], dead[6])
		same(q, "id", out.ID, "")
	})
}

func bulkTwice(q *Queue) {
	in := tq.BulkIn{ID: "mine", Verb: tq.BulkRescue, Filter: "status:dead"}
	first, err := q.Client.Bulk(q.ctx(), in)
	q.must("begin", err)
	again, err := q.Client.Bulk(q.ctx(), in)
	q.must("begin again", err)
	same(q, "again", again, first)
}

func bulkEdges(q *Queue) {
	for _, in := range []tq.BulkIn{
		{Verb: "explode", Filter: "status:dead"},
		{Verb: tq.BulkRescue},
		{Verb: tq.BulkRescue, Filter: "  "},
		{Verb: tq.BulkRescue, Filter: "stauts:dead"},
		{Verb: tq.BulkRescue, Filter: "status:dead", Rate: -1},
		{Verb: tq.BulkRescue, Filter: "status:dead", Rate: tq.MaxBulkRate + 1},
	} {
		_, err := q.Client.Bulk(q.ctx(), in)
		q.refused("a bulk operation", err, tq.CodeInvalid)
	}
	_, err := q.Client.BulkState(q.ctx(), tq.BulkStateIn{ID: "none"})
	q.refused("one that there is not", err, tq.CodeNotFound)
}

func bulkEnds(q *Queue) {
	q.live()
	q.someDead("a", 3)
	out, err := q.Client.Bulk(q.ctx(), tq.BulkIn{Verb: tq.BulkRescue, Filter: "status:dead", Rate: 0.01})
	q.must("begin", err)
	ended, err := q.Client.EndBulk(q.ctx(), tq.EndBulkIn{ID: out.ID})
	q.must("end", err)
	same(q, "state", ended.State, tq.BulkEnded)
	begun := time.Now()
	last, err := q.Client.BulkState(q.ctx(), tq.BulkStateIn{ID: out.ID, Wait: longest})
	q.must("state", err)
	same(q, "state", last.State, tq.BulkEnded)
	if time.Since(begun) > longest.Std()/2 {
		q.t.Errorf("an operation that has ended was waited for")
	}
}

func bulkRights(q *Queue) {
	q.someDead("own", 2)
	q.someDead("foreign", 3)
	b := tq.New(q.Store, tq.Options{})
	in := tq.BulkIn{Verb: tq.BulkRescue, Filter: "status:dead", DryRun: true}
	may := tq.Rights{Can: []tq.Scope{tq.CanRead, tq.CanAdmin}, Queues: []string{"own"}, Types: []string{tq.Any}}
	own := b.For(may, "own")
	out, err := own.Bulk(q.ctx(), in)
	q.must("count", err)
	same(q, "counted", []int64{out.Matched, out.Changed}, []int64{2, 2})
	in.DryRun = false
	out, err = own.Bulk(q.ctx(), in)
	q.must("begin", err)
	_, err = b.For(may, "somebody else").BulkState(q.ctx(), tq.BulkStateIn{ID: out.ID})
	q.refused("the operation of another", err, tq.CodeNotFound)
	may.Can = []tq.Scope{tq.CanAdmin}
	_, err = b.For(may, "blind").Bulk(q.ctx(), in)
	q.refused("a filter of somebody who may not read", err, tq.CodeForbidden)
}
