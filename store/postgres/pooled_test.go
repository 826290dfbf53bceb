package postgres_test

import (
	"testing"

	"example.com/tq"
	"example.com/tq/store/postgres"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/store/storetest"
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
	storetest.Run(t, func(tb testing.TB, clock *storetest.Clock) tq.Store {
		return postgres.OpenAt(tb, p.URL(), postgres.Options{Clock: clock.Now, Pooled: true})
	})
}
