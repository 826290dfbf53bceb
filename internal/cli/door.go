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
	store  tq.Store // nil when something else answers; goes along when it is moved
	engine tq.Store // the same as it was opened, for what is not asked of every store
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
	engine, err := a.openWhereItIs(url)
	if err != nil {
		return nil, err
	}
	s := store.Following(engine, a.openStore, func(place string) { a.out.note("moved to %s: going on there", place) })
	if s.Info().Durability == "relaxed" {
		a.out.note("durability is relaxed: a power cut may lose what was answered last")
	}
	broker := tq.New(s, tq.Options{Actor: actor(a.Getenv), Retention: a.keep, Depth: a.depth, Log: a.log})
	return &door{client: broker, store: s, engine: engine, broker: broker}, nil
}

func (a *app) openStore(url string) (tq.Store, error) {
	return store.Open(url, store.Options{Durability: a.durability})
}

// openWhereItIs opens a database, or the place where it was moved to.
func (a *app) openWhereItIs(url string) (tq.Store, error) {
	for range maxMoves {
		s, err := a.openStore(url)
		if err != nil {
			return nil, err
		}
		movable, ok := s.(tq.Movable)
		if !ok {
			return s, nil
		}
		mark, err := movable.Moving(context.Background())
		if err == nil && mark.Phase != tq.PhaseMoved {
			return s, nil
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
		a.out.note("%s was moved to %s", place(url), mark.Peer)
		url = mark.Peer
	}
	return nil, usage("the database was moved from place to place").WithHint("name the last one: --db")
}

// maxMoves is how often a database may have been moved on, one place to the next.
const maxMoves = 10

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
