package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/storetest"
	"example.com/tq/test/tally"
	"golang.org/x/sys/unix"
)

// Tests of several processes run this test binary again as another program.

const (
	playOn     = "TQ_POSTGRES_PLAY" // the address of the database
	playSchema = "TQ_POSTGRES_PLAY_SCHEMA"
	playSeed   = "TQ_POSTGRES_PLAY_SEED"
	playOps    = "TQ_POSTGRES_PLAY_OPS"
)

// moment is that of the clock which all processes of a machine share and which
// nobody sets, in nanoseconds.
func moment() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		return 0 // which the clock never answers, and judges find impossible
	}
	return at.Nano()
}

// haste is how much faster the clock of a history goes, so that leases run out
// under those who hold them.
const haste = 20

func hasty() time.Time { return time.Unix(1_800_000_000, 0).Add(time.Duration(haste * moment())) }

// asPlayer runs this binary as a part of a history when it was started as one.
func asPlayer() (code int, ok bool) {
	return asChild(playOn, func(address string) error { return play(address, os.Stdout) })
}

// asChild runs this binary as another program when the variable is set, which
// names the address of the database.
func asChild(variable string, run func(address string) error) (code int, ok bool) {
	address := os.Getenv(variable)
	if address == "" {
		return 0, false
	}
	if err := run(address); err != nil {
		fmt.Fprintf(os.Stderr, "a process started by %s: %v\n", variable, err)
		return 1, true
	}
	return 0, true
}

// play is one process of a history; what it was answered goes to out.
func play(address string, out io.Writer) error {
	seed, err := strconv.ParseUint(os.Getenv(playSeed), 10, 64)
	ops, err2 := strconv.Atoi(os.Getenv(playOps))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	s, err := Open(address, Options{Schema: os.Getenv(playSchema), Conns: 4, Clock: hasty})
	if err != nil {
		return err
	}
	return errors.Join(storetest.Play(s, out, moment, ops, seed), s.Close())
}

// Processes that know nothing of each other claim, settle and extend the same
// tasks, also with tokens that are each other's or stale, while leases run out.
// All they were answered fits one order of events.
func TestProcessesShareOneHistory(t *testing.T) {
	t.Parallel()
	const processes = 4
	seed := tally.Seed(t)
	ops := tally.Number(t, "TQ_HISTORY", 300*processes) / processes
	w := worldOf(t, OpenAt(t, Server.URL(), Options{Clock: hasty}), nil)
	var wrote [processes]bytes.Buffer
	var all [processes]*exec.Cmd
	for i := range processes {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), playOn+"="+Server.URL(), playSchema+"="+w.o.Schema,
			playSeed+"="+strconv.Itoa(int(seed)*processes+i), playOps+"="+strconv.Itoa(ops))
		cmd.Stdout, cmd.Stderr = &wrote[i], os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		w.must("start", cmd.Start())
		all[i] = cmd
	}
	var read []io.Reader
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
		read = append(read, &wrote[i])
	}
	answers, err := storetest.Judge(w.Store, read...)
	if err != nil {
		t.Fatal(err)
	}
	// The players' clocks run on while a loaded machine keeps them waiting: what
	// ran out behind the last sweep of theirs ends now, as I10 asks.
	for more := true; more; {
		swept, err := w.Sweep(w.ctx(), tq.Retention{})
		w.must("sweep", err)
		more = swept.More
	}
	facts, err := w.Facts(w.ctx(), tq.FactQuery{Kinds: []tq.Kind{tq.FactLeaseExpired}, Limit: tq.MaxPage})
	w.must("facts", err)
	if len(facts) == 0 {
		t.Error("no lease ran out: too little is shown")
	}
	t.Logf("%d processes, %d answers that fit one order of events, %d leases ran out", processes, answers.Attempted, answers.Faults)
	answers.Seed = seed
	answers.Report(t)
}
