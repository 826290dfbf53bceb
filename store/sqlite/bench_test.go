package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
)

// What an engine is measured by: tasks per second for callers that enqueue one
// at a time, and for workers that claim and complete, one at a time or many.

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(filepath.Join(b.TempDir(), "tq.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func newTask(i int) tq.NewTask {
	n := tq.NewTask{Type: "bench", Payload: []byte(`"` + strings.Repeat("x", 198) + `"`)}
	if i%10 == 0 {
		n.IdempotencyKey = "key-" + strconv.Itoa(i)
	}
	normal, err := n.Normal()
	if err != nil {
		panic(err)
	}
	return normal
}

// callers runs f for each of n numbers, from that many callers at once.
func callers(b *testing.B, many, n int, f func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	begun := time.Now()
	for range many {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				if err := f(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(n)/time.Since(begun).Seconds(), "tasks/s")
	b.StopTimer()
}

func BenchmarkEnqueue(b *testing.B) {
	for _, many := range []int{1, 16, 100} {
		b.Run(fmt.Sprintf("callers=%d", many), func(b *testing.B) {
			s := benchStore(b)
			callers(b, many, b.N, func(i int) error {
				_, err := s.Enqueue(b.Context(), []tq.NewTask{newTask(i)}, "bench")
				return err
			})
		})
	}
}

func fillStore(b *testing.B, s *Store, n int) {
	b.Helper()
	for done := 0; done < n; {
		batch := make([]tq.NewTask, min(1_000, n-done))
		for i := range batch {
			batch[i] = newTask(done + i + 1)
		}
		if _, err := s.Enqueue(b.Context(), batch, "bench"); err != nil {
			b.Fatal(err)
		}
		done += len(batch)
	}
}

// settleAll claims up to max tasks and completes them.
func settleAll(ctx context.Context, s *Store, max int, claim string) (int, error) {
	q := tq.ClaimQuery{Max: max, Lease: 30 * time.Second, ClaimID: claim, Worker: tq.WorkerInfo{ID: "bench", Types: []string{"bench"}}}
	got, err := s.Claim(ctx, q)
	if err != nil || len(got.Tasks) == 0 {
		return 0, err
	}
	changes := make([]tq.Change, len(got.Tasks))
	for i := range got.Tasks {
		body := []byte(`{"ok":true,"note":"` + strings.Repeat("y", 80) + `"}`)
		arg := tq.Arg{Epoch: got.Tasks[i].Task.Epoch}
		arg.Hash = tq.SettleHash(tq.EventComplete, body, arg)
		changes[i] = tq.Change{TaskID: got.Tasks[i].Task.ID, Event: tq.EventComplete, Arg: arg, Actor: "bench", Body: body}
	}
	out, err := s.Change(ctx, changes)
	for i := range out {
		if out[i].Err != nil {
			return 0, out[i].Err
		}
	}
	return len(changes), err
}

func BenchmarkDrain(b *testing.B) {
	for _, w := range []struct{ many, max int }{{1, 1}, {16, 1}, {100, 1}, {1, 100}, {4, 100}} {
		b.Run(fmt.Sprintf("callers=%d/batch=%d", w.many, w.max), func(b *testing.B) {
			s := benchStore(b)
			fillStore(b, s, b.N)
			var claims atomic.Int64
			callers(b, w.many, (b.N+w.max-1)/w.max, func(int) error {
				_, err := settleAll(b.Context(), s, w.max, "claim-"+strconv.FormatInt(claims.Add(1), 10))
				return err
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// What a claim costs beside many tasks that it does not concern (spec S29).
func BenchmarkClaimLatency(b *testing.B) {
	storetest.ClaimLatency(b, func() tq.Store { return benchStore(b) })
}

// cpu reports the processor time in user code, which says more than the clock
// on a busy machine.
func cpu(b *testing.B) (report func()) {
	b.ReportAllocs()
	b.ResetTimer()
	from := userTime(b)
	return func() {
		b.ReportMetric(float64(userTime(b)-from)/float64(b.N), "cpu-ns/op")
	}
}

// What the direct interface saves beside database/sql on the same copy of
// SQLite: one prepared insert, a thousand to a transaction
// (docs/decisions/001-sqlite-driver.md).
func BenchmarkInsert(b *testing.B) {
	const table = `create table rows (id integer primary key, a integer, b integer, c integer, d text)`
	const insert = `insert into rows (a, b, c, d) values (?, ?, ?, ?)`
	text := strings.Repeat("x", 200)
	b.Run("direct", func(b *testing.B) {
		run := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		c, err := openWriter(benchStore(b).path, Full)
		run(err)
		defer func() { run(c.close()) }()
		run(c.script(table))
		defer cpu(b)()
		run(c.script(`begin`))
		for i := range b.N {
			run(c.sql(insert).int(int64(i)).int(2).int(3).text(text).exec())
			if i%1_000 == 999 {
				run(c.script(`commit; begin`))
			}
		}
		run(c.script(`commit`))
	})
	b.Run("database/sql", func(b *testing.B) {
		db, err := DB(filepath.Join(b.TempDir(), "tq.db"), Options{})
		run := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		run(err)
		defer func() { run(db.Close()) }()
		_, err = db.Exec(table)
		run(err)
		defer cpu(b)()
		for done := 0; done < b.N; done += 1_000 {
			tx, err := db.Begin()
			run(err)
			run(insertMany(tx, insert, min(1_000, b.N-done), text))
			run(tx.Commit())
		}
	})
}

func insertMany(tx *sql.Tx, insert string, n int, text string) (err error) {
	q, err := tx.Prepare(insert)
	if err != nil {
		return err
	}
	defer func() { err = join(err, q.Close()) }()
	for i := range n {
		if _, err := q.Exec(i, 2, 3, text); err != nil {
			return err
		}
	}
	return nil
}
