package main

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/mikestefanello/backlite"
)

// backlitePeer has as many workers as hands.
type backlitePeer struct {
	db  *sql.DB
	in  *backlite.Client
	ran atomic.Pointer[func(int)]
}

func openBacklite(paths *files) opener {
	return func(_ context.Context, place string) (peer, error) {
		db, err := openSQLite(paths.next(place))
		if err != nil {
			return nil, err
		}
		p := &backlitePeer{db: db}
		p.in, err = p.client(1)
		if err != nil {
			return nil, err
		}
		return p, p.in.Install()
	}
}

type backliteTask struct{ payload }

// Config names its queue.
func (backliteTask) Config() backlite.QueueConfig {
	return backlite.QueueConfig{Name: "bench", MaxAttempts: 3, Timeout: time.Minute, Backoff: time.Second}
}

func (p *backlitePeer) client(workers int) (*backlite.Client, error) {
	c, err := backlite.NewClient(backlite.ClientConfig{DB: p.db, NumWorkers: workers, ReleaseAfter: 10 * time.Minute})
	if err != nil {
		return nil, err
	}
	c.Register(backlite.NewQueue(func(_ context.Context, task backliteTask) error {
		(*p.ran.Load())(task.N)
		return nil
	}))
	return c, nil
}

func (p *backlitePeer) put(ctx context.Context, first, n int) error {
	all := make([]backlite.Task, n)
	for i := range all {
		all[i] = backliteTask{newPayload(first + i)}
	}
	_, err := p.in.Add(all...).Ctx(ctx).Save()
	return err
}

func (p *backlitePeer) work(ctx context.Context, hands int, ran func(number int)) error {
	p.ran.Store(&ran)
	c, err := p.client(hands)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	c.Start(life)
	<-ctx.Done()
	stopping, stop := context.WithTimeout(life, 10*time.Second)
	defer stop()
	c.Stop(stopping)
	return nil
}

func (p *backlitePeer) close() error { return p.db.Close() }
