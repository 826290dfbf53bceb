package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/tq"
)

// What somebody may do who may only look: every route of the served document
// that is not a GET is tried with a token that can read and nothing else.

// viewer fills in routes out of the document.
type viewer struct {
	*driver
	values map[string]any // of fields and parameters, by name
}

// body makes the smallest body that a schema lets through.
func (v *viewer) body(schema map[string]any) any {
	switch kind := kindOf(schema); kind {
	case "object":
		return v.object(schema)
	case "array":
		return []any{v.body(v.at(schema, "items"))}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	}
	if words, ok := schema["enum"].([]any); ok {
		return words[0]
	}
	return "work"
}

func (v *viewer) object(schema map[string]any) map[string]any {
	out := map[string]any{}
	required, _ := schema["required"].([]any)
	for _, r := range required {
		name, _ := r.(string)
		value, known := v.values[name]
		if !known {
			value = v.body(v.at(schema, "properties", name))
		}
		out[name] = value
	}
	return out
}

// kindOf is the type of a schema, without null.
func kindOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		i := slices.IndexFunc(t, func(kind any) bool { return kind != "null" })
		kind, _ := t[max(i, 0)].(string)
		return kind
	}
	return ""
}

// path fills in the names in a path.
func (v *viewer) path(path string) string {
	id := "1"
	switch {
	case strings.HasPrefix(path, "/v1/tokens/"):
		id, _ = v.values["token"].(string)
	case strings.HasPrefix(path, "/v1/workers/"), strings.HasPrefix(path, "/v1/bulk/"):
		id = "mine"
	}
	return strings.NewReplacer("{id}", id, "{queue}", "own").Replace(path)
}

// state is all that a route could have changed, in one text.
func (g *guarded) state() string {
	g.t.Helper()
	ctx := g.t.Context()
	facts, err := g.broker.Facts(ctx, tq.FactsIn{})
	g.fine(err)
	tasks, err := g.broker.Tasks(ctx, tq.TasksIn{})
	g.fine(err)
	workers, err := g.broker.Workers(ctx, tq.WorkersIn{})
	g.fine(err)
	tokens, err := g.broker.Tokens(ctx, tq.TokensIn{})
	g.fine(err)
	for i := range tokens.Tokens {
		tokens.Tokens[i].UsedAt = tq.Time{}
	}
	bulk, err := g.broker.BulkState(ctx, tq.BulkStateIn{ID: "mine"})
	g.fine(err)
	text, err := json.Marshal([]any{facts, tasks, workers, tokens, bulk.State})
	g.fine(err)
	return string(text)
}

func (g *guarded) fine(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func TestAViewerChangesNothingOverAnyRouteOfTheDocument(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	reads := g.token(tq.CanRead)
	ctx := t.Context()
	_, err := g.broker.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "own", Type: "work"}, {Queue: "own", Type: "work"}}})
	g.fine(err)
	held, err := g.broker.Claim(ctx, tq.ClaimIn{Queues: []string{"own"}, Worker: tq.WorkerInfo{ID: "mine", Slots: 1}})
	g.fine(err)
	_, err = g.broker.Bulk(ctx, tq.BulkIn{ID: "mine", Verb: tq.BulkRescue, Filter: "status:dead"})
	g.fine(err)
	doc := into[map[string]any](t, g.want(g.do("GET", "/openapi.json", "", bearer(reads)...), http.StatusOK))
	v := &viewer{&driver{h: g.hub, doc: doc}, map[string]any{
		"lease_token": held.Tasks[0].LeaseToken, "verb": tq.BulkRescue, "token": reads[3:13], "filter": "status:dead", "ids": []int{1},
	}}
	before, refused := g.state(), 0
	for path := range v.at(doc, "paths") {
		for method, op := range v.at(doc, "paths", path) {
			// A session is the caller's own, and has no more rights.
			if method == "get" || method == "head" || strings.HasPrefix(path, "/session") {
				continue
			}
			refused += v.try(g, strings.ToUpper(method), path, op, bearer(reads))
		}
	}
	if refused < 30 {
		t.Errorf("%d routes were refused; are they all in the document?", refused)
	}
	if after := g.state(); after != before {
		t.Errorf("something has changed\nfrom %s\nto   %s", before, after)
	}
}

// try asks over one route, and answers 1 if it was refused for what the token can.
// A route that readers may use finds nothing of theirs to change.
func (v *viewer) try(g *guarded, method, path string, op any, headers []string) int {
	g.t.Helper()
	var body string
	if schema := v.at(op, "requestBody", "content", "application/json", "schema"); schema != nil {
		text, err := json.Marshal(v.body(schema))
		g.fine(err)
		body = string(text)
	}
	r := g.do(method, v.path(path), body, headers...)
	description, _ := op.(map[string]any)["description"].(string)
	if strings.Contains(description, "can read.") {
		if r.StatusCode != http.StatusOK && r.StatusCode != http.StatusNotFound {
			g.t.Errorf("%s %s, which needs read: %d %s", method, path, r.StatusCode, r.body)
		}
		return 0
	}
	if r.StatusCode != http.StatusForbidden {
		g.t.Errorf("%s %s with %s: %d %s", method, path, body, r.StatusCode, r.body)
	}
	return 1
}
