package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/tq"
)

// The tasks extension over the queue itself.

// handle is what tasks/get answers.
type handle struct {
	TaskID, Status string
	Result         *said
	TTLMs          *int64
}

func (c *client) look(id string) (handle, reply) {
	c.t.Helper()
	r := c.ask("tasks/get", id, `{"taskId":"`+id+`"}`)
	var h handle
	if r.Error == nil {
		if err := json.Unmarshal(r.Result, &h); err != nil {
			c.t.Fatal(err)
		}
	}
	return h, r
}

func TestARunIsFollowedByItsHandle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	begun := c.call("tq_run", `{"queue":"runs","payload":{"n":1}}`)
	if begun.ResultType != "task" || len(begun.TaskID) < 22 {
		t.Fatalf("the answer is %+v, want a handle", begun)
	}
	if h, _ := c.look(begun.TaskID); h.Status != "working" {
		t.Errorf("status is %s, want working", h.Status)
	}
	got := c.must("tq_claim", `{"queue":"runs"}`, `{"n":1}`)
	c.must("tq_complete", `{"lease_token":"`+token(t, got)+`","result":{"sum":3}}`, "completed")
	h, _ := c.look(begun.TaskID)
	if h.Status != "completed" || h.Result == nil || h.Result.IsError || !strings.Contains(h.Result.text(), `{"sum":3}`) {
		t.Errorf("then it is %+v", h)
	}
}

func TestADeadRunIsCompletedWithAnError(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	begun := c.call("tq_run", `{"queue":"runs","max_attempts":1}`)
	got := c.must("tq_claim", `{"queue":"runs"}`, "lease_token")
	c.must("tq_fail", `{"lease_token":"`+token(t, got)+`","error":"broken"}`, "dead")
	h, _ := c.look(begun.TaskID)
	if h.Status != "completed" || h.Result == nil || !h.Result.IsError || !strings.Contains(h.Result.text(), "broken") {
		t.Errorf("it is %+v, want completed with isError", h)
	}
}

func TestARunIsCancelledByItsHandle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	begun := c.call("tq_run", `{"queue":"runs"}`)
	for range 2 { // repeating is nothing
		if r := c.ask("tasks/cancel", begun.TaskID, `{"taskId":"`+begun.TaskID+`"}`); r.Error != nil {
			t.Fatalf("cancel: %+v", r.Error)
		}
	}
	if h, _ := c.look(begun.TaskID); h.Status != "cancelled" {
		t.Errorf("status is %s, want cancelled", h.Status)
	}
}

func TestAHandleIsOfNoUseToOthersAndCannotBeMade(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	begun := c.call("tq_run", `{"queue":"runs"}`)
	if _, r := d.modern("eve").look(begun.TaskID); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("another owner is answered %+v", r)
	}
	id, _, _ := strings.Cut(begun.TaskID, "-")
	for _, guess := range []string{id, id + "-", id + "-AAAAAAAAAAAAAAAAAAAAAAAAAA", "1", "", "x-y"} {
		if _, r := c.look(guess); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("handle %q is answered %+v", guess, r)
		}
	}
}

func TestTheHeaderOfAHandleMustBeItsName(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.modern("sam")
	begun := c.call("tq_run", `{"queue":"runs"}`)
	r := c.ask("tasks/get", "another", `{"taskId":"`+begun.TaskID+`"}`)
	if r.Error == nil || r.Error.Code != -32020 {
		t.Errorf("a foreign Mcp-Name is answered %+v, want -32020", r)
	}
}

func TestARunIsWaitedForByClientsWithoutHandles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.legacy("sam")
	done := make(chan said)
	go func() { done <- c.call("tq_run", `{"queue":"runs","payload":2}`) }()
	worker := d.modern("api")
	got := worker.must("tq_claim", `{"queue":"runs"}`, "lease_token")
	worker.must("tq_complete", `{"lease_token":"`+token(t, got)+`","result":4}`, "completed")
	if s := <-done; s.IsError || s.Structured["status"] != "completed" || s.Structured["result"] != 4.0 {
		t.Errorf("the run answered %+v", s)
	}
	s := c.call("tq_run", `{"queue":"runs","wait_seconds":0}`)
	if next, _ := s.Structured["next"].(string); s.Structured["status"] != tq.Ready || !strings.Contains(next, "tq_task") {
		t.Errorf("without a wait it answered %+v", s)
	}
}
