package server

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"example.com/tq/internal/ops"
)

// What describes this door: the OpenAPI document in two forms, and a page that
// shows it. The page loads nothing from elsewhere.

//go:embed swagger
var swagger embed.FS

// docsPolicy is what the page of the document may do; its library writes styles
// into the page.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// documents registers what describes this door. The document is written once,
// when somebody asks for it.
func (s *Server) documents() error {
	written := sync.OnceValues(s.writeDocument)
	s.handle("GET /openapi.json", s.document(written, "application/json", func(d document) []byte { return d.json }))
	s.handle("GET /openapi.yaml", s.document(written, "application/yaml", func(d document) []byte { return d.yaml }))
	page, err := swagger.ReadFile("swagger/docs.html")
	if err != nil {
		return fmt.Errorf("read the page of the document: %w", err)
	}
	docs := text("text/html; charset=utf-8", page)
	s.handle("GET /docs", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		docs.ServeHTTP(w, r)
	}))
	s.handle("GET /swagger/{file}", http.HandlerFunc(s.swaggerFile))
	return nil
}

// document is the OpenAPI document in both forms.
type document struct{ json, yaml []byte }

func (s *Server) writeDocument() (document, error) {
	asJSON, err := json.MarshalIndent(s.OpenAPI(), "", "  ")
	if err != nil {
		return document{}, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(asJSON, &plain); err != nil {
		return document{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	asYAML, err := yaml.Marshal(plain)
	if err != nil {
		return document{}, fmt.Errorf("write the OpenAPI document as YAML: %w", err)
	}
	return document{json: append(asJSON, '\n'), yaml: asYAML}, nil
}

func (s *Server) document(written func() (document, error), media string, form func(document) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := written()
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		text(media, form(d)).ServeHTTP(w, r)
	})
}

func text(media string, b []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = w.Write(b) // the client is gone
	})
}

// swaggerFile answers one file of the page; folders are not listed.
func (s *Server) swaggerFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	if _, err := swagger.Open("swagger/" + name); err != nil || strings.Contains(name, "/") {
		s.refuse(w, r, noRoute(r))
		return
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	http.ServeFileFS(w, r, swagger, "swagger/"+name)
}

// OpenAPI describes the routes of this server.
func (s *Server) OpenAPI() ops.Document {
	paths := healthPaths()
	maps.Copy(paths, besidePaths())
	maps.Copy(paths, s.Paths)
	return ops.OpenAPI(s.table, "1", paths)
}
