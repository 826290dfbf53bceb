package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
)

// BenchmarkHeartbeats prints what the heartbeats of 500 workers cost the server,
// in hundredths of a core: each worker holds one claim of four tasks and extends
// it every ten seconds.
func BenchmarkHeartbeats(b *testing.B) {
	const workers, tasks = 500, 4
	s := OpenAt(b, Server.URL(), Options{Conns: 8})
	fillStore(b, s, workers*tasks)
	held := make([]tq.Extension, workers)
	for i := range held {
		claims, err := s.Claim(b.Context(), tq.ClaimQuery{Max: tasks, Lease: tq.MaxLease, Worker: tq.WorkerInfo{ID: fmt.Sprint(i)}})
		if err != nil {
			b.Fatal(err)
		}
		held[i] = tq.Extension{Lease: tq.MaxLease, Worker: tq.WorkerInfo{ID: fmt.Sprint(i)}, Actor: "bench"}
		for _, c := range claims.Tasks {
			held[i].Leases = append(held[i].Leases, tq.LeaseRef{TaskID: c.Task.ID, Epoch: c.Task.Epoch})
		}
	}
	before := serverTime(b, Server)
	b.ResetTimer()
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			for i := k; i < b.N; i += 8 {
				if _, err := s.Extend(context.WithoutCancel(b.Context()), held[i%workers]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	const beat = 10 * time.Second // a third of a worker's lease
	perBeat := (serverTime(b, Server) - before) / time.Duration(b.N)
	b.ReportMetric(100*perBeat.Seconds()*workers/beat.Seconds(), "%core")
}

// serverTime is how long the server's processes have worked.
func serverTime(b testing.TB, c *pgtest.Cluster) time.Duration {
	b.Helper()
	if !c.Own() {
		b.Fatal("the server's time can be read only of one that the tests have started")
	}
	const tick = 10 * time.Millisecond // of the kernel's accounts, on all common systems
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	var sum int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		own, child := strings.HasPrefix(string(text), strconv.Itoa(c.PID())+" "), fields[1] == strconv.Itoa(c.PID())
		for i, field := range fields[11:15] { // user and system time, and that of children that have ended
			n, err := strconv.Atoi(field)
			if err != nil {
				b.Fatal(err)
			}
			if own || child && i < 2 {
				sum += n
			}
		}
	}
	return time.Duration(sum) * tick
}
