package postgres_test

import (
	"sync/atomic"
	"testing"

	"example.com/tq"
	"example.com/tq/store/postgres"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/store/storetest"
	"example.com/tq/test/tally"
)

// Through PgBouncer in transaction mode nothing may depend on the session.
func TestEveryPromiseThroughAPooler(t *testing.T) {
	t.Parallel()
	p, err := pgtest.StartPooler(postgres.Server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	shown := new(atomic.Int64) // stores, one for each promise
	t.Cleanup(func() {
		n := int(shown.Load())
		c := tally.Counts{Attempted: n, Acknowledged: n, OK: n}
		if t.Failed() {
			c.OK, c.Unexpected = 0, 1
		}
		c.Log(t)
	})
	storetest.Run(t, func(tb testing.TB, clock *storetest.Clock) tq.Store {
		shown.Add(1)
		return postgres.OpenAt(tb, p.URL(), postgres.Options{Clock: clock.Now, Pooled: true})
	})
}
