package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"example.com/tq/internal/ops"
)

// documents registers what describes this door. The text is written once.
func (s *Server) documents() error {
	text, err := json.MarshalIndent(s.OpenAPI(), "", "  ")
	if err != nil {
		return fmt.Errorf("write the OpenAPI document: %w", err)
	}
	s.site.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // the client is gone
	})
	return nil
}

// OpenAPI describes the routes of this server.
func (s *Server) OpenAPI() ops.Document {
	paths := healthPaths()
	maps.Copy(paths, s.Paths)
	return ops.OpenAPI(s.table, s.Version, paths)
}
