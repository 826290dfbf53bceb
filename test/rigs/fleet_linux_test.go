package rigs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
)

// Six workers on three machines share one PostgreSQL on a fourth, and everything
// that goes wrong in a year goes wrong within a minute.

const (
	fleetHands = 4
	// A tenth of the lease is what a worker has to stop in before somebody else
	// may have its task: on a machine that does ten things at once, half a second.
	fleetLease = 5 * time.Second
)

type fleet struct {
	*testing.T
	ctx      context.Context
	n        int // tasks
	dir      string
	network  *network
	db       *pgtest.Cluster // nil with a hub
	hub      *process        // nil with a server
	token    string          // of callers of the hub
	store    string          // the address of the store beside it
	witness  *witness
	workers  []*process // two on each machine
	stopped  *process
	slept    map[string]bool // workers that stood still: they could not end what they ran
	killed   *process
	enqueued int
	restarts int
}

func TestSixWorkersOnThreeMachinesLoseNothing(t *testing.T) {
	t.Parallel()
	began := time.Now()
	f := newFleet(t)
	for _, goes := range []func(){
		func() { f.restart(f.db.Crash) },
		f.killOneAndStopOne,
		func() { f.restart(f.db.Shutdown) },
		f.partition,
	} {
		most := f.enqueued - f.n/8
		f.witness.await(f.ctx, itoa(most)+" attempts are over", func() bool { return f.witness.ended >= most })
		goes()
		t.Logf("%s: %d of %d tasks were enqueued", time.Since(began).Round(time.Second), f.enqueued, f.n)
	}
	f.settled()
	for _, w := range f.workers {
		if w != f.killed {
			w.stop()
		}
	}
	f.check(time.Since(began))
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	n := max(600, tally.Number(t, "TQ_FLEET_TASKS", 600)) / 4 * 4
	f := prepareFleet(t, 3*time.Minute+time.Duration(n)*100*time.Millisecond)
	f.n = n
	f.startPostgres()
	f.staff(f.beside)
	return f
}

// prepareFleet is one without a store and workers.
func prepareFleet(t *testing.T, patience time.Duration) *fleet {
	t.Helper()
	f := &fleet{T: t, dir: t.TempDir(), witness: newWitness(t), slept: map[string]bool{}}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	f.ctx = ctx
	f.network = newNetwork(t, "a", "b", "c")
	return f
}

// startPostgres has the workers share a server.
func (f *fleet) startPostgres() {
	f.Helper()
	var err error
	f.db, err = pgtest.StartAt(pgtest.Place{Address: serverIP(), Start: f.network.server.start})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := f.db.Stop(); err != nil {
			f.Error(err)
		}
	})
	f.store = f.db.URL()
	f.tq("stats") // makes the schema
}

// staff puts two workers on each machine, and waits until all are at work: one
// that finds no store when it starts ends with that.
func (f *fleet) staff(env func(name string) []string, flags ...string) {
	f.Helper()
	flags = append([]string{"--concurrency", itoa(fleetHands), "--lease", fleetLease.String(), "--http-allow", "127.0.0.1"}, flags...)
	for _, m := range f.network.machines {
		f.witness.serve(m)
		for _, name := range []string{m.name + "1", m.name + "2"} {
			f.workers = append(f.workers, work(m, name, env(name), flags...))
		}
	}
	f.awaitStats("all workers are there", func(s *tq.StatsOut) bool { return s.Workers.Idle+s.Workers.Busy >= len(f.workers) })
}

// beside has each worker open the store itself.
func (f *fleet) beside(string) []string { return f.env() }

func (f *fleet) env() []string { return []string{"TQ_DB=" + f.store} }

// tq runs a command beside the database.
func (f *fleet) tq(args ...string) string {
	f.Helper()
	out, err := f.network.server.output(f.network.server.tq(f.env(), args...))
	if err != nil {
		f.Fatal(err)
	}
	return out
}

// enqueue puts a fourth of the tasks in. They call the witness; each twentieth is
// a process that does so.
func (f *fleet) enqueue() {
	f.Helper()
	f.enqueueMany(f.n / 4)
}

