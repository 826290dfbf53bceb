package cli

import (
	"net/http"
	"strings"
	"testing"
)

func TestAnAgentIsAnsweredOverPipes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.stdin = strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tq_enqueue","arguments":{"queue":"pipes","payload":{"n":1}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
	}, "\n") + "\n"
	out := d.ok("mcp")
	for _, want := range []string{`"protocolVersion":"2025-11-25"`, `"tq_claim"`, `"status":"pending"`, "task queue that several agents"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if got := d.ok("list", "--queue", "pipes", "--json"); !strings.Contains(got, `"type":"task"`) {
		t.Errorf("the queue has %s", got)
	}
}

func TestToolsAreCalledByAnotherPrefix(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.stdin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	out := d.ok("mcp", "--tool-prefix", "pigeonhole")
	for _, tool := range []string{"enqueue", "claim", "complete", "fail", "tasks"} {
		if !strings.Contains(out, `"name":"pigeonhole_`+tool+`"`) {
			t.Errorf("no pigeonhole_%s in %s", tool, out)
		}
	}
	if n := strings.Count(out, `"name":"pigeonhole_`); n != 5 {
		t.Errorf("%d tools, want 5", n)
	}
	d.refused(2, "tool-prefix", "mcp", "--tool-prefix", "a b")
}

func TestEachAgentIsToldWhereTheQueueIs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct{ agent, db, want string }{
		{"claude", "http://hub:8080", `claude mcp add --transport http tq http://hub:8080/mcp --header "Authorization: Bearer $TQ_TOKEN"`},
		{"codex", "http://hub:8080/", `codex mcp add tq --url http://hub:8080/mcp --bearer-token-env-var TQ_TOKEN`},
		{"gemini", "https://hub", `gemini mcp add --transport http tq https://hub/mcp --header "Authorization: Bearer $TQ_TOKEN"`},
		{"crush", "https://hub", `mcp add tq --type http --url https://hub/mcp --header Authorization "Bearer $TQ_TOKEN"`},
		{"opencode", "https://hub", `"Authorization": "Bearer {env:TQ_TOKEN}"`},
		{"cursor", "https://hub", `"Authorization": "Bearer ${env:TQ_TOKEN}"`},
		{"claude", "/data/it's.db", `claude mcp add tq -- tq mcp --db '/data/it'\''s.db'`},
		{"codex", "postgres://db/tq", `codex mcp add tq -- tq mcp --db postgres://db/tq`},
		{"gemini", "/data/tq.db", `gemini mcp add tq tq mcp --db /data/tq.db`},
		{"opencode", "/data/tq.db", `"type": "local"`},
		{"crush", "/data/tq.db", `"type": "stdio"`},
		{"cursor", "/data/tq.db", `"command": "tq"`},
	} {
		if got := d.ok("mcp", "config", c.agent, "--db", c.db); !strings.Contains(got, c.want) {
			t.Errorf("%s at %s: want %s in %s", c.agent, c.db, c.want, got)
		}
	}
	d.refused(2, "is not an agent that tq knows", "mcp", "config", "vim")
	d.refused(2, "the agent is missing", "mcp", "config")
}

func TestAnAgentThroughAHubIsOfferedWhatItsTokenMayDo(t *testing.T) {
	t.Parallel()
	url, bearer := hubWith(t, "GET /session", `{"id":"x","name":"reader","can":["read"],"queues":["*"],"types":["*"]}`, http.StatusOK)
	d := newDesk(t)
	d.client = nil
	d.env["TQ_TOKEN"] = "tq_secret"
	d.stdin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	out := d.ok("mcp", "--db", url)
	if !strings.Contains(out, `"name":"tq_tasks"`) || strings.Contains(out, `"name":"tq_enqueue"`) {
		t.Errorf("a reader is offered %s", out)
	}
	if *bearer != "Bearer tq_secret" {
		t.Errorf("asked as %q", *bearer)
	}
}
