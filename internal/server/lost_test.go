package server_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"example.com/tq"
	"example.com/tq/client"
)

// A connection that breaks after the hub has done what it was asked: the client
// repeats, and there is one task of each.
func TestAnEnqueueWhoseAnswerIsLostMakesOneTask(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 1 {
			h.server.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // the answer never arrives
		}
		h.server.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	remote, err := client.New(proxy.URL, client.Options{HTTP: h.http})
	if err != nil {
		t.Fatal(err)
	}
	rows := []tq.NewTask{{Type: "a"}, {Type: "a", Deps: []tq.Ref{"$0"}}, {Type: "a", IdempotencyKey: "k"}}
	for round := range 2 {
		out, err := remote.Enqueue(t.Context(), tq.EnqueueIn{Tasks: rows})
		if err != nil {
			t.Fatal(err)
		}
		if out.Tasks[0].Existed || out.Tasks[1].Existed {
			t.Errorf("round %d: answered %+v, want two new tasks", round, out.Tasks)
		}
	}
	if all := into[tq.TasksOut](t, h.get("/v1/tasks")); len(all.Tasks) != 5 {
		t.Errorf("%d tasks stand there, want 5: two in each round, and one with a key", len(all.Tasks))
	}
	if asked.Load() != 4 {
		t.Errorf("the hub was asked %d times, want 4", asked.Load())
	}
}

// The header does for a batch what it does for one task.
func TestABatchTakesAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	const two = `{"tasks":[{"type":"a"},{"type":"a"}]}`
	first := into[tq.EnqueueOut](t, h.want(h.do("POST", "/v1/tasks/batch", two, "Idempotency-Key", `"b-1"`), 201))
	again := into[tq.EnqueueOut](t, h.do("POST", "/v1/tasks/batch", two, "Idempotency-Key", `"b-1"`))
	for i := range first.Tasks {
		if again.Tasks[i].ID != first.Tasks[i].ID || !again.Tasks[i].Existed {
			t.Errorf("row %d: a repeat answers %+v, the first was %+v", i, again.Tasks[i], first.Tasks[i])
		}
	}
	h.want(h.do("POST", "/v1/tasks/batch", `{"enqueue_id":"x","tasks":[{"type":"a"}]}`, "Idempotency-Key", `"b-1"`), 400)
}
