package tq_test

import (
	"context"
	"fmt"
	"log"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// Greet is the payload of a task; its Kind is the task's type.
type Greet struct {
	Name string `json:"name"`
}

func (Greet) Kind() string { return "greet" }

// A queue, a typed handler, a task, and the worker that runs it.
func Example() {
	ctx := context.Background()
	queue := tq.New(memory.Open(memory.Options{}), tq.Options{})

	worker := &tq.Worker{Client: queue, UntilEmpty: true}
	tq.Handle(worker, func(_ context.Context, _ *tq.Task, args Greet) (string, error) {
		return "hello " + args.Name, nil
	})

	added, err := tq.Enqueue(ctx, queue, Greet{Name: "Ada"}, tq.NewTask{IdempotencyKey: "greet-ada"})
	if err != nil {
		log.Fatal(err)
	}
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
	task, err := tq.Wait(ctx, queue, added.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(task.Status, string(task.Result))
	// Output: completed "hello Ada"
}
