package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/tq"
)

// Enqueue writes all tasks or none. Every row is resolved before the first is
// written, so a refusal leaves nothing to undo.
func (s *Store) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	var out []tq.Enqueued
	size := 0
	for i := range tasks {
		size += len(tasks[i].Payload)
	}
	err := s.write(ctx, size, func(n *turn) error {
		b := batch{turn: n, tasks: tasks, rows: make([]birth, 0, len(tasks)), first: n.cache.lastTask}
		if err := b.resolve(); err != nil {
			return err
		}
		out = make([]tq.Enqueued, len(tasks))
		for i := range b.rows {
			out[i] = b.rows[i].answer
			if err := b.write(&b.rows[i], actor); err != nil {
				return err
			}
		}
		return n.tell()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// batch is one Enqueue at work. New tasks get the ids after first, in order.
type batch struct {
	*turn
	tasks []tq.NewTask
	rows  []birth
	first int64
	fresh []int // rows that make a new task; the i-th gets id first + 1 + i
	keys  map[[2]string]int
}

// birth is what becomes of one row.
type birth struct {
	task      *tq.NewTask
	answer    tq.Enqueued
	deps      []int64
	edges     []edge
	step      tq.Step
	runAt     int64
	canceller int64
	body      [16]byte // of its key
}

func (b *batch) resolve() error {
	for i := range b.tasks {
		row := birth{task: &b.tasks[i]}
		if err := b.resolveRow(&row); err != nil {
			return inRow(i, err)
		}
		b.rows = append(b.rows, row)
	}
	return nil
}

func (b *batch) resolveRow(r *birth) error {
	unknown := b.resolveDeps(r)
	if unknown != nil && !isRefusal(unknown) {
		return unknown
	}
	if existing, err := b.byKey(r, unknown != nil); existing || err != nil {
		return err
	}
	if unknown != nil {
		return unknown
	}
	if r.task.Parent != 0 {
		status, err := b.status(r.task.Parent)
		if err != nil {
			return err
		}
		if status == "" {
			return tq.Errorf(tq.CodeUnknownDependency, "parent: no task %d", r.task.Parent)
		}
	}
	return b.bear(r)
}

// bear decides how the new task begins.
func (b *batch) bear(r *birth) error {
	r.runAt = b.now
	if d := r.task.Delay.Std(); d > 0 {
		r.runAt = b.now + d.Milliseconds()
	}
	r.runAt = max(r.runAt, r.task.RunAt.Milli())
	for _, id := range r.deps {
		status, err := b.status(id)
		if err != nil {
			return err
		}
		switch effect := tq.DepEffect(status, r.task.OnDepFailure); effect {
		case tq.StillOpen, tq.Stuck:
			r.edges = append(r.edges, edge{parent: id, stuck: effect == tq.Stuck})
		case tq.Cancels:
			r.canceller = id
		}
	}
	r.step = tq.Birth(r.task, len(r.edges), r.canceller != 0)
	r.step.Delay = msDuration(r.runAt - b.now)
	r.answer = tq.Enqueued{ID: b.first + 1 + int64(len(b.fresh)), Status: r.step.State.Status}
	b.fresh = append(b.fresh, len(b.rows))
	return nil
}

// byKey answers with the task that holds the row's key, if any.
func (b *batch) byKey(r *birth, unknownDeps bool) (existing bool, err error) {
	n := r.task
	if n.IdempotencyKey == "" {
		return false, nil
	}
	deps, err := depsText(r.deps)
	if err != nil {
		return false, err
	}
	r.body = keyBody(n.Type, n.MaxAttempts, n.Priority, deps, n.Payload)
	id, body, err := b.keyHolder(n.Queue, n.IdempotencyKey)
	if err != nil || id == 0 {
		b.keep(n)
		return false, err
	}
	same := body == r.body && !unknownDeps
	if !same && n.OnMismatch == tq.MismatchError {
		e := tq.Errorf(tq.CodeIdempotencyMismatch, "key %q belongs to task %d, which is another one", n.IdempotencyKey, id)
		e.TaskID = id
		return false, e
	}
	status, err := b.status(id)
	r.answer = tq.Enqueued{ID: id, Status: status, Existed: true, Mismatch: !same}
	return true, err
}

// keep remembers that the row at work takes its key.
func (b *batch) keep(n *tq.NewTask) {
	if b.keys == nil {
		b.keys = make(map[[2]string]int)
	}
	b.keys[[2]string{n.Queue, n.IdempotencyKey}] = len(b.rows)
}

const selectKey = `select task_id, body from keys where queue = ? and key = ?`

// keyHolder finds the task that holds a key, in this batch or before it. A new
// task that ended at its birth has freed its key again if it was to.
func (b *batch) keyHolder(queue, key string) (id int64, body [16]byte, err error) {
	if i, ok := b.keys[[2]string{queue, key}]; ok {
		r := &b.rows[i]
		if r.task.KeyUntil == tq.KeyUntilTerminal && r.answer.Status.Terminal() {
			return 0, body, nil
		}
		return r.answer.ID, r.body, nil
	}
	q := b.c.sql(selectKey).text(queue).text(key)
	if q.next() {
		id = q.colInt(0)
		copy(body[:], q.colBytes(1))
	}
	return id, body, q.end()
}

// resolveDeps finds what the row's deps name, each once, in the order of ids.
func (b *batch) resolveDeps(r *birth) error {
	for _, ref := range r.task.Deps {
		target := ref.Target()
		id := target.ID
		switch {
		case target.Key != "":
			holder, _, err := b.keyHolder(r.task.Queue, target.Key)
			if err != nil {
				return err
			}
			id = holder
		case target.Row > len(b.rows):
			return tq.Errorf(tq.CodeInvalid, "deps: %s is not an earlier row of the batch", ref)
		case target.Row > 0:
			id = b.rows[target.Row-1].answer.ID
		}
		status, err := b.status(id)
		if err != nil {
			return err
		}
		if status == "" {
			return tq.Errorf(tq.CodeUnknownDependency, "deps: there is no task %s", ref)
		}
		r.deps = append(r.deps, id)
	}
	slices.Sort(r.deps)
	r.deps = slices.Compact(r.deps)
	return nil
}

// status answers that of a task, in this batch or before it; "" when there is
// none.
func (b *batch) status(id int64) (tq.Status, error) {
	if i := id - b.first - 1; i >= 0 {
		if i < int64(len(b.fresh)) {
			return b.rows[b.fresh[i]].answer.Status, nil
		}
		return "", nil
	}
	return b.standing(id)
}

const insertTask = `insert into tasks (id, lane, prio, max_attempts, created_at, run_at, timeout, parent, key, key_until,
	on_dep, deps, tags, backoff, trace, payload) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// write stores a row that makes a new task.
func (b *batch) write(r *birth, actor string) error {
	if r.answer.Existed {
		return nil
	}
	n := r.task
	l, err := b.intern(laneName{n.Queue, n.Type, n.Project})
	if err != nil {
		return err
	}
	if err := b.writeTask(r, l); err != nil {
		return err
	}
	if n.IdempotencyKey != "" {
		q := b.c.sql(insertKey).text(n.Queue).text(n.IdempotencyKey).int(r.answer.ID).blob(r.body[:])
		if err := b.exec(q); err != nil {
			return err
		}
	}
	b.cache.lastTask = r.answer.ID
	t := &subject{
		id: r.answer.ID, lane: l.id, prio: -int64(n.Priority), due: r.runAt, first: r.runAt,
		key: n.IdempotencyKey, keyUntil: n.KeyUntil, policy: n.OnDepFailure, edges: r.edges,
	}
	return b.apply(t, r.step, act{actor: actor, detail: tq.FactDetail{Cause: r.canceller}})
}

func (b *batch) writeTask(r *birth, l *lane) error {
	n := r.task
	deps, err := depsText(r.deps)
	if err != nil {
		return err
	}
	tags, err := jsonOrEmpty(n.Tags, len(n.Tags) > 0)
	if err != nil {
		return err
	}
	backoff, err := jsonOrEmpty(n.Backoff, n.Backoff != nil)
	if err != nil {
		return err
	}
	q := b.c.sql(insertTask).int(r.answer.ID).int(l.id).int(-int64(n.Priority)).int(int64(n.MaxAttempts)).int(b.now).
		int(r.runAt).int(n.Timeout.Std().Milliseconds()).intOrNull(n.Parent).textOrNull(n.IdempotencyKey).
		int(keyUntilCode(n.KeyUntil)).int(policyCode(n.OnDepFailure)).textOrNull(deps).textOrNull(tags).textOrNull(backoff).
		textOrNull(n.Traceparent)
	if len(n.Payload) == 0 {
		return b.exec(q.null())
	}
	return b.exec(q.bytesAsText(n.Payload))
}

const insertLane = `insert into lanes (queue, type, project) values (?, ?, ?)`

// intern answers the lane of that name and adds it when it is new.
func (n *turn) intern(name laneName) (*lane, error) {
	if l := n.s.lanes.named(name); l != nil {
		return l, nil
	}
	for _, l := range n.added {
		if l.queue == name.queue && l.typ == name.typ && l.project == name.project {
			return l, nil
		}
	}
	if err := n.exec(n.c.sql(insertLane).text(name.queue).text(name.typ).text(name.project)); err != nil {
		return nil, err
	}
	l := &lane{id: n.c.raw.LastInsertRowID(), queue: name.queue, typ: name.typ, project: name.project}
	n.added = append(n.added, l)
	return l, nil
}

func depsText(deps []int64) (string, error) { return jsonOrEmpty(deps, len(deps) > 0) }

func jsonOrEmpty(v any, is bool) (string, error) {
	if !is {
		return "", nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// keyBody is what tells a repeat from another task under the same key (S19).
func keyBody(typ string, maxAttempts, priority int, deps string, payload []byte) [16]byte {
	h := sha256.New()
	var head [16]byte
	binary.BigEndian.PutUint64(head[:], uint64(int64(maxAttempts)))
	binary.BigEndian.PutUint64(head[8:], uint64(int64(priority)))
	h.Write(head[:])
	h.Write([]byte(typ + "\x00" + deps + "\x00"))
	h.Write(payload)
	return [16]byte(h.Sum(nil)[:16])
}

func inRow(i int, err error) error {
	var e *tq.Error
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	at.Message = fmt.Sprintf("tasks/%d: %s", i, e.Message)
	return &at
}
