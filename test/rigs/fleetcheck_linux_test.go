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

// audited is what the journal says, held against what the witness saw.
type audited struct {
	*ledger
	lost                int // tasks that are not completed exactly once
	settles, heartbeats int // that were refused
	repeated, beside    int // runs under one lease, and beside one that went on
	tally.Counts
}

// audit reads all of it when everything is over.
func (f *fleet) audit() *audited {
	f.Helper()
	if out := f.tq("check"); !strings.HasPrefix(out, "ok") {
		f.Errorf("check: %s", out)
	}
	a := &audited{ledger: readLedger(f.T, f.tq("facts", "--json"))}
	a.lost = f.lost(a.ledger)
	a.settles, a.heartbeats = f.refusals()
	a.repeated, a.beside = f.runs(a.ledger)
	f.checkResults(a.ledger)
	a.Counts = tally.Counts{
		OK: f.n - a.lost, Lost: a.lost, Unexpected: a.twice + a.early + a.repeated + a.beside,
		Duplicated: len(f.witness.all()) - f.n, StaleAccepted: a.accepted, StaleRefused: a.settles + a.heartbeats,
	}
	return a
}

// check is that of the fleet whose troubles are known one by one.
func (f *fleet) check(took time.Duration) {
	f.Helper()
	a := f.audit()
	f.Logf("6 workers on 3 machines, %d tasks in %s: 1 killed, 1 stopped, %d restarts of the server, 1 partition: "+
		"lost %d, stale settles accepted %d, refused %d (and %d heartbeats), leases expired %d, late completions %d, "+
		"two leases at once %d, run again under one lease %d, run beside a live lease %d",
		f.n, took.Round(time.Second), f.restarts, a.lost, a.accepted, a.settles, a.heartbeats,
		a.counts[tq.FactLeaseExpired], a.late, a.twice, a.repeated, a.beside)
	a.Faults, a.Attempted, a.Acknowledged = f.restarts+3, f.n, f.n
	a.Report(f.T)
	for what, n := range map[string]int{
		"tasks were lost":                                   a.lost,
		"stale settles were accepted":                       a.accepted,
		"claims were granted under a live lease":            a.twice,
		"leases ended before they ran out":                  a.early,
		"attempts ran twice":                                a.repeated,
		"attempts ran beside one that had not been stopped": a.beside,
	} {
		if n > 0 {
			f.Errorf("%d %s", n, what)
		}
	}
	if expired := a.counts[tq.FactLeaseExpired]; expired < 4*fleetHands {
		f.Errorf("%d leases expired, want those of four workers: the rig disturbed nothing", expired)
	}
	if a.settles < 2*fleetHands {
		f.Errorf("%d stale settles were refused, want those of the workers that were cut off", a.settles)
	}
}

// reckon is what a campaign of faults did to the tasks of the fleet, beside what
// it has counted by itself.
func (f *fleet) reckon(n tally.Counts) {
	f.Helper()
	a := f.audit()
	f.Logf("%d tasks, %d faults: refused settles %d, heartbeats %d; leases expired %d, late completions %d",
		f.n, n.Faults, a.settles, a.heartbeats, a.counts[tq.FactLeaseExpired], a.late)
	n.Add(a.Counts)
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
