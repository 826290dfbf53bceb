package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
)

// What one caller sends must not end the hub for the others: requests are
// handled in goroutines of the SDK, where nothing above catches a panic.

func TestParamsOfEveryShapeAreAnswered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	methods := []string{
		"initialize", "ping", "server/discover", "logging/setLevel", "completion/complete",
		"tools/list", "tools/call", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"tasks/get", "tasks/update", "tasks/cancel", "no/such",
		"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
	}
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	shapes := []string{
		``, `null`, `[]`, `5`, `"x"`, `{}`, `{"_meta":null}`, `{"_meta":5}`,
		`{"_meta":` + meta + `null}}`, `{"_meta":` + meta + `5}}`, `{"_meta":` + meta + `{"extensions":null}}}`,
		`{"_meta":` + meta + `{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}`,
		`{"taskId":null}`, `{"name":null,"arguments":null}`, `{"uri":null}`, `{"ref":null,"argument":null}`,
	}
	for _, method := range methods {
		for _, shape := range shapes {
			for _, c := range []*client{d.modern("sam"), d.legacy("sam")} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, shape)
				if shape == "" {
					body = fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q}`, method)
				}
				if strings.HasPrefix(method, "notifications/") {
					body = strings.Replace(body, `"id":7,`, "", 1)
				}
				r := c.post(t.Context(), body, http.Header{"Mcp-Method": {method}})
				if r.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s %s is answered %s", method, shape, r.Status)
				}
				d.close(r)
			}
		}
	}
	d.modern("sam").must("tq_tasks", "{}", "no tasks")
}

func TestHandlesNeedParams(t *testing.T) {
	t.Parallel()
	c := newDesk(t, nil).legacy("sam")
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		for _, params := range []string{``, `,"params":null`} {
			r := c.post(t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q%s}`, method, params), nil)
			got := c.read(r)
			c.close(r)
			if got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "taskId") {
				t.Errorf("%s%s is answered %s %+v", method, params, got.Result, got.Error)
			}
		}
	}
}

func TestAPanicIsAnAnswerAndOthersGoOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, func(o *mcp.Options) {
		call := o.Call
		o.Log = slog.New(slog.DiscardHandler)
		o.Call = func(ctx context.Context, op *ops.Op, raw []byte) (any, error) {
			if strings.Contains(string(raw), "fuse") {
				panic("blown")
			}
			return call(ctx, op, raw)
		}
	})
	for _, c := range []*client{d.modern("sam"), d.legacy("sam")} {
		got := c.ask("tools/call", "tq_enqueue", `{"name":"tq_enqueue","arguments":{"queue":"fuse"}}`)
		if got.Error == nil || got.Error.Code != -32603 || strings.Contains(got.Error.Message, "blown") {
			text, _ := json.Marshal(got)
			t.Errorf("a panic is answered %s", text)
		}
		c.must("tq_tasks", "{}", "no tasks")
	}
}
