package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"example.com/tq"
	"example.com/tq/client"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
	"example.com/tq/store/memory"
	"example.com/tq/store/sqlite"
	"example.com/tq/store/storetest"
)

// The whole suite of promises, asked through a hub.

func TestEveryPromiseOverHTTPInMemory(t *testing.T) {
	t.Parallel()
	storetest.RunThrough(t, func(tb testing.TB, clock *storetest.Clock) tq.Store {
		tb.Helper()
		return closing(tb, memory.Open(memory.Options{Clock: clock.Now}))
	}, overHTTP)
}

func TestEveryPromiseOverHTTPOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunThrough(t, func(tb testing.TB, clock *storetest.Clock) tq.Store {
		tb.Helper()
		path := filepath.Join(tb.TempDir(), "tq.db")
		s, err := sqlite.Open(path, sqlite.Options{Clock: clock.Now, Durability: sqlite.Relaxed})
		if err != nil {
			tb.Fatal(err)
		}
		return closing(tb, s)
	}, overHTTP)
}

func closing(tb testing.TB, s tq.Store) tq.Store {
	tb.Helper()
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	})
	return s
}

// far is a client of a hub, with the hub's background part.
type far struct {
	*client.Remote
	broker *tq.Broker
	guests *sync.WaitGroup // requests that the hub is answering
}

// Run is what a hub does beside answering.
func (f *far) Run(ctx context.Context) error { return f.broker.Run(ctx) }

// Claim waits, when it was broken off, until the hub has noticed: what it does
// then is what the suite looks at.
func (f *far) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	out, err := f.Remote.Claim(ctx, in)
	if ctx.Err() != nil {
		f.guests.Wait()
	}
	return out, err
}

// operations is one table for all the servers of these tests, which only read it.
var operations = sync.OnceValue(ops.Table)

func overHTTP(tb testing.TB, store tq.Store) tq.Client {
	tb.Helper()
	f := &far{broker: tq.New(store, tq.Options{}), guests: new(sync.WaitGroup)}
	s, err := server.New(server.Options{
		Ops:    operations(),
		Client: func(context.Context) tq.Client { return f.broker },
		Wrap: []server.Middleware{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				f.guests.Add(1)
				defer f.guests.Done()
				next.ServeHTTP(w, r)
			})
		}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	web := httptest.NewServer(s)
	if f.Remote, err = client.New(web.URL, client.Options{}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Errorf("close the client: %v", err)
		}
		web.Close()
	})
	return f
}
