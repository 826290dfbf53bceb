package server_test

import (
	"net/http"
	"slices"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/server"
)

func TestEveryRouteIsDocumentedOrLeftOutOnPurpose(t *testing.T) {
	t.Parallel()
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	h := newHub(t, func(o *server.Options) {
		o.Site = map[string]http.Handler{"GET /metrics": nothing, "/": nothing, "/mcp": nothing, "GET /v0/secret": nothing}
	})
	if got := h.server.Undocumented(); !slices.Equal(got, []string{"GET /v0/secret"}) {
		t.Errorf("neither documented nor left out: %v, want what was forgotten here alone", got)
	}
}

// The routes of sessions answer what the document says.
func TestSessionsKeepToTheDocument(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	secret := g.token(tq.CanRead)
	d := &driver{h: g.hub, doc: into[map[string]any](t, g.want(g.do("GET", "/openapi.json", "", bearer(secret)...), 200)), visited: map[string]bool{}}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/session", "", 200},
		{"POST", "/session", `{"token":"` + secret + `"}`, 200},
		{"POST", "/session/code", "", 200},
		{"POST", "/session", `{"code":"none"}`, 401},
	} {
		r := g.want(g.do(c.method, c.path, c.body, bearer(secret)...), c.status)
		documented := "default"
		if c.status == 200 {
			documented = "200"
		}
		method := map[string]string{"GET": "get", "POST": "post"}[c.method]
		if answer := d.at(d.doc, "paths", c.path, method, "responses", documented); answer == nil {
			t.Errorf("%s %s: %d is not documented", c.method, c.path, c.status)
		} else if media := r.Header.Get("Content-Type"); d.at(answer, "content", media) == nil {
			t.Errorf("%s %s answers %s, which is not documented", c.method, c.path, media)
		}
	}
	g.want(g.do("DELETE", "/session", "", bearer(secret)...), 204)
}
