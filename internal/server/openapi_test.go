package server_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/tq"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
)

var update = flag.Bool("update", false, "write the committed OpenAPI document anew")

const golden = "../../docs/reference/openapi.json"

func TestTheOpenAPIDocumentIsTheCommittedOne(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	text := h.get("/openapi.json").body
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != text {
		t.Errorf("%s is not what the operations say: go test ./internal/server -run OpenAPI -update", golden)
	}
	yaml := h.get("/openapi.yaml")
	if !strings.Contains(yaml.body, "openapi: 3.1.0") || yaml.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("the YAML begins with %.100s", yaml.body)
	}
}

// driver sends requests and holds both sides to the document that the hub
// publishes, by the schemas in it.
type driver struct {
	h       *hub
	doc     map[string]any
	visited map[string]bool
}

func newDriver(t *testing.T, h *hub) *driver {
	t.Helper()
	return &driver{h: h, doc: into[map[string]any](t, h.get("/openapi.json")), visited: map[string]bool{}}
}

// at finds a part of the document, through references.
func (d *driver) at(from any, names ...string) map[string]any {
	d.h.t.Helper()
	here, _ := from.(map[string]any)
	for _, name := range names {
		here, _ = here[name].(map[string]any)
		if ref, ok := here["$ref"].(string); ok {
			here = d.at(d.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
	}
	return here
}

// holds fails the test unless text is what a schema of the document says. An
// answer may grow one day; here it has no field that is not documented.
func (d *driver) holds(what string, schema map[string]any, text string) {
	d.h.t.Helper()
	if schema == nil {
		d.h.t.Errorf("%s is not documented: %.200s", what, text)
		return
	}
	b, err := json.Marshal(schema)
	if err != nil {
		d.h.t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		d.h.t.Fatalf("the schema of %s: %v", what, err)
	}
	closeSchema(&s)
	resolved, err := s.Resolve(nil)
	if err != nil {
		d.h.t.Fatalf("the schema of %s: %v", what, err)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		d.h.t.Fatalf("%s is %.200s: %v", what, text, err)
	}
	if err := resolved.Validate(v); err != nil {
		d.h.t.Errorf("%s is %.300s: %v", what, text, err)
	}
}

// closeSchema lets objects have only the fields that they name.
func closeSchema(s *jsonschema.Schema) {
	if s.Properties != nil && s.AdditionalProperties == nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, p := range s.Properties {
		closeSchema(p)
	}
	if s.Items != nil {
		closeSchema(s.Items)
	}
}

// drive sends one request over a route of the document.
func (d *driver) drive(route, path, body string, status int) string {
	d.h.t.Helper()
	method, what := ops.Method(route), ops.Method(route)+" "+path
	op := d.at(d.doc, "paths", ops.Path(route), strings.ToLower(method))
	if op == nil {
		d.h.t.Fatalf("%s is not documented", route)
	}
	if ops.HasBody(route) && status < 300 {
		d.holds("the body of "+what, d.at(op, "requestBody", "content", "application/json", "schema"), body)
	}
	d.knowsQuery(op, path)
	r := d.h.want(d.h.do(method, path, body), status)
	answer := d.at(op, "responses", strconv.Itoa(status))
	if answer == nil {
		answer = d.at(op, "responses", "default")
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	d.holds("the answer to "+what, d.at(answer, "content", media, "schema"), r.body)
	d.visited[method+" "+ops.Path(route)] = true
	return r.body
}

// knowsQuery fails the test when a name in the query is not documented.
func (d *driver) knowsQuery(op map[string]any, path string) {
	d.h.t.Helper()
	known := map[string]bool{}
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		p, _ := p.(map[string]any)
		name, _ := p["name"].(string)
		known[name] = p["in"] == "query"
	}
	_, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		d.h.t.Fatal(err)
	}
	for name := range values {
		if !known[name] {
			d.h.t.Errorf("%s: %s is not documented", path, name)
		}
	}
}

func TestEveryRouteKeepsToTheDocument(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	d := newDriver(t, h)
	d.drive("POST /v1/tasks", "/v1/tasks", `{"type":"a","payload":{"x":[1]},"tags":["t"],"priority":5,"backoff":{"base_seconds":1}}`, 201)
	d.drive("POST /v1/tasks/batch", "/v1/tasks/batch", `{"tasks":[{"type":"a"},{"type":"a","deps":["$0",1]},{"type":"a","delay_seconds":60},{"type":"b","idempotency_key":"k"}]}`, 201)
	d.drive("POST /v1/tasks", "/v1/tasks", `{"type":"b","idempotency_key":"k"}`, 200)
	token := func(body string) string {
		var out tq.ClaimOut
		if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Tasks) == 0 {
			t.Fatalf("%s: %v", body, err)
		}
		return out.Tasks[0].LeaseToken
	}
	claim := func() string {
		return token(d.drive("POST /v1/claims", "/v1/claims", `{"max":1,"worker":{"id":"w","name":"n","slots":2},"claim_id":"c"}`, 200))
	}
	first := claim()
	d.drive("POST /v1/leases/extend", "/v1/leases/extend", `{"lease_token":"`+first+`","progress":{"fraction":0.5,"note":"half"}}`, 200)
	d.drive("POST /v1/leases/progress", "/v1/leases/progress", `{"lease_token":"`+first+`","progress":{"note":"more"}}`, 200)
	d.drive("GET /v1/workers", "/v1/workers", ``, 200)
	d.drive("POST /v1/leases/release", "/v1/leases/release", `{"lease_token":"`+first+`","reason":"not now"}`, 200)
	d.drive("POST /v1/leases/fail", "/v1/leases/fail", `{"leases":[{"lease_token":"`+claim()+`","error":"x","requeue":false}]}`, 200)
	d.drive("POST /v1/leases/complete", "/v1/leases/complete", `{"lease_token":"`+claim()+`","result":{"ok":true},"claim":{"max":1}}`, 200)
	d.drive("POST /v1/leases/complete", "/v1/leases/complete", `{"lease_token":"`+first+`","result":1}`, 409)
	for _, path := range []string{"/v1/tasks/1", "/v1/tasks/1/explain", "/v1/tasks/1/facts?limit=5", "/v1/tasks?status=dead&limit=5&fields=payload", "/v1/facts?kinds=task.dead-lettered", "/v1/stats?by=type", "/v1/series?range_seconds=600&queue=default", "/v1/queues", "/v1/repos?type=work", "/v1/overview?causes=true", "/v1/queues/default/stats", "/v1/check", "/v1/errors", "/healthz", "/readyz"} {
		d.drive("GET "+template(path), path, ``, 200)
	}
	d.drive("GET /v1/tasks/{id}", "/v1/tasks/999", ``, 404)
	d.drive("POST /v1/tasks/wait", "/v1/tasks/wait", `{"ids":[1]}`, 200)
	for _, act := range []struct{ verb, id string }{{"rescue", "1"}, {"cancel", "4"}, {"requeue", "4"}} {
		d.drive("POST /v1/tasks/{id}/"+act.verb, "/v1/tasks/"+act.id+"/"+act.verb, `{}`, 200)
	}
	for _, verb := range []string{"cancel", "rescue", "requeue", "delete"} {
		d.drive("POST /v1/tasks/"+verb, "/v1/tasks/"+verb, `{"ids":[4,999]}`, 200)
	}
	d.drive("POST /v1/bulk", "/v1/bulk", `{"verb":"rescue","filter":"status:dead","dry_run":true}`, 200)
	d.drive("POST /v1/bulk", "/v1/bulk", `{"id":"mine","verb":"rescue","filter":"status:dead","rate":5}`, 202)
	d.drive("GET /v1/bulk/{id}", "/v1/bulk/mine", ``, 200)
	d.drive("DELETE /v1/bulk/{id}", "/v1/bulk/mine", ``, 200)
	d.driveAliases()
	d.drive("PATCH /v1/queues/{queue}", "/v1/queues/default", `{"paused":true}`, 200)
	d.drive("DELETE /v1/tasks/{id}", "/v1/tasks/2", ``, 200)
	d.drive("DELETE /v1/queues/{queue}/tasks", "/v1/queues/default/tasks", ``, 200)
	d.drive("DELETE /v1/workers/{id}", "/v1/workers/w", ``, 200)
	made := d.drive("POST /v1/tokens", "/v1/tokens", `{"name":"sam","can":["read"],"queues":["*"]}`, 200)
	var token1 tq.CreateTokenOut
	if err := json.Unmarshal([]byte(made), &token1); err != nil {
		t.Fatal(err)
	}
	d.drive("GET /v1/tokens", "/v1/tokens", ``, 200)
	d.drive("POST /v1/tokens/{id}/rotate", "/v1/tokens/"+token1.ID+"/rotate", `{"overlap_seconds":5}`, 200)
	d.drive("DELETE /v1/tokens/{id}", "/v1/tokens/"+token1.ID, ``, 200)
	for _, o := range ops.Table() {
		for _, route := range o.Routes {
			if !d.visited[route] {
				t.Errorf("%s was not driven", route)
			}
		}
	}
}

