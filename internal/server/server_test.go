package server_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

func TestATaskGoesThroughItsLifeOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	made := h.want(h.do("POST", "/v1/tasks", `{"type":"build","payload":{ "a" : 1.0e2 }}`), http.StatusCreated)
	if made.Header.Get("Location") != "/v1/tasks/1" || made.body != `{"id":1,"status":"pending"}`+"\n" {
		t.Errorf("enqueue answered %s at %s", made.body, made.Header.Get("Location"))
	}
	claimed := h.claim(`{"types":["build"],"worker":{"id":"w1","name":"box"}}`)
	if len(claimed.Tasks) != 1 || string(claimed.Tasks[0].Payload) != `{ "a" : 1.0e2 }` {
		t.Fatalf("claimed %+v", claimed)
	}
	token := claimed.Tasks[0].LeaseToken
	h.want(h.do("POST", "/v1/leases/extend", `{"lease_token":"`+token+`","lease_seconds":60,"progress":{"fraction":0.5}}`), 200)
	done := h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+token+`","result":"ok"}`), 200)
	if done.body != `{"task_id":1,"status":"completed"}`+"\n" {
		t.Errorf("complete answered %s", done.body)
	}
	task := into[tq.Task](t, h.get("/v1/tasks/1"))
	if task.Status != tq.Completed || string(task.Result) != `"ok"` {
		t.Errorf("the task is %+v", task)
	}
	for path, part := range map[string]string{
		"/v1/tasks?queue=default&status=completed&limit=5": `"id":1`,
		"/v1/tasks/1/explain":                              `"code":"completed"`,
		"/v1/tasks/1/facts?kinds=task.claimed":             `"kind":"task.claimed"`,
		"/v1/facts?after=0":                                `"kind":"task.enqueued"`,
		"/v1/queues":                                       `"queue":"default"`,
		"/v1/queues/default/stats":                         `"completed":1`,
		"/v1/stats":                                        `"workers":{"busy":0,"idle":1,"lost":0}`,
		"/v1/workers":                                      `"name":"box"`,
		"/healthz":                                         `"ok"`,
		"/readyz":                                          `"ready"`,
		"/openapi.json":                                    `"openapi": "3.1.0"`,
	} {
		if r := h.get(path); !strings.Contains(r.body, part) {
			t.Errorf("GET %s: %s has no %s", path, r.body, part)
		}
	}
}

func TestASettlementTakesTheNextTask(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.want(h.do("POST", "/v1/tasks/batch", `{"tasks":[{"type":"a"},{"type":"a"},{"type":"a"}]}`), http.StatusCreated)
	token := h.claim(`{}`).Tasks[0].LeaseToken
	r := h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+token+`","claim":{"max":1}}`), 200)
	out := into[ops.SettleOut](t, r)
	if out.Status != tq.Completed || out.Claimed == nil || len(out.Claimed.Tasks) != 1 || out.Claimed.Tasks[0].ID != 2 {
		t.Fatalf("complete with claim answered %s", r.body)
	}
	token = out.Claimed.Tasks[0].LeaseToken
	r = h.want(h.do("POST", "/v1/leases/fail", `{"leases":[{"lease_token":"`+token+`","error":"x"}],"claim":{}}`), 200)
	out = into[ops.SettleOut](t, r)
	if len(out.Leases) != 1 || out.Claimed == nil || out.Claimed.Tasks[0].ID != 3 {
		t.Fatalf("fail of many with claim answered %s", r.body)
	}
}

func TestEveryOperationIsRoutedAndNamedOnce(t *testing.T) {
	t.Parallel()
	names, routes := map[string]bool{}, map[string]bool{}
	for _, o := range ops.Table() {
		if names[o.Name] {
			t.Errorf("%s stands twice", o.Name)
		}
		names[o.Name] = true
		for _, r := range o.Routes {
			if routes[r] {
				t.Errorf("%s stands twice", r)
			}
			routes[r] = true
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d operations", len(names))
	}
}

func TestUnknownRoutesAndMethodsAreProblems(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v1/nothing", 404},
		{"GET", "//v1//tasks", 404},
		{"GET", "/v1/../admin", 404},
		{"PUT", "/v1/tasks", 405},
		{"TRACE", "/v1/tasks/1", 405},
		{"PATCH", "/v1/claims", 405},
	} {
		r := h.do(c.method, c.path, "")
		if r.StatusCode != c.status || r.Header.Get("Content-Type") != ops.ProblemType {
			t.Errorf("%s %s: %d %s %s", c.method, c.path, r.StatusCode, r.Header.Get("Content-Type"), r.body)
		}
		if c.status == 405 && r.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", c.method, c.path)
		}
	}
}

func TestARefusalIsAProblem(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	r := h.want(h.do("POST", "/v1/tasks", `{"type":"a","priorty":1}`), 400)
	p := into[ops.Problem](t, r)
	if p.Code != tq.CodeInvalid || p.Status != 400 || p.Reason != "unknown_field" || p.Hint != "did you mean priority?" ||
		p.RequestID == "" || len(p.Errors) != 1 || p.Errors[0].Pointer != "/priorty" {
		t.Errorf("got %s", r.body)
	}
	if p.RequestID != r.Header.Get("X-Request-Id") {
		t.Errorf("the problem is of request %s, the answer of %s", p.RequestID, r.Header.Get("X-Request-Id"))
	}
}
