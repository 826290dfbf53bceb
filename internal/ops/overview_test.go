package ops

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"example.com/tq"
)

func TestTheSituationIsWordedAsTheVectorsSay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/situation-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Overview OverviewOut
		Sentence string
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("read the vectors: %v, %d of them", err, len(vectors))
	}
	for _, v := range vectors {
		if got := situation(&v.Overview); got != v.Sentence {
			t.Errorf("got  %s\nwant %s", got, v.Sentence)
		}
	}
}

func TestAQueueIsStarvedWhenNoLivingWorkerWouldTakeFromIt(t *testing.T) {
	t.Parallel()
	queues := []tq.Stats{
		{Queue: "a", Ready: 1}, {Queue: "b", Ready: 1}, {Queue: "c"}, {Queue: "d", Ready: 1, Paused: true}, {Queue: "e", Ready: 1, Running: 1},
	}
	worker := func(state string, queues ...string) tq.WorkerView {
		return tq.WorkerView{State: state, WorkerRow: tq.WorkerRow{WorkerInfo: tq.WorkerInfo{Queues: queues}}}
	}
	for _, c := range []struct {
		fleet []tq.WorkerView
		want  []string
	}{
		{[]tq.WorkerView{worker("busy", "a"), worker("lost", "b")}, []string{"b"}},
		{[]tq.WorkerView{worker("polling", "c")}, []string{"a", "b"}},
		{[]tq.WorkerView{worker("polling")}, []string{}},
		{nil, []string{}},
	} {
		if got := starved(queues, c.fleet); !slices.Equal(got, c.want) {
			t.Errorf("with %+v: %v are starved, want %v", c.fleet, got, c.want)
		}
	}
}

// counting is a store with two dead tasks that counts who asks for causes.
type counting struct {
	tq.Client
	causes int
}

func (*counting) Stats(context.Context, tq.StatsIn) (tq.StatsOut, error) {
	return tq.StatsOut{Total: tq.Stats{Dead: 2}}, nil
}

func (*counting) Workers(context.Context, tq.WorkersIn) (tq.WorkersOut, error) {
	return tq.WorkersOut{}, nil
}

func (c *counting) Errors(context.Context, tq.ErrorsIn) (tq.ErrorsOut, error) {
	c.causes++
	return tq.ErrorsOut{Groups: make([]tq.ErrorGroup, 2)}, nil
}

func TestTheOverviewReadsTheDeadOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	c := &counting{}
	plain, err := Overview(t.Context(), c, OverviewIn{})
	if err != nil || c.causes != 0 || plain.Queues == nil || plain.Starved == nil {
		t.Errorf("%+v, %v, asked for causes %d times", plain, err, c.causes)
	}
	full, err := Overview(t.Context(), c, OverviewIn{Causes: true})
	want := "No worker is connected. No task is waiting. 2 dead letters of 2 causes need you."
	if err != nil || full.Sentence != want || full.Causes != 2 {
		t.Errorf("%q, %v", full.Sentence, err)
	}
}
