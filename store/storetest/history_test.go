package storetest

import (
	"strings"
	"testing"
)

func TestHistoriesOfTheModelAreLinear(t *testing.T) {
	t.Parallel()
	History(t, model, 8_000)
}

// What two processes wrote is judged together.
func TestProcessesThatContradictEachOtherAreNoticed(t *testing.T) {
	t.Parallel()
	const (
		first = `{"id":1,"call":2,"return":5,"what":"claim","epoch":1,"answer":"taken"}
			{"id":1,"call":10,"return":13,"what":"complete","epoch":1,"body":"0","answer":"taken"}`
		other  = `{"id":1,"call":11,"return":15,"what":"complete","epoch":1,"body":"1","answer":"%"}`
		honest = "already settled"
	)
	store := model(t, NewClock(dawn()))
	for answer, fits := range map[string]bool{honest: true, "taken": false} {
		n, err := Judge(store, strings.NewReader(first), strings.NewReader(strings.Replace(other, "%", answer, 1)))
		if n.Attempted != 3 || (err == nil) != fits {
			t.Errorf("a second end that was answered %q: read %d lines, found %v", answer, n.Attempted, err)
		}
	}
}
