package server

import (
	"slices"
	"strings"

	"example.com/tq/internal/ops"
)

// Which routes beside the operations the document describes, and which it
// leaves out on purpose. Undocumented names those that are in neither.

// outside lists patterns of routes that are no part of the HTTP API.
func outside() []string {
	return []string{
		"/",                   // the dashboard: pages for people
		"/mcp",                // the door for agents, whose protocol describes itself
		"GET /docs",           // the document for people
		"GET /swagger/{file}", // what that page is made of
		"GET /login",          // the link that a hub prints, for a browser
	}
}

// sessionRoutes are the routes that the gate answers, see session.go.
func sessionRoutes() []string {
	return []string{"GET /login", "GET /session", "POST /session", "DELETE /session", "POST /session/code"}
}

// Undocumented lists the routes of a hub that its document does not describe and
// that are not left out on purpose: there should be none.
func (s *Server) Undocumented() []string {
	paths, _ := s.OpenAPI()["paths"].(map[string]ops.Document)
	routes := append(slices.Clone(s.beside), sessionRoutes()...)
	for i := range s.table {
		routes = append(routes, s.table[i].Routes...)
	}
	return slices.DeleteFunc(routes, func(route string) bool {
		method, path, _ := strings.Cut(route, " ")
		return paths[path][strings.ToLower(method)] != nil || slices.Contains(outside(), route)
	})
}

// besidePaths describes sessions, metrics and the document itself.
func besidePaths() map[string]ops.Document {
	token := ops.Content("The token behind it, without its secret.", "application/json", ops.Document{"type": "object"})
	code := ops.Content("A code, good once.", "application/json", ops.Document{
		"type": "object", "required": []any{"code", "expires_seconds"},
		"properties": ops.Document{"code": ops.Document{"type": "string"}, "expires_seconds": ops.Document{"type": "number"}},
	})
	logIn := beside("session_begin", "Log a browser in, with a token or a code: answers with a cookie.", "200", token)
	logIn["security"] = []any{}
	logIn["requestBody"] = ops.Document{"required": true, "content": ops.Document{"application/json": ops.Document{"schema": ops.Document{
		"type":       "object",
		"properties": ops.Document{"token": ops.Document{"type": "string"}, "code": ops.Document{"type": "string"}},
	}}}}
	logOut := beside("session_end", "Log out.", "204", ops.Document{"description": "It is over."})
	logOut["security"] = []any{}
	return map[string]ops.Document{
		"/v1/events": {"get": eventsPath()},
		"/session": {
			"get":    beside("session", "Who am I: the token behind this request.", "200", token),
			"post":   logIn,
			"delete": logOut,
		},
		"/session/code": {"post": beside("session_code", "Make a code for the link /login?code=CODE, with the rights of the bearer.", "200", code)},
		"/metrics":      {"get": beside("metrics", "What Prometheus scrapes, within the rights of who asks.", "200", plainText("Metrics.", "text/plain"))},
		"/openapi.json": {"get": beside("openapi_json", "This document.", "200", ops.Content("The document.", "application/json", ops.Document{"type": "object"}))},
		"/openapi.yaml": {"get": beside("openapi_yaml", "This document, as YAML.", "200", plainText("The document.", "application/yaml"))},
	}
}

// eventsPath describes the one stream of a page.
func eventsPath() ops.Document {
	d := beside("events", "Follow facts and the overview in one stream. Its events: hello (seq, now, version), fact (id is its seq), "+
		"overview, as they change at most once a second, lagged (come again with Last-Event-ID).", "200",
		plainText("Events as they come.", "text/event-stream"))
	d["parameters"] = []any{
		ops.Document{
			"name": "topics", "in": "query", "schema": ops.Document{"type": "string", "examples": []any{"overview,queue:build,task:9"}},
			"description": "overview, facts, queue:NAME, task:ID with commas between them, at most 32; default overview,facts.",
		},
		ops.Document{
			"name": "after", "in": "query", "schema": ops.Document{"type": "integer", "minimum": 0},
			"description": "The seq of the last fact seen; default: begin with the next fact.",
		},
	}
	return d
}

func beside(id, summary, status string, answer ops.Document) ops.Document {
	return ops.Document{
		"operationId": id, "summary": summary, "tags": []any{"hub"},
		"responses": ops.Document{status: answer, "default": ops.Document{"$ref": "#/components/responses/Problem"}},
	}
}

func plainText(what, media string) ops.Document {
	return ops.Content(what, media, ops.Document{"type": "string"})
}
