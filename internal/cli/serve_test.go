package cli

import (
	"log/slog"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/server"
	"example.com/tq/store/memory"
)

// What a hub answers is in its document, or left out on purpose.
func TestEveryRouteOfAHubIsDocumented(t *testing.T) {
	t.Parallel()
	store := memory.Open(memory.Options{})
	t.Cleanup(func() { _ = store.Close() }) // nothing is in it
	a := &app{log: slog.New(slog.DiscardHandler)}
	a.Getenv = func(string) string { return "" }
	d := &door{store: store, broker: tq.New(store, tq.Options{})}
	metrics, err := a.measure(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := server.NewGate(server.GateOptions{Broker: d.broker})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := a.newServer(d, &serveFlags{tools: "tq"}, gate, metrics)
	if err != nil {
		t.Fatal(err)
	}
	if missing := s.Undocumented(); len(missing) > 0 {
		t.Errorf("neither in /openapi.json nor left out on purpose: %v", missing)
	}
}
