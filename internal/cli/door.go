package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"

	"example.com/tq"
	"example.com/tq/client"
	"example.com/tq/internal/config"
	"example.com/tq/store"
)

// door is an opened database, or a hub: the client that answers, and what it
// stands on.
type door struct {
	client tq.Client
	store  tq.Store // nil when something else answers
	broker *tq.Broker
	hub    *client.Remote // nil when there is a store
}

// place says where the tasks are, without secrets; "" when nobody knows.
func (d *door) place() string {
	switch {
	case d.store != nil:
		return d.store.Info().Place
	case d.hub != nil:
		return d.hub.Address()
	}
	return ""
}

// open opens the database that --db names.
func (a *app) open() (*door, error) {
	if a.Client != nil {
		return &door{client: a.Client}, nil
	}
	url := or(a.db, config.DefaultDB(a.Getenv))
	if url == "" {
		return nil, usage("there is no home folder to keep the database in").WithHint("name a file: --db FILE or TQ_DB=FILE")
	}
	if isHub(url) {
		return a.openHub(url)
	}
	s, err := store.Open(url, store.Options{Durability: a.durability})
	if err != nil {
		return nil, err
	}
	if s.Info().Durability == "relaxed" {
		a.out.note("durability is relaxed: a power cut may lose what was answered last")
	}
	broker := tq.New(s, tq.Options{Actor: actor(a.Getenv), Retention: a.keep, Log: a.log})
	return &door{client: broker, store: s, broker: broker}, nil
}

// as is the same queue, asked by a worker: its facts carry its name.
func (d *door) as(name string) tq.Client {
	if d.broker == nil {
		return d.client
	}
	return d.broker.As(name)
}

func (d *door) close() error {
	if d.hub != nil {
		return d.hub.Close()
	}
	if d.store == nil {
		return nil
	}
	if err := d.store.Close(); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}

// ask opens the database, does what fn does, and closes it.
func (a *app) ask(ctx context.Context, fn clientFunc) error {
	return a.withDoor(ctx, func(ctx context.Context, d *door) error { return fn(ctx, d.client) })
}

// askLive does the same with the waiting room and the sweep at work, for what
// waits for something to happen.
func (a *app) askLive(ctx context.Context, fn clientFunc) error {
	return a.withDoor(ctx, func(ctx context.Context, d *door) error {
		return d.live(ctx, func(ctx context.Context) error { return fn(ctx, d.client) })
	})
}

func (a *app) withDoor(ctx context.Context, fn func(context.Context, *door) error) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	err = fn(ctx, d)
	return errors.Join(err, d.close())
}

// live runs fn beside the broker. When the broker stops by itself, fn is ended
// and the broker's error is the answer.
func (d *door) live(ctx context.Context, fn func(context.Context) error) error {
	if d.broker == nil {
		return fn(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		err := d.broker.Run(ctx)
		stop()
		ended <- err
	}()
	err := fn(ctx)
	stop()
	if brokerErr := <-ended; brokerErr != nil && !errors.Is(brokerErr, context.Canceled) {
		return brokerErr
	}
	return err
}

// actor is who acts, in facts: the user's name on this machine.
func actor(getenv func(string) string) string {
	if name := getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "local"
}
