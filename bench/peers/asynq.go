package main

import (
	"context"
	"encoding/json"

	"github.com/hibiken/asynq"
)

// asynqPeer speaks to a Redis that syncs each write (appendfsync always).
type asynqPeer struct {
	redis asynq.RedisClientOpt
	in    *asynq.Client
}

func openAsynq(_ context.Context, place string) (peer, error) {
	redis := asynq.RedisClientOpt{Addr: place, PoolSize: 100}
	look := asynq.NewInspector(redis)
	defer func() { _ = look.Close() }()   // it only looks
	_ = look.DeleteQueue("default", true) // which there may not be
	return &asynqPeer{redis: redis, in: asynq.NewClient(redis)}, nil
}

func (p *asynqPeer) put(ctx context.Context, first, n int) error {
	for i := range n {
		body, err := json.Marshal(newPayload(first + i))
		if err != nil {
			return err
		}
		if _, err := p.in.EnqueueContext(ctx, asynq.NewTask("bench", body)); err != nil {
			return err
		}
	}
	return nil
}

func (p *asynqPeer) work(ctx context.Context, hands int, ran func(number int)) error {
	server := asynq.NewServer(p.redis, asynq.Config{Concurrency: hands, LogLevel: asynq.FatalLevel})
	err := server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		var body payload
		if err := json.Unmarshal(task.Payload(), &body); err != nil {
			return err
		}
		ran(body.N)
		return nil
	}))
	if err != nil {
		return err
	}
	<-ctx.Done()
	server.Shutdown()
	return nil
}

func (p *asynqPeer) close() error { return p.in.Close() }
