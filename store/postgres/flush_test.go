package postgres

import (
	"fmt"
	"sync"
	"testing"

	"example.com/tq"
)

func TestCallersThatComeTogetherShareACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const callers = 200
	w.must("lanes", w.lanesFor(w.ctx(), normal(t, tq.NewTask{})))
	before := w.number(`select last_value from tq.batches`)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			if _, err := w.Enqueue(w.ctx(), normal(t, tq.NewTask{}), "tester"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), callers)
	if used := w.number(`select last_value from tq.batches`) - before; used > callers/2 {
		t.Errorf("%d callers took %d transactions", callers, used)
	}
	if commits, calls := w.Commits(); calls != callers || commits == 0 || commits > callers/2 {
		t.Errorf("counted %d calls in %d commits", calls, commits)
	}
}

// Who is refused, by a rule or by the server, is refused alone.
func TestAPoisonedCallerFailsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.enqueue(tq.NewTask{IdempotencyKey: "taken"})
	tx, err := w.conn().Begin(w.ctx())
	w.must("begin", err)
	_, err = w.EnqueueTx(w.ctx(), tx, tq.NewTask{Type: "work", IdempotencyKey: "held open"})
	w.must("enqueue in a transaction", err)
	cases := []struct {
		task tq.NewTask
		want tq.Code
	}{
		{task: tq.NewTask{}},
		{tq.NewTask{Deps: []tq.Ref{"9999"}}, tq.CodeUnknownDependency},
		{tq.NewTask{IdempotencyKey: "taken", Priority: 1, OnMismatch: tq.MismatchError}, tq.CodeIdempotencyMismatch},
		{tq.NewTask{IdempotencyKey: "held open"}, tq.CodeUnavailable},
		{task: tq.NewTask{IdempotencyKey: "free"}},
		{task: tq.NewTask{Deps: []tq.Ref{"1"}}},
	}
	// All in one flush, as it would be while another is on its way.
	var all []*pending
	for i, c := range cases {
		tasks := normal(t, c.task)
		w.must("lanes", w.lanesFor(w.ctx(), tasks))
		all = append(all, &pending{rows: 1, part: &part{tasks: tasks, actor: fmt.Sprint(i)}, done: make(chan struct{}), taken: true})
	}
	w.enqueues.write(all)
	for i, p := range all {
		<-p.done
		if got := tq.CodeOf(p.err); p.err != nil && got != cases[i].want || p.err == nil && cases[i].want != "" {
			t.Errorf("caller %d: got %v, want %q", i, p.err, cases[i].want)
		}
	}
	w.must("roll back", tx.Rollback(w.ctx()))
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 4)
}
