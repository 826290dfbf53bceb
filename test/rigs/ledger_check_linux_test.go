package rigs

import (
	"strings"
	"testing"
)

// An auditor that sees nothing finds nothing.
func TestTheLedgerSeesWhatMayNotBe(t *testing.T) {
	t.Parallel()
	const (
		granted = `{"task_id":1,"kind":"task.claimed","epoch":1,"at":"2026-01-01T00:00:00Z","detail":{"until":"2026-01-01T00:00:05Z"}}`
		foreign = `{"task_id":1,"kind":"task.completed","epoch":1,"at":"2026-01-01T00:00:03Z","settles":true,"actor":"somebody else"}`
		again   = `{"task_id":1,"kind":"task.claimed","epoch":2,"at":"2026-01-01T00:00:06Z","detail":{"until":"2026-01-01T00:00:11Z"}}`
		soon    = `{"task_id":1,"kind":"task.lease-expired","epoch":1,"at":"2026-01-01T00:00:04Z"}`
		expired = `{"task_id":1,"kind":"task.lease-expired","epoch":1,"at":"2026-01-01T00:00:05Z"}`
		stale   = `{"task_id":1,"kind":"task.completed","epoch":1,"at":"2026-01-01T00:00:07Z","settles":true}`
		late    = `{"task_id":1,"kind":"task.completed","epoch":1,"at":"2026-01-01T00:00:07Z","settles":true,"detail":{"late":true}}`
		good    = `{"task_id":1,"kind":"task.completed","epoch":2,"at":"2026-01-01T00:00:08Z","settles":true}`
	)
	for _, c := range []struct {
		name                         string
		facts                        []string
		twice, early, accepted, late int
	}{
		{name: "as it should be", facts: []string{granted, expired, again, good}},
		{name: "two leases at once", facts: []string{granted, again, good}, twice: 1},
		{name: "a lease taken away", facts: []string{granted, soon, again, good}, early: 1},
		{name: "a stale settle", facts: []string{granted, expired, again, stale}, accepted: 1},
		{name: "two settles", facts: []string{granted, expired, again, good, good}, accepted: 1},
		{name: "another's settle", facts: []string{granted, foreign}, accepted: 1},
		{name: "a late completion", facts: []string{granted, expired, late}, late: 1},
		{name: "one that came too late", facts: []string{granted, expired, again, late}, accepted: 1},
	} {
		l := readLedger(t, strings.Join(c.facts, "\n"))
		if l.twice != c.twice || l.early != c.early || l.accepted != c.accepted || l.late != c.late {
			t.Errorf("%s: two at once %d, early %d, stale %d, late %d", c.name, l.twice, l.early, l.accepted, l.late)
		}
	}
}
