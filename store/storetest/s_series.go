package storetest

import (
	"time"

	"example.com/tq"
)

// Series: what is counted in steps of time says the same as the journal, and
// goes on saying it when the journal has forgotten.

// seriesCount holds a series against what was done.
func seriesCount(q *Queue) {
	done := q.enqueue(tq.NewTask{Queue: "a", Type: "x"})
	q.enqueue(tq.NewTask{Queue: "a", Type: "y", MaxAttempts: 1})
	cancelled := q.enqueue(tq.NewTask{Queue: "b", Type: "x"})
	q.Clock.Advance(2 * time.Second)
	cs := q.claimSome(tq.ClaimIn{Queues: []string{"a"}, Max: 2})
	q.Clock.Advance(20 * time.Second)
	for _, c := range cs {
		if c.ID == done {
			q.complete(c, `1`)
		} else {
			q.fail(c, "no")
		}
	}
	_, err := q.Client.Cancel(q.ctx(), tq.CancelIn{IDs: []int64{cancelled}})
	q.must("cancel", err)

	total := q.series(tq.SeriesIn{})
	same(q, "counted", counted(total), tq.Point{Enqueued: 3, Claimed: 2, Completed: 1, Failed: 1, Dead: 1, Cancelled: 1})
	same(q, "waited", total.Wait.N, int64(2))
	same(q, "ran", total.Run.N, int64(2))
	q.about("wait", total.Wait.P50, 2*time.Second)
	q.about("run", total.Run.P95, 20*time.Second)
	same(q, "of queue b", counted(q.series(tq.SeriesIn{Queue: "b"})), tq.Point{Enqueued: 1, Cancelled: 1})
	same(q, "of type y", counted(q.series(tq.SeriesIn{Type: "y"})), tq.Point{Enqueued: 1, Claimed: 1, Failed: 1, Dead: 1})
}

// seriesStays folds, goes on, and forgets the tasks and their facts.
func seriesStays(q *Queue) {
	long := tq.SeriesIn{Range: tq.Duration(2 * time.Hour)}
	for range 3 {
		q.enqueueN(4, tq.NewTask{Queue: "a", Type: "x"})
		for _, c := range q.claimSome(tq.ClaimIn{Queues: []string{"a"}, Max: 4}) {
			q.complete(c, `1`)
		}
		before := q.series(long)
		q.Clock.Advance(30 * time.Second)
		q.sweepKeeping(tq.Retention{})
		same(q, "after the fold", q.series(long), before)
	}
	before := counted(q.series(long))
	same(q, "counted", before, tq.Point{Enqueued: 12, Claimed: 12, Completed: 12})
	keep := tq.Retention{Completed: time.Second, Facts: time.Second}
	for range 3 { // ended, deleted, forgotten
		q.Clock.Advance(time.Minute)
		q.sweepKeeping(keep)
	}
	same(q, "after all was forgotten", counted(q.series(long)), before)
	q.Clock.Advance(3 * time.Hour)
	q.sweepKeeping(keep)
	same(q, "lately", counted(q.series(tq.SeriesIn{})), tq.Point{})
	same(q, "this day", counted(q.series(tq.SeriesIn{Range: tq.Duration(24 * time.Hour)})), before)
	_, err := q.Client.Series(q.ctx(), tq.SeriesIn{Range: tq.Duration(time.Second)})
	q.names(q.refused("a range too short", err, tq.CodeInvalid), "/range_seconds", "60")
}

// series is the sum of a series, which its points have to add up to.
func (q *Queue) series(in tq.SeriesIn) tq.Point {
	q.t.Helper()
	out, err := q.Client.Series(q.ctx(), in)
	q.must("series", err)
	var sum tq.Point
	for _, p := range out.Points {
		sum.Enqueued += p.Enqueued
		sum.Claimed += p.Claimed
		sum.Completed += p.Completed
		sum.Failed += p.Failed
		sum.Dead += p.Dead
		sum.Cancelled += p.Cancelled
	}
	same(q, "sum of the points", sum, counted(out.Total))
	out.Total.At = tq.Time{} // it moves on with the clock
	return out.Total
}

// counted is a point without its times.
func counted(p tq.Point) tq.Point {
	return tq.Point{
		Enqueued: p.Enqueued, Claimed: p.Claimed, Completed: p.Completed, Failed: p.Failed, Dead: p.Dead, Cancelled: p.Cancelled,
	}
}

// about holds a time out of a histogram against the true one.
func (q *Queue) about(what string, got tq.Duration, want time.Duration) {
	q.t.Helper()
	if got.Std() < want || got.Std() > want+want/4 {
		q.t.Errorf("%s: %s, want %s to a quarter", what, got.Std(), want)
	}
}
