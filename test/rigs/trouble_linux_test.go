package rigs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/tq/test/tally"
)

// Trouble with wires and with standing still: six workers on three machines
// while one wire after the other fails in one way or another, or one machine's
// workers are stopped for longer than their leases.

// wireFault is a way in which a wire fails, and how it is mended.
type wireFault struct {
	name   string
	breaks func(n *network, m *machine)
	mends  func(n *network, m *machine)
}

const faultTable = "fault"

func wireFaults() []wireFault {
	heal := func(n *network, _ *machine) { n.server.run("nft", "delete", "table", "inet", faultTable) }
	rule := func(hook, rule string) func(*network, *machine) {
		return func(n *network, m *machine) {
			n.server.filter(faultTable, hook, fmt.Sprintf("iifname %q %s", m.wireEnd(), rule))
		}
	}
	return []wireFault{
		{"silence", (*network).cut, (*network).heal},
		{"silence one way", func(_ *network, m *machine) { m.deafen("cut", "wire") }, func(_ *network, m *machine) { m.run("nft", "delete", "table", "inet", "cut") }},
		{"silence the other way", rule("prerouting", "drop"), heal},
		{"resets", rule("input", "meta l4proto tcp reject with tcp reset"), heal},
		{"loss of a third", rule("prerouting", "numgen random mod 100 < 33 drop"), heal},
		{
			"seconds of delay", func(n *network, m *machine) {
				n.server.run("tc", "qdisc", "add", "dev", m.wireEnd(), "root", "tbf", "rate", "64kbit", "burst", "4kb", "latency", "3s")
			},
			func(n *network, m *machine) { n.server.run("tc", "qdisc", "del", "dev", m.wireEnd(), "root") },
		},
	}
}

// filter adds a rule for what arrives.
func (m *machine) filter(table, hook, rule string) {
	m.t.Helper()
	priority := "-300"
	if hook == "input" {
		priority = "0" // where a reject may answer
	}
	cmd := m.command("nft", "-f", "-")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("table inet %s {\n chain arriving {\n type filter hook %s priority %s\n %s\n }\n}\n", table, hook, priority, rule))
	if _, err := m.output(cmd); err != nil {
		m.t.Fatalf("%v\nhint: apt-get install nftables", err)
	}
}

// startHub has the workers share a hub over a file, each with a token of its
// own; callers have one, too.
func (f *fleet) startHub() (env func(name string) []string) {
	f.Helper()
	f.store = f.dir + "/tq.db"
	tokens := map[string]string{}
	for _, m := range f.network.machines {
		for _, name := range []string{m.name + "1", m.name + "2"} {
			tokens[name] = f.tq("token", "create", "--name", name, "--can", "claim", "--queue", "*", "--type", "*,sh,http")
		}
	}
	f.token = f.tq("token", "create", "--name", "callers", "--can", "enqueue", "--queue", "*", "--type", "http")
	f.launchHub()
	return func(name string) []string {
		return []string{"TQ_DB=http://" + hubAddress, "TQ_TOKEN=" + tokens[name]}
	}
}

// launchHub starts it, or starts it again.
func (f *fleet) launchHub() {
	f.Helper()
	f.hub = begin(f.network.server, "hub", f.env(), "serve", "--addr", hubAddress, "--insecure")
	f.hub.awaitSaid(f.ctx, "serving ")
}

func TestWiresThatFailLoseNothingOverPostgres(t *testing.T) {
	t.Parallel()
	faults := tally.Number(t, "TQ_WIRE_FAULTS", 4)
	f := prepareFleet(t, 3*time.Minute+time.Duration(faults)*15*time.Second)
	f.startPostgres()
	f.staff(f.beside)
	f.wiresFail(faults)
}

func TestWiresThatFailLoseNothingOverAHub(t *testing.T) {
	t.Parallel()
	faults := tally.Number(t, "TQ_WIRE_FAULTS", 4)
	f := prepareFleet(t, 3*time.Minute+time.Duration(faults)*15*time.Second)
	f.staff(f.startHub(), "--insecure")
	f.wiresFail(faults)
}

