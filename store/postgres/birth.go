package postgres

import (
	"encoding/json"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// The beginning of a task: its first fact, what it waits for, and its row.

// newRow is a row that is born in this transaction.
type newRow struct {
	*row
	task *tq.NewTask
	body []byte // of its key
}

// birth makes the task, its place and its first fact.
func (e *enqueuing) birth(p *part, n *tq.NewTask, held heldKey, deps []int64) *row {
	r := &row{id: held.id, lane: e.lanes.named(nameOf(n))}
	r.state.MaxAttempts, r.state.Backoff = n.MaxAttempts, n.Backoff
	r.asked = asked{
		runAt: e.now, timeout: n.Timeout.Std().Milliseconds(), key: n.IdempotencyKey,
		keyUntil: n.KeyUntil, onDep: n.OnDepFailure, deps: deps,
	}
	if !n.RunAt.IsZero() {
		r.asked.runAt = max(e.now, n.RunAt.Milli())
	}
	if n.Delay > 0 {
		r.asked.runAt = e.now + n.Delay.Std().Milliseconds()
	}
	r.runAt = r.asked.runAt
	e.keep(r)
	e.fresh = append(e.fresh, &newRow{row: r, task: n, body: held.body})
	e.bear(r, p.actor)
	return r
}

// bear asks Birth in which status r begins, and writes its edges.
func (w *work) bear(r *row, actor string) {
	open, canceller := 0, int64(0)
	var edges []edgeLine
	for _, id := range r.asked.deps {
		p := w.find(id)
		if p == nil {
			continue
		}
		effect := tq.DepEffect(p.state.Status, r.asked.onDep)
		switch effect {
		case tq.Cancels:
			canceller = id
		case tq.StillOpen, tq.Stuck:
			open++
			edges = append(edges, edgeLine{id, r.id, policyCode(r.asked.onDep), stuckFlag(effect)})
		}
	}
	n := tq.NewTask{MaxAttempts: r.state.MaxAttempts}
	step := tq.Birth(&n, open, canceller != 0)
	step.State.Backoff = r.state.Backoff
	if step.State.Status == tq.Pending {
		step.Delay = msDuration(max(0, r.asked.runAt-w.now))
	}
	if step.State.Status == tq.Blocked {
		w.edges = append(w.edges, edges...)
		for _, e := range edges {
			r.stuck += int(e.stuck)
		}
	}
	w.apply(r, step, act{actor: actor, detail: tq.FactDetail{Cause: canceller}})
}

func stuckFlag(e tq.Effect) int16 {
	if e == tq.Stuck {
		return 1
	}
	return 0
}

// collectTasks queues the rows of tasks born here.
func (w *work) collectTasks(b *pgx.Batch) {
	var c taskColumns
	for _, f := range w.fresh {
		c.add(f)
	}
	w.some(b, len(c.id), insertTasks, c.id, shared(c.lane), shared(c.max), shared(c.runAt), shared(c.timeout),
		shared(c.parent), shared(c.key), shared(c.until), shared(c.onDep), shared(c.deps), shared(c.tags),
		shared(c.backoff), c.payload, w.now, sparse(c.body, noBytes), shared(c.trace))
	w.fresh = nil
}

type taskColumns struct {
	id, runAt, timeout, parent        []int64
	lane                              []int32
	max, until, onDep                 []int16
	key, deps, tags, backoff, payload []string
	trace                             []string
	body                              [][]byte
}

func (c *taskColumns) add(f *newRow) {
	n := f.task
	c.id, c.lane, c.max = append(c.id, f.id), append(c.lane, f.lane.id), append(c.max, int16(n.MaxAttempts))
	c.runAt, c.timeout = append(c.runAt, f.asked.runAt), append(c.timeout, f.asked.timeout)
	c.parent, c.key = append(c.parent, n.Parent), append(c.key, n.IdempotencyKey)
	c.until, c.onDep = append(c.until, keyUntilCode(n.KeyUntil)), append(c.onDep, policyCode(n.OnDepFailure))
	c.deps, c.tags = append(c.deps, listText(f.asked.deps)), append(c.tags, listText(n.Tags))
	c.backoff, c.payload = append(c.backoff, backoffText(n.Backoff)), append(c.payload, string(n.Payload))
	c.body, c.trace = append(c.body, f.body), append(c.trace, n.Traceparent)
}

// listText is a list as JSON, "" when it is empty. Ids and strings always
// encode.
func listText[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(b)
}

func backoffText(b *tq.Backoff) string {
	if b == nil {
		return ""
	}
	text, err := json.Marshal(b)
	if err != nil {
		return ""
	}
	return string(text)
}
