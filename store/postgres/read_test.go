package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
)

// hurried is a store whose every look at the clock takes 50 ms, with a task that
// is found by the word needle behind 699 others.
func hurried(t *testing.T) (*Store, []int64) {
	t.Helper()
	var ms atomic.Int64
	begun := time.Now()
	s := OpenAt(t, Server.URL(), Options{Clock: func() time.Time { return begun.Add(time.Duration(ms.Add(50)) * time.Millisecond) }})
	some := make([]tq.NewTask, 700)
	for i := range some {
		some[i] = tq.NewTask{Type: "work", Queue: "q", MaxAttempts: 1}
	}
	some[0].Payload = json.RawMessage(`"needle"`)
	added, err := s.Enqueue(t.Context(), some, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if found, err := s.Check(context.Background()); err != nil || len(found) > 0 {
			t.Errorf("check: %v, %v", found, err)
		}
	})
	ids := make([]int64, len(added))
	for i, a := range added {
		ids[i] = a.ID
	}
	return s, ids
}

func TestAWalkThatTakesLongEndsWithAShortPageAndGoesOn(t *testing.T) {
	t.Parallel()
	s, ids := hurried(t)
	q := tq.TaskQuery{Search: "needle"}
	page, err := s.Tasks(t.Context(), q)
	if err != nil || !page.More || len(page.Tasks) > 0 || page.Searched < minWalk || page.Searched >= len(ids) {
		t.Fatalf("the first page found %d tasks, searched %d of %d, more %v (%v)", len(page.Tasks), page.Searched, len(ids), page.More, err)
	}
	var found []int64
	for pages := 1; page.More && pages < 20; pages++ {
		q.Before = page.Next
		if page, err = s.Tasks(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		for _, task := range page.Tasks {
			found = append(found, task.ID)
		}
	}
	if page.More || !slices.Equal(found, ids[:1]) {
		t.Errorf("all pages found %v, more %v, want %v", found, page.More, ids[:1])
	}
}

func TestTasksThatAreNamedAreAllAnsweredHoweverLongItTakes(t *testing.T) {
	t.Parallel()
	s, ids := hurried(t)
	page, err := s.Tasks(t.Context(), tq.TaskQuery{IDs: ids})
	if err != nil || len(page.Tasks) != len(ids) {
		t.Errorf("of %d tasks %d were answered (%v)", len(ids), len(page.Tasks), err)
	}
}
