package test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/sqlite"
)

// How soon an idle worker begins a task, and what it costs while there is none:
// `make bench-pickup` prints both, on SQLite with full durability.

// idler is a worker in this process that waits for tasks of type bench, and
// tells when each began.
type idler struct {
	broker *tq.Broker
	path   string
	began  chan begin
}

type begin struct {
	task *tq.Task
	at   time.Time
}

func startIdler(b *testing.B) *idler {
	b.Helper()
	path := filepath.Join(b.TempDir(), "tq.db")
	store, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	x := &idler{broker: tq.New(store, tq.Options{}), path: path, began: make(chan begin)}
	w := &tq.Worker{Client: x.broker, Concurrency: 4, Log: slog.New(slog.DiscardHandler)}
	w.Handle("bench", tq.ExecutorFunc(func(_ context.Context, t *tq.Task) (json.RawMessage, error) {
		x.began <- begin{t, time.Now()}
		return nil, nil
	}))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- x.broker.Run(ctx) }()
	go func() { done <- w.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		for range 2 {
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return x
}

// BenchmarkPickUpInProcess measures from the answer of an enqueue to the begin
// of its handler.
func BenchmarkPickUpInProcess(b *testing.B) {
	x := startIdler(b)
	var all []time.Duration
	for b.Loop() {
		answered := make(chan time.Time, 1)
		go func() {
			_, err := x.broker.Enqueue(b.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "bench"}}})
			answered <- time.Now()
			if err != nil {
				b.Error(err)
			}
		}()
		got := <-x.began
		all = append(all, max(0, got.at.Sub(<-answered)))
	}
	report(b, all)
}

// BenchmarkPickUpFromOtherProcess measures from the moment another process
// wrote the task, by the store's clock and so to the millisecond, to the begin
// of its handler. The commit's fsync lies within.
func BenchmarkPickUpFromOtherProcess(b *testing.B) {
	x := startIdler(b)
	var all []time.Duration
	for b.Loop() {
		cmd := exec.Command("tq", "enqueue", "--db", x.path, "--type", "bench")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		got := <-x.began
		all = append(all, got.at.Sub(got.task.CreatedAt.Time))
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, all)
}

func report(b *testing.B, all []time.Duration) {
	b.Helper()
	slices.Sort(all)
	ms := func(p float64) float64 { return float64(all[int(p*float64(len(all)-1))].Microseconds()) / 1000 }
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.95), "p95-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIdleWorker measures what a `tq worker` with nothing to do takes of a
// processor, over ten seconds.
func BenchmarkIdleWorker(b *testing.B) {
	const span = 10 * time.Second
	cmd := exec.Command("tq", "worker", "--db", filepath.Join(b.TempDir(), "tq.db"))
	said, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	var used time.Duration
	for b.Loop() {
		before := cpuTime(b, cmd.Process.Pid)
		<-time.After(span)
		used = cpuTime(b, cmd.Process.Pid) - before
	}
	b.ReportMetric(100*used.Seconds()/span.Seconds(), "%cpu")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

// cpuTime is what a process has used so far, in user and system mode.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	const perTick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatalf("no /proc here: %v", err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * perTick
}
