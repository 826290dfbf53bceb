package postgres

import (
	"context"
	"fmt"
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
	return OpenAt(b, Server.URL(), Options{Conns: 16})
}

func benchTask(b testing.TB, i int) tq.NewTask {
	b.Helper()
	n := tq.NewTask{Type: "bench", Payload: []byte(`"` + strings.Repeat("x", 198) + `"`)}
	if i%10 == 0 {
		n.IdempotencyKey = "key-" + strconv.Itoa(i)
	}
	return normal(b, n)[0]
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
				_, err := s.Enqueue(b.Context(), []tq.NewTask{benchTask(b, i)}, "bench")
				return err
			})
		})
	}
}

func BenchmarkEnqueueBatch(b *testing.B) {
	s := benchStore(b)
	fillStore(b, s, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

func fillStore(b testing.TB, s *Store, n int) {
	b.Helper()
	for done := 0; done < n; {
		batch := make([]tq.NewTask, min(1_000, n-done))
		for i := range batch {
			batch[i] = benchTask(b, done+i+1)
		}
		if _, err := s.Enqueue(b.Context(), batch, "bench"); err != nil {
			b.Fatal(err)
		}
		done += len(batch)
	}
}

// settleAll claims up to most tasks and completes them.
func settleAll(ctx context.Context, s *Store, most int, claim string) error {
	q := tq.ClaimQuery{Max: most, Lease: 30 * time.Second, ClaimID: claim, Worker: tq.WorkerInfo{ID: "bench", Types: []string{"bench"}}}
	got, err := s.Claim(ctx, q)
	if err != nil || len(got.Tasks) == 0 {
		return err
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
			return out[i].Err
		}
	}
	return err
}

func BenchmarkDrain(b *testing.B) {
	for _, w := range []struct{ many, most int }{{1, 1}, {16, 1}, {100, 1}, {1, 100}, {4, 100}} {
		b.Run(fmt.Sprintf("callers=%d/batch=%d", w.many, w.most), func(b *testing.B) {
			s := benchStore(b)
			fillStore(b, s, b.N)
			var claims atomic.Int64
			callers(b, w.many, (b.N+w.most-1)/w.most, func(int) error {
				return settleAll(b.Context(), s, w.most, "claim-"+strconv.FormatInt(claims.Add(1), 10))
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// What a claim costs beside many tasks that it does not concern (spec S29).
func BenchmarkClaimLatency(b *testing.B) {
	storetest.ClaimLatency(b, func() tq.Store { return benchStore(b) })
}
