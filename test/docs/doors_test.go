package docs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/telemetry"
	"example.com/tq/store/memory"
)

// Lists of what the doors offer, asked of the doors themselves.

const httpHead = `# HTTP

<!-- Generated from openapi.json: make docs -->

Every route of a hub. What goes in and comes out of each is in [openapi.json](openapi.json), which a hub serves at ` + "`/openapi.json`" + ` and shows at ` + "`/docs`" + `; its tests hold every request and answer to it. Below /v1 a token is needed: ` + "`Authorization: Bearer TOKEN`" + `. Refusals are problem+json (RFC 9457) with the [codes](errors.md).

| route | what it does |
|---|---|
`

func TestTheListOfRoutesIsFresh(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs/reference/openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Summary string `json:"summary"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(httpHead)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			fmt.Fprintf(&page, "| `%s %s` | %s |\n", strings.ToUpper(method), path, doc.Paths[path][method].Summary)
		}
	}
	fresh(t, "docs/reference/http.md", page.String())
}

const metricsHead = `# Metrics

<!-- Generated from what a hub exposes: make docs -->

` + "`GET /metrics`" + ` of a hub answers in the text format of Prometheus, within the rights of the token that asks. Labels are bounded: queues by number (the rest is ` + "`_other`" + `), all else by kind. Those of the Go runtime and of the process come along. A dashboard for Grafana is in ` + "`deploy/grafana`" + `.

| metric | type | what it tells |
|---|---|---|
`

// committing is a store that counts its commits, as the engines on disk do.
type committing struct{ tq.Store }

func (committing) Commits() (commits, calls int64) { return 0, 0 }

func TestTheListOfMetricsIsFresh(t *testing.T) {
	t.Parallel()
	store := memory.Open(memory.Options{})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	m := telemetry.New("test")
	broker := tq.New(m.Store(committing{store}), tq.Options{})
	if _, err := broker.Enqueue(t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "work"}}}); err != nil {
		t.Fatal(err)
	}
	everybody := func(context.Context) bool { return true }
	w := httptest.NewRecorder()
	m.Handler(func(context.Context) tq.Client { return broker }, everybody).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	var page strings.Builder
	page.WriteString(metricsHead)
	kinds := regexp.MustCompile(`(?m)^# HELP (tq_\S+) (.*)\n# TYPE \S+ (\S+)$`)
	for _, line := range kinds.FindAllStringSubmatch(w.Body.String(), -1) {
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", line[1], line[3], line[2])
	}
	fresh(t, "docs/reference/metrics.md", page.String())
}

const mcpHead = `# MCP tools

<!-- Generated from what the server says of itself: make docs -->

What an agent reads when it connects to ` + "`/mcp`" + ` of a hub or to ` + "`tq mcp`" + `. A token sees the tools of its rights only. Arguments and answers have JSON Schemas, which every client gets with the list.
`

func TestTheListOfToolsIsFresh(t *testing.T) {
	t.Parallel()
	hub := httptest.NewServer(mcp.New(mcp.Options{
		Call: func(context.Context, *ops.Op, []byte) (any, error) {
			return nil, tq.Errorf(tq.CodeInternal, "nobody calls")
		},
	}))
	t.Cleanup(hub.Close)
	ctx := t.Context()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "docs", Version: "1"}, nil).
		Connect(ctx, &sdk.StreamableClientTransport{Endpoint: hub.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := client.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(mcpHead)
	fmt.Fprintf(&page, "\n## What the server says first\n\n```text\n%s\n```\n", strings.TrimSpace(client.InitializeResult().Instructions))
	slices.SortFunc(tools.Tools, func(a, b *sdk.Tool) int { return cmp.Compare(a.Name, b.Name) })
	for _, tool := range tools.Tools {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n", tool.Name, strings.TrimSpace(tool.Description))
	}
	fresh(t, "docs/reference/mcp.md", page.String())
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
