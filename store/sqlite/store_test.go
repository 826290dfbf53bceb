package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/tq"
	"example.com/tq/store/sqlite"
	"example.com/tq/store/storetest"
)

// open is a fresh store on a file of its own. What its tests show does not
// depend on the disk having every commit, so they need not wait for it.
func open(tb testing.TB, clock *storetest.Clock) tq.Store {
	tb.Helper()
	s, err := sqlite.Open(filepath.Join(tb.TempDir(), "tq.db"), sqlite.Options{Clock: clock.Now, Durability: sqlite.Relaxed})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

func TestEveryPromise(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

func TestLockstepWithTheModel(t *testing.T) {
	storetest.Lockstep(t, open, 40, 50)
}

func TestExplainKeepsItsWordInRandomStores(t *testing.T) {
	storetest.ExplainKeepsItsWord(t, open, 15, 40)
}

func TestHistoriesAreLinear(t *testing.T) {
	t.Parallel()
	storetest.History(t, open, 4_000)
}

func TestAClockThatJumpsGivesNobodyASecondLease(t *testing.T) {
	t.Parallel()
	storetest.Jumps(t, open, 20)
}
