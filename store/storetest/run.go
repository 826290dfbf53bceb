package storetest

import (
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"example.com/tq"
)

// Open makes an empty store whose clock is the given one, closed when tb ends.
type Open func(tb testing.TB, clock *Clock) tq.Store

// Door makes the client through which the suite asks a store. When the client
// also has a method Run(ctx) error, tests of waiting calls run it.
type Door func(tb testing.TB, store tq.Store) tq.Client

// InProcess asks the store through a Broker.
func InProcess(_ testing.TB, store tq.Store) tq.Client { return tq.New(store, tq.Options{}) }

// Run shows every promise of the spec that can be asked of a store.
func Run(t *testing.T, open Open) {
	t.Helper()
	RunThrough(t, open, InProcess)
}

// RunThrough does the same through another door.
func RunThrough(t *testing.T, open Open, door Door) {
	t.Helper()
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			defer failsAlone(t)
			p.show(newQueue(t, open, door))
		})
	}
	t.Run("every S-number is shown here or says where", everyNumberIsShown)
}

// failsAlone makes a failure of a panic, such as that of a test which finds
// fewer answers than it counted on, so that the others go on.
func failsAlone(t *testing.T) {
	t.Helper()
	if p := recover(); p != nil {
		t.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// promise is one sentence of the spec: its name begins with the S-number, and
// show fails the queue's test when the sentence does not hold.
type promise struct {
	name string
	show func(q *Queue)
}

func promises() []promise {
	var all []promise
	for _, chapter := range [][]promise{
		statusPromises(), filterPromises(), bulkPromises(), transitionPromises(), refusalPromises(),
		leasePromises(), fencePromises(), clockPromises(),
		attemptPromises(), expiryPromises(), retryPromises(),
		keyPromises(), replayPromises(),
		orderPromises(), waitPromises(),
		limitPromises(), bytesPromises(), typePromises(),
		cancelPromises(), depPromises(), cascadePromises(),
		journalPromises(), retentionPromises(), adminPromises(),
		durablePromises(), errorPromises(), rightsPromises(), tokenPromises(),
	} {
		all = append(all, chapter...)
	}
	return all
}

// elsewhere lists what a store and a client alone cannot show, and what shows
// it. It is the only list of gaps; no test in this package skips. Tests that it
// names exist, or run_test.go fails.
func elsewhere() map[int]string {
	return map[int]string{
		8:  "the comparison in constant time: hmac.Equal in token.go, TestNoBitOfATokenCanBeForged; the rate limit belongs to the HTTP door",
		10: "that a jump is logged and counted: TestAJumpOfTheClockIsLoggedAndCounted",
		11: "across processes: TestAnOutageIsForgivenOnceAcrossRestarts",
		12: "TestExecutorIsStoppedAtNineTenthsOfALeaseWithoutHeartbeat, TestLostLeaseStopsTheHandlerAndNothingIsSettled, TestOneHeartbeatCarriesAllLeases, TestTermComesBeforeKill, TestNothingOutlivesAKilledWorker",
		15: "a worker that crashed: TestFanOutOverThreeWorkersSurvivesAKill; one that says goodbye: TestStopTellsTheRegistryThatItDrainsAndThenGoes",
		26: "sizes of request bodies: they belong to the HTTP door",
		29: "what a claim costs beside millions of rows: BenchmarkClaimLatency (that it finds the right task is shown here)",
		33: "kill -9 in the middle: TestFanOutOverThreeWorkersSurvivesAKill",
		38: "kill -9 of the writing process: TestKillingTheWriterLosesNothing; other durabilities: TestOpenRefusesUnknownDurability; a power cut: TestAPowerCutLosesNothingOnSQLite, TestAPowerCutLosesNothingOnPostgres",
		39: "callers that share a commit: TestCallersThatWaitShareATransaction, BenchmarkEnqueue; TestAPoisonedOperationFailsAlone (that a refused one fails alone is shown here)",
		40: "an answer that was lost: TestAnEnqueueWhoseAnswerIsLostMakesOneTask, TestClaimWithoutAnAnswerIsRepeatedUnderItsID, TestCompleteWithoutAnAnswerIsRepeatedAndCountsOnce; a connection lost during commit belongs to store/postgres",
		41: "TestAFullDiskIsSaidAndLeftBehind, TestAFullDiskIsLeftBehindOnPostgres, TestWorkerOutlivesAStoreThatIsAway",
		42: "TestStopLetsRunningAttemptsEndAndKeepsTheirLeases, TestStopInterruptsAfterTheGraceAndRefundsTheAttempt, TestHandlerThatIgnoresItsContextCannotHoldTheExit, TestHurrySkipsTheGrace, test/scripts/stop.txtar",
		43: "TestAnInterruptedMigrationBeginsAnew, TestAMigrationThatFailsLeavesTheSchemaAsItWas, TestOpenRefusesWhatIsNotItsOwn, TestManyMayOpenANewFileAtOnce",
	}
}

const lastNumber = 47

func everyNumberIsShown(t *testing.T) {
	shown := map[int]bool{}
	for _, p := range slices.Concat(promises(), restartPromises(), sharedPromises()) {
		m := regexp.MustCompile(`^S(\d\d) `).FindStringSubmatch(p.name)
		if m == nil {
			t.Errorf("promise %q does not begin with its S-number", p.name)
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > lastNumber {
			t.Errorf("promise %q: there is no S%s", p.name, m[1])
		}
		shown[n] = true
	}
	for n := 1; n <= lastNumber; n++ {
		if where, told := elsewhere()[n]; !shown[n] && (!told || where == "") {
			t.Errorf("S%d is neither shown nor listed", n)
		}
	}
}
