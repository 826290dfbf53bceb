package storetest

import (
	"encoding/json"
	"strings"

	"example.com/tq"
)

// What must hold at the end of every test: the store's own check finds
// nothing, and neither does this one, which knows only what a client can read.

// inspect sweeps, asks the store to check itself and holds the journal against
// the tasks.
func (q *Queue) inspect() {
	if q.t.Failed() {
		return
	}
	q.sweep()
	q.soundly()
}

// soundly is inspect without the sweep, for the middle of a test.
func (q *Queue) soundly() {
	q.t.Helper()
	broken, err := q.Store.Check(q.ctx())
	q.must("check", err)
	for _, v := range broken {
		q.t.Errorf("check: %s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
	j := journal{q: q, last: map[int64]tq.Fact{}, settled: map[attempt]bool{}}
	for _, f := range q.facts(tq.FactsIn{}) {
		j.read(f)
	}
	tasks := q.list(tq.TasksIn{})
	for _, t := range tasks {
		j.agrees(t)
	}
	q.countsAgree(tasks)
	workers, err := q.Client.Workers(q.ctx(), tq.WorkersIn{})
	q.must("workers", err)
	q.noToken("the workers", workers)
}

// journal folds facts as they are read.
type journal struct {
	q       *Queue
	seq     int64
	last    map[int64]tq.Fact
	settled map[attempt]bool
}

type attempt struct{ task, epoch int64 }

// read holds one fact against those before it: I2, I3, I7, I9, I12.
func (j *journal) read(f tq.Fact) {
	if f.Seq <= j.seq {
		j.q.t.Errorf("fact %d comes after fact %d", f.Seq, j.seq)
	}
	j.seq = f.Seq
	j.q.noToken("a fact", f)
	if f.TaskID == 0 {
		return
	}
	before, known := j.last[f.TaskID]
	j.last[f.TaskID] = f
	if f.Settles && j.settled[attempt{f.TaskID, f.Epoch}] {
		j.q.t.Errorf("task %d: attempt of epoch %d is settled twice", f.TaskID, f.Epoch)
	}
	j.settled[attempt{f.TaskID, f.Epoch}] = j.settled[attempt{f.TaskID, f.Epoch}] || f.Settles
	if !known && f.Kind != tq.FactEnqueued {
		return // the beginning was kept no longer
	}
	if f.Rev != before.Rev+1 {
		j.q.t.Errorf("task %d: rev %d follows rev %d", f.TaskID, f.Rev, before.Rev)
	}
	if f.Epoch != before.Epoch+raises(f) {
		j.q.t.Errorf("task %d: %s at epoch %d follows epoch %d", f.TaskID, f.Kind, f.Epoch, before.Epoch)
	}
}

// raises is by how much a fact raises the epoch.
func raises(f tq.Fact) int64 {
	switch {
	case f.Kind == tq.FactClaimed, f.Kind == tq.FactRescued, f.Kind == tq.FactCancelled && f.Detail.Force:
		return 1
	}
	return 0
}

// agrees holds a task against its last fact: I1, I4, I7, I12.
func (j *journal) agrees(t tq.Task) {
	f, ok := j.last[t.ID]
	switch {
	case !ok:
		j.q.t.Errorf("task %d has no facts", t.ID)
	case f.Status != t.Status || f.Epoch != t.Epoch || f.Attempt != t.Attempt:
		j.q.t.Errorf("task %d is %s, epoch %d, attempt %d; its last fact says %s, %d, %d",
			t.ID, t.Status, t.Epoch, t.Attempt, f.Status, f.Epoch, f.Attempt)
	case t.Attempt > t.MaxAttempts || t.Attempt < 0:
		j.q.t.Errorf("task %d is at attempt %d of %d", t.ID, t.Attempt, t.MaxAttempts)
	case (t.Lease != nil) != (t.Status == tq.Running):
		j.q.t.Errorf("task %d is %s with lease %v", t.ID, t.Status, t.Lease)
	case t.Status.Terminal() == t.EndedAt.IsZero():
		j.q.t.Errorf("task %d is %s, ended at %s", t.ID, t.Status, t.EndedAt)
	}
	j.q.noToken("a task", t)
}

// countsAgree holds the counters against the tasks: I13.
func (q *Queue) countsAgree(tasks []tq.Task) {
	q.t.Helper()
	var counted tq.Stats
	for _, t := range tasks {
		switch t.Label(q.Clock.Now()) {
		case tq.Ready:
			counted.Ready++
		case tq.Retrying:
			counted.Retrying++
			counted.Scheduled++
		case tq.Scheduled:
			counted.Scheduled++
		case string(tq.Blocked):
			counted.Blocked++
		case string(tq.Running):
			counted.Running++
		case string(tq.Completed):
			counted.Completed++
		case string(tq.Dead):
			counted.Dead++
		case string(tq.Cancelled):
			counted.Cancelled++
		}
	}
	got := q.stats()
	counted.BlockedByDead, counted.OldestReady = got.BlockedByDead, got.OldestReady
	same(q, "counts", got, counted)
}

func (q *Queue) noToken(what string, v any) {
	q.t.Helper()
	b, err := json.Marshal(v)
	q.must("write down "+what, err)
	if strings.Contains(string(b), "tqt_") {
		q.t.Errorf("%s shows a lease token: %s", what, b)
	}
}
