package server_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Where each bad input is shown: by a case in badinput_test.go, or by the tests
// that are named here, file by file.

const lastBadInput = 78

// place is a file, from the root of the module, and a test in it: the name of a
// function, the title of a journey of the dashboard, or, of a script, the number.
type place struct{ file, test string }

// elsewhere names the tests that show the numbers which are no single request
// to a hub, or not one of HTTP at all.
func elsewhere() map[int][]place {
	const (
		here, gate, stream = "internal/server/badinput_test.go", "internal/server/gate_test.go", "internal/server/events_test.go"
		behind             = "internal/server/badinput_gate_test.go"
		mcp, script        = "internal/mcp/badinput_test.go", "test/scripts/badinput.txtar"
		shell, call        = "exec/sh", "exec/http"
	)
	return map[int][]place{
		8: {{here, "TestOddInputsAreTaken"}}, 15: {{here, "TestOddInputsAreTaken"}}, 17: {{here, "TestOddInputsAreTaken"}},
		18: {{here, "TestOddInputsAreTaken"}},
		10: {{here, "TestAnEndlessBodyIsCutOff"}, {"test/hubload_test.go", "TestAnEndlessBodyIsRefusedAndTakesNoMemory"}},
		11: {{here, "TestABodyOfAnotherLengthIsRefused"}},
		23: {{here, "TestAThousandRepeatsOfOneKeyAreOneTask"}},
		24: {{here, "TestKeysOverHTTP"}}, 25: {{here, "TestKeysOverHTTP"}},
		36: {{behind, "TestADepInAForeignQueueIsAsUnknownAsOneThatIsNot"}},
		37: {{here, "TestActsOverHTTP"}}, 51: {{here, "TestActsOverHTTP"}}, 52: {{here, "TestActsOverHTTP"}}, 53: {{here, "TestActsOverHTTP"}},
		42: {{here, "TestSettlingOverHTTP"}}, 43: {{here, "TestSettlingOverHTTP"}}, 44: {{here, "TestSettlingOverHTTP"}},
		45: {{here, "TestSettlingOverHTTP"}}, 47: {{here, "TestSettlingOverHTTP"}}, 49: {{here, "TestSettlingOverHTTP"}},
		50: {{here, "TestSettlingOverHTTP"}},
		46: {{behind, "TestWhatIsOverOrGoneCannotBeCompleted"}},
		55: {{"internal/server/leave_test.go", "TestCallersWhoGoTakeNothing"}},
		58: {
			{behind, "TestATokenThatHasExpiredIsAsGoodAsNone"},
			{gate, "TestEveryRouteButThePublicOnesWantsAToken"},
			{gate, "TestScopesHoldOverHTTP"},
		},
		59: {{gate, "TestEveryRouteButThePublicOnesWantsAToken"}},
		60: {{gate, "TestForeignHostsAreMisdirected"}, {gate, "TestOtherOriginsAndSitesChangeNothing"}},
		61: {{here, "TestHugeHeadersAreRefused"}},
		64: {{stream, "TestLastEventIDIsHeldToItsForm"}, {stream, "TestFollowersHearOfEveryFactOnce"}},
		65: {{here, "TestOddInputsAreTaken"}, {"web/journeys/tasks.journey.ts", "text from a task is shown as it is and does nothing"}},
		66: {{"internal/cli/safe_test.go", "TestNoTextSteersATerminal"}, {"test/scripts/safe.txtar", "66"}},
		67: {{mcp, "TestBadCallsAreRefusedByTheProtocol"}, {mcp, "TestBadBodiesAreRefusedWithAStatus"}},
		68: {{mcp, "TestBadArgumentsAreRefusedByName"}},
		69: {
			{script, "69"},
			{"internal/cli/values_test.go", "TestTextsComeFromArgumentsFilesAndStdin"},
			{"internal/cli/values_test.go", "TestSilenceIsGivenUp"},
			{"internal/cli/pipe_unix_test.go", "TestAPipeWithoutAWriterIsGivenUp"},
		},
		70: {{script, "70"}, {"internal/cli/cli_test.go", "TestPayloadLooksLikeAFlagAndIsText"}},
		71: {{script, "71"}, {"store/sqlite/open_test.go", "TestOpenRefusesWhatIsNotItsOwn"}},
		72: {{"store/sqlite/child_test.go", "TestProcessesShareAFile"}, {"store/sqlite/child_test.go", "TestAFullDiskIsSaidAndLeftBehind"}},
		73: {{"internal/cli/password_test.go", "TestAServerThatLetsNobodyInIsNamedWithoutThePassword"}},
		74: {{"test/scripts/config.txtar", "74"}, {"internal/config/config_test.go", "TestParseNamesTheLineItRefuses"}},
		75: {
			{shell + "/sh_test.go", "TestExitStatusAndOutputAreTheResult"},
			{shell + "/sh_test.go", "TestDeathBySignalIsNamed"},
			{shell + "/daemon_linux_test.go", "TestAGibibyteOfOutputStaysSmallAndFlows"},
			{shell + "/stop_test.go", "TestEndOfContextStopsTheWholeGroup"},
			{shell + "/daemon_linux_test.go", "TestASupervisorFindsDaemons"},
			{shell + "/sh_test.go", "TestClosedOutputHoldsNobodyUp"},
		},
		76: {
			{call + "/http_test.go", "TestRedirectsAreNotFollowed"},
			{call + "/trouble_test.go", "TestAHugeAnswerIsCutOff"},
			{call + "/trouble_test.go", "TestASlowAnswerRunsOutOfTime"},
			{call + "/http_test.go", "TestAGoodAnswerIsTheResult"},
			{call + "/trouble_test.go", "TestAnUntrustedCertificateIsNamed"},
			{call + "/trouble_test.go", "TestHugeHeadersAreRefused"},
		},
		77: {
			{"internal/harvest/harvest_test.go", "TestStrangeFilesAreSkippedAndNeverWaitedFor"},
			{"internal/harvest/shapes_test.go", "TestListsOfEveryShapeAreReadOrSkipped"},
		},
		78: {{here, "TestActsOverHTTP"}, {"store/storetest/s_types.go", "S28 a task that no worker serves stays, and explain says so"}},
	}
}

// isThere reports whether the file has that test.
func (p place) isThere(t *testing.T) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.file)))
	if err != nil {
		t.Error(err)
		return false
	}
	switch filepath.Ext(p.file) {
	case ".txtar": // a comment that begins with the numbers it is about
		return regexp.MustCompile(`(?m)^# ([0-9]+, )*` + p.test + `\b`).Match(text)
	case ".ts":
		return strings.Contains(string(text), `test("`+p.test+`"`)
	}
	return strings.Contains(string(text), "\nfunc "+p.test+"(t *testing.T) {") || strings.Contains(string(text), `{"`+p.test+`", `)
}

func TestEveryBadInputIsShownOrSaysWhere(t *testing.T) {
	t.Parallel()
	shown := map[int]bool{}
	for _, c := range append(poor(), poorFields()...) {
		shown[c.number] = true
	}
	for n, places := range elsewhere() {
		for _, p := range places {
			if p.isThere(t) {
				shown[n] = true
				continue
			}
			t.Errorf("bad input %d: there is no test %q in %s", n, p.test, p.file)
		}
	}
	for n := 1; n <= lastBadInput; n++ {
		if !shown[n] {
			t.Errorf("no test shows bad input %d", n)
		}
	}
	if (place{"internal/server/badinput_test.go", "TestNothing"}).isThere(t) || (place{"test/scripts/badinput.txtar", "999"}).isThere(t) {
		t.Error("a test that is not there is found")
	}
}
