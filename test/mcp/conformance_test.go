package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The official conformance suite, against a hub. Its scenarios about content
// that a server may serve (images, sampling, prompts with arguments …) want
// tools of their own, which a queue does not have: the suite calls them
// fixtures. All others have to pass, in both eras.

// applies lists the scenarios that ask nothing but the protocol, by revision.
func applies() map[string][]string {
	return map[string][]string{
		"2025-11-25": {
			"server-initialize", "server-session-lifecycle", "completion-complete", "ping", "tools-list", "resources-list", "prompts-list",
			"server-sse-multiple-streams", "dns-rebinding-protection",
		},
		"2026-07-28": append([]string{
			"tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "sep-2164-resource-not-found",
			"completion-complete",
			"dns-rebinding-protection", "caching", "http-header-validation",
		}, extension()...),
	}
}

// extension lists those of the tasks extension. tasks-status-notifications is
// among them: the suite itself answers it with SKIPPED for everybody.
func extension() []string {
	return []string{
		"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal",
		"tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications",
		"tasks-required-task-error", "tasks-mrtr-composition",
	}
}

func TestTheOfficialSuitePassesInBothEras(t *testing.T) {
	t.Parallel()
	for revision, scenarios := range applies() {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			url := newHub(t, fixtures).opened()
			said, err := run(t, 3*time.Minute, "--import", "./node20.mjs",
				"node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
				"--url", url, "--requirements", revision, "--output-dir", dir)
			if err != nil {
				t.Logf("the suite has scenarios that want fixtures: %v", err)
			}
			for _, s := range scenarios {
				passes(t, s, report(t, dir, s), said)
			}
			wantFixtures(t, dir, scenarios)
		})
	}
}

// passes wants every check of a scenario to have passed.
func passes(t *testing.T, scenario string, checks []check, said string) {
	t.Helper()
	passed := 0
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "SKIPPED", "INFO":
			t.Logf("%s: %s %s", scenario, c.Status, c.ID)
		default:
			t.Errorf("%s: %s %s: %s", scenario, c.Status, c.ID, c.ErrorMessage)
		}
	}
	t.Logf("%s: %d checks passed", scenario, passed)
	if passed == 0 && scenario != "tasks-status-notifications" {
		t.Errorf("%s passed no check:\n%s", scenario, said)
	}
}

// fixtureMissing is how the suite says that it lacks a tool, a prompt or a
// resource of its own. The expression never changes.
var fixtureMissing = regexp.MustCompile(`unknown tool|unknown prompt|Resource not found|Not testable|json_schema_2020_12_tool|` +
	`Expected InputRequiredResult|initial InputRequiredResult|instead of re-requesting via InputRequiredResult`)

// wantFixtures holds all other scenarios to it: nothing else may be wrong with
// them. Resuming streams is left out, which the suite recommends and revision
// 2026-07-28 has taken back.
func wantFixtures(t *testing.T, dir string, judged []string) {
	t.Helper()
	reports, err := filepath.Glob(filepath.Join(dir, "server-*", "checks.json"))
	if err != nil || len(reports) <= len(judged) {
		t.Errorf("the suite wrote %d reports: %v", len(reports), err)
	}
	for _, path := range reports {
		name := filepath.Base(filepath.Dir(path))
		scenario := strings.TrimPrefix(name[:strings.LastIndex(name, "-20")], "server-")
		if slices.Contains(judged, scenario) || scenario == "server-sse-polling" {
			continue
		}
		for _, c := range report(t, dir, scenario) {
			if (c.Status == "FAILURE" || c.Status == "WARNING") && !fixtureMissing.MatchString(c.ErrorMessage) {
				t.Errorf("%s: %s %s: %s", scenario, c.Status, c.ID, c.ErrorMessage)
			}
		}
	}
}

// check is one line of the suite's report.
type check struct {
	ID, Status, ErrorMessage string
}

// report reads what the suite wrote about a scenario.
func report(t *testing.T, dir, scenario string) []check {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "server-"+scenario+"-20*", "checks.json"))
	if err != nil || len(found) != 1 {
		t.Errorf("the suite wrote %d reports about %s: %v", len(found), scenario, err)
		return nil
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var all []check
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatalf("read the report on %s: %v", scenario, err)
	}
	return all
}
