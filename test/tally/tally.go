// Package tally is how a rig says what it counted: one line for programs, so
// that no figure of the reliability page is ever counted or copied by hand.
package tally

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Mark opens the line.
const Mark = "TORTURE "

// Counts are Jepsen's counters, and three of our own. What a call is, the rig
// says: an operation of a caller, a task, a file.
type Counts struct {
	Seed   uint64 `json:"seed,omitempty"`   // of all that was drawn
	Faults int    `json:"faults,omitempty"` // how often something was broken on purpose

	Attempted     int `json:"attempted"`               // calls that were made
	Acknowledged  int `json:"acknowledged"`            // of them answered as done
	OK            int `json:"ok"`                      // acknowledged, and looked for and found as they should be
	Unexpected    int `json:"unexpected"`              // what no rule allows: a wrong answer, a broken invariant
	Duplicated    int `json:"duplicated"`              // runs of a task beyond its first, which at-least-once allows
	Lost          int `json:"lost"`                    // acknowledged and not found
	Recovered     int `json:"recovered"`               // found though nobody was told so
	Indeterminate int `json:"indeterminate"`           // calls whose caller could not know
	StaleAccepted int `json:"stale_accepted"`          // settles that were taken from somebody whose lease it was not any more
	StaleRefused  int `json:"stale_refused,omitempty"` // and those that were not
	ControlLost   int `json:"control_lost,omitempty"`  // what the control lost, which must be something

	// Longest is the slowest recovery from a fault.
	Longest time.Duration `json:"longest_ns,omitempty"`
}

// Add adds what another run of the same rig counted.
func (c *Counts) Add(x Counts) {
	c.Seed = max(c.Seed, x.Seed)
	c.Longest = max(c.Longest, x.Longest)
	for _, n := range []struct{ to, of *int }{
		{&c.Faults, &x.Faults},
		{&c.Attempted, &x.Attempted},
		{&c.Acknowledged, &x.Acknowledged},
		{&c.OK, &x.OK},
		{&c.Unexpected, &x.Unexpected},
		{&c.Duplicated, &x.Duplicated},
		{&c.Lost, &x.Lost},
		{&c.Recovered, &x.Recovered},
		{&c.Indeterminate, &x.Indeterminate},
		{&c.StaleAccepted, &x.StaleAccepted},
		{&c.StaleRefused, &x.StaleRefused},
		{&c.ControlLost, &x.ControlLost},
	} {
		*n.to += *n.of
	}
}

// Bad is what must be nothing.
func (c *Counts) Bad() int { return c.Lost + c.Unexpected + c.StaleAccepted }

// Log logs the counts.
func (c Counts) Log(tb testing.TB) {
	tb.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		tb.Fatalf("tally: %v", err)
	}
	tb.Log(Mark + string(text))
}

// Report logs the counts, and fails tb when something of them must not be.
func (c Counts) Report(tb testing.TB) {
	tb.Helper()
	c.Log(tb)
	if c.Bad() > 0 {
		tb.Errorf("lost %d, unexpected %d, stale settles accepted %d: want none", c.Lost, c.Unexpected, c.StaleAccepted)
	}
}

// Read finds counts in a line that a test printed.
func Read(line string) (Counts, bool, error) {
	var c Counts
	_, text, found := strings.Cut(line, Mark+"{")
	if !found {
		return c, false, nil
	}
	if err := json.Unmarshal([]byte("{"+text), &c); err != nil {
		return c, false, fmt.Errorf("read a tally: %w", err)
	}
	return c, true, nil
}

// Number is how much of something a rig does: usual in the gate, what the
// environment says in a campaign.
func Number(tb testing.TB, name string, usual int) int {
	tb.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("%s is %q, want a number from 1", name, text)
	}
	return n
}

// Seed is that of everything a rig draws: 1, or what TQ_SEED says.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	return uint64(Number(tb, "TQ_SEED", 1))
}