// longSilence cuts a machine off over its tasks until others have taken those
// over. What its workers have to say of them when it is healed is refused.
func (f *fleet) longSilence(m *machine) {
	f.Helper()
	before := f.witness.soFar(m, f.witness.takenOver)
	f.holdAllWith(func() { f.enqueueMany(2 * 6 * fleetHands) }, m)
	f.network.cut(m)
	f.witness.awaitCount(f.ctx, m, f.witness.takenOver, before+2*fleetHands, "taken over")
	f.witness.release(m)
	f.network.heal(m)
}

// wiresFail breaks and mends one wire after the other while the workers work.
// Each eighth time it lasts until others have taken over.
func (f *fleet) wiresFail(faults int) {
	f.Helper()
	seed := tally.Seed(f)
	rng, ways := rand.New(rand.NewPCG(seed, 0)), wireFaults()
	for i := range faults {
		m, way := f.network.machines[rng.IntN(3)], ways[(i+int(seed))%len(ways)]
		lasts := 200*time.Millisecond + time.Duration(rng.IntN(1200))*time.Millisecond
		if i%8 == 3 {
			f.longSilence(m)
			continue
		}
		f.enqueueMany(120)
		f.witness.await(f.ctx, "work goes on", func() bool { return f.witness.ended >= f.enqueued-100 })
		way.breaks(f.network, m)
		over := time.NewTimer(lasts)
		await(f.ctx, over.C)
		way.mends(f.network, m)
	}
	f.finish(tally.Counts{Seed: seed, Faults: faults})
}

// finish lets everything end, and reckons; what a rig has counted by itself is in
// n.
func (f *fleet) finish(n tally.Counts) {
	f.Helper()
	f.n = f.enqueued
	f.settled()
	for _, w := range f.workers {
		w.stop()
	}
	f.reckon(n)
}

func TestStoppedWorkersSettleNothing(t *testing.T) {
	t.Parallel()
	pauses := tally.Number(t, "TQ_PAUSES", 2)
	f := prepareFleet(t, 3*time.Minute+time.Duration(pauses)*15*time.Second)
	f.staff(f.startHub(), "--insecure")
	var n tally.Counts
	for n.Faults < pauses {
		i := n.Faults / 2 % 3
		n.Longest = max(n.Longest, f.pause(f.network.machines[i], f.workers[2*i:][:2]))
		n.Faults += 2
	}
	if n.Longest > awakeGrace {
		t.Errorf("a worker that woke up ran what others had for %s, want at most %s", n.Longest, awakeGrace)
	}
	f.finish(n)
}

// awakeGrace is how long a worker that was stopped may go on with what is not its
// own any more, on a machine that does ten things at once.
const awakeGrace = 5 * time.Second

// pause stops the workers of a machine over their tasks until others have taken
// those over, and lets them go on: they end what they run by themselves, in the
// time that is answered, and are told that they have lost it.
func (f *fleet) pause(m *machine, workers []*process) time.Duration {
	f.Helper()
	before := f.witness.soFar(m, f.witness.takenOver)
	f.holdAllWith(func() { f.enqueueMany(2 * 6 * fleetHands) }, m)
	refused := make([]int, len(workers))
	for i, w := range workers {
		refused[i] = w.refusals()
		w.signal(syscall.SIGSTOP)
	}
	f.witness.awaitCount(f.ctx, m, f.witness.takenOver, before+2*fleetHands, "taken over")
	woke := time.Now()
	for _, w := range workers {
		w.signal(syscall.SIGCONT)
	}
	f.witness.await(f.ctx, "those who woke up run nothing of others", func() bool { return f.witness.count(m, live) == 0 })
	overlap := time.Since(woke)
	f.witness.release(m)
	for i, w := range workers {
		w.awaitRefusals(f.ctx, refused[i]+fleetHands)
		f.slept[w.name] = true
	}
	return overlap
}

// refusals counts the tasks whose leases the worker was refused so far.
func (p *process) refusals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusedTasks()
}

// refusedTasks is for who holds mu.
func (p *process) refusedTasks() int {
	tasks := map[int64]bool{}
	for _, r := range p.refused {
		tasks[r.task] = true
	}
	return len(tasks)
}
