//go:build linux

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rig is one test, or some of a package, and how large it is made.
type rig struct {
	campaign int
	name     string
	about    string // what an attempt is, and what is broken
	pkg      string
	tests    string // a pattern for -run
	sizes    []size
	alone    bool   // it measures leases against the clock of a busy machine
	fuzz     bool   // tests is one fuzz target
	minimize string // how long a fuzzer makes one of its finds smaller; default 60s
	pieces   int    // all of its figures are run in so many, each of its own seed
	piece    int    // which of them this is, from 0
}

// size is how much of something a rig does, by a variable of the environment.
type size struct {
	env         string
	tenth, full int
}

func (r *rig) of(z size, full bool) int {
	if full {
		return z.full / max(1, r.pieces)
	}
	return z.tenth
}

// environment is what the rig is given.
func (r *rig) environment(s settings) []string {
	all := []string{"TQ_SEED=" + strconv.FormatUint(s.seed+uint64(r.piece), 10)}
	for _, z := range r.sizes {
		all = append(all, fmt.Sprintf("%s=%d", z.env, r.of(z, s.full)))
	}
	return all
}

// fuzzTime is how long one target is fuzzed.
func fuzzTime(full bool) string {
	if full {
		return "300s"
	}
	return "10s"
}

func (r *rig) arguments(s settings) []string {
	if r.fuzz {
		args := []string{"test", r.pkg, "-run", "^$", "-fuzz", r.tests, "-fuzztime", fuzzTime(s.full)}
		if r.minimize != "" {
			args = append(args, "-fuzzminimizetime", r.minimize)
		}
		return args
	}
	return []string{"test", r.pkg, "-run", r.tests, "-count=1", "-timeout", "12h", "-v"}
}

