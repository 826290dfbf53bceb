package server_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/tq"
)

func TestWorkersAreListedWithTheirLeasesAndRemovedWithThem(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks", `{"type":"work","queue":"own"}`), http.StatusCreated)
	worker := `"worker":{"id":"w1","name":"one","host":"box","version":"1.0","types":["work"],"queues":["own"],"slots":2}`
	claimed := h.claim(`{"lease_seconds":60,` + worker + `}`)
	h.clock.Advance(20 * time.Second)
	list := func() []tq.WorkerView { return into[tq.WorkersOut](t, h.get("/v1/workers")).Workers }
	w := list()[0]
	if w.Name != "one" || w.Host != "box" || w.Slots != 2 || w.State != "busy" || len(w.Leases) != 1 {
		t.Fatalf("listed as %+v", w)
	}
	if l := w.Leases[0]; l.TaskID != claimed.Tasks[0].ID || l.Queue != "own" || l.Left != tq.Duration(40*time.Second) {
		t.Errorf("its lease is %+v", l)
	}
	h.want(h.do("POST", "/v1/leases/extend", `{"leases":[],"worker":{"id":"w1","draining":true}}`), http.StatusOK)
	if state := list()[0].State; state != "draining" {
		t.Errorf("while it drains it is %s", state)
	}
	h.clock.Advance(30 * time.Second)
	h.want(h.do("DELETE", "/v1/workers/w1", ""), http.StatusOK)
	h.want(h.do("DELETE", "/v1/workers/w1", ""), http.StatusNotFound)
	if again := h.claim(`{}`); len(again.Tasks) != 1 || again.Tasks[0].Attempt != 2 {
		t.Errorf("its task is not claimable at once: %+v", again)
	}
	lost := h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+claimed.Tasks[0].LeaseToken+`"}`), http.StatusConflict)
	if p := into[map[string]any](t, lost); p["code"] != "lease_lost" {
		t.Errorf("the removed one is answered %v", p)
	}
	if len(list()) != 0 {
		t.Errorf("listed still: %+v", list())
	}
	h.claim(`{"worker":{"id":"w2"}}`)
	h.clock.Advance(2 * time.Minute)
	if state := list()[0].State; state != "lost" {
		t.Errorf("unheard of for long it is %s", state)
	}
}
