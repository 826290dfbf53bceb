package postgres

import (
	"testing"
	"time"

	"example.com/tq"
)

func TestAColumnTravelsOnceWhenAllOfItIsTheSame(t *testing.T) {
	for _, c := range []struct {
		column []int64
		want   int
	}{{nil, 0}, {[]int64{7}, 1}, {[]int64{7, 7, 7}, 1}, {[]int64{7, 7, 8}, 3}, {[]int64{0, 0}, 1}} {
		if got := shared(c.column); len(got) != c.want {
			t.Errorf("shared %v: %v, want %d values", c.column, got, c.want)
		}
	}
	if got := sparse([][]byte{nil, nil}, noBytes); got != nil {
		t.Errorf("a column of nulls travels as %v", got)
	}
	if got := sparse([][]byte{nil, {}}, noBytes); len(got) != 2 {
		t.Errorf("a column with a value travels as %v", got)
	}
}

// Of a batch in which the tasks differ in everything, each keeps its own.
func TestABatchOfUnlikeTasksIsStoredAsItWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sent := []tq.NewTask{
		{},
		{Queue: "b", Type: "other", Priority: 3, Payload: []byte(`{"a":1}`), MaxAttempts: 9, Timeout: tq.Duration(7 * time.Second), Tags: []string{"x"}},
		{IdempotencyKey: "k", Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Backoff: &tq.Backoff{Base: tq.Duration(2 * time.Second), Cap: tq.Duration(9 * time.Second)}},
		{},
	}
	for i, id := range w.enqueue(sent...) {
		got, n := w.task(id), sent[i]
		equal(t, "payload", string(got.Payload), string(n.Payload))
		equal(t, "key", got.IdempotencyKey, n.IdempotencyKey)
		equal(t, "timeout", got.Timeout, n.Timeout)
		equal(t, "priority", got.Priority, n.Priority)
		equal(t, "tags", len(got.Tags), len(n.Tags))
		equal(t, "trace", got.Traceparent, n.Traceparent)
		equal(t, "backoff of its own", got.Backoff != nil, n.Backoff != nil)
	}
}
