package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// driveAliases drives the second names of the task routes.
func (d *driver) driveAliases() {
	d.h.t.Helper()
	made := d.h.want(d.h.do("POST", "/v1/jobs", `{"type":"z"}`), http.StatusCreated)
	id := strings.TrimPrefix(made.Header.Get("Location"), "/v1/jobs/")
	d.drive("POST /v1/jobs", "/v1/jobs", `{"type":"z","run_at":"2027-01-01T00:00:00Z","timeout_seconds":5}`, 201)
	d.drive("POST /v1/jobs/batch", "/v1/jobs/batch", `{"tasks":[{"type":"z"}]}`, 201)
	d.drive("POST /v1/jobs/wait", "/v1/jobs/wait", `{"ids":[`+id+`]}`, 200)
	for _, verb := range []string{"requeue", "cancel", "rescue", "cancel"} {
		d.drive("POST /v1/jobs/{id}/"+verb, "/v1/jobs/"+id+"/"+verb, `{}`, 200)
	}
	for _, verb := range []string{"cancel", "rescue", "requeue", "delete"} {
		d.drive("POST /v1/jobs/"+verb, "/v1/jobs/"+verb, `{"ids":[`+id+`,999]}`, 200)
	}
	d.drive("GET /v1/jobs", "/v1/jobs?limit=5&status=failed&queue=default", ``, 200)
	d.drive("GET /v1/jobs/{id}", "/v1/jobs/"+id, ``, 200)
	d.drive("GET /v1/jobs/{id}/explain", "/v1/jobs/"+id+"/explain", ``, 200)
	d.drive("GET /v1/jobs/{task_id}/facts", "/v1/jobs/"+id+"/facts", ``, 200)
	d.drive("POST /v1/jobs/{id}/cancel", "/v1/jobs/"+id+"/cancel", `{}`, 200)
	d.drive("DELETE /v1/jobs/{id}", "/v1/jobs/"+id, ``, 200)
	d.drive("DELETE /v1/queues/{queue}/jobs", "/v1/queues/elsewhere/jobs", ``, 200)
}

// A program written for /v1/jobs finds the names that it knows.
func TestTheAliasesCarryTheOtherNames(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	made := h.want(h.do("POST", "/v1/jobs", `{"type":"mail","payload":{"to":"sam"},"priority":3,"max_attempts":1}`), http.StatusCreated)
	first := into[ops.EnqueuedKnown](t, made)
	if first.ID != 1 || first.Attempts != 0 || first.MaxAttempts != 1 || first.UpdatedAt != first.CreatedAt || first.CreatedAt.IsZero() {
		t.Errorf("enqueue answered %s", made.body)
	}
	h.clock.Advance(time.Minute)
	token := h.claim(`{"worker":{"id":"w1","name":"one"}}`).Tasks[0].LeaseToken
	r := h.get("/v1/jobs/1")
	if k := into[ops.Known](t, r); k.Attempts != 1 || k.LockedBy != "w1" || k.LockedUntil != k.Lease.Until || k.UpdatedAt != k.StartedAt {
		t.Errorf("a running one is %s", r.body)
	}
	h.want(h.do("POST", "/v1/leases/fail", `{"lease_token":"`+token+`","error":"x"}`), http.StatusOK)
	page := into[ops.KnownPage](t, h.get("/v1/jobs?status=dead&limit=1"))
	if len(page.Tasks) != 1 || page.Tasks[0].LockedBy != "" || page.Tasks[0].UpdatedAt != page.Tasks[0].EndedAt {
		t.Errorf("the dead are %+v", page.Tasks)
	}
	again := h.want(h.do("POST", "/v1/jobs", `{"type":"mail"}`, "Idempotency-Key", "k"), http.StatusCreated)
	h.want(h.do("POST", "/v1/jobs", `{"type":"mail"}`, "Idempotency-Key", "k"), http.StatusOK)
	if again.Header.Get("Location") != "/v1/jobs/2" {
		t.Errorf("it is said to be at %s", again.Header.Get("Location"))
	}
}

// Requeue takes what is dead, cancelled or retrying, and nothing that runs or is
// completed.
func TestTheAliasOfRequeueTakesDeadCancelledAndRetrying(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	claimed := func(attempts string) (id, token string) {
		h.want(h.do("POST", "/v1/jobs", `{"type":"a","max_attempts":`+attempts+`}`), http.StatusCreated)
		c := h.claim(`{}`).Tasks[0]
		return strconv.FormatInt(c.ID, 10), c.LeaseToken
	}
	fail := func(token string) {
		h.want(h.do("POST", "/v1/leases/fail", `{"lease_token":"`+token+`","error":"x"}`), http.StatusOK)
	}
	dead, token := claimed("1")
	fail(token)
	retrying, token := claimed("3")
	fail(token)
	cancelled, _ := claimed("1")
	h.want(h.do("POST", "/v1/jobs/"+cancelled+"/cancel", `{"force":true}`), http.StatusOK)
	running, _ := claimed("1")
	completed, token := claimed("1")
	h.want(h.do("POST", "/v1/leases/complete", `{"lease_token":"`+token+`"}`), http.StatusOK)
	for id, status := range map[string]int{dead: 200, retrying: 200, cancelled: 200, running: 409, completed: 409} {
		r := h.want(h.do("POST", "/v1/jobs/"+id+"/requeue", ``), status)
		if status == http.StatusOK && !strings.Contains(r.body, `"changed":true`) {
			t.Errorf("requeue of %s answered %s", id, r.body)
		}
	}
	if n := into[tq.StatsOut](t, h.get("/v1/stats")).Total.Ready; n != 3 {
		t.Errorf("%d are ready, want 3", n)
	}
}
