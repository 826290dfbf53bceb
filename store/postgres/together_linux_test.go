package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
)

const drainOn, drainSchema = "TQ_POSTGRES_DRAIN", "TQ_POSTGRES_DRAIN_SCHEMA"

// asDrainer runs this binary as one of the processes that drain when it was
// started as one.
func asDrainer() (code int, ok bool) { return asChild(drainOn, drainHere) }

// drainHere says that it is ready, and works until nothing is left once it is
// told to begin.
func drainHere(address string) error {
	s, err := Open(address, Options{Schema: os.Getenv(drainSchema), Conns: 8})
	if err != nil {
		return err
	}
	w := &tq.Worker{Client: tq.New(s, tq.Options{Actor: "bench"}), Concurrency: 100, UntilEmpty: true}
	w.Handle("bench", nothing{})
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(w.Run(context.Background()), s.Close())
}

// How fast the workers of one operating system process, and of two that claim at
// once, empty a queue.
func BenchmarkDrainByProcesses(b *testing.B) {
	for _, many := range []int{1, 2} {
		b.Run(fmt.Sprintf("processes=%d", many), func(b *testing.B) {
			took := drainBy(b, many, b.N)
			b.ReportMetric(float64(b.N)/took.Seconds(), "tasks/s")
		})
	}
}

func TestWorkersOfTwoProcessesEndEachTaskOnce(t *testing.T) {
	t.Parallel()
	drainBy(t, 2, 3_000)
}

// drainBy lets processes empty a queue of n tasks and answers how long that
// took. Each task must end once.
func drainBy(tb testing.TB, processes, n int) time.Duration {
	tb.Helper()
	s := OpenAt(tb, Server.URL(), Options{})
	fillStore(tb, s, n)
	begin := make([]func() (wait func() error), processes)
	for i := range begin {
		begin[i] = startDrainer(tb, s)
	}
	waits := make([]func() error, processes)
	begun := time.Now()
	for i := range begin {
		waits[i] = begin[i]()
	}
	for _, wait := range waits {
		if err := wait(); err != nil {
			tb.Error(err)
		}
	}
	took := time.Since(begun)
	var ended, tasks int
	err := s.pool.QueryRow(tb.Context(), s.texts.of(`select count(*), count(distinct task_id) from tq.facts where kind = $1`),
		kindCode(tq.FactCompleted)).Scan(&ended, &tasks)
	if err != nil || ended != n || tasks != n {
		tb.Errorf("%d completions of %d tasks, want one of each of %d: %v", ended, tasks, n, err)
	}
	if found, err := s.Check(tb.Context()); err != nil || len(found) > 0 {
		tb.Errorf("check: %v, %v", found, err)
	}
	return took
}

// startDrainer starts a process; begin lets it go, wait is for its end.
func startDrainer(tb testing.TB, s *Store) (begin func() (wait func() error)) {
	tb.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), drainOn+"="+Server.URL(), drainSchema+"="+s.o.Schema)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		tb.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		tb.Fatalf("a process does not begin: %v", err)
	}
	return func() func() error {
		_, err := in.Write([]byte("\n"))
		return func() error { return errors.Join(err, cmd.Wait()) }
	}
}
