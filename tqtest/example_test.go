package tqtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/tq"
	"example.com/tq/tqtest"
)

// Welcome is a task of the program under test.
type Welcome struct{ Email string }

// Kind is its type.
func (Welcome) Kind() string { return "welcome" }

// signUp is the code under test: it asks for a mail to be sent.
func signUp(ctx context.Context, queue tq.Client, email string) error {
	payload, err := json.Marshal(Welcome{email})
	if err != nil {
		return err
	}
	_, err = queue.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "welcome", Payload: payload}}})
	return err
}

// sendWelcome is its handler. The mail server is away at first.
func sendWelcome(_ context.Context, task *tq.Task, w Welcome) (string, error) {
	if task.Attempt == 1 {
		return "", errors.New("mail server away")
	}
	return "sent to " + w.Email, nil
}

func Example() {
	ctx := context.Background()
	q := tqtest.New(t) // the test's t
	if err := signUp(ctx, q, "ada@example.com"); err != nil {
		t.Fatalf("sign up: %v", err)
	}
	fmt.Println(tqtest.Args[Welcome](q))

	worker := &tq.Worker{}
	tq.Handle(worker, sendWelcome)
	q.Drain(ctx, worker)
	task := q.Enqueued("welcome")[0]
	fmt.Println(task.Status, task.LastError)

	q.Advance(time.Minute) // the backoff passes
	q.Drain(ctx, worker)
	fmt.Println(q.Get(task.ID).Status, string(q.Get(task.ID).Result))
	// Output:
	// [{ada@example.com}]
	// pending mail server away
	// completed "sent to ada@example.com"
}