// command is what to type to run the rig alone.
func (r *rig) command(s settings) string {
	words := append(r.environment(s), "go")
	for _, a := range r.arguments(s) {
		if strings.ContainsAny(a, "^$|()*") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// campaigns are what the rigs of each show.
func campaigns() map[int]string {
	return map[int]string{
		1:  "A lease has one holder",
		2:  "Each engine does what the model does",
		3:  "Processes die",
		4:  "The power is cut",
		5:  "PostgreSQL crashes",
		6:  "The network fails",
		7:  "Processes stand still, clocks jump",
		8:  "Disks are full or fail",
		9:  "Files are damaged",
		11: "Bad inputs",
		12: "Attacks",
	}
}

// rigs lists them, the longest first.
func rigs(full bool) []rig {
	var all []rig
	for _, r := range slices.Concat(ruleRigs(), deathRigs(), inputRigs()) {
		if !full || r.pieces < 2 {
			all = append(all, r)
			continue
		}
		name := r.name
		for r.piece = range r.pieces {
			r.name = fmt.Sprintf("%s, %d of %d", name, r.piece+1, r.pieces)
			all = append(all, r)
		}
	}
	return all
}

func ruleRigs() []rig {
	return []rig{
		{
			campaign: 2, name: "PostgreSQL beside the model", about: "random orders, each answered and left behind alike by both",
			pkg: "./store/postgres", tests: "^TestLockstepWithTheModel$", sizes: []size{{"TQ_LOCKSTEP", 400, 10_000}}, pieces: 10,
		},
		{
			campaign: 2, name: "SQLite beside the model", about: "the same on a file",
			pkg: "./store/sqlite", tests: "^TestLockstepWithTheModel$", sizes: []size{{"TQ_LOCKSTEP", 1_000, 10_000}}, pieces: 5,
		},
		{
			campaign: 2, name: "the model beside itself", about: "its own invariants, and that the rig compares like with like",
			pkg: "./store/storetest", tests: "^TestTheModelKeepsStepWithItself$", sizes: []size{{"TQ_LOCKSTEP", 1_000, 10_000}},
		},
		{
			campaign: 1, name: "four processes on one PostgreSQL", about: "claims, settles and extensions with one's own, each other's and stale tokens while leases run out; all answers fit one order of events (porcupine)",
			pkg: "./store/postgres", tests: "^TestProcessesShareOneHistory$", sizes: []size{{"TQ_HISTORY", 100_000, 1_000_000}},
		},
		{
			campaign: 1, name: "16 claimers on one file", about: "the same on SQLite",
			pkg: "./store/sqlite", tests: "^TestHistoriesAreLinear$", sizes: []size{{"TQ_HISTORY_OPS", 100_000, 1_000_000}},
		},
		{
			campaign: 1, name: "round trips in any order", about: "two or three sessions do one thing each to one task, their round trips to PostgreSQL let through one by one",
			pkg: "./store/postgres", tests: "^TestRoundTripsInAnyOrderKeepTheRules$", sizes: []size{{"TQ_INTERLEAVE", 1, 10}},
		},
		{
			campaign: 1, name: "broken stores are noticed", about: "stores with one promise broken each, which the rigs above must catch",
			pkg: "./store/storetest", tests: "^TestEveryMutantIsNoticed$",
		},
	}
}

func deathRigs() []rig {
	return []rig{
		{
			campaign: 3, name: "six workers on three machines", about: "tasks; a worker killed, one stopped, the server killed and restarted, a wire cut, over and over",
			pkg: "./test/rigs", tests: "^TestSixWorkersOnThreeMachinesLoseNothing$", sizes: []size{{"TQ_FLEET_TASKS", 2_000, 20_000}}, alone: true,
		},
		{
			campaign: 3, name: "kill -9 of a hub", about: "tasks of four callers, which ask until they are answered, run by six workers, while the hub is killed and started again",
			pkg: "./test/rigs", tests: "^TestAKilledHubLosesNothing$", sizes: []size{{"TQ_HUB_KILLS", 20, 200}}, alone: true,
		},
		{
			campaign: 3, name: "kill -9 of the writer", about: "enqueues and completions of a process that is killed as it writes its file",
			pkg: "./store/sqlite", tests: "^TestKillingTheWriterLosesNothing$", sizes: []size{{"TQ_KILLS", 100, 1_000}},
		},
		{
			campaign: 3, name: "two processes on one file", about: "tasks that a third one enqueues",
			pkg: "./store/sqlite", tests: "^TestProcessesShareAFile$", sizes: []size{{"TQ_SHARED_TASKS", 10_000, 100_000}},
		},
		{
			campaign: 4, name: "under SQLite", about: "answers given before the cut, looked for on what the disk held; the control does not wait for the disk",
			pkg: "./test/disk", tests: "^TestAPowerCutLosesNothingOnSQLite$", sizes: []size{{"TQ_CUTS", 20, 200}},
		},
		{
			campaign: 4, name: "under PostgreSQL", about: "the same below a server",
			pkg: "./test/disk", tests: "^TestAPowerCutLosesNothingOnPostgres$", sizes: []size{{"TQ_CUTS", 5, 50}},
		},
		{
			campaign: 5, name: "the server is killed", about: "calls, repeated until they are answered, while the postmaster is killed and started again",
			pkg: "./store/postgres", tests: "^TestARestartedServerLosesNothing$", sizes: []size{{"TQ_CRASHES", 5, 50}},
		},
		{
			campaign: 5, name: "its backends are ended", about: "the same while all connections are",
			pkg: "./store/postgres", tests: "^TestKilledBackendsLoseNothing$", sizes: []size{{"TQ_CRASHES", 10, 50}},
		},
		{
			campaign: 5, name: "every promise through a pooler", about: "stores of the suite, each behind PgBouncer in transaction mode, which hands every transaction to another connection",
			pkg: "./store/postgres", tests: "^TestEveryPromiseThroughAPooler$",
		},
		{
			campaign: 5, name: "the pooler is killed", about: "calls, repeated until they are answered, while it is killed and started again",
			pkg: "./store/postgres", tests: "^TestAKilledPoolerLosesNothing$", sizes: []size{{"TQ_CRASHES", 10, 50}},
		},
		{
			campaign: 6, name: "wires to PostgreSQL", about: "tasks of six workers on three machines while their wires are silent in one or both directions, reset connections, lose a third or take seconds",
			pkg: "./test/rigs", tests: "^TestWiresThatFailLoseNothingOverPostgres$", sizes: []size{{"TQ_WIRE_FAULTS", 25, 250}}, alone: true,
		},
		{
			campaign: 6, name: "wires to a hub", about: "the same over HTTP",
			pkg: "./test/rigs", tests: "^TestWiresThatFailLoseNothingOverAHub$", sizes: []size{{"TQ_WIRE_FAULTS", 25, 250}}, alone: true,
		},
		{
			campaign: 7, name: "workers that are stopped", about: "tasks; workers stand still (SIGSTOP) until others have their tasks, then go on; a recovery is the time in which they end what is not theirs any more",
			pkg: "./test/rigs", tests: "^TestStoppedWorkersSettleNothing$", sizes: []size{{"TQ_PAUSES", 20, 200}}, alone: true,
		},
		{
			campaign: 7, name: "a hub or server that is away", about: "tasks of six workers, nearly as long as their leases last, over a hub and over PostgreSQL at once; one lease that expires is unexpected",
			pkg: "./test/rigs", tests: "^TestAnOutageOfThe(Hub|Server)ExpiresNobody$", sizes: []size{{"TQ_OUTAGES", 3, 30}}, alone: true,
		},
		{
			campaign: 7, name: "a jumping clock on SQLite", about: "claims, settles and extensions while the clock jumps an hour forth and back; all answers fit one order of events",
			pkg: "./store/sqlite", tests: "^TestAClockThatJumpsGivesNobodyASecondLease$", sizes: []size{{"TQ_JUMPS", 100, 1_000}},
		},
		{
			campaign: 7, name: "a jumping clock on PostgreSQL", about: "the same on a server",
			pkg: "./store/postgres", tests: "^TestAClockThatJumpsGivesNobodyASecondLease$", sizes: []size{{"TQ_JUMPS", 100, 1_000}},
		},
		{
			campaign: 8, name: "a full disk under SQLite", about: "enqueues of four callers while the disk is filled and freed, in one process",
			pkg: "./test/disk", tests: "^TestAFullDiskIsLeftBehindOnSQLite$", sizes: []size{{"TQ_FILLS", 5, 50}},
		},
		{
			campaign: 8, name: "a full disk under PostgreSQL", about: "its tables, then its log, which stops the server",
			pkg: "./test/disk", tests: "^TestAFullDiskIsLeftBehindOnPostgres$",
		},
		{
			campaign: 8, name: "a failing disk", about: "calls of a process whose nth write or sync fails, is cut short or finds no room, and which goes on",
			pkg: "./test/disk", tests: "^TestAFailingDiskLosesNothingAndIsLeftBehind$", sizes: []size{{"TQ_IO_FAULTS", 20, 200}},
		},
		{
			campaign: 9, name: "a torn, flipped or zeroed log", about: "copies that are opened: each holds a beginning of the journal, whole tasks, and goes on",
			pkg: "./test/disk", tests: "^TestADamagedLogIsReadUpToTheDamage$", sizes: []size{{"TQ_DAMAGES", 500, 5_000}},
		},
	}
}

func inputRigs() []rig {
	all := []rig{
		{
			campaign: 11, name: "over HTTP", about: "requests of the table of bad inputs: each answered with a status and a reason, none with 500",
			pkg: "./internal/server", tests: "BadInput|OddInputs|KeysOverHTTP|ThousandRepeats|SettlingOverHTTP|ActsOverHTTP|OneBadRow|EndlessBody|AnotherLength|HugeHeaders|CallersWhoGo|LastEventID",
		},
		{
			campaign: 11, name: "over MCP", about: "calls of the same table, as agents make them",
			pkg: "./internal/mcp", tests: "BadArguments|BadCalls|BadBodies|ParamsOfEvery|HandlesNeed",
		},
		{
			campaign: 11, name: "on the command line", about: "commands that have to end with a status other than 0 and a sentence, on both engines",
			pkg: "./test", tests: "^TestScripts(OnPostgres)?$/^badinput$",
		},
		{
			campaign: 12, name: "tokens, scopes, hosts, origins, sessions", about: "requests that must be refused, and those that must not: every route without a token and with each scope, foreign hosts and origins, guessers, viewers",
			pkg: "./internal/server", tests: "EveryRouteBut|ScopesHold|ForeignHosts|OtherOrigins|FormsAndPacked|Guessers|ATokenKeeps|Session|LoggingIn|LinkLogs|Viewer|RightsOfWho",
		},
		{
			campaign: 12, name: "agents' rights", about: "calls with tokens that may not see or do everything",
			pkg: "./internal/mcp", tests: "TokensRights|AnotherToken|HeaderOfAHandle",
		},
		{
			campaign: 12, name: "calls to private addresses", about: "spellings of addresses that an HTTP task must not reach",
			pkg: "./exec/http", tests: "^TestNoSpellingReachesAPrivateAddress$",
		},
	}
	for _, target := range []struct{ pkg, name, minimize string }{
		{".", "FuzzFilter", ""},
		{"./internal/server", "FuzzEnqueueBody", ""},
		{"./internal/server", "FuzzCursor", ""},
		{"./internal/server", "FuzzLastEventID", ""},
		{"./internal/server", "FuzzFilter", ""},
		{"./internal/cli", "FuzzSafe", ""},
		{"./internal/cli", "FuzzSafeJSON", ""},
		{"./internal/mcp", "FuzzBody", "5s"}, // an input that opens a stream takes two seconds
	} {
		all = append(all, rig{
			campaign: 11, name: "fuzz " + target.pkg + " " + target.name, about: "inputs that a fuzzer makes up",
			pkg: target.pkg, tests: "^" + target.name + "$", fuzz: true, minimize: target.minimize,
		})
	}
	return all
}
