package sqlite

import (
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

func TestTheLogStaysShortAndGoesAwayWhenNothingIsWritten(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	payload := []byte(`"` + strings.Repeat("x", 50_000) + `"`)
	written := 0
	for range 100 {
		tasks := make([]tq.NewTask, 20)
		for i := range tasks {
			tasks[i] = normal(t, tq.NewTask{Type: "t", Payload: payload})
			written += len(payload)
		}
		if _, err := s.Enqueue(t.Context(), tasks, ""); err != nil {
			t.Fatal(err)
		}
	}
	if size := walSize(t, s); size > int64(written)*2/3 {
		t.Errorf("%d bytes were written and the log has %d: it never began anew", written, size)
	}
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for walSize(t, s) > 0 {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the log still has %d bytes", walSize(t, s))
		}
	}
	sound(t, s)
}
