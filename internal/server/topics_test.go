package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/tq"
)

// until is the next event of that name.
func (e *events) until(name string) event {
	e.t.Helper()
	for ev := e.next(); ev.name != ""; ev = e.next() {
		if ev.name == name {
			return ev
		}
	}
	e.t.Fatalf("the stream ended without %s", name)
	return event{}
}

func (e *events) nextFact() tq.Fact {
	e.t.Helper()
	var f tq.Fact
	if err := json.Unmarshal([]byte(e.until("fact").data), &f); err != nil {
		e.t.Fatal(err)
	}
	return f
}

func TestOneStreamBringsFactsAndTheOverview(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.live()
	h.enqueueN(2, tq.NewTask{Type: "a"})
	e := h.follow("/v1/events")
	if ev := e.next(); ev.name != "hello" || ev.id != 2 || !strings.Contains(ev.data, `"seq":2`) || !strings.Contains(ev.data, `"version":"test"`) {
		t.Fatalf("it begins with %+v", ev)
	}
	if ev := e.next(); ev.name != "overview" || !strings.Contains(ev.data, "2 tasks are ready") {
		t.Fatalf("then comes %+v", ev)
	}
	h.enqueueN(1, tq.NewTask{Type: "a"})
	if f := e.nextFact(); f.Seq != 3 {
		t.Errorf("heard of %d, want 3", f.Seq)
	}
	for ev := e.until("overview"); !strings.Contains(ev.data, "3 tasks are ready"); {
		ev = e.until("overview")
	}
	resumed := h.follow("/v1/events?topics=facts", "Last-Event-ID", "1")
	if a, b := resumed.nextFact(), resumed.nextFact(); a.Seq != 2 || b.Seq != 3 {
		t.Errorf("resumed with %d and %d, want 2 and 3", a.Seq, b.Seq)
	}
}

func TestTopicsSelectFacts(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.live()
	h.enqueueN(1, tq.NewTask{Type: "a"})
	h.enqueueN(3, tq.NewTask{Type: "a", Queue: "other"})
	h.enqueueN(1, tq.NewTask{Type: "a", Queue: "build"})
	e := h.follow("/v1/events?topics=task:1,queue:build&after=0")
	h.enqueueN(1, tq.NewTask{Type: "a", Queue: "other"})
	h.enqueueN(1, tq.NewTask{Type: "a", Queue: "build"})
	for _, want := range []int64{1, 5, 7} {
		if f := e.nextFact(); f.Seq != want {
			t.Errorf("heard of %d, want %d", f.Seq, want)
		}
	}
}

func TestWhatIsNoTopicIsRefused(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for _, topics := range []string{"fact", "task:x", "task:0", "queue:", "queue:a%20b", "facts,", strings.Repeat("facts,", 32) + "facts"} {
		r := h.do("GET", "/v1/events?topics="+topics, "")
		if r.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(r.body, "task:ID") {
			t.Errorf("%s was answered %d %s", topics, r.StatusCode, r.body)
		}
	}
	if r := h.do("GET", "/v1/events?kind=x", ""); r.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown parameter was answered %d", r.StatusCode)
	}
}

func TestEventsAreHeldToTheRightsOfWhoAsks(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, nil)
	if r := g.do("GET", "/v1/events", "", bearer(g.token(tq.CanEnqueue))...); r.StatusCode != http.StatusForbidden {
		t.Errorf("who may not read was answered %d %s", r.StatusCode, r.body)
	}
}
