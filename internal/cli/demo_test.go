package cli

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/server"
)

func TestTheDemoOnlyPutsItsTasksIntoAHubOfYours(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	queue := d.client
	s, err := server.New(server.Options{Client: func(context.Context) tq.Client { return queue }})
	if err != nil {
		t.Fatal(err)
	}
	hub := httptest.NewServer(s)
	t.Cleanup(hub.Close)
	d.client = nil
	text := d.ok("demo", "--at", hub.URL)
	if !strings.Contains(text, "26 tasks are in "+hub.URL) {
		t.Errorf("printed %q", text)
	}
	stats, err := queue.Stats(t.Context(), tq.StatsIn{Project: "demo"})
	if err != nil || stats.Total.Ready != 25 || stats.Total.Blocked != 1 {
		t.Errorf("in the hub: %+v (%v), want 25 ready and 1 blocked", stats.Total, err)
	}
}
