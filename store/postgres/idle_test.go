package postgres

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
)

// fleet is workers that each have a process' worth of store and broker. It ends
// with ctx.
func fleet(ctx context.Context, t *testing.T, address string, o Options, workers int) *sync.WaitGroup {
	t.Helper()
	group := new(sync.WaitGroup)
	quiet := slog.New(slog.DiscardHandler)
	for range workers {
		s, err := Open(address, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		broker := tq.New(s, tq.Options{Log: quiet})
		w := &tq.Worker{Client: broker, Concurrency: 4, Log: quiet}
		w.Handle("work", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) { return nil, nil }))
		group.Go(func() { _ = broker.Run(ctx) }) // ends with ctx
		group.Go(func() { _ = w.Run(ctx) })
	}
	return group
}

// What a fleet that has nothing to do asks the server: less than one transaction
// a second for each worker, and a task is found at once all the same.
func TestAnIdleFleetIsQuiet(t *testing.T) {
	t.Parallel()
	const workers, settle, watch = 50, 15 * time.Second, 10 * time.Second
	server := pgtest.Own(t)
	w := worldOf(t, OpenAt(t, server.URL(), Options{}), nil)
	ctx, stop := context.WithCancel(w.ctx())
	group := fleet(ctx, t, server.URL(), Options{Schema: w.o.Schema, Conns: 2}, workers)
	pause(ctx, settle)
	before := w.transactions()
	pause(ctx, watch)
	perSecond := float64(w.transactions()-before) / watch.Seconds() / workers
	t.Logf("%.2f transactions a second for each of %d idle workers", perSecond, workers)
	if perSecond >= 1 {
		t.Errorf("an idle worker makes %.2f transactions a second", perSecond)
	}
	id := w.enqueue(tq.NewTask{})[0]
	for w.task(id).Status != tq.Completed && ctx.Err() == nil && !t.Failed() {
		pause(ctx, 10*time.Millisecond)
	}
	stop()
	group.Wait()
}

// transactions is how many the database has ended.
func (w *world) transactions() int64 {
	w.t.Helper()
	return w.number(`select xact_commit + xact_rollback from pg_stat_database where datname = current_database()`)
}
