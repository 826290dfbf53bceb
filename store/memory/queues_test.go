package memory_test

import (
	"errors"
	"strconv"
	"testing"

	"example.com/tq"
	"example.com/tq/store/memory"
)

func TestOneQueueTooManyIsRefusedAndThoseThatAreGoOn(t *testing.T) {
	t.Parallel()
	store := memory.Open(memory.Options{})
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	named := func(from, to int) tq.EnqueueIn {
		var in tq.EnqueueIn
		for i := from; i < to; i++ {
			in.Tasks = append(in.Tasks, tq.NewTask{Type: "work", Queue: "q" + strconv.Itoa(i)})
		}
		return in
	}
	enqueue := func(b *tq.Broker, in tq.EnqueueIn) error {
		_, err := b.Enqueue(t.Context(), in)
		return err
	}
	first := tq.New(store, tq.Options{})
	for i := 0; i < tq.MaxQueues; i += tq.MaxBatch {
		if err := enqueue(first, named(i, i+tq.MaxBatch)); err != nil {
			t.Fatalf("queues %d and on: %v", i, err)
		}
	}
	second := tq.New(store, tq.Options{}) // as another process, which has used none of them
	for _, b := range []*tq.Broker{first, second} {
		if err := enqueue(b, named(0, 100)); err != nil {
			t.Errorf("tasks in queues that are there: %v", err)
		}
		err := enqueue(b, named(tq.MaxQueues-1, tq.MaxQueues+1))
		var e *tq.Error
		if !errors.As(err, &e) || e.Code != tq.CodeTooMany || e.Reason != "too_many_queues" || e.Hint == "" {
			t.Errorf("one queue more: %#v", err)
		}
	}
	census, err := store.Queues(t.Context())
	if err != nil || len(census.Lines) != tq.MaxQueues {
		t.Errorf("%d queues, %v, want %d", len(census.Lines), err, tq.MaxQueues)
	}
}
