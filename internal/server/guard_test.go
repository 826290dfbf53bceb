package server_test

import (
	"net/http"
	"testing"
)

// Two people look at a task; the second to act is told that it has moved on.
func TestIfMatchGuardsATaskThatHasMovedOn(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks", `{"type":"a"}`), http.StatusCreated)
	seen := h.do("GET", "/v1/tasks/1", "").Header.Get("ETag")
	if seen != `"0"` {
		t.Fatalf("ETag %s of a new task, want its epoch", seen)
	}
	h.want(h.do("POST", "/v1/tasks/1/cancel", "", "If-Match", seen), http.StatusOK)
	h.want(h.do("POST", "/v1/tasks/1/rescue", "", "If-Match", `"0"`), http.StatusOK)
	for _, act := range [][2]string{
		{"POST", "/v1/tasks/1/cancel"}, {"DELETE", "/v1/tasks/1"}, {"POST", "/v1/jobs/1/cancel"},
	} {
		p := into[map[string]any](t, h.want(h.do(act[0], act[1], "", "If-Match", seen), http.StatusPreconditionFailed))
		if p["code"] != "invalid_state" || p["reason"] != "epoch_moved" || p["hint"] == nil {
			t.Errorf("%s %s: %v", act[0], act[1], p)
		}
	}
	h.want(h.do("POST", "/v1/tasks/1/cancel", `{"if_epoch":0}`), http.StatusConflict)
	h.want(h.do("POST", "/v1/tasks/1/cancel", "", "If-Match", `"x"`), http.StatusUnprocessableEntity)
	h.want(h.do("POST", "/v1/tasks/1/cancel", "", "If-Match", "*"), http.StatusOK)
}
