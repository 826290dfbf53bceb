package postgres_test

import (
	"testing"

	"example.com/tq"
	"example.com/tq/store/postgres"
	"example.com/tq/store/storetest"
)

// open is a fresh store in a schema of its own.
func open(tb testing.TB, clock *storetest.Clock) tq.Store {
	tb.Helper()
	return postgres.OpenAt(tb, postgres.Server.URL(), postgres.Options{Clock: clock.Now})
}

func TestEveryPromise(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

func TestLockstepWithTheModel(t *testing.T) {
	storetest.Lockstep(t, open, 12, 40)
}

func TestExplainKeepsItsWordInRandomStores(t *testing.T) {
	storetest.ExplainKeepsItsWord(t, open, 4, 30)
}

func TestHistoriesAreLinear(t *testing.T) {
	t.Parallel()
	storetest.History(t, open, 1_600)
}

func TestAClockThatJumpsGivesNobodyASecondLease(t *testing.T) {
	t.Parallel()
	storetest.Jumps(t, open, 10)
}