// template puts names back into the places of a path.
func template(path string) string {
	path, _, _ = strings.Cut(path, "?")
	path = regexp.MustCompile(`^/v1/tasks/\d+/facts`).ReplaceAllString(path, "/v1/tasks/{task_id}/facts")
	path = regexp.MustCompile(`^/v1/tasks/\d+`).ReplaceAllString(path, "/v1/tasks/{id}")
	return strings.Replace(path, "/v1/queues/default", "/v1/queues/{queue}", 1)
}

// What is documented has a handler, and what has one is documented.
func TestTheDocumentAndTheRoutesAreTheSame(t *testing.T) {
	t.Parallel()
	h := newHub(t, func(o *server.Options) {
		o.Site = map[string]http.Handler{"GET /metrics": http.NotFoundHandler()}
	})
	doc := into[struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Summary     string
			Tags        []string
		}
	}](t, h.get("/openapi.json"))
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, d := range methods {
			method = strings.ToUpper(method)
			real := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1")
			r, err := http.NewRequestWithContext(t.Context(), method, real, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if pattern := h.server.Pattern(r); pattern != method+" "+path && !strings.HasPrefix(path, "/session") { // the gate answers those
				t.Errorf("%s %s is documented and goes to %q", method, path, pattern)
			}
			if d.OperationID == "" || ids[d.OperationID] || d.Summary == "" || len(d.Tags) != 1 {
				t.Errorf("%s %s: operation %q, summary %q, tags %v", method, path, d.OperationID, d.Summary, d.Tags)
			}
			ids[d.OperationID] = true
		}
	}
	for _, o := range h.server.Table() {
		for _, route := range o.Routes {
			if _, ok := doc.Paths[ops.Path(route)][strings.ToLower(ops.Method(route))]; !ok {
				t.Errorf("%s is not documented", route)
			}
		}
	}
}

func TestTheDocsPageLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	page := h.get("/docs")
	if strings.Contains(page.body, "://") || !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page is %s under %s", page.body, page.Header.Get("Content-Security-Policy"))
	}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		if r := h.get("/" + m[1]); r.body == "" {
			t.Errorf("%s is empty", m[1])
		}
	}
	h.want(h.do("GET", "/swagger/nothing.js", ""), 404)
	h.want(h.do("GET", "/swagger/..%2fserver.go", ""), 404)
}