func (f *fleet) enqueueMany(n int) {
	f.Helper()
	var lines strings.Builder
	for i := range n {
		task := tq.NewTask{Type: tq.TypeHTTP, Payload: json.RawMessage(`"http://` + witnessAddress + `/"`), MaxAttempts: 20}
		if i%20 == 7 {
			text, err := json.Marshal(witnessCall)
			if err != nil {
				f.Fatal(err)
			}
			task.Type, task.Payload = tq.TypeShell, text
		}
		line, err := json.Marshal(task)
		if err != nil {
			f.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	path := filepath.Join(f.dir, "tasks.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		f.Fatal(err)
	}
	f.tq("enqueue", "--file", path)
	f.enqueued += n
}

// restart ends the server in the midst of work, in one way or the other, and
// brings it back.
func (f *fleet) restart(end func() error) {
	f.Helper()
	soon := f.witness.over() + f.n/16
	f.enqueue()
	f.witness.await(f.ctx, itoa(soon)+" attempts are over", func() bool { return f.witness.ended >= soon })
	if err := end(); err != nil {
		f.Fatalf("end the server: %v", err)
	}
	f.launchServer()
	f.restarts++
}

// launchServer starts the server again. After a crash, processes of it that have
// not noticed keep it from starting for a while.
func (f *fleet) launchServer() {
	f.Helper()
	err := f.db.Launch()
	for err != nil && strings.Contains(err.Error(), "still in use") && f.ctx.Err() == nil {
		err = f.db.Launch()
	}
	if err != nil {
		f.Fatalf("start the server again: %v", err)
	}
}

// holdAll enqueues, and waits until every hand on some machines is held by its
// task. All others stand still meanwhile, lest they run what is left.
func (f *fleet) holdAll(machines ...*machine) {
	f.Helper()
	f.holdAllWith(f.enqueue, machines...)
}

func (f *fleet) holdAllWith(enqueue func(), machines ...*machine) {
	f.Helper()
	for _, m := range f.network.machines {
		f.witness.hold(m)
	}
	enqueue()
	for _, m := range machines {
		f.witness.awaitCount(f.ctx, m, live, 2*fleetHands, "held")
	}
	for _, m := range f.network.machines {
		if !slices.Contains(machines, m) {
			f.witness.release(m)
		}
	}
}

// killOneAndStopOne kills one worker of the first machine, and stops one of the
// second for longer than its leases, which others take over meanwhile. What it
// then has to say of them is refused.
func (f *fleet) killOneAndStopOne() {
	f.Helper()
	a, b := f.network.machines[0], f.network.machines[1]
	f.killed, f.stopped = f.workers[0], f.workers[2]
	f.slept[f.stopped.name] = true
	f.settled()
	f.holdAll(a, b)
	f.witness.holdTakeOvers()
	f.killed.kill()
	f.stopped.signal(syscall.SIGSTOP)
	f.witness.release(a)
	f.witness.awaitCount(f.ctx, a, f.witness.takenOver, fleetHands, "taken over")
	f.witness.awaitCount(f.ctx, b, f.witness.takenOver, fleetHands, "taken over")
	f.witness.release(b)
	f.stopped.signal(syscall.SIGCONT)
	f.stopped.awaitRefusals(f.ctx, fleetHands)
	f.witness.releaseTakeOvers()
}

// partition cuts the third machine off for longer than its leases. Its workers
// end what they run by themselves, before others take it over; what they have to
// say of it when the wire is healed is refused.
func (f *fleet) partition() {
	f.Helper()
	c := f.network.machines[2]
	f.settled()
	f.holdAll(c)
	f.witness.holdTakeOvers()
	f.network.cut(c)
	f.witness.awaitCount(f.ctx, c, f.witness.takenOver, 2*fleetHands, "taken over")
	f.witness.await(f.ctx, "nothing runs beyond the cut", func() bool { return f.witness.count(c, live) == 0 })
	f.witness.release(c)
	f.network.heal(c)
	for _, w := range f.workers[4:] {
		w.awaitRefusals(f.ctx, fleetHands)
	}
	f.witness.releaseTakeOvers()
}

// settled waits until the database knows of the end of every task so far. What is
// held after that was claimed when the server was well: a lease from before a
// restart may run out while it is held, and its worker gives the task back then.
func (f *fleet) settled() {
	f.Helper()
	f.witness.await(f.ctx, "nearly all have run", func() bool { return f.witness.ended >= f.enqueued })
	f.awaitStats("all tasks have ended", func(s *tq.StatsOut) bool { return s.Total.Completed+s.Total.Dead >= int64(f.enqueued) })
}

// awaitStats asks beside the database until what it says is so.
func (f *fleet) awaitStats(what string, so func(*tq.StatsOut) bool) {
	f.Helper()
	for {
		var stats tq.StatsOut
		if err := json.Unmarshal([]byte(f.tq("stats", "--json")), &stats); err != nil {
			f.Fatal(err)
		}
		if so(&stats) {
			return
		}
		if f.ctx.Err() != nil {
			f.Fatalf("waited in vain until %s: %+v", what, stats)
		}
	}
}
