package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Health: /healthz says that the process answers, /readyz that it can do work.

// readyTime is how long the store may take to say that it is there.
const readyTime = 5 * time.Second

func (s *Server) health() {
	s.handle("GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { s.wellness(w, "ok") }))
	s.handle("GET /readyz", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.ready(r.Context()); err != nil {
			s.refuse(w, r, err)
			return
		}
		s.wellness(w, "ready")
	}))
}

func (s *Server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return tq.Errorf(tq.CodeUnavailable, "this hub is stopping").WithHint("ask another one, or again when it is back")
	}
	if s.Ready == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	if err := s.Ready(ctx); err != nil {
		return tq.Errorf(tq.CodeUnavailable, "the store does not answer: %w", err)
	}
	return nil
}

func (s *Server) wellness(w http.ResponseWriter, word string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"status": word, "version": s.Version}) // the client is gone
}

// healthPaths describes them.
func healthPaths() map[string]ops.Document {
	get := func(id, summary string) ops.Document {
		return ops.Document{"get": ops.Document{
			"operationId": id, "summary": summary, "tags": []any{"hub"}, "security": []any{},
			"responses": ops.Document{
				"200": ops.Content("Yes.", "application/json", ops.Document{
					"type": "object", "required": []any{"status"},
					"properties": ops.Document{"status": ops.Document{"type": "string"}, "version": ops.Document{"type": "string"}},
				}),
				"default": ops.Document{"$ref": "#/components/responses/Problem"},
			},
		}}
	}
	return map[string]ops.Document{
		"/healthz": get("healthz", "Whether the process answers."),
		"/readyz":  get("readyz", "Whether the store answers and the hub takes work."),
	}
}
