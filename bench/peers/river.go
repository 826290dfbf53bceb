package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// River, with the settings of its own bench command: a fetch at most each 2 ms,
// a poll each 20 ms, no time limit. Tasks go in with InsertManyFast (COPY).
type riverPeer struct {
	pool *pgxpool.Pool
	in   *river.Client[pgx.Tx]
}

const riverConns = 32

func openRiver(ctx context.Context, place string) (peer, error) {
	config, err := pgxpool.ParseConfig(place)
	if err != nil {
		return nil, err
	}
	config.MaxConns = riverConns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := migrateRiver(ctx, pool); err != nil {
		return nil, err
	}
	in, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	return &riverPeer{pool: pool, in: in}, err
}

// migrateRiver makes its tables, or empties those of the measure before.
func migrateRiver(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, `truncate river_job`)
	return err
}

type riverArgs struct{ payload }

// Kind is its type.
func (riverArgs) Kind() string { return "bench" }

type riverWorker struct {
	river.WorkerDefaults[riverArgs]
	ran func(number int)
}

// Work does nothing.
func (w *riverWorker) Work(_ context.Context, task *river.Job[riverArgs]) error {
	w.ran(task.Args.N)
	return nil
}

func (p *riverPeer) put(ctx context.Context, first, n int) error {
	if n == 1 {
		_, err := p.in.Insert(ctx, riverArgs{newPayload(first)}, nil)
		return err
	}
	all := make([]river.InsertManyParams, n)
	for i := range all {
		all[i].Args = riverArgs{newPayload(first + i)}
	}
	_, err := p.in.InsertManyFast(ctx, all)
	return err
}

func (p *riverPeer) work(ctx context.Context, hands int, ran func(number int)) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{ran: ran})
	c, err := river.NewClient(riverpgxv5.New(p.pool), &river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: hands}},
		FetchCooldown: 2 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
		JobTimeout: -1, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	life := context.WithoutCancel(ctx)
	if err := c.Start(life); err != nil {
		return err
	}
	<-ctx.Done()
	return c.Stop(life)
}

func (p *riverPeer) close() error {
	p.pool.Close()
	return nil
}
