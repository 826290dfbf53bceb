package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The MCP column of the table of bad inputs (proof.md §2): a refusal of the
// protocol for what is no call, a refusal of the tool for everything else.

func TestBadArgumentsAreRefusedByName(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	d.enqueue("q", "1")
	got := c.must("tq_claim", `{"queue":"q"}`, "lease_token")
	lease := token(t, got)
	done := d.enqueue("q", "2")
	other := c.must("tq_claim", `{"queue":"q"}`, "lease_token")
	c.must("tq_complete", `{"lease_token":"`+token(t, other)+`"}`, "completed")
	for _, in := range []struct{ tool, args, code, want string }{
		{"tq_enqueue", `{"priorty":1}`, "invalid", "did you mean priority"},
		{"tq_enqueue", `{"queue":"a","queue":"b"}`, "invalid", "stands twice"},
		{"tq_enqueue", `{"queue":"a","Queue":"b"}`, "invalid", "differs only in case"},
		{"tq_enqueue", `{"payload":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "invalid", "nested deeper"},
		{"tq_enqueue", `{"payload":"` + strings.Repeat("x", 131_071) + `"}`, "too_large", "131072"},
		{"tq_enqueue", "{\"payload\":\"\xff\"}", "invalid", "UTF-8"},
		{"tq_enqueue", `{"queue":"../x"}`, "invalid", "queue"},
		{"tq_enqueue", `{"queue":"'; DROP TABLE tasks;--"}`, "invalid", "queue"},
		{"tq_enqueue", `{"idempotency_key":"` + strings.Repeat("k", 201) + `"}`, "invalid", "the limit is 200"},
		{"tq_enqueue", `{"idempotency_key":"a\nb"}`, "invalid", "idempotency_key"},
		{"tq_enqueue", `{"priority":32768}`, "invalid", "-32768 to 32767"},
		{"tq_enqueue", `{"priority":1.5}`, "invalid", "priority"},
		{"tq_enqueue", `{"priority":"high"}`, "invalid", "priority"},
		{"tq_enqueue", `{"priority":null}`, "invalid", "priority"},
		{"tq_enqueue", `{"delay_seconds":-1}`, "invalid", "delay_seconds"},
		{"tq_enqueue", `{"delay_seconds":"5"}`, "invalid", "delay_seconds"},
		{"tq_enqueue", `{"run_at":"24:61"}`, "invalid", "run_at"},
		{"tq_enqueue", `{"delay_seconds":1,"run_at":"2026-11-29T16:00:00Z"}`, "invalid", "not both"},
		{"tq_enqueue", `{"max_attempts":1001}`, "invalid", "1 to 1000"},
		{"tq_enqueue", `{"deps":[999]}`, "unknown_dependency", "999"},
		{"tq_enqueue_batch", `{"tasks":[{},{"deps":["$5"]}]}`, "invalid", "not an earlier row"},
		{"tq_enqueue_batch", `{"tasks":[]}`, "invalid", "tasks"},
		{"tq_enqueue_batch", `{"tasks":7}`, "invalid", "tasks"},
		{"tq_claim", `{"lease_seconds":"300"}`, "invalid", "lease_seconds"},
		{"tq_claim", `{"lease_seconds":0.5}`, "invalid", "lease_seconds"},
		{"tq_claim", `{"lease_seconds":3601}`, "invalid", "1 to 3600"},
		{"tq_claim", `{"wait_seconds":56}`, "invalid", "0 to 55"},
		{"tq_claim", `{"wait_seconds":-1}`, "invalid", "wait_seconds"},
		{"tq_claim", `{"queue":5}`, "invalid", "queue: is 5, want text"},
		{"tq_claim", `{"queue":"a b"}`, "invalid", "queue: "},
		{"tq_claim", `{"worker":{"name":"x"}}`, "invalid", "worker"},
		{"tq_claim", `{"max":5}`, "invalid", "one task"},
		{"tq_complete", `{}`, "invalid", "from the claim's answer"},
		{"tq_complete", `{"lease_token":"x"}`, "invalid", "not a lease token"},
		{"tq_complete", `{"lease_token":7}`, "invalid", "lease_token"},
		{"tq_complete", `{"lease_token":"` + lease + `","result":"` + strings.Repeat("x", 131_071) + `"}`, "too_large", "still yours"},
		{"tq_complete", `{"lease_token":"` + lease + `","leases":[]}`, "invalid", "leases"},
		{"tq_complete", `{"lease_token":"` + lease + `","task_id":99}`, "lease_lost", "belongs to task"},
		{"tq_extend", `{"lease_token":"` + lease + `","lease_seconds":3601}`, "invalid", "lease_seconds"},
		{"tq_extend", `{"lease_token":"` + token(t, other) + `"}`, "lease_lost", "tq_claim"},
		{"tq_fail", `{"lease_token":"` + lease + `","requeue":"yes"}`, "invalid", "requeue"},
		{"tq_release", `{"lease_token":"` + lease + `","delay_seconds":-1}`, "invalid", "delay_seconds"},
		{"tq_tasks", `{"status":"banana"}`, "invalid", "want blocked, pending"},
		{"tq_tasks", `{"limit":0}`, "invalid", "1 to 100"},
		{"tq_tasks", `{"cursor":"garbage"}`, "invalid", "cursor"},
		{"tq_task", `{"id":999}`, "not_found", "tq_tasks"},
		{"tq_task", `{"id":"1"}`, "invalid", "id"},
		{"tq_task", `{"id":1,"part":"secret"}`, "invalid", "part"},
		{"tq_task", `{"id":1,"part":"payload","offset":9}`, "invalid", "offset"},
		{"tq_rescue", `{"id":2}`, "invalid_state", ""},
		{"tq_cancel", `{"id":2}`, "invalid_state", ""},
		{"tq_cancel", `{"id":2,"force":1}`, "invalid", "force"},
		{"tq_run", `{"idempotency_key":"x"}`, "invalid", "idempotency_key"},
	} {
		c.refused(in.tool, in.args, in.code, in.want)
	}
	if n := d.status(done); n.Status != "completed" {
		t.Errorf("task %d is %s", done, n.Status)
	}
	c.must("tq_complete", `{"lease_token":"`+lease+`","result":"`+strings.Repeat("x", 131_070)+`"}`, "completed") // the boundary
}

func TestBadCallsAreRefusedByTheProtocol(t *testing.T) {
	t.Parallel()
	c := newDesk(t, nil).modern("sam")
	for _, in := range []struct {
		method, name, params string
		code                 int
	}{
		{"tools/call", "tq_nothing", `{"name":"tq_nothing","arguments":{}}`, -32602},
		{"tools/call", "tq_tasks", `{"name":"tq_tasks","arguments":[]}`, -32602},
		{"tools/call", "tq_tasks", `{"name":"tq_tasks","arguments":"x"}`, -32602},
		{"tasks/list", "", `{}`, -32601},
		{"tasks/result", "", `{"taskId":"x"}`, -32601},
		{"ping", "", `{}`, -32601},
	} {
		if r := c.ask(in.method, in.name, in.params); r.Error == nil || r.Error.Code != in.code {
			t.Errorf("%s %s is answered %s %+v, want %d", in.method, in.params, r.Result, r.Error, in.code)
		}
	}
}

func TestBadBodiesAreRefusedWithAStatus(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	modern, legacy := d.modern("sam"), d.legacy("sam")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, in := range []struct {
		what   string
		by     *client
		body   string
		header http.Header
		status int
	}{
		{"empty", modern, "", nil, 400},
		{"null", modern, "null", nil, 400},
		{"text", modern, `"x"`, nil, 400},
		{"cut off", modern, `{"jsonrpc":"2.0","id":1,`, nil, 400},
		{"two values", modern, list + list, nil, 400},
		{"deep", modern, strings.Repeat("[", 100_000), nil, 400},
		{"over 1 MiB", modern, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, nil, 413},
		{"packed", modern, list, http.Header{"Content-Encoding": {"gzip"}}, 415},
		{"unknown revision", modern, list, http.Header{"Mcp-Protocol-Version": {"2030-01-01"}}, 400},
		{"no revision in the body", modern, list, nil, 400},
		{"10,000 calls in a batch", legacy, "[" + strings.Repeat(list+",", 9_999) + list + "]", nil, 400},
		{"a session that is not", &client{desk: d, session: "made up"}, list, nil, 404},
	} {
		r := in.by.post(t.Context(), in.body, in.header)
		if r.StatusCode != in.status {
			t.Errorf("%s is answered %s, want %d", in.what, r.Status, in.status)
		}
		d.close(r)
	}
	legacy.must("tq_tasks", "{}", "no tasks") // and the next is answered
}

// FuzzBody: whatever comes, the door answers with no 5xx and goes on.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tq_enqueue","arguments":{"payload":1e400}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"tq_claim","arguments":{"wait_seconds":0,"queue":"q"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"1-A","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, newer bool) {
		d := newDesk(t, nil)
		c := d.legacy("sam")
		if newer {
			c = d.modern("sam")
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second) // a stream goes on
		defer stop()
		r, err := c.try(ctx, body, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"tq_claim"}})
		if err == nil && r.StatusCode >= 500 {
			t.Errorf("answered %s", r.Status)
		}
		if err == nil {
			_ = r.Body.Close() // what it says does not matter
		}
		d.modern("sam").must("tq_tasks", "{}", "")
	})
}
