package tq

import (
	"context"
	"encoding/json"
	"fmt"
)

// The few words that most Go programs need: put a value in, wait for its end.
// They speak Client, so they work in process and over a hub alike.

// Args is the payload of one type of task: a struct that encodes to JSON and
// says which type it is.
type Args interface{ Kind() string }

// Task makes n the task that args ask for: their Kind is its type, their JSON
// its payload. Everything else of n stays.
func (n NewTask) Task(args Args) (NewTask, error) {
	payload, err := json.Marshal(args)
	if err != nil {
		return NewTask{}, Errorf(CodeInvalid, "payload: encode %T: %w", args, err)
	}
	n.Type, n.Payload = args.Kind(), payload
	return n, nil
}

// Enqueue puts one task in: its type and payload are those of args, the rest is
// n's. With an idempotency key, a repeat answers with the first task.
func Enqueue(ctx context.Context, c Client, args Args, n NewTask) (Enqueued, error) {
	n, err := n.Task(args)
	if err != nil {
		return Enqueued{}, err
	}
	out, err := EnqueueMany(ctx, c, n)
	if err != nil {
		return Enqueued{}, err
	}
	return out[0], nil
}

// EnqueueMany puts 1 to MaxBatch tasks in, all or none, and answers in their
// order.
func EnqueueMany(ctx context.Context, c Client, tasks ...NewTask) ([]Enqueued, error) {
	out, err := c.Enqueue(ctx, EnqueueIn{Tasks: tasks})
	if err != nil {
		return nil, err
	}
	if len(out.Tasks) != len(tasks) {
		return nil, Errorf(CodeInternal, "enqueue answered %d of %d tasks", len(out.Tasks), len(tasks))
	}
	return out.Tasks, nil
}

// Wait waits until the task has ended or ctx has, and returns it as it stands
// then, with its result or last error. A task that ended badly is not an error;
// look at its Status.
func Wait(ctx context.Context, c Client, id int64) (Task, error) {
	for {
		out, err := c.Wait(ctx, WaitIn{IDs: []int64{id}, Wait: Duration(MaxWait)})
		if err != nil {
			return Task{}, fmt.Errorf("wait for task %d: %w", id, err)
		}
		if t := out.Tasks[0]; t.Status.Terminal() || ctx.Err() != nil {
			return t, ctx.Err()
		}
	}
}
