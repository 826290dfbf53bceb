package postgres

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// call enqueues by the SQL function, in a transaction of its own.
func (w *world) call(arguments string, args ...any) int64 {
	w.t.Helper()
	return w.number(`select tq.enqueue(`+arguments+`)`, args...)
}

func TestTheSQLFunctionEnqueues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payload := `{"a":  1.0, "b": "\\ \" \u0000 {[", "a": 2}`
	dep := w.call(`'work'`)
	id := w.call(`'work', $1, 'shop:mail', 'site', 7, '90 seconds', max_attempts => 5, timeout => '1 hour', key => 'k',
		deps => array[$2::bigint, $2::bigint], on_dep_failure => 'run', parent => $2, tags => array['a', 'b "c"']`, payload, dep)
	w.must("wake", w.Wake(w.ctx()))
	equal(t, "status of the first", w.task(dep).Status, tq.Pending)
	got := w.task(id)
	want := tq.Task{
		ID: id, Queue: "shop:mail", Type: "work", Project: "site", Priority: 7, Tags: []string{"a", `b "c"`},
		Status: tq.Blocked, MaxAttempts: 5, Timeout: tq.Duration(time.Hour), IdempotencyKey: "k", OnDepFailure: tq.DepRun, Parent: dep,
	}
	equal(t, "payload", string(got.Payload), payload)
	equal(t, "delay", got.RunAt.Sub(got.CreatedAt.Time), 90*time.Second)
	got.Payload, got.RunAt, got.CreatedAt = nil, tq.Time{}, tq.Time{}
	if !slices.Equal(got.Tags, want.Tags) {
		t.Errorf("tags: got %q", got.Tags)
	}
	got.Tags, want.Tags = nil, nil
	equal(t, "task", asText(t, got), asText(t, want))
	w.sound()
}

// What one way writes the other knows: keys, and bodies under them.
func TestTheSQLFunctionSharesKeysWithTheLibrary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.enqueue(tq.NewTask{IdempotencyKey: "k", Payload: []byte(`{"a":1}`), Priority: -5})[0]
	equal(t, "a repeat", w.call(`'work', '{"a":1}', priority => -5, key => 'k', on_mismatch => 'error'`), first)
	equal(t, "another one", w.call(`'work', '{"a":2}', key => 'k'`), first)
	second := w.call(`'sh', 'true', key => 'sh', deps => array[$1::bigint]`, first)
	for _, payload := range []string{`true`, `"true"`} {
		out, err := w.Enqueue(w.ctx(), normal(t, tq.NewTask{
			Type: "sh", Payload: []byte(payload), IdempotencyKey: "sh", Deps: []tq.Ref{tq.ID(first)}, OnMismatch: tq.MismatchError,
		}), "tester")
		w.must("repeat", err)
		equal(t, "id", out[0].ID, second)
	}
	w.refusesCall(`another one`, `'work', '{"a":2}', key => 'k', on_mismatch => 'error'`)
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 2)
}

func (w *world) refusesCall(want, arguments string, args ...any) {
	w.t.Helper()
	var id int64
	err := w.pool.QueryRow(w.ctx(), w.texts.of(`select tq.enqueue(`+arguments+`)`), args...).Scan(&id)
	var refusal *pgconn.PgError
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, want) {
		w.t.Errorf("enqueue(%s): got %v, want %q", arguments, err, want)
	}
}

func TestTheSQLFunctionHoldsTheLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, x := range []struct {
		want, arguments string
		args            []any
	}{
		{"type: is required", `''`, nil},
		{"type: is 65 bytes", `$1`, []any{long(65)}},
		{"queue: ", `'a', queue => 'a b'`, nil},
		{"project: has a control character", `'a', project => E'x\ny'`, nil},
		{"key: is 201 bytes", `'a', key => $1`, []any{long(201)}},
		{"payload: is 131073 bytes", `'a', $1`, []any{`"` + long(131071) + `"`}},
		{"payload: is nested deeper", `'a', $1`, []any{strings.Repeat("[", 129) + strings.Repeat("]", 129)}},
		{"invalid input syntax", `'a', '{'`, nil},
		{"priority", `'a', priority => 32768`, nil},
		{"run_at: give delay or run_at", `'a', delay => '1 s', run_at => now()`, nil},
		{"delay", `'a', delay => '-1 s'`, nil},
		{"max_attempts", `'a', max_attempts => 0`, nil},
		{"timeout", `'a', timeout => '8 days'`, nil},
		{"no task 99", `'a', deps => array[99]`, nil},
		{"no task 99", `'a', parent => 99`, nil},
		{"tags: are 21", `'a', tags => array_fill('t'::text, array[21])`, nil},
		{"tags: one is empty", `'a', tags => array['']`, nil},
		{"on_dep_failure", `'a', on_dep_failure => 'wait'`, nil},
	} {
		w.refusesCall(x.want, x.arguments, x.args...)
	}
	for _, x := range []string{
		`repeat('x', 64)`, `'a', key => repeat('k', 200)`, `'a', to_json(repeat('x', 131070))`,
		`'a', (repeat('[', 128) || repeat(']', 128))::json`, `'a', priority => -32768`, `'a', priority => 32767`,
	} {
		w.call(x)
	}
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 6)
}

// An open transaction that enqueued something of a new kind holds up nobody.
func TestAnOpenCallOfTheSQLFunctionHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var open []pgx.Tx
	for range 2 {
		tx, err := w.conn().Begin(w.ctx())
		w.must("begin", err)
		_, err = tx.Exec(w.ctx(), w.texts.of(`select tq.enqueue('new')`))
		w.must("enqueue", err)
		open = append(open, tx)
	}
	id := w.enqueue(tq.NewTask{Type: "new"})[0]
	w.claim(tq.ClaimQuery{}, id)
	for _, tx := range open {
		w.must("commit", tx.Commit(w.ctx()))
	}
	w.must("wake", w.Wake(w.ctx()))
	claims, err := w.Claim(w.ctx(), tq.ClaimQuery{Types: []string{"new"}, Max: 5, Lease: time.Minute})
	w.must("claim", err)
	equal(t, "claimed", len(claims.Tasks), 2)
	census, err := w.Queues(w.ctx())
	w.must("count", err)
	equal(t, "lines", len(census.Lines), 1)
	equal(t, "running", census.Lines[0].Running, 3)
}

// A role that may use the schema, and no more, can enqueue, and no more.
func TestTheSQLFunctionNeedsNoOtherRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tx, err := w.conn().Begin(w.ctx())
	w.must("begin", err)
	role := "role_" + w.o.Schema
	for _, statement := range []string{`create role ` + role, `grant usage on schema ` + w.o.Schema + ` to ` + role, `set local role ` + role} {
		_, err := tx.Exec(w.ctx(), statement)
		w.must(statement, err)
	}
	_, err = tx.Exec(w.ctx(), w.texts.of(`select tq.enqueue('work', key => 'k')`))
	w.must("enqueue", err)
	_, err = tx.Exec(w.ctx(), w.texts.of(`select * from tq.tasks`))
	equal(t, "reading", codeOf(err), "42501")
	w.must("roll back", tx.Rollback(w.ctx()))
	equal(t, "tasks", w.number(`select count(*) from tq.tasks`), 0)
}

func asText(t *testing.T, v tq.Task) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
