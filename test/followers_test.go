package test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// Followers of the journal over the network, from their first fact to their
// last, through the loss of their connection.

// Security row 18, S35: whoever follows and does not read is dropped. What had
// come through is the beginning of the journal without a gap; with the id of its
// last whole event as Last-Event-ID the follower gets all the rest, what was
// written meanwhile and what comes later, and nothing of it twice.
func TestAFollowerThatWasDroppedGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	h := serveHub(t)
	defer h.stop()
	paths := []string{"/v1/facts", "/v1/events?topics=facts"}
	silent := make([]*line, len(paths))
	for i, path := range paths {
		silent[i] = h.dial(t)
		silent[i].reads(64 << 10)
		silent[i].stream(path, h.token, "Last-Event-ID: 0", "", "")
	}
	h.streams(t, len(paths))
	written := h.writeUntilDropped(t)
	for i, path := range paths {
		seen := silent[i].events().facts(written)
		t.Logf("%s: %d of %d facts came before it was dropped", path, len(seen), written)
		if len(seen) == 0 || len(seen) >= int(written) {
			t.Fatalf("%s: of %d facts %d came to one who did not read", path, written, len(seen))
		}
		again := h.dial(t)
		again.stream(path, h.token, "Last-Event-ID: "+strconv.Itoa(len(seen)), "", "")
		rest := again.events()
		seen = append(seen, rest.facts(written)...)
		h.enqueue(t, 1, tq.NewTask{Type: "later"})
		written++
		seen = append(seen, rest.facts(written)...)
		for at, seq := range seen {
			if seq != int64(at)+1 {
				t.Fatalf("%s: fact %d is the %dth that it saw", path, seq, at+1)
			}
		}
		if len(seen) != int(written) {
			t.Errorf("%s: it saw %d of %d facts", path, len(seen), written)
		}
		if err := rest.close(); err != nil {
			t.Error(err)
		}
	}
}

// streams waits until the hub has so many open streams.
func (h *served) streams(t testing.TB, want int) {
	t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for h.openStreams(t) != want {
		<-look.C
	}
}

func (h *served) openStreams(t testing.TB) int {
	t.Helper()
	return number(t, `(?m)^tq_event_streams (\d+)`, h.get(t, "/metrics"))
}

// writeUntilDropped writes facts until nobody follows, and answers how many. A
// write that is stuck is given up after ten seconds.
func (h *served) writeUntilDropped(t testing.TB) (written int64) {
	t.Helper()
	const most = 60 // batches: far more than the buffers on the way can hold
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	for n := 0; h.openStreams(t) > 0; n++ {
		if n == most {
			t.Fatalf("after %d facts somebody who does not read is still there", written)
		}
		h.enqueue(t, tq.MaxBatch, tq.NewTask{Type: strings.Repeat("t", 60), Project: strings.Repeat("p", 100)})
		written += tq.MaxBatch
		<-look.C
	}
	return written
}

// facts reads the seqs of facts up to one, or to the end of the stream.
func (e *told) facts(upTo int64) (seqs []int64) {
	for ev := e.next(); ev.name != ""; ev = e.next() {
		if ev.name != "fact" {
			continue // how soon to come again, where it begins, that it lagged
		}
		if seqs = append(seqs, ev.id); ev.id == upTo {
			break
		}
	}
	return seqs
}
