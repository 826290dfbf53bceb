package rigs

import (
	"slices"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// Whoever keeps the leases is away for nearly as long as they last. That is no
// reason to take a task from a worker that lives: all of them would run twice.

// Of an outage a store forgives as much as a lease. What is left of that must be
// enough for a heartbeat, on a machine that does ten things at once.
const outageLease = 8 * time.Second

func TestAnOutageOfTheHubExpiresNobody(t *testing.T) {
	t.Parallel()
	f := newOutage(t)
	f.staff(f.startHub(), "--insecure", "--lease", outageLease.String())
	f.outages(func() error { f.hub.kill(); return nil }, f.launchHub)
}

func TestAnOutageOfTheServerExpiresNobody(t *testing.T) {
	t.Parallel()
	f := newOutage(t)
	f.startPostgres()
	f.staff(f.beside, "--lease", outageLease.String())
	f.outages(f.db.Crash, f.launchServer)
}

func outagesAsked(t *testing.T) int { return tally.Number(t, "TQ_OUTAGES", 1) }

func newOutage(t *testing.T) *fleet {
	t.Helper()
	return prepareFleet(t, 3*time.Minute+time.Duration(outagesAsked(t))*30*time.Second)
}

// outages begin when every hand of every worker holds a task, and last until the
// workers have ended all of it by themselves, just before the leases do.
func (f *fleet) outages(ends func() error, begins func()) {
	f.Helper()
	n := tally.Counts{Faults: outagesAsked(f.T)}
	for range n.Faults {
		f.holdAllWith(func() { f.enqueueMany(6 * fleetHands) }, f.network.machines...)
		if err := ends(); err != nil {
			f.Fatal(err)
		}
		ended := time.Now()
		f.witness.await(f.ctx, "the workers have ended what they ran", func() bool {
			return !slices.ContainsFunc(f.network.machines, func(m *machine) bool { return f.witness.count(m, live) > 0 })
		})
		begins()
		n.Longest = max(n.Longest, time.Since(ended))
		for _, m := range f.network.machines {
			f.witness.release(m)
		}
		f.settled()
	}
	n.Unexpected = readLedger(f.T, f.tq("facts", "--json")).counts[tq.FactLeaseExpired]
	if n.Unexpected > 0 {
		f.Errorf("%d leases expired while nobody could extend them", n.Unexpected)
	}
	f.finish(n)
}
