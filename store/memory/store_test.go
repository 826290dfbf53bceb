package memory_test

import (
	"testing"

	"example.com/tq"
	"example.com/tq/store/memory"
	"example.com/tq/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(tb testing.TB, clock *storetest.Clock) tq.Store {
		store := memory.Open(memory.Options{Clock: clock.Now})
		tb.Helper()
		tb.Cleanup(func() {
			if err := store.Close(); err != nil {
				tb.Errorf("close the store: %v", err)
			}
		})
		return store
	})
}
