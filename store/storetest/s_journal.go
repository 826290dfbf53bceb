package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/tq"
)

// Spec §6: the journal (S34) and those who follow it (S35).

func journalPromises() []promise {
	return []promise{
		{"S34 every kind of fact is written, with its status, epoch and attempt", everyKind},
		{"S34 one call on many tasks writes one fact for each", oneFactEach},
		{"S34 detail is at most 4 KiB", detailIsBounded},
		{"S34 acts without a task show in the same stream", actsInStream},
		{"S34 facts are filtered by task, queue, type and kind, or the newest", factFilters},
		{"S34 a fact says who did it", factActors},
		{"S35 a reader by cursor sees every fact exactly once", cursorAlone},
		{"S35 a reader behind 16 writers sees every fact exactly once", cursorBehindWriters},
	}
}

// line is a fact as the life below is written down.
type line struct {
	kind           tq.Kind
	status         tq.Status
	epoch, attempt int
	settles        bool
}

func everyKind(q *Queue) {
	dep := q.started(tq.NewTask{})
	id := q.enqueue(tq.NewTask{MaxAttempts: 2, Deps: []tq.Ref{tq.ID(dep.ID)}, Delay: tq.Duration(time.Hour)})
	q.complete(dep, `1`)
	q.requeue(id)
	q.release(q.take(id))
	c := q.take(id)
	q.settled("progress", q.tryExtend(c, tq.ExtendLease{Progress: &tq.Progress{Note: "n"}}))
	q.expire(c)
	c = q.take(id)
	q.fail(c, "boom")
	q.rescue(id)
	c = q.take(id)
	q.failFor(c, "again", 0)
	q.cancel(q.take(id).ID)
	q.forceCancel(id)
	q.rescue(id)
	q.complete(q.take(id), `1`)
	q.delete(id)
	var got []line
	for i, f := range q.facts(tq.FactsIn{TaskID: id}) {
		got = append(got, line{f.Kind, f.Status, int(f.Epoch), f.Attempt, f.Settles})
		same(q, "rev", f.Rev, int64(i+1))
	}
	want := []line{
		{tq.FactEnqueued, tq.Blocked, 0, 0, false},
		{tq.FactUnblocked, tq.Pending, 0, 0, false},
		{tq.FactRequeued, tq.Pending, 0, 0, false},
		{tq.FactClaimed, tq.Running, 1, 1, false},
		{tq.FactReleased, tq.Pending, 1, 0, true},
		{tq.FactClaimed, tq.Running, 2, 1, false},
		{tq.FactHeartbeat, tq.Running, 2, 1, false},
		{tq.FactLeaseExpired, tq.Pending, 2, 1, false},
		{tq.FactClaimed, tq.Running, 3, 2, false},
		{tq.FactFailed, tq.Running, 3, 2, true},
		{tq.FactDeadLettered, tq.Dead, 3, 2, false},
		{tq.FactRescued, tq.Pending, 4, 0, false},
		{tq.FactClaimed, tq.Running, 5, 1, false},
		{tq.FactFailed, tq.Pending, 5, 1, true},
		{tq.FactClaimed, tq.Running, 6, 2, false},
		{tq.FactCancelRequested, tq.Running, 6, 2, false},
		{tq.FactCancelled, tq.Cancelled, 7, 2, false},
		{tq.FactRescued, tq.Pending, 8, 0, false},
		{tq.FactClaimed, tq.Running, 9, 1, false},
		{tq.FactCompleted, tq.Completed, 9, 1, true},
		{tq.FactDeleted, tq.Completed, 9, 1, false},
	}
	for i := range min(len(got), len(want)) {
		same(q, fmt.Sprintf("fact %d", i+1), got[i], want[i])
	}
	same(q, "facts", len(got), len(want))
	for _, kind := range tq.Kinds() {
		if !slices.ContainsFunc(want, func(l line) bool { return l.kind == kind }) {
			q.t.Errorf("kind %s is not shown", kind)
		}
	}
}

