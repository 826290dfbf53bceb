package memory_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// However many enqueue at once, one Broker never lets in more than a queue may
// hold, and one that comes alone is refused at that number, not before.
func TestManyProducersFillAQueueToItsDepthAndNoFurther(t *testing.T) {
	t.Parallel()
	const depth, producers = 1_000, 64
	store := memory.Open(memory.Options{})
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	b := tq.New(store, tq.Options{Depth: tq.Depth{Each: depth}})
	fill := func(producers int) int {
		var stored atomic.Int64
		var wg sync.WaitGroup
		for n := range producers {
			batch := tq.EnqueueIn{Tasks: slices.Repeat([]tq.NewTask{{Type: "work"}}, 1+n%7)}
			wg.Go(func() {
				var err error
				for err == nil {
					if _, err = b.Enqueue(t.Context(), batch); err == nil {
						stored.Add(int64(len(batch.Tasks)))
					}
				}
				if tq.CodeOf(err) != tq.CodeTooMany {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return int(stored.Load())
	}
	got := fill(producers)
	if got < depth/2 || got > depth {
		t.Errorf("%d tasks were let in by many, want up to %d", got, depth)
	}
	if got += fill(1); got != depth {
		t.Errorf("%d tasks were let in, want %d", got, depth)
	}
}
