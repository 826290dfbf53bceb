package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
)

// Trouble with the server: killed, restarted, read-only. Callers do what ours
// do: they repeat a call with the same key, claim id or token until it answers.

// persist repeats f as long as the answer is one to try again after.
func persist(t *testing.T, what string, f func() error) { persistCounted(t, what, new(tries), f) }

// tries are the calls that callers had to make, and how it went.
type tries struct{ all, answered, unknown atomic.Int64 }

func persistCounted(t *testing.T, what string, n *tries, f func() error) {
	t.Helper()
	const patience = 2 * time.Minute
	for began := time.Now(); ; {
		n.all.Add(1)
		err := f()
		code := tq.CodeOf(err)
		if err == nil {
			n.answered.Add(1)
			return
		}
		if code == tq.CodeOutcomeUnknown {
			n.unknown.Add(1)
		}
		if code != tq.CodeUnavailable && code != tq.CodeOutcomeUnknown || time.Since(began) > patience {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// shift enqueues n tasks and works them off while trouble is called for each
// hundred completed; each must be completed exactly once.
func shift(w *world, n int, trouble func()) {
	w.t.Helper()
	made, faults, longest := new(tries), 0, time.Duration(0)
	var done atomic.Int64
	var group sync.WaitGroup
	var mischief sync.Mutex
	group.Go(func() {
		for i := range n {
			tasks := normal(w.t, tq.NewTask{IdempotencyKey: fmt.Sprint(i)})
			persistCounted(w.t, "enqueue", made, func() error {
				_, err := w.Enqueue(w.ctx(), tasks, "tester")
				return err
			})
		}
	})
	for k := range 3 {
		group.Go(func() {
			for i := 0; done.Load() < int64(n) && !w.t.Failed(); i++ {
				var claims tq.Claims
				persistCounted(w.t, "claim", made, func() (err error) {
					claims, err = w.Claim(w.ctx(), tq.ClaimQuery{Max: 5, Lease: time.Hour, ClaimID: fmt.Sprint(k, "-", i)})
					return err
				})
				for _, c := range claims.Tasks {
					persistCounted(w.t, "complete", made, func() error {
						out, err := w.Change(w.ctx(), []tq.Change{complete(c)})
						if err == nil {
							err = out[0].Err
						}
						return err
					})
					if done.Add(1)%100 == 0 {
						mischief.Lock()
						began := time.Now()
						trouble()
						faults, longest = faults+1, max(longest, time.Since(began))
						mischief.Unlock()
					}
				}
			}
		})
	}
	group.Wait()
	census, err := w.Queues(w.ctx())
	w.must("count", err)
	equal(w.t, "completed", census.Lines[0].Completed, int64(n))
	equal(w.t, "tasks", w.number(`select count(*) from tq.tasks`), int64(n))
	settled := int(w.number(`select count(*) from tq.facts where settles`))
	equal(w.t, "settled", settled, n)
	tally.Counts{
		Faults: faults, Attempted: int(made.all.Load()), Acknowledged: int(made.answered.Load()), Indeterminate: int(made.unknown.Load()),
		OK: int(made.answered.Load()), Lost: max(0, n-settled), Unexpected: max(0, settled-n), Longest: longest,
	}.Report(w.t)
}

// ownServer is one that nobody else uses: it may be killed, and started again
// with other settings.
func ownServer(t *testing.T) *pgtest.Cluster {
	t.Helper()
	c, err := pgtest.StartOwn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestARestartedServerLosesNothing(t *testing.T) {
	t.Parallel()
	c := ownServer(t)
	w := worldOf(t, OpenAt(t, c.URL(), Options{}), nil)
	shift(w, 100*tally.Number(t, "TQ_CRASHES", 3), func() {
		if err := c.Crash(); err != nil {
			t.Error(err)
		}
		if err := c.Launch(); err != nil {
			t.Error(err)
		}
	})
	w.sound()
	readOnly(w)
}

// readOnly: a server that became a replica refuses writes, goes on reading, and
// is written to again without a restart of ours.
func readOnly(w *world) {
	w.t.Helper()
	admin := w.conn()
	turn := func(to string) {
		_, err := admin.Exec(w.ctx(), "alter system set default_transaction_read_only = "+to)
		w.must("set", err)
		_, err = admin.Exec(w.ctx(), "select pg_reload_conf()")
		w.must("reload", err)
		for now := ""; now != to; {
			w.must("show", admin.QueryRow(w.ctx(), "show default_transaction_read_only").Scan(&now))
		}
	}
	turn("on")
	_, err := w.Enqueue(w.ctx(), normal(w.t, tq.NewTask{}), "tester")
	if tq.CodeOf(err) != tq.CodeUnavailable {
		w.t.Errorf("enqueue on a read-only server: got %v, want unavailable", err)
	}
	w.is(1, tq.Completed)
	turn("off")
	persist(w.t, "enqueue", func() error {
		_, err := w.Enqueue(w.ctx(), normal(w.t, tq.NewTask{}), "tester")
		return err
	})
}

func TestKilledBackendsLoseNothing(t *testing.T) {
	t.Parallel()
	w := worldOf(t, OpenAt(t, Server.URL(), Options{}), nil)
	stranger := w.conn()
	shift(w, 100*tally.Number(t, "TQ_CRASHES", 5), func() {
		_, err := stranger.Exec(context.Background(), `select pg_terminate_backend(pid) from pg_stat_activity
			where application_name = $1 and pid <> pg_backend_pid()`, w.o.Schema)
		if err != nil {
			t.Error(err)
		}
	})
}

// What a pooler had said yes to when it was killed is in the server.
func TestAKilledPoolerLosesNothing(t *testing.T) {
	t.Parallel()
	p, err := pgtest.StartPooler(Server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := worldOf(t, OpenAt(t, p.URL(), Options{Pooled: true}), nil)
	shift(w, 100*tally.Number(t, "TQ_CRASHES", 2), func() {
		if err := errors.Join(p.Crash(), p.Launch()); err != nil {
			t.Error(err)
		}
	})
	w.sound()
}

// A store hears of what another one commits, by NOTIFY or, without it, by a look.
func TestWatchersHearOfOtherProcesses(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		t.Run(fmt.Sprintf("NoNotify=%v", quiet), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			other, err := Open(Server.URL(), Options{Schema: w.o.Schema, NoNotify: quiet, Conns: 2})
			w.must("open", err)
			t.Cleanup(func() { w.must("close", other.Close()) })
			ctx, stop := context.WithCancel(w.ctx())
			heard, ended := make(chan tq.News, 100), make(chan error, 2)
			go func() { ended <- w.Watch(ctx, func(tq.News) {}) }() // who sends wake-ups
			go func() {
				ended <- other.Watch(ctx, func(n tq.News) {
					select {
					case heard <- n:
					default:
					}
				})
			}()
			w.enqueue(tq.NewTask{})
			patience := time.After(30 * time.Second)
			for other := false; !other; {
				select {
				case n := <-heard:
					other = n.Other
				case <-patience:
					t.Fatal("nothing was heard")
				}
			}
			stop()
			for range 2 {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("watch ended with %v", err)
				}
			}
		})
	}
}