func oneFactEach(q *Queue) {
	all := q.enqueueN(5, tq.NewTask{})
	cs := q.claimSome(tq.ClaimIn{Max: 5})
	var rows []tq.CompleteLease
	for _, c := range cs {
		rows = append(rows, tq.CompleteLease{LeaseToken: c.LeaseToken}, tq.CompleteLease{LeaseToken: c.LeaseToken})
	}
	out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: rows})
	q.must("complete", err)
	for i, s := range out.Leases {
		same(q, "a repeat within the call", q.settled("complete", s).Replayed, i%2 == 1)
	}
	for _, id := range all {
		q.tells(id, tq.FactEnqueued, tq.FactClaimed, tq.FactCompleted)
	}
}

func detailIsBounded(q *Queue) {
	c := q.started(tq.NewTask{})
	q.settled("progress", q.tryExtend(c, tq.ExtendLease{Progress: &tq.Progress{Note: strings.Repeat("\x01é", 50_000)}}))
	q.fail(c, strings.Repeat("\x01é\"", 50_000))
	cancelled := q.enqueue(tq.NewTask{})
	q.changed("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{cancelled}, Reason: strings.Repeat("é", 100)}))
	for _, f := range q.facts(tq.FactsIn{}) {
		b, err := json.Marshal(f.Detail)
		q.must("write down the detail", err)
		if len(b) > tq.MaxDetail {
			q.t.Errorf("%s: detail of %d bytes", f.Kind, len(b))
		}
	}
	if q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.FactFailed}})[0].Detail.Error == "" {
		q.t.Fatal("the fact does not say what failed")
	}
}

func actsInStream(q *Queue) {
	q.enqueue(tq.NewTask{})
	q.pause("default")
	q.resume("default")
	_, err := q.Client.Purge(q.ctx(), tq.QueueIn{Queue: "default"})
	q.must("purge", err)
	q.tryClaim(tq.ClaimIn{Worker: tq.WorkerInfo{ID: "w1"}})
	_, err = q.Client.RemoveWorker(q.ctx(), tq.RemoveWorkerIn{ID: "w1"})
	q.must("remove worker", err)
	var kinds []tq.Kind
	for _, f := range q.facts(tq.FactsIn{}) {
		kinds = append(kinds, f.Kind)
		if f.TaskID == 0 {
			same(q, "rev of an act", f.Rev, 0)
			same(q, "time of an act", f.At, tq.At(q.Clock.Now()))
		}
	}
	same(q, "stream", kinds, []tq.Kind{
		tq.FactEnqueued, tq.ActPaused, tq.ActResumed, tq.FactCancelled, tq.FactDeleted, tq.ActPurged, tq.ActWorkerRemoved,
	})
	purged := q.facts(tq.FactsIn{Kinds: []tq.Kind{tq.ActPurged}})[0]
	same(q, "purge", []any{purged.Queue, purged.Detail.Deleted}, []any{"default", 1})
}

func factFilters(q *Queue) {
	a := q.enqueue(tq.NewTask{Queue: "a", Type: "x", Project: "p"})
	b := q.enqueue(tq.NewTask{Queue: "b", Type: "x"})
	q.enqueue(tq.NewTask{Queue: "b", Type: "y"})
	q.cancel(a)
	for want, in := range map[int]tq.FactsIn{
		4: {}, 2: {TaskID: a}, 1: {Kinds: []tq.Kind{tq.FactCancelled}}, 3: {Type: "x"}, 0: {TaskID: 4711},
	} {
		same(q, fmt.Sprintf("facts of %+v", in), len(q.facts(in)), want)
	}
	same(q, "facts of queue b", len(q.facts(tq.FactsIn{Queue: "b"})), 2)
	same(q, "facts of queue b and type x", q.facts(tq.FactsIn{Queue: "b", Type: "x"})[0].TaskID, b)
	f := q.facts(tq.FactsIn{TaskID: a})[0]
	same(q, "labels", []string{f.Queue, f.Type, f.Project}, []string{"a", "x", "p"})
	out, err := q.Client.Facts(q.ctx(), tq.FactsIn{Last: true, Limit: 2})
	q.must("facts", err)
	all := q.facts(tq.FactsIn{})
	same(q, "the newest two, in order", out.Facts, all[2:])
	_, err = q.Client.Facts(q.ctx(), tq.FactsIn{After: -1})
	q.names(q.refused("facts", err, tq.CodeInvalid), "/after", "-1")
}

