package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
)

// What tq is for: the tests of small packages of Go's own library, one task each,
// run by three worker processes, one of which is killed with -9 while it runs
// two of them.

const (
	fanoutLease = 3 * time.Second
	victim      = "w2"
)

// fanoutPackages are packages whose tests take a moment each. The gate runs the
// first of them, TQ_FANOUT=40 all.
func fanoutPackages(t *testing.T) []string {
	t.Helper()
	all := []string{
		"hash/crc64", "hash/adler32", "hash/fnv", "hash/crc32", "cmp",
		"container/heap", "container/list", "container/ring", "path", "html",
		"encoding/ascii85", "iter", "encoding/base32", "net/textproto", "net/mail",
		"expvar", "encoding/csv", "encoding/hex", "errors", "unicode/utf8",
		"math/cmplx", "io/fs", "testing/quick", "maps", "encoding/binary",
		"net/url", "testing/iotest", "image/color", "encoding/base64", "testing/fstest",
		"text/tabwriter", "mime", "go/version", "database/sql/driver", "text/scanner",
		"unicode", "bufio", "text/template/parse", "unicode/utf16", "slices",
	}
	n := 12
	if text := os.Getenv("TQ_FANOUT"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 4 || n > len(all) {
			t.Fatalf("TQ_FANOUT is %q, want 4 to %d", text, len(all))
		}
	}
	return all[:n]
}

func TestFanOutOverThreeWorkersSurvivesAKill(t *testing.T) {
	t.Parallel()
	f := &fanout{t: t, dir: t.TempDir(), packages: fanoutPackages(t)}
	f.enqueueAll()
	f.broken = f.enqueue("broken", "go test -count=1 no/such/package", "--backoff", "200ms")

	victims := f.startWorkers()
	f.wait(0, f.ids...)
	f.wait(10, f.broken)
	f.stopWorkers()

	f.checkShards()
	f.checkBroken()
	f.checkVictims(victims)
	f.checkRepeats()
	if out := f.tq(0, "check"); !strings.HasPrefix(out, "ok") {
		t.Errorf("check: %s", out)
	}
}

// fanout is one run of it.
type fanout struct {
	t        *testing.T
	dir      string
	packages []string
	ids      []string // of the shards, in the order of packages
	broken   string   // the task that always fails
	workers  []*worker
	killed   time.Time
}

// worker is a process that runs `tq worker`.
type worker struct {
	name   string
	cmd    *exec.Cmd
	events io.Reader
	log    bytes.Buffer
	read   chan struct{} // closed when the log is at its end
}

