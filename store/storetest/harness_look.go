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

// The harness, continued: acts on tasks by their id, time, and looking.

func (q *Queue) cancel(id int64) tq.ChangedTask {
	q.t.Helper()
	return q.changed("cancel", q.tryCancel(tq.CancelIn{IDs: []int64{id}}))
}

func (q *Queue) forceCancel(id int64) tq.ChangedTask {
	q.t.Helper()
	return q.changed("cancel by force", q.tryCancel(tq.CancelIn{IDs: []int64{id}, Force: true}))
}

func (q *Queue) tryCancel(in tq.CancelIn) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Cancel(q.ctx(), in)
	return q.changeRow("cancel", out, err)
}

func (q *Queue) rescue(id int64) tq.ChangedTask {
	q.t.Helper()
	return q.changed("rescue", q.tryRescue(tq.RescueIn{IDs: []int64{id}}))
}

func (q *Queue) tryRescue(in tq.RescueIn) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Rescue(q.ctx(), in)
	return q.changeRow("rescue", out, err)
}

func (q *Queue) requeue(id int64) tq.ChangedTask {
	q.t.Helper()
	return q.changed("requeue", q.tryRequeue(id))
}

func (q *Queue) tryRequeue(id int64) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Requeue(q.ctx(), tq.RequeueIn{IDs: []int64{id}})
	return q.changeRow("requeue", out, err)
}

func (q *Queue) delete(id int64) tq.ChangedTask {
	q.t.Helper()
	return q.changed("delete", q.tryDelete(id))
}

func (q *Queue) tryDelete(id int64) tq.ChangedTask {
	q.t.Helper()
	out, err := q.Client.Delete(q.ctx(), tq.DeleteIn{IDs: []int64{id}})
	return q.changeRow("delete", out, err)
}

func (q *Queue) changeRow(what string, out tq.ChangeOut, err error) tq.ChangedTask {
	q.t.Helper()
	q.must(what, err)
	same(q, "answers to "+what, len(out.Tasks), 1)
	return out.Tasks[0]
}

func (q *Queue) changed(what string, c tq.ChangedTask) tq.ChangedTask {
	q.t.Helper()
	if c.Error != nil {
		q.t.Fatalf("%s task %d: %v (%s)", what, c.ID, c.Error, c.Error.Code)
	}
	return c
}

func (q *Queue) pause(queue string) {
	q.t.Helper()
	out, err := q.Client.Pause(q.ctx(), tq.QueueIn{Queue: queue})
	q.must("pause", err)
	same(q, "paused", out, tq.QueueOut{Queue: queue, Paused: true})
}

func (q *Queue) resume(queue string) {
	q.t.Helper()
	out, err := q.Client.Resume(q.ctx(), tq.QueueIn{Queue: queue})
	q.must("resume", err)
	same(q, "resumed", out, tq.QueueOut{Queue: queue})
}

// --- time

// sweep does all that is due now.
func (q *Queue) sweep() tq.Swept {
	q.t.Helper()
	return q.sweepKeeping(tq.Retention{})
}

func (q *Queue) sweepKeeping(keep tq.Retention) tq.Swept {
	q.t.Helper()
	const enough = 10_000
	var sum tq.Swept
	for range enough {
		s, err := q.Store.Sweep(q.ctx(), keep)
		q.must("sweep", err)
		sum.Expired += s.Expired
		sum.Due += s.Due
		sum.Cascade += s.Cascade
		sum.Deleted += s.Deleted
		sum.NextDue = s.NextDue
		if !s.More {
			return sum
		}
	}
	q.t.Fatalf("after %d sweeps there is still more", enough)
	return sum
}

// pass lets d go by as it does while a queue is served: the sweep runs each
// second, so that no outage is seen (spec S11).
func (q *Queue) pass(d time.Duration) {
	q.t.Helper()
	for d > 0 {
		step := min(d, time.Second)
		q.Clock.Advance(step)
		q.sweep()
		d -= step
	}
}

// expire lets the lease of c, claimed just now for the usual time, run out.
func (q *Queue) expire(cs ...tq.ClaimedTask) {
	q.t.Helper()
	q.pass(lease + time.Second)
	for _, c := range cs {
		if s := q.task(c.ID).Status; s == tq.Running {
			q.t.Fatalf("task %d is running a second after its lease ran out", c.ID)
		}
	}
}

// --- looking

