package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// Other people's clients, end to end.

// step is one line that a client of the rig printed.
type step struct {
	Step    string
	Error   bool
	Text    string
	Version string
	Names   []string
	Code    int
	Out     map[string]any
}

// life runs rig/clients.mjs and answers its steps by name.
func life(t *testing.T, env ...string) map[string]step {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := node(ctx, t, "clients.mjs")
	cmd.Env = append(cmd.Env, env...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("clients.mjs: %v\n%s\n%s", err, out, problems.String())
	}
	steps := map[string]step{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var s step
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		steps[s.Step] = s
	}
	return steps
}

// lived holds the steps to what they have to say.
func lived(t *testing.T, steps map[string]step, lease string) {
	t.Helper()
	says := func(name, want string) {
		t.Helper()
		b, err := json.Marshal(steps[name].Out)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(b) + steps[name].Text; !strings.Contains(got, want) {
			t.Errorf("%s: want %s in %s", name, want, got)
		}
	}
	if n := len(steps["tools"].Names); n != 12 {
		t.Errorf("%d tools, want 12: %v", n, steps["tools"].Names)
	}
	says("enqueue", `"id":1`)
	says("again", `"existed":true`)
	says("claim", `"shard":1`)
	says("extend", `"lease_expires_at"`)
	says("list", "attempt 1/3 · lease: "+lease+", 1m left · half")
	says("complete", `"status":"completed"`)
	says("twice", `"replayed":true`)
	says("other", "already_settled")
	says("coerced", "lease_seconds")
	says("empty", `"task":null`)
	says("empty", "all tasks have ended")
	says("read", `"completed":1`)
	says("prompt", `tq_claim {queue: "rig"}`)
	if !steps["other"].Error || !steps["coerced"].Error || steps["twice"].Error {
		t.Errorf("isError: other %v, coerced %v, twice %v", steps["other"].Error, steps["coerced"].Error, steps["twice"].Error)
	}
	if steps["unknown"].Code != -32602 {
		t.Errorf("an unknown tool is answered %d, want -32602", steps["unknown"].Code)
	}
}

func TestTheTypeScriptClientsOfBothLinesWorkThroughATask(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"v1":        {"LINE=v1"},
		"v2 legacy": {"LINE=v2", "MODE=legacy"},
		"v2":        {"LINE=v2", "MODE=auto"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t)
			steps := life(t, append(env, "URL="+h.url, "TOKEN="+h.everything("sam"))...)
			lived(t, steps, "api via sam")
			t.Logf("%s speaks %s", name, steps["connected"].Version)
		})
	}
}

func TestTheTypeScriptClientWorksThroughATaskOverPipes(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lived(t, life(t, "LINE=stdio", "COMMAND="+self, "TQ_PIPES="+filepath.Join(t.TempDir(), "tq.db")), "api via sam")
}

func TestTheInspectorListsAndCallsTools(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	url := h.opened() // it cannot bear a token
	inspect := func(args ...string) string {
		t.Helper()
		args = append([]string{
			"node_modules/@modelcontextprotocol/inspector-cli/build/index.js", url, "--transport", "http",
		}, args...)
		out, err := run(t, 2*time.Minute, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := inspect("--method", "tools/list"); !strings.Contains(out, `"tq_claim"`) {
		t.Errorf("no tq_claim in %s", out)
	}
	out := inspect("--method", "tools/call", "--tool-name", "tq_enqueue", "--tool-arg", "queue=seen", "--tool-arg", "type=look")
	if !strings.Contains(out, `"status": "pending"`) {
		t.Errorf("enqueue answered %s", out)
	}
	got, err := h.broker.Tasks(t.Context(), tq.TasksIn{Queue: "seen", Type: "look"})
	if err != nil || len(got.Tasks) != 1 {
		t.Errorf("the queue has %v, %v", got.Tasks, err)
	}
}
