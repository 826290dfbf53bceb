package ops

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The OpenAPI 3.1 document that Table implies.

// Document is an OpenAPI document, or a part of one.
type Document map[string]any

// OpenAPI describes the operations. extra adds paths that are not operations,
// such as those of health checks.
func OpenAPI(table []Op, version string, extra map[string]Document) Document {
	paths := map[string]Document{}
	for i := range table {
		for n, route := range table[i].Routes {
			add(paths, route, table[i].document(route, n))
		}
	}
	for path, d := range extra {
		paths[path] = d
	}
	return Document{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": Document{
			"title":       "tq",
			"version":     version,
			"summary":     "One durable task queue.",
			"description": "Errors are application/problem+json (RFC 9457) with a code, a hint, and the fields that broke a rule. Times are RFC 3339 in UTC, durations are seconds.",
			"license":     Document{"name": "MIT", "identifier": "MIT"},
		},
		"servers":  []any{Document{"url": "/", "description": "this hub"}},
		"tags":     tags(),
		"security": []any{Document{"token": []any{}}},
		"paths":    paths,
		"components": Document{
			"securitySchemes": Document{"token": Document{
				"type": "http", "scheme": "bearer", "description": "A token made by tq token create.",
			}},
			"schemas":   Document{"Problem": answerSchema[Problem]()},
			"responses": Document{"Problem": Content("A refusal.", ProblemType, Document{"$ref": "#/components/schemas/Problem"})},
		},
	}
}

func add(paths map[string]Document, route string, d Document) {
	path := Path(route)
	if paths[path] == nil {
		paths[path] = Document{}
	}
	paths[path][strings.ToLower(Method(route))] = d
}

func tags() []any {
	return []any{
		Document{"name": "tasks", "description": "Put work in, look at it, set it right."},
		Document{"name": "claims", "description": "Take a task under a lease."},
		Document{"name": "leases", "description": "Settle, renew and give back."},
		Document{"name": "queues", "description": "Queues and their counts."},
		Document{"name": "stats", "description": "Counts of everything."},
		Document{"name": "workers", "description": "Who works."},
		Document{"name": "facts", "description": "The journal: what happened, when, by whom."},
		Document{"name": "tokens", "description": "Who may do what."},
		Document{"name": "bulk", "description": "Acts on many tasks by filter."},
		Document{"name": "hub", "description": "The hub itself."},
	}
}

// tag is the first part of a path behind the version.
func tag(path string) string {
	if strings.HasPrefix(path, "/v1/jobs") {
		return "tasks" // the same under a second name
	}
	return strings.Split(strings.TrimPrefix(path, "/v1/"), "/")[0]
}

// pathNames are the names in braces in a path. The expression never changes.
var pathNames = regexp.MustCompile(`\{(\w+)\}`)

// PathNames lists the fields that a route carries in its path.
func PathNames(route string) []string {
	var names []string
	for _, m := range pathNames.FindAllStringSubmatch(route, -1) {
		names = append(names, m[1])
	}
	return names
}

// HasBody reports whether a route takes its input as a body, and not as a query.
func HasBody(route string) bool { return Method(route) == "POST" || Method(route) == "PATCH" }

// document describes one route; the n-th of an operation has a name of its own.
func (o *Op) document(route string, n int) Document {
	inPath := PathNames(route)
	var params []any
	body := o.In.CloneSchemas()
	for _, name := range inPath {
		params = append(params, Document{"name": name, "in": "path", "required": true, "schema": o.In.Properties[name]})
		delete(body.Properties, name)
	}
	if !HasBody(route) {
		params = append(params, o.query(inPath)...)
	}
	inBody := func(name string) bool { return slices.Contains(inPath, name) }
	body.Required = slices.DeleteFunc(slices.Clone(body.Required), inBody)
	if len(body.Required) == 0 {
		body.Required = nil
	}
	body.PropertyOrder = slices.DeleteFunc(slices.Clone(body.PropertyOrder), inBody)
	d := Document{
		"operationId": operationID(o.Name, n), "summary": o.Summary, "tags": []any{tag(Path(route))},
		"description": o.rights(),
		"responses":   o.responses(),
	}
	if len(params) > 0 {
		d["parameters"] = params
	}
	if HasBody(route) {
		d["requestBody"] = Document{
			"required": len(body.Required) > 0,
			"content":  Document{"application/json": Document{"schema": body}},
		}
	}
	return d
}

func operationID(name string, n int) string {
	if n == 0 {
		return name
	}
	return name + strings.Repeat("_too", n)
}

func (o *Op) rights() string {
	var names []string
	for _, s := range o.Scopes {
		names = append(names, string(s))
	}
	return "Needs a token that can " + strings.Join(names, " or ") + "."
}

func (o *Op) query(inPath []string) []any {
	var params []any
	for _, name := range o.In.PropertyOrder {
		if slices.Contains(inPath, name) {
			continue
		}
		params = append(params, Document{"name": name, "in": "query", "schema": o.In.Properties[name]})
	}
	return params
}

func (o *Op) responses() Document {
	d := Document{
		"200":     Content("The answer.", "application/json", o.Out),
		"default": Document{"$ref": "#/components/responses/Problem"},
	}
	if o.Name == "facts" || o.Name == "stats" {
		d["200"] = streamed(o.Out)
	}
	if o.Name == "bulk" {
		d["200"] = Content("Counted: a dry run.", "application/json", o.Out)
		d["202"] = Content("Begun; Location says where to ask for it.", "application/json", o.Out)
	}
	if o.Name == "enqueue" || o.Name == "enqueue_alias" || o.Name == "enqueue_batch" {
		d["200"] = Content("All were known by their keys.", "application/json", o.Out)
		d["201"] = Content("Enqueued.", "application/json", o.Out)
	}
	return d
}

// streamed is a page, or for who asks for events a stream of them.
func streamed(out *jsonschema.Schema) Document {
	d := Content("The answer, or events as they come.", "application/json", out)
	d["content"].(Document)["text/event-stream"] = Document{"schema": Document{"type": "string"}}
	return d
}

// Content describes an answer of one media type.
func Content(description, media string, schema any) Document {
	return Document{"description": description, "content": Document{media: Document{"schema": schema}}}
}

// Schemas hands out copies, for doors that publish them.
func (o *Op) Schemas() (in, out *jsonschema.Schema) { return o.In.CloneSchemas(), o.Out.CloneSchemas() }
