package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

const (
	drawIDs = `select nextval('tq.task_ids') from generate_series(1, $1::int)`
	// drawNew draws for the tasks without a key, and for each key that is free.
	drawNew = `select nextval('tq.task_ids') from generate_series(1, $1::int + (
		select count(*) from (select distinct queue, key from unnest($2::text[], $3::text[]) u(queue, key)) u
		where not exists (select 1 from tq.keys k where k.queue = u.queue and k.key = u.key))::int)`
	selectKeys = `select u.ord, k.task_id, t.key_body
		from unnest($1::text[], $2::text[]) with ordinality u(queue, key, ord)
		cross join lateral (select task_id from tq.keys k where k.queue = u.queue and k.key = u.key limit 1) k
		join tq.tasks t on t.id = k.task_id`
)

// Enqueue writes all tasks or none. Callers that come together share a
// transaction, see flush.go.
func (s *Store) Enqueue(ctx context.Context, tasks []tq.NewTask, actor string) ([]tq.Enqueued, error) {
	if err := s.lanesFor(ctx, tasks); err != nil {
		return nil, err
	}
	p := &part{tasks: tasks, actor: actor}
	size := 0
	for i := range tasks {
		size += len(tasks[i].Payload)
	}
	if err := s.enqueues.do(ctx, &pending{rows: len(tasks), bytes: size, part: p}); err != nil {
		return nil, err
	}
	return p.out, nil
}

// enqueueParts writes the batches of several callers. When one is refused, all
// are, and the error says whose fault it was.
func (s *Store) enqueueParts(ctx context.Context, all []*pending) error {
	var e *enqueuing
	return s.write(ctx, func(w *work, b *pgx.Batch) {
		e = &enqueuing{work: w}
		for _, p := range all {
			p.part.out = nil
			e.parts = append(e.parts, p.part)
		}
		e.ahead(b)
	}, func(*work) error { return e.run() })
}

// part is the batch of one caller.
type part struct {
	tasks []tq.NewTask
	actor string
	out   []tq.Enqueued
}

// enqueuing are batches on their way in.
type enqueuing struct {
	*work
	parts []*part
	ids   []int64             // drawn, not used yet
	keys  map[keyName]heldKey // that are taken, by others or by earlier rows

	unnumbered int   // rows with provisional ids
	newest     int64 // the last id that was given out, as far as that can be known
	foretold   bool  // a row was named by the id that it is going to have
}

// tasks are those of all parts.
func (e *enqueuing) tasks() iter.Seq[*tq.NewTask] {
	return func(yield func(*tq.NewTask) bool) {
		for _, p := range e.parts {
			for i := range p.tasks {
				if !yield(&p.tasks[i]) {
					return
				}
			}
		}
	}
}

type keyName struct{ queue, key string }

type heldKey struct {
	id   int64
	body []byte
}

