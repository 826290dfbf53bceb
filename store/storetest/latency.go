package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// ClaimLatency measures what a claim costs in an empty store, and beside many
// tasks that it does not concern (spec S29). With TQ_BACKLOG=N these are N that
// are scheduled, N that wait, N of a foreign type that are ready, five times N
// that have ended, and a fifth of N that run.
func ClaimLatency(b *testing.B, open func() tq.Store) {
	for _, n := range []int{0, tally.Number(b, "TQ_BACKLOG", 1_000)} {
		q := &backlog{b: b, store: open()} // once for all lengths of the benchmark: to fill it takes minutes
		if n > 0 {
			q.fill(n)
		}
		b.Run(fmt.Sprintf("backlog=%d", n), func(b *testing.B) {
			claims := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for range b.N {
				claims = append(claims, q.one(b))
			}
			slices.Sort(claims)
			b.ReportMetric(float64(claims[len(claims)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(claims[len(claims)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// backlog is a store with tasks that a claim of type bench passes by.
type backlog struct {
	b     *testing.B
	store tq.Store
}

// one enqueues a task, claims it and completes it, and answers what the claim
// took.
func (q *backlog) one(b *testing.B) time.Duration {
	b.Helper()
	q.add(1, tq.NewTask{Type: "bench"})
	begun := time.Now()
	got := q.claim("bench", 1, time.Minute)
	took := time.Since(begun)
	q.complete(got)
	return took
}

func (q *backlog) fill(n int) {
	const ended = 5
	for range ended {
		q.add(n, tq.NewTask{Type: "past"})
		for left := n; left > 0; {
			got := q.claim("past", min(left, tq.MaxClaim), time.Minute)
			q.complete(got)
			left -= len(got)
		}
	}
	q.add(n/5, tq.NewTask{Type: "present"})
	for left := n / 5; left > 0; {
		left -= len(q.claim("present", min(left, tq.MaxClaim), tq.MaxLease))
	}
	never := q.add(1, tq.NewTask{Type: "never", Delay: tq.Duration(24 * time.Hour)})
	q.add(n, tq.NewTask{Type: "bench", Delay: tq.Duration(24 * time.Hour)})
	q.add(n, tq.NewTask{Type: "bench", Deps: []tq.Ref{tq.ID(never)}})
	q.add(n, tq.NewTask{Type: "foreign", Priority: 10})
}

// add enqueues n tasks and answers the id of the last.
func (q *backlog) add(n int, like tq.NewTask) (last int64) {
	q.b.Helper()
	like.Queue = cmp.Or(like.Queue, tq.DefaultQueue)
	normal, err := like.Normal()
	if err != nil {
		q.b.Fatal(err)
	}
	for ; n > 0; n -= tq.MaxBatch {
		out, err := q.store.Enqueue(q.b.Context(), slices.Repeat([]tq.NewTask{normal}, min(n, tq.MaxBatch)), "bench")
		if err != nil {
			q.b.Fatal(err)
		}
		last = out[len(out)-1].ID
	}
	return last
}

func (q *backlog) claim(kind string, most int, lease time.Duration) []tq.Claimed {
	q.b.Helper()
	got, err := q.store.Claim(q.b.Context(), tq.ClaimQuery{Types: []string{kind}, Max: most, Lease: lease})
	if err != nil || len(got.Tasks) == 0 {
		q.b.Fatal(len(got.Tasks), err)
	}
	return got.Tasks
}

func (q *backlog) complete(tasks []tq.Claimed) {
	q.b.Helper()
	changes := make([]tq.Change, len(tasks))
	for i := range tasks {
		changes[i] = tq.Change{TaskID: tasks[i].Task.ID, Event: tq.EventComplete, Arg: tq.Arg{Epoch: tasks[i].Task.Epoch}}
	}
	out, err := q.store.Change(q.b.Context(), changes)
	if err != nil || out[0].Err != nil {
		q.b.Fatal(err, out)
	}
}
