package tq_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

type greet struct {
	Name string `json:"name"`
}

func (greet) Kind() string { return "greet" }

type unencodable struct{ F func() }

func (unencodable) Kind() string { return "bad" }

func TestEnqueueTakesTypeAndPayloadFromArgs(t *testing.T) {
	t.Parallel()
	broker := tq.New(memory.Open(memory.Options{}), tq.Options{})
	put, err := tq.Enqueue(t.Context(), broker, greet{"Ann"}, tq.NewTask{Queue: "mail", IdempotencyKey: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := broker.Task(t.Context(), tq.TaskIn{ID: put.ID})
	if err != nil {
		t.Fatal(err)
	}
	if task.Type != "greet" || task.Queue != "mail" || string(task.Payload) != `{"name":"Ann"}` {
		t.Errorf("got type %s, queue %s, payload %s", task.Type, task.Queue, task.Payload)
	}
	again, err := tq.Enqueue(t.Context(), broker, greet{"Ann"}, tq.NewTask{Queue: "mail", IdempotencyKey: "ann"})
	if err != nil || again.ID != put.ID || !again.Existed || again.Mismatch {
		t.Errorf("the same again: got %+v, %v, want task %d", again, err, put.ID)
	}
}

func TestEnqueueRefusesArgsThatDoNotEncode(t *testing.T) {
	t.Parallel()
	broker := tq.New(memory.Open(memory.Options{}), tq.Options{})
	_, err := tq.Enqueue(t.Context(), broker, unencodable{}, tq.NewTask{})
	if !errors.Is(err, tq.ErrInvalid) || !strings.Contains(err.Error(), "payload") {
		t.Errorf("got %v, want an error that names the payload", err)
	}
}

func TestWaitAnswersWhenTheTaskEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(memory.Options{})
		broker := tq.New(store, tq.Options{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() { ended <- broker.Run(ctx) }()
		worker := &tq.Worker{Client: broker, Log: slog.New(slog.DiscardHandler)}
		tq.Handle(worker, func(ctx context.Context, _ *tq.Task, g greet) (string, error) {
			<-time.After(2 * time.Minute) // longer than one long poll
			return "hello " + g.Name, nil
		})
		go func() { ended <- worker.Run(ctx) }()

		put, err := tq.Enqueue(ctx, broker, greet{"Ann"}, tq.NewTask{})
		if err != nil {
			t.Fatal(err)
		}
		task, err := tq.Wait(ctx, broker, put.ID)
		if err != nil || task.Status != tq.Completed || string(task.Result) != `"hello Ann"` {
			t.Errorf("got %s, %s, %v", task.Status, task.Result, err)
		}
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := tq.New(memory.Open(memory.Options{}), tq.Options{})
		put, err := tq.Enqueue(t.Context(), broker, greet{"Ann"}, tq.NewTask{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
		defer stop()
		if _, err := tq.Wait(ctx, broker, put.ID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the context", err)
		}
	})
}
