package storetest

import (
	"testing"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// openMemory is Open for the memory store.
func openMemory(t testing.TB, clock *Clock) tq.Store {
	s := memory.Open(memory.Options{Clock: clock.Now})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// The model beside itself: the rig compares like with like, and the model's own
// invariants hold over random histories.
func TestTheModelKeepsStepWithItself(t *testing.T) {
	Lockstep(t, openMemory, 100, 60)
}
