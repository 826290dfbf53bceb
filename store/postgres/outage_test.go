package postgres

import (
	"testing"
	"time"

	"example.com/tq"
)

// A transaction that read the clock long before it commits, as one that waits
// for a lock does, says nothing of the time since: expiry ran all along.
func TestALateCommitMakesNoOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.enqueue(tq.NewTask{Type: "t"})[0]
	w.claim(tq.ClaimQuery{}, id)
	served := func(seconds int) {
		for range seconds {
			w.clock.Advance(time.Second)
			_, err := w.Sweep(w.ctx(), tq.Retention{})
			w.must("sweep", err)
		}
	}
	served(1)
	w.clock.Advance(time.Second)
	late := w.hold(nil, func(x *work) error { return x.forgive() })
	served(50)
	w.must("commit", late.commit())
	served(7)
	w.is(id, tq.Running)
	served(2)
	w.is(id, tq.Pending)
}
