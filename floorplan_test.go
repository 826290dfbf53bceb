package tq_test

// The floor plan: which room of the house may enter which. `go list` says what
// every package imports; a way that is not in the plan fails here.

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const house = "example.com/tq"

// room is a folder and all below it that have no room of their own.
type room struct {
	enters   []string // rooms that its code may import; "hall" is the module root
	library  []string // other people's modules that its code may import; a prefix
	testOnly bool     // serves tests alone: may use every library, and only tests may enter it
}

// everywhere opens all rooms, for the one that wires them and for those that try them.
const everywhere = "*"

func floorplan() map[string]room {
	return map[string]room{
		"hall":            {},
		"store":           {enters: []string{"hall", "store/sqlite", "store/postgres"}},
		"store/sqlite":    {enters: []string{"hall"}, library: sqliteLibraries()},
		"store/postgres":  {enters: []string{"hall"}, library: []string{"github.com/jackc/pgx/v5", "golang.org/x/sys"}},
		"client":          {enters: []string{"hall", "internal/ops"}},
		"exec/sh":         {enters: []string{"hall"}, library: []string{"golang.org/x/sys"}},
		"exec/http":       {enters: []string{"hall"}},
		"exec/agent":      {enters: []string{"hall"}},
		"internal/ops":    {enters: []string{"hall"}, library: []string{"github.com/google/jsonschema-go"}},
		"internal/server": {enters: []string{"hall", "internal/ops", "web"}, library: []string{"golang.org/x/time", "go.yaml.in/yaml/v3"}},
		"internal/mcp":    {enters: []string{"hall", "internal/ops"}, library: mcpLibraries()},

		"internal/harvest":   {enters: []string{"hall"}, library: []string{"github.com/yuin/goldmark"}},
		"internal/pool":      {enters: []string{"hall", "internal/harvest", "exec/agent"}},
		"internal/move":      {enters: []string{"hall"}},
		"internal/notify":    {enters: []string{"hall"}},
		"internal/telemetry": {enters: []string{"hall", "internal/ops"}, library: telemetryLibraries()},
		"internal/config":    {},
		"internal/cli":       {enters: []string{everywhere}, library: []string{"github.com/spf13", "golang.org/x/sys"}},
		"cmd/tq":             {enters: []string{"internal/cli"}},
		"internal/manual":    {enters: []string{"internal/cli"}, library: []string{"github.com/spf13"}},
		"web":                {},
		"bench":              {enters: []string{"hall"}},

		"store/storetest": {enters: []string{"hall", "store/memory", "tqtest", "test/tally"}, testOnly: true},
		"store/memory":    {enters: []string{"hall"}, testOnly: true},
		"tqtest":          {enters: []string{"hall", "store/memory", "store/storetest"}, testOnly: true},
		"test":            {enters: []string{everywhere}, testOnly: true},
		"test/tally":      {testOnly: true},
	}
}

func mcpLibraries() []string {
	return []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"}
}

func sqliteLibraries() []string {
	return []string{"zombiezen.com/go/sqlite", "modernc.org/sqlite", "github.com/fsnotify/fsnotify", "golang.org/x/sys"}
}

func telemetryLibraries() []string {
	return []string{"github.com/prometheus/client_golang", "github.com/lmittmann/tint", "go.opentelemetry.io/otel"}
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestEveryPackageHasARoom(t *testing.T) {
	t.Parallel()
	plan := floorplan()
	for _, p := range packages(t) {
		if _, ok := roomOf(plan, p.ImportPath); !ok {
			t.Errorf("%s stands in no room: move it into one, or add its room to floorplan()", p.ImportPath)
		}
	}
}

func TestRoomsEnterOnlyWhatTheFloorPlanAllows(t *testing.T) {
	t.Parallel()
	plan := floorplan()
	for _, p := range packages(t) {
		from, ok := roomOf(plan, p.ImportPath)
		if !ok {
			continue // told by TestEveryPackageHasARoom
		}
		for _, path := range p.Imports {
			if why := refused(plan, from, path); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, why)
			}
		}
	}
}

func TestTestsLeaveTheCommandLineToItsOwnRoom(t *testing.T) {
	t.Parallel()
	plan := floorplan()
	for _, p := range packages(t) {
		from, _ := roomOf(plan, p.ImportPath)
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			to, ours := roomOf(plan, path)
			if ours && to == "internal/cli" && from != to && from != "cmd/tq" && from != "internal/manual" && from != "test" {
				t.Errorf("a test of %s imports %s: only test/ tries the whole binary", p.ImportPath, path)
			}
		}
	}
}

func TestTheFloorPlanNamesOnlyRooms(t *testing.T) {
	t.Parallel()
	plan := floorplan()
	for name, r := range plan {
		for _, to := range r.enters {
			if _, ok := plan[to]; !ok && to != everywhere {
				t.Errorf("room %s may enter %s, which is no room", name, to)
			}
		}
	}
}

func TestTheFloorPlanRefusesWrongWays(t *testing.T) {
	t.Parallel()
	plan := floorplan()
	for _, way := range []struct{ from, path string }{
		{"hall", "golang.org/x/sys/unix"},           // the hall lives on the standard library
		{"hall", house + "/store/sqlite"},           // rules know no engine
		{"store/sqlite", house + "/store/postgres"}, // engines do not meet
		{"exec/sh", house + "/exec/http"},           // nor do executors
		{"internal/server", house + "/store/sqlite"},
		{"internal/server", house + "/internal/cli"},
		{"store/sqlite", house + "/store/storetest"},
		{"internal/cli", house + "/tqtest"},
		{"store/sqlite", "pgregory.net/rapid"},
	} {
		if refused(plan, way.from, way.path) == "" {
			t.Errorf("%s may import %s, and should not", way.from, way.path)
		}
	}
	if why := refused(plan, "internal/cli", house+"/store/sqlite"); why != "" {
		t.Errorf("internal/cli wires the engines, and may not: %s", why)
	}
}

// refused says why code in room from may not import path; "" when it may.
func refused(plan map[string]room, from, path string) string {
	r := plan[from]
	to, ours := roomOf(plan, path)
	switch {
	case !ours && isStandard(path), ours && to == from:
		return ""
	case !ours && r.testOnly:
		return ""
	case !ours && !hasPrefix(r.library, path):
		return "room " + from + " may use of other people's modules: " + orNone(r.library)
	case ours && plan[to].testOnly && !r.testOnly:
		return "room " + to + " serves tests only"
	case ours && !slices.Contains(r.enters, to) && !slices.Contains(r.enters, everywhere):
		return "room " + from + " may enter: " + orNone(r.enters)
	}
	return ""
}

// roomOf finds the room that a package stands in, and whether it is ours at all.
func roomOf(plan map[string]room, path string) (string, bool) {
	if path == house {
		return "hall", true
	}
	place, ours := strings.CutPrefix(path, house+"/")
	if !ours {
		return "", false
	}
	best := ""
	for name := range maps.Keys(plan) {
		inside := place == name || strings.HasPrefix(place, name+"/")
		// store is a room of one package: a new engine needs a line of its own.
		if inside && len(name) > len(best) && (name != "store" || place == name) {
			best = name
		}
	}
	return best, best != ""
}

// isStandard tells the standard library, whose paths have no dot in their first part.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func hasPrefix(prefixes []string, path string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool {
		return path == p || strings.HasPrefix(path, p+"/")
	})
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list ./...: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list ./...: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("read what go list said: %v", err)
		}
		all = append(all, p)
	}
}