func (q *Queue) task(id int64) tq.Task {
	q.t.Helper()
	t, err := q.Client.Task(q.ctx(), tq.TaskIn{ID: id})
	q.must("read task", err)
	same(q, "id of the task read", t.ID, id)
	return t
}

// is fails the test unless the task has that status.
func (q *Queue) is(id int64, want tq.Status) {
	q.t.Helper()
	same(q, fmt.Sprintf("status of task %d", id), q.task(id).Status, want)
}

// isGone fails the test unless the task has been deleted.
func (q *Queue) isGone(id int64) {
	q.t.Helper()
	_, err := q.Client.Task(q.ctx(), tq.TaskIn{ID: id})
	q.refused("read a deleted task", err, tq.CodeNotFound)
}

// list returns all tasks that in selects, newest first.
func (q *Queue) list(in tq.TasksIn) []tq.Task {
	q.t.Helper()
	in.Limit = tq.MaxPage
	var all []tq.Task
	for {
		out, err := q.Client.Tasks(q.ctx(), in)
		q.must("list tasks", err)
		all = append(all, out.Tasks...)
		if out.Cursor == "" {
			return all
		}
		in.Cursor = out.Cursor
	}
}

// listed returns the ids that in selects, oldest first.
func (q *Queue) listed(in tq.TasksIn) []int64 {
	q.t.Helper()
	var out []int64
	for _, t := range q.list(in) {
		out = append(out, t.ID)
	}
	slices.Reverse(out)
	return out
}

// facts reads all that in selects, in the order of seq.
func (q *Queue) facts(in tq.FactsIn) []tq.Fact {
	q.t.Helper()
	in.Limit = tq.MaxPage
	var all []tq.Fact
	for {
		out, err := q.Client.Facts(q.ctx(), in)
		q.must("read facts", err)
		if len(out.Facts) == 0 {
			return all
		}
		all = append(all, out.Facts...)
		in.After = out.Facts[len(out.Facts)-1].Seq
	}
}

// story is the kinds of all facts of a task.
func (q *Queue) story(id int64) []tq.Kind {
	q.t.Helper()
	var kinds []tq.Kind
	for _, f := range q.facts(tq.FactsIn{TaskID: id}) {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// tells fails the test unless the task's story is exactly that.
func (q *Queue) tells(id int64, want ...tq.Kind) {
	q.t.Helper()
	same(q, fmt.Sprintf("facts of task %d", id), q.story(id), want)
}

// lastFact is the newest fact of a task.
func (q *Queue) lastFact(id int64) tq.Fact {
	q.t.Helper()
	all := q.facts(tq.FactsIn{TaskID: id})
	if len(all) == 0 {
		q.t.Fatalf("task %d has no facts", id)
	}
	return all[len(all)-1]
}

func (q *Queue) stats() tq.Stats {
	q.t.Helper()
	out, err := q.Client.Stats(q.ctx(), tq.StatsIn{})
	q.must("stats", err)
	return out.Total
}

func (q *Queue) statsOf(queue string) tq.Stats {
	q.t.Helper()
	out, err := q.Client.Stats(q.ctx(), tq.StatsIn{Queue: queue})
	q.must("stats", err)
	same(q, "rows for queue "+queue, len(out.Queues), 1)
	return out.Queues[0]
}

// picture is all that can be read, as text.
func (q *Queue) picture() string {
	q.t.Helper()
	b, err := json.Marshal(map[string]any{
		"tasks": q.list(tq.TasksIn{Fields: "payload"}),
		"facts": q.facts(tq.FactsIn{}),
		"stats": q.stats(),
	})
	q.must("write down the picture", err)
	return string(b)
}

// unchanged fails the test when f leaves a trace.
func (q *Queue) unchanged(what string, f func()) {
	q.t.Helper()
	before := q.picture()
	f()
	if after := q.picture(); after != before {
		q.t.Fatalf("%s changed something:\nbefore %s\nafter  %s", what, before, after)
	}
}

// together runs f n times at once and fails the test with the first error.
func (q *Queue) together(n int, f func(i int) error) {
	q.t.Helper()
	start, errs := make(chan struct{}), make(chan error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs <- f(i)
		})
	}
	close(start)
	wg.Wait()
	close(errs)
	for err := range errs {
		q.must("one of many at once", err)
	}
}

// quoted makes a JSON string of exactly n bytes.
func quoted(n int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`)
}
