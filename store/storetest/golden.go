package storetest

import (
	"slices"
	"testing"

	"example.com/tq"
)

// Golden shows that what an older tq left behind (tools/golden.sh filled it, with
// the schema of its time) is whole after the store was brought up to date, and
// that all of it goes on: what waited is claimed, a lease that nobody kept is over.
func Golden(t *testing.T, store tq.Store) {
	t.Helper()
	g := golden{t, tq.New(store, tq.Options{})}
	g.claims("default", "held", 8) // whose lease is over, which nobody swept
	g.sound()
	g.statuses(map[int64]tq.Status{1: tq.Completed, 2: tq.Dead, 4: tq.Pending, 5: tq.Blocked, 6: tq.Pending, 7: tq.Cancelled})
	g.repeats()
	g.claims("shop", "golden", 4)
	g.claims("default", "golden", 6) // of the higher priority
	g.claims("default", "golden", 5) // which waited for 4
	g.claims("default", "sh", 3)     // whose time has long come
	if _, err := g.Rescue(t.Context(), tq.RescueIn{IDs: []int64{2}}); err != nil {
		t.Fatalf("rescue: %v", err)
	}
	g.claims("default", "sh", 2)
	g.sound()
}

type golden struct {
	t *testing.T
	*tq.Broker
}

func (g golden) sound() {
	g.t.Helper()
	out, err := g.Check(g.t.Context(), tq.CheckIn{})
	if err != nil {
		g.t.Fatalf("check: %v", err)
	}
	for _, v := range out.Violations {
		g.t.Errorf("check: %s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}

func (g golden) statuses(want map[int64]tq.Status) {
	g.t.Helper()
	for id, status := range want {
		out, err := g.Task(g.t.Context(), tq.TaskIn{ID: id})
		if err != nil || out.Status != status {
			g.t.Errorf("task %d is %s (%v), want %s", id, out.Status, err, status)
		}
	}
}

// repeats enqueues under a key that the older tq gave to task 4.
func (g golden) repeats() {
	g.t.Helper()
	again := tq.NewTask{Type: "golden", Queue: "shop", Project: "cart", IdempotencyKey: "four", Tags: []string{"old"}, Payload: []byte(`{"n": 4}`)}
	out, err := g.Enqueue(g.t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{again}})
	if err != nil || len(out.Tasks) != 1 || out.Tasks[0].ID != 4 || !out.Tasks[0].Existed {
		g.t.Errorf("the key of task 4 was answered with %+v, %v", out.Tasks, err)
	}
}

// claims takes the next task of a type in a queue, which has to be that one, and completes it.
func (g golden) claims(queue, kind string, id int64) {
	g.t.Helper()
	ctx := g.t.Context()
	out, err := g.Claim(ctx, tq.ClaimIn{Queues: []string{queue}, Types: []string{kind}})
	if err != nil || len(out.Tasks) != 1 || out.Tasks[0].ID != id {
		g.t.Fatalf("the next task of type %s in %s: %+v, %v; want task %d", kind, queue, out.Tasks, err, id)
	}
	lease := tq.CompleteLease{LeaseToken: out.Tasks[0].LeaseToken}
	settled, err := g.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{lease}})
	if err != nil || slices.ContainsFunc(settled.Leases, func(s tq.Settlement) bool { return s.Error != nil }) {
		g.t.Fatalf("complete task %d: %+v, %v", id, settled, err)
	}
}
