package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/store/storetest"
	"github.com/jackc/pgx/v5"
)

// Server is the PostgreSQL that all tests of this package share; each has a
// schema of its own.
var Server *pgtest.Cluster

func TestMain(m *testing.M) {
	for _, as := range []func() (int, bool){asPlayer, asDrainer} {
		if code, ok := as(); ok {
			os.Exit(code)
		}
	}
	c, err := pgtest.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	Server = c
	code := m.Run()
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// OpenAt is a store in a fresh schema of the server at address, dropped at the
// end.
func OpenAt(tb testing.TB, address string, o Options) *Store {
	tb.Helper()
	o.Schema = "t_" + strings.ToLower(rand.Text()[:12])
	if o.Conns == 0 {
		o.Conns = 4
	}
	s, err := Open(address+"&application_name="+o.Schema, o) // to be told apart in the server's views
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_, err := s.pool.Exec(context.Background(), "drop schema "+o.Schema+" cascade")
		if end := s.Close(); err != nil || end != nil {
			tb.Errorf("drop %s: %v, %v", o.Schema, err, end)
		}
	})
	return s
}

// world is a store with short words for what tests do to it.
type world struct {
	*Store
	t     *testing.T
	clock *storetest.Clock
}

// newWorld has a clock that stands still, an hour ahead of the server's.
func newWorld(t *testing.T) *world {
	t.Helper()
	clock := storetest.NewClock(time.Now().Add(time.Hour).Truncate(time.Second))
	return worldOf(t, OpenAt(t, Server.URL(), Options{Clock: clock.Now}), clock)
}

func worldOf(t *testing.T, s *Store, clock *storetest.Clock) *world {
	w := &world{t: t, clock: clock, Store: s}
	t.Cleanup(func() {
		if !t.Failed() {
			w.sound()
		}
	})
	return w
}

func (w *world) ctx() context.Context { return context.WithoutCancel(w.t.Context()) }

// sound fails the test when check finds anything.
func (w *world) sound() {
	w.t.Helper()
	found, err := w.Check(w.ctx())
	w.must("check", err)
	for _, v := range found {
		w.t.Errorf("check: %s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

func (w *world) must(what string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

func normal(tb testing.TB, tasks ...tq.NewTask) []tq.NewTask {
	tb.Helper()
	out := slices.Clone(tasks)
	for i, n := range out {
		if n.Type == "" {
			n.Type = "work"
		}
		var err error
		if out[i], err = n.Normal(); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

func (w *world) enqueue(tasks ...tq.NewTask) []int64 {
	w.t.Helper()
	out, err := w.Enqueue(w.ctx(), normal(w.t, tasks...), "tester")
	w.must("enqueue", err)
	ids := make([]int64, len(out))
	for i, e := range out {
		ids[i] = e.ID
	}
	return ids
}

// claim leases what q asks for and fails the test when that is not these tasks.
func (w *world) claim(q tq.ClaimQuery, want ...int64) []tq.Claimed {
	w.t.Helper()
	q.Max, q.Lease = max(1, len(want)), time.Minute
	claims, err := w.Claim(w.ctx(), q)
	w.must("claim", err)
	got := idsOf(claims)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Fatalf("claimed %v, want %v", got, want)
	}
	return claims.Tasks
}

func idsOf(c tq.Claims) []int64 {
	var ids []int64
	for _, t := range c.Tasks {
		ids = append(ids, t.Task.ID)
	}
	return ids
}

func complete(c tq.Claimed) tq.Change {
	x := tq.Change{TaskID: c.Task.ID, Event: tq.EventComplete, Actor: "tester", Body: []byte(`1`), Arg: tq.Arg{Epoch: c.Task.Epoch}}
	x.Arg.Hash = tq.SettleHash(x.Event, x.Body, x.Arg)
	return x
}

func (w *world) task(id int64) tq.Task {
	w.t.Helper()
	page, err := w.Tasks(w.ctx(), tq.TaskQuery{IDs: []int64{id}, Payload: true})
	w.must("read", err)
	if len(page.Tasks) != 1 {
		w.t.Fatalf("task %d: got %d tasks", id, len(page.Tasks))
	}
	return page.Tasks[0]
}

func (w *world) is(id int64, want tq.Status) {
	w.t.Helper()
	if got := w.task(id).Status; got != want {
		w.t.Fatalf("task %d is %s, want %s", id, got, want)
	}
}

func (w *world) number(statement string, args ...any) int64 {
	w.t.Helper()
	var n int64
	w.must(statement, w.pool.QueryRow(w.ctx(), w.texts.of(statement), args...).Scan(&n))
	return n
}

// conn is a connection of its own, as a stranger would have it.
func (w *world) conn() *pgx.Conn {
	w.t.Helper()
	c, err := pgx.ConnectConfig(w.ctx(), w.pool.Config().ConnConfig)
	w.must("connect", err)
	w.t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
	return c
}

// someoneWaits waits until some backend of our schema waits for a lock.
func (w *world) someoneWaits() {
	w.t.Helper()
	const tries = 20_000
	for range tries {
		if w.number(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'
			and pid in (select pid from pg_locks where not granted) and application_name = $1`, w.o.Schema) > 0 {
			return
		}
	}
	w.t.Fatal("nobody waits for a lock")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
