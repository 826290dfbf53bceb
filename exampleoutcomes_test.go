package tq_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

var errNoSuchCustomer = errors.New("no such customer")

// What no retry will mend is dead at once, with attempts left.
func ExamplePermanent() {
	task := runOnce(func() error {
		return tq.Permanent(fmt.Errorf("greet Ada: %w", errNoSuchCustomer))
	})
	fmt.Println(task.Status, task.Attempt, "of", task.MaxAttempts)
	fmt.Println(task.LastError)
	// Output:
	// dead 1 of 3
	// greet Ada: no such customer
}

// The handler knows better than the backoff when to try again.
func ExampleRetryAfter() {
	task := runOnce(func() error {
		return fmt.Errorf("the mail server restarts: %w", tq.RetryAfter(10*time.Minute))
	})
	fmt.Println(task.Status, task.Attempt, "of", task.MaxAttempts)
	fmt.Println("again in", time.Until(task.RunAt.Time).Round(time.Minute))
	// Output:
	// pending 1 of 3
	// again in 10m0s
}

// Nothing was tried, so nothing is counted: here, because another program has the
// file that the handler needs.
func ExampleRelease() {
	task := runOnce(func() error { return tq.Release(time.Minute) })
	fmt.Println(task.Status, task.Attempt, "of", task.MaxAttempts)
	// Output: pending 0 of 3
}

// runOnce enqueues a task, runs one attempt of it that ends as told, and returns
// it as it stands then.
func runOnce(end func() error) tq.Task {
	ctx := context.Background()
	queue := tq.New(memory.Open(memory.Options{}), tq.Options{})
	worker := &tq.Worker{Client: queue, UntilEmpty: true}
	tq.Handle(worker, func(context.Context, *tq.Task, Greet) (string, error) { return "", end() })
	added, err := tq.Enqueue(ctx, queue, Greet{Name: "Ada"}, tq.NewTask{})
	if err != nil {
		log.Fatal(err)
	}
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
	task, err := queue.Task(ctx, tq.TaskIn{ID: added.ID})
	if err != nil {
		log.Fatal(err)
	}
	return task
}
