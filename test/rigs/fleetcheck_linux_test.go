package rigs

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"example.com/tq"
	"example.com/tq/test/tally"
)

func serverIP() netip.Addr { return netip.MustParseAddr(serverAddress) }

// check holds what the journal says against what the witness saw.
func (f *fleet) check(took time.Duration) {
	f.Helper()
	if out := f.tq("check"); !strings.HasPrefix(out, "ok") {
		f.Errorf("check: %s", out)
	}
	l := readLedger(f.T, f.tq("facts", "--json"))
	lost := f.lost(l)
	settles, heartbeats := f.refusals()
	repeated, beside := f.runs(l)
	f.checkResults(l)
	f.Logf("6 workers on 3 machines, %d tasks in %s: 1 killed, 1 stopped, %d restarts of the server, 1 partition: "+
		"lost %d, stale settles accepted %d, refused %d (and %d heartbeats), leases expired %d, late completions %d, "+
		"two leases at once %d, run again under one lease %d, run beside a live lease %d",
		f.n, took.Round(time.Second), f.restarts, lost, l.accepted, settles, heartbeats,
		l.counts[tq.FactLeaseExpired], l.late, l.twice, repeated, beside)
	attempts := len(f.witness.all())
	tally.Counts{
		Faults: f.restarts + 3, Attempted: f.n, Acknowledged: f.n, OK: f.n - lost, Lost: lost, Unexpected: l.twice + l.early + repeated + beside,
		Duplicated: attempts - f.n, StaleAccepted: l.accepted, StaleRefused: settles,
	}.Report(f.T)
	for what, n := range map[string]int{
		"tasks were lost":                                   lost,
		"stale settles were accepted":                       l.accepted,
		"claims were granted under a live lease":            l.twice,
		"leases ended before they ran out":                  l.early,
		"attempts ran twice":                                repeated,
		"attempts ran beside one that had not been stopped": beside,
	} {
		if n > 0 {
			f.Errorf("%d %s", n, what)
		}
	}
	if expired := l.counts[tq.FactLeaseExpired]; expired < 4*fleetHands {
		f.Errorf("%d leases expired, want those of four workers: the rig disturbed nothing", expired)
	}
	if settles < 2*fleetHands {
		f.Errorf("%d stale settles were refused, want those of the workers that were cut off", settles)
	}
}

// reckon is what a campaign of faults did to the tasks of the fleet, beside what
// it has counted by itself.
func (f *fleet) reckon(n tally.Counts) {
	f.Helper()
	if out := f.tq("check"); !strings.HasPrefix(out, "ok") {
		f.Errorf("check: %s", out)
	}
	l := readLedger(f.T, f.tq("facts", "--json"))
	lost := f.lost(l)
	settles, heartbeats := f.refusals()
	repeated, beside := f.runs(l)
	f.checkResults(l)
	f.Logf("%d tasks, %d faults: refused settles %d, heartbeats %d; leases expired %d, late completions %d",
		f.n, n.Faults, settles, heartbeats, l.counts[tq.FactLeaseExpired], l.late)
	n.Add(tally.Counts{
		OK: f.n - lost, Lost: lost, Unexpected: l.twice + l.early + repeated + beside,
		Duplicated: len(f.witness.all()) - f.n, StaleAccepted: l.accepted, StaleRefused: settles + heartbeats,
	})
	if n.Attempted == 0 {
		n.Attempted, n.Acknowledged = f.n, f.n
	}
	n.Report(f.T)
}

// lost counts the tasks that are not completed exactly once.
func (f *fleet) lost(l *ledger) int {
	f.Helper()
	lost := f.n - len(l.tasks)
	for id, a := range l.tasks {
		if len(a.completed) != 1 {
			f.Errorf("task %d was completed %d times", id, len(a.completed))
			lost++
		}
	}
	return lost
}

func (f *fleet) refusals() (settles, heartbeats int) {
	for _, w := range f.workers {
		for _, r := range w.refused {
			if r.verb == "extend" {
				heartbeats++
				continue
			}
			settles++
		}
	}
	return settles, heartbeats
}

// runs holds the witness's attempts against the leases of the journal: each runs
// under a lease of its own, once, and is over before the next one of its task
// begins, unless its worker was stopped and could not end it.
func (f *fleet) runs(l *ledger) (repeated, beside int) {
	f.Helper()
	type key struct{ task, fence int64 }
	seen := map[key]bool{}
	for _, a := range f.witness.all() {
		account := l.tasks[a.task]
		if account == nil || account.holders[a.fence] == "" {
			f.Errorf("task %d ran with fence %d, which was never granted", a.task, a.fence)
			continue
		}
		if seen[key{a.task, a.fence}] {
			repeated++
		}
		seen[key{a.task, a.fence}] = true
		for _, other := range a.beside {
			if holder := account.holders[other.fence]; other.fence == a.fence || !f.slept[holder] {
				beside++
				f.Errorf("task %d ran with fence %d beside %d of %s", a.task, a.fence, other.fence, holder)
			}
		}
	}
	return repeated, beside
}

// checkResults: the result of a task is that of the attempt that completed it.
func (f *fleet) checkResults(l *ledger) {
	f.Helper()
	for d := json.NewDecoder(strings.NewReader(f.tq("list", "--all", "--fields", "payload", "--json"))); d.More(); {
		var t tq.Task
		if err := d.Decode(&t); err != nil {
			f.Fatalf("read the tasks: %v", err)
		}
		a := l.tasks[t.ID]
		if a == nil || len(a.completed) != 1 {
			continue // told by lost
		}
		if want := fmt.Sprintf(`{"fence":%d}`, a.completed[0]); string(t.Result) != want {
			f.Errorf("the result of task %d is %s, want %s", t.ID, t.Result, want)
		}
	}
}