func factActors(q *Queue) {
	c := q.started(tq.NewTask{})
	q.expire(c)
	for _, f := range q.facts(tq.FactsIn{}) {
		if f.Actor == "" {
			q.t.Errorf("%s has no actor", f.Kind)
		}
	}
	mine := q.claimSome(tq.ClaimIn{Worker: tq.WorkerInfo{ID: "w1", Name: "box"}})[0]
	same(q, "worker of the lease", q.task(mine.ID).Lease.Worker != "", true)
}

func cursorAlone(q *Queue) {
	q.enqueueN(25, tq.NewTask{})
	all := q.facts(tq.FactsIn{})
	for _, page := range []int{1, 7, 25, 26} {
		var met []tq.Fact
		for {
			var after int64
			if len(met) > 0 {
				after = met[len(met)-1].Seq
			}
			out, err := q.Client.Facts(q.ctx(), tq.FactsIn{After: after, Limit: page})
			q.must("facts", err)
			if len(out.Facts) == 0 {
				break
			}
			met = append(met, out.Facts...)
		}
		same(q, fmt.Sprintf("facts in pages of %d", page), met, all)
	}
}

// cursorBehindWriters follows the journal while 16 writers fill it. What the
// reader has not met when the writers have stopped, it must find by going on.
func cursorBehindWriters(q *Queue) {
	const writers, rounds = 16, 25
	q.live()
	var met []tq.Fact
	read := func(wait tq.Duration) (int, error) {
		in := tq.FactsIn{Limit: 33, Wait: wait}
		if len(met) > 0 {
			in.After = met[len(met)-1].Seq
		}
		out, err := q.Client.Facts(q.ctx(), in)
		met = append(met, out.Facts...)
		return len(out.Facts), err
	}
	stopped := make(chan struct{})
	var reader sync.WaitGroup
	var readErr error
	reader.Go(func() {
		for {
			if _, readErr = read(tq.Duration(time.Second)); readErr != nil {
				return
			}
			select {
			case <-stopped:
				return
			default:
			}
		}
	})
	q.together(writers, func(i int) error { return q.write(i, rounds) })
	close(stopped)
	q.enqueue(tq.NewTask{}) // wakes the reader
	reader.Wait()
	q.must("follow", readErr)
	for n := 1; n > 0; {
		var err error
		n, err = read(0)
		q.must("follow to the end", err)
	}
	same(q, "facts met", met, q.facts(tq.FactsIn{}))
	written := slices.DeleteFunc(met, func(f tq.Fact) bool { return !strings.HasPrefix(f.Type, "writer-") })
	same(q, "facts of the writers", len(written), writers*rounds*4)
}

// write makes four facts a round: enqueued, claimed, failed and dead-lettered.
func (q *Queue) write(i, rounds int) error {
	kind := fmt.Sprint("writer-", i)
	for range rounds {
		if _, err := q.tryEnqueue(tq.NewTask{Type: kind, MaxAttempts: 1}); err != nil {
			return err
		}
		out, err := q.Client.Claim(q.ctx(), tq.ClaimIn{Types: []string{kind}})
		if err != nil || len(out.Tasks) != 1 {
			return fmt.Errorf("claim: %d tasks, %w", len(out.Tasks), err)
		}
		if _, err := q.Client.Fail(q.ctx(), tq.FailIn{Leases: []tq.FailLease{{LeaseToken: out.Tasks[0].LeaseToken}}}); err != nil {
			return err
		}
	}
	return nil
}