// tq runs one command, which has to end with that exit status, and returns what
// it printed.
func (f *fanout) tq(code int, args ...string) string {
	f.t.Helper()
	cmd := f.command(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != code {
		f.t.Fatalf("tq %s: exit %d (%v), want %d\n%s%s", strings.Join(args, " "), got, err, code, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func (f *fanout) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(f.t.Context(), "tq", args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "TQ_DB="+filepath.Join(f.dir, "tq.db"), "TQ_CONFIG="+os.DevNull)
	return cmd
}

func (f *fanout) enqueueAll() {
	f.t.Helper()
	for i, p := range f.packages {
		f.ids = append(f.ids, f.enqueue(fmt.Sprintf("shard-%02d", i), "go test -count=1 "+p))
	}
}

func (f *fanout) enqueue(key, command string, more ...string) string {
	f.t.Helper()
	return f.tq(0, append([]string{
		"enqueue", "--type", "sh", "--project", "fanout", "--key", key, "--payload", command, "--max-attempts", "3",
	}, more...)...)
}

// startWorkers starts three workers and kills one as soon as it runs two tasks,
// which it returns.
func (f *fanout) startWorkers() []int64 {
	f.t.Helper()
	f.startWorker(victim)
	f.startWorker("w1")
	f.startWorker("w3")
	v := f.workers[0]
	running := f.runsTwo(v)
	f.killed = time.Now()
	if err := v.cmd.Process.Kill(); err != nil {
		f.t.Fatalf("kill %s: %v", v.name, err)
	}
	for _, w := range f.workers {
		go w.readOn()
	}
	<-v.read
	_ = v.cmd.Wait() // it was killed
	f.workers = f.workers[1:]
	return running
}

func (f *fanout) startWorker(name string) {
	f.t.Helper()
	cmd := f.command("worker", "--name", name, "--concurrency", "2", "--lease", fanoutLease.String(), "--json")
	events, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.t.Fatalf("start worker %s: %v", name, err)
	}
	f.workers = append(f.workers, &worker{name: name, cmd: cmd, events: bufio.NewReader(events), read: make(chan struct{})})
}

// runsTwo reads what the worker tells until it runs two tasks.
func (f *fanout) runsTwo(w *worker) []int64 {
	f.t.Helper()
	var running []int64
	for d := json.NewDecoder(w.events); len(running) < 2; {
		var e struct {
			Event  string `json:"event"`
			TaskID int64  `json:"task_id"`
		}
		if err := d.Decode(&e); err != nil {
			f.t.Fatalf("read what %s tells: %v", w.name, err)
		}
		switch e.Event {
		case "start":
			running = append(running, e.TaskID)
		case "complete", "fail":
			running = running[:0] // too late for this pair
		}
	}
	return running
}

func (w *worker) readOn() {
	defer close(w.read)
	_, _ = io.Copy(&w.log, w.events) // what came is all there is
}

func (f *fanout) wait(code int, ids ...string) {
	f.t.Helper()
	f.tq(code, append([]string{"wait", "--timeout", "10m"}, ids...)...)
}

func (f *fanout) stopWorkers() {
	f.t.Helper()
	for _, w := range f.workers {
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			f.t.Errorf("stop %s: %v", w.name, err)
		}
	}
	for _, w := range f.workers {
		<-w.read
		if err := w.cmd.Wait(); err != nil {
			f.t.Errorf("worker %s: %v\n%s", w.name, err, w.log.String())
		}
	}
}

func (f *fanout) task(id string) (task tq.Task, facts []tq.Fact) {
	f.t.Helper()
	var v struct {
		tq.Task
		Facts []tq.Fact `json:"facts"`
	}
	if err := json.Unmarshal([]byte(f.tq(0, "show", id, "--json")), &v); err != nil {
		f.t.Fatalf("show %s: %v", id, err)
	}
	return v.Task, v.Facts
}

func (f *fanout) checkShards() {
	f.t.Helper()
	for i, p := range f.packages {
		task, _ := f.task(f.ids[i])
		if task.Status != tq.Completed || !strings.Contains(string(task.Result), `ok  \t`+p+`\t`) {
			f.t.Errorf("shard %d (%s) is %s: %s", i, p, task.Status, task.Result)
		}
	}
}

func (f *fanout) checkBroken() {
	f.t.Helper()
	task, facts := f.task(f.broken)
	failed := 0
	for _, fact := range facts {
		if fact.Kind == tq.FactFailed {
			failed++
		}
	}
	if task.Status != tq.Dead || task.Attempt != 3 || failed != 3 || !strings.Contains(task.LastError, "no/such/package") {
		f.t.Errorf("the broken task is %s after attempt %d and %d failures: %s", task.Status, task.Attempt, failed, task.LastError)
	}
}

// checkVictims holds what the killed worker ran to: its lease ended in time,
// another worker took it with the next free hand, and nothing else lost its
// lease.
func (f *fanout) checkVictims(ids []int64) {
	f.t.Helper()
	claims := f.facts("claimed")
	for _, id := range ids {
		_, facts := f.task(strconv.FormatInt(id, 10))
		var first, expired, reclaimed *tq.Fact
		for i := range facts {
			switch fact := &facts[i]; {
			case fact.Kind == tq.FactClaimed && first == nil:
				first = fact
			case fact.Kind == tq.FactLeaseExpired:
				expired = fact
			case fact.Kind == tq.FactClaimed && expired != nil && reclaimed == nil:
				reclaimed = fact
			}
		}
		if expired == nil || reclaimed == nil {
			f.t.Errorf("task %d was running when its worker was killed, but: %+v", id, facts)
			continue
		}
		if late := expired.At.Sub(f.killed); late > fanoutLease+2*time.Second {
			f.t.Errorf("the lease of task %d ended %s after the kill", id, late)
		}
		if reclaimed.Actor == first.Actor {
			f.t.Errorf("task %d went back to the dead", id)
		}
		for _, claim := range claims {
			// What comes back to its old place is found within a second.
			passed := claim.At.After(expired.At.Add(time.Second)) && claim.Seq < reclaimed.Seq
			if passed && !slices.Contains(ids, claim.TaskID) {
				f.t.Errorf("task %d was claimed before task %d, which was back in its old place", claim.TaskID, id)
			}
		}
		f.t.Logf("task %d: claimable %s after the kill, reclaimed after %s", id,
			expired.At.Sub(f.killed).Round(time.Millisecond), reclaimed.At.Sub(f.killed).Round(time.Millisecond))
	}
	if all := f.facts("lease-expired"); len(all) != len(ids) {
		f.t.Errorf("%d leases ran out, want %d: %+v", len(all), len(ids), all)
	}
}

// facts reads all facts of a kind.
func (f *fanout) facts(kind string) []tq.Fact {
	f.t.Helper()
	var all []tq.Fact
	for d := json.NewDecoder(strings.NewReader(f.tq(0, "facts", "--kind", kind, "--json"))); d.More(); {
		var fact tq.Fact
		if err := d.Decode(&fact); err != nil {
			f.t.Fatalf("read facts: %v", err)
		}
		all = append(all, fact)
	}
	return all
}

// checkRepeats enqueues everything again: the same ids, nothing new.
func (f *fanout) checkRepeats() {
	f.t.Helper()
	first := append([]string(nil), f.ids...)
	f.ids = nil
	f.enqueueAll()
	for i, id := range f.ids {
		if id != first[i] {
			f.t.Errorf("shard %d is task %s now, it was %s", i, id, first[i])
		}
	}
	if id := f.enqueue("broken", "go test -count=1 no/such/package", "--backoff", "200ms"); id != f.broken {
		f.t.Errorf("the broken task is %s now, it was %s", id, f.broken)
	}
	var stats tq.StatsOut
	if err := json.Unmarshal([]byte(f.tq(0, "stats", "--project", "fanout", "--json")), &stats); err != nil {
		f.t.Fatal(err)
	}
	if want := (tq.Stats{Completed: int64(len(f.ids)), Dead: 1}); stats.Total != want {
		f.t.Errorf("stats: %+v, want %+v", stats.Total, want)
	}
}