// ahead looks for the keys and draws the ids of a batch in which no row can be
// refused; those of others are drawn when all is known (enqueue_ids.go).
func (e *enqueuing) ahead(b *pgx.Batch) {
	e.dueAhead(b)
	e.keys = map[keyName]heldKey{}
	names := e.keyNames()
	queue, key := keyLists(names)
	if len(names) > 0 {
		e.keysAhead(b, names, queue, key)
	}
	if !e.certain() {
		b.Queue(e.texts.of(selectNewest)).QueryRow(func(row pgx.Row) error { return row.Scan(&e.newest) })
		return
	}
	b.Queue(e.texts.of(drawNew), e.keyless(), queue, key).Query(func(rows pgx.Rows) (err error) {
		e.ids, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
}

func keyLists(names []keyName) (queue, key []string) {
	for _, n := range names {
		queue, key = append(queue, n.queue), append(key, n.key)
	}
	return queue, key
}

func (e *enqueuing) keysAhead(b *pgx.Batch, names []keyName, queue, key []string) {
	b.Queue(e.texts.of(selectKeys), queue, key).Query(func(rows pgx.Rows) error {
		var ord, id int64
		var body []byte
		_, err := pgx.ForEachRow(rows, []any{&ord, &id, &body}, func() error {
			e.keys[names[ord-1]] = heldKey{id, bytes.Clone(body)}
			return nil
		})
		return err
	})
}

// keyNames are all keys that the batch names, for itself or for a dependency.
func (e *enqueuing) keyNames() []keyName {
	var names []keyName
	for n := range e.tasks() {
		if n.IdempotencyKey != "" {
			names = append(names, keyName{n.Queue, n.IdempotencyKey})
		}
		for _, ref := range n.Deps {
			if key := ref.Target().Key; key != "" {
				names = append(names, keyName{n.Queue, key})
			}
		}
	}
	return names
}

func (e *enqueuing) run() error {
	rows := 0
	for range e.tasks() {
		rows++
	}
	if err := e.promoteDue(); err != nil {
		return err
	}
	if err := e.loadNamed(); err != nil {
		return err
	}
	if err := e.drawFor(2 * rows); err != nil {
		return err
	}
	if err := e.all(); err != nil {
		return err
	}
	return e.number()
}

// all answers every row.
func (e *enqueuing) all() error {
	for _, p := range e.parts {
		for i := range p.tasks {
			answer, err := e.one(p, &p.tasks[i])
			if err != nil {
				return &blame{part: p, err: inRow(i, err)}
			}
			p.out = append(p.out, answer)
		}
	}
	e.told = nil // nobody can wait for a task that is born here, but for rows here
	return nil
}

// loadNamed reads every task that the batch names and holds those that may be
// waited for where they are.
func (e *enqueuing) loadNamed() error {
	named, deps := e.named()
	if err := e.pin(deps); err != nil {
		return err
	}
	return e.load(named)
}

// named are the tasks that the batch names, and of these the ones to wait for.
func (e *enqueuing) named() (others, deps []int64) {
	for n := range e.tasks() {
		if n.Parent != 0 {
			others = append(others, n.Parent)
		}
		if held, ok := e.keys[keyName{n.Queue, n.IdempotencyKey}]; ok {
			others = append(others, held.id)
		}
		for _, ref := range n.Deps {
			t := ref.Target()
			if held, ok := e.keys[keyName{n.Queue, t.Key}]; ok && t.Key != "" {
				t.ID = held.id
			}
			if t.ID != 0 {
				deps = append(deps, t.ID)
			}
		}
	}
	return others, deps
}

func (e *enqueuing) one(p *part, n *tq.NewTask) (tq.Enqueued, *tq.Error) {
	deps, unknown := e.resolve(p, n)
	name := keyName{n.Queue, n.IdempotencyKey}
	if held, ok := e.keys[name]; ok && n.IdempotencyKey != "" {
		if old := e.find(held.id); old != nil {
			return existing(old, held, n, deps, unknown)
		}
	}
	if unknown != nil {
		return tq.Enqueued{}, unknown
	}
	if n.Parent != 0 && e.find(e.known(n.Parent)) == nil {
		return tq.Enqueued{}, tq.Errorf(tq.CodeUnknownDependency, "parent: there is no task %d", n.Parent).
			WithHint("see what there is: tq list")
	}
	held := heldKey{id: e.nextID()}
	if n.IdempotencyKey != "" {
		held.body = bodyHash(n, deps)
		e.taken = append(e.taken, keyLine{n.Queue, n.IdempotencyKey, held.id})
	}
	r := e.birth(p, n, held, deps)
	if n.IdempotencyKey != "" && (!r.state.Status.Terminal() || n.KeyUntil != tq.KeyUntilTerminal) {
		e.keys[name] = held
	}
	return tq.Enqueued{ID: r.id, Status: r.state.Status}, nil
}

// existing answers a repeated key. A dependency that is not found makes it
// another task, no more: the first one may well have outlived it.
func existing(old *row, held heldKey, n *tq.NewTask, deps []int64, unknown *tq.Error) (tq.Enqueued, *tq.Error) {
	mismatch := unknown != nil || !bytes.Equal(held.body, bodyHash(n, deps))
	if mismatch && n.OnMismatch == tq.MismatchError {
		if old.id >= provisional {
			return tq.Enqueued{}, tq.Errorf(tq.CodeIdempotencyMismatch, "key %q belongs to an earlier row, which is another task", n.IdempotencyKey).
				WithHint("use a key of its own for each task")
		}
		e := tq.Errorf(tq.CodeIdempotencyMismatch, "key %q belongs to task %d, which is another one", n.IdempotencyKey, old.id)
		e.TaskID = old.id
		return tq.Enqueued{}, e.WithHint("use a key of its own for each task, or see that one: tq show %d", old.id)
	}
	return tq.Enqueued{ID: old.id, Status: old.state.Status, Existed: true, Mismatch: mismatch}, nil
}

// bodyHash tells a repeat from another task under the same key (spec S19).
func bodyHash(n *tq.NewTask, deps []int64) []byte {
	h := sha256.New()
	h.Write([]byte(n.Type))
	h.Write([]byte{0})
	h.Write(n.Payload)
	h.Write([]byte{0})
	for _, v := range append([]int64{int64(n.Priority), int64(n.MaxAttempts)}, deps...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(v)))
	}
	return h.Sum(nil)[:16]
}

// resolve finds what the deps of n name, each once, in the order of their ids.
func (e *enqueuing) resolve(p *part, n *tq.NewTask) ([]int64, *tq.Error) {
	var ids []int64
	for _, ref := range n.Deps {
		t := ref.Target()
		switch {
		case t.Key != "":
			t.ID = e.keys[keyName{n.Queue, t.Key}].id
		case t.Row > len(p.out):
			return nil, tq.Errorf(tq.CodeInvalid, "deps: %s is not an earlier row of the batch", ref).
				WithHint("$0 is the first row; a task can only wait for rows before its own")
		case t.Row > 0:
			t.ID = p.out[t.Row-1].ID
		}
		if t.ID = e.known(t.ID); e.find(t.ID) == nil {
			return nil, tq.Errorf(tq.CodeUnknownDependency, "deps: there is no task %s", ref).
				WithHint("enqueue it first, or see what there is: tq list")
		}
		ids = append(ids, t.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func inRow(i int, e *tq.Error) error {
	c := *e
	c.Message = fmt.Sprintf("tasks/%d: %s", i, e.Message)
	return &c
}
