package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"example.com/tq"
	"example.com/tq/store/memory"
)

// The life of a task, one step an example: it is put in, claimed, settled; why it
// does not run, what happened to it, and how a program goes on when it lost it.

func newQueue() *tq.Broker { return tq.New(memory.Open(memory.Options{}), tq.Options{Actor: "ann"}) }

// must ends an example that went wrong.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A repeat with the same key answers with the first task; another body says so.
func ExampleEnqueue() {
	ctx, queue := context.Background(), newQueue()
	for _, name := range []string{"Ada", "Ada", "Grace"} {
		added := must(tq.Enqueue(ctx, queue, Greet{name}, tq.NewTask{IdempotencyKey: "greeting", Delay: tq.Duration(time.Hour)}))
		fmt.Println(added.ID, added.Status, added.Existed, added.Mismatch)
	}
	// Output:
	// 1 pending false false
	// 1 pending true false
	// 1 pending true true
}

// A batch goes in as a whole, and its tasks may wait for each other.
func ExampleEnqueueMany() {
	ctx, queue := context.Background(), newQueue()
	added := must(tq.EnqueueMany(ctx, queue,
		tq.NewTask{Type: "build"},
		tq.NewTask{Type: "publish", Deps: []tq.Ref{"$0"}}, // the first of this batch
	))
	for _, task := range added {
		fmt.Println(task.ID, task.Status)
	}
	// Output:
	// 1 pending
	// 2 blocked
}

// Who is no Worker claims by hand: the token settles the attempt, the fence tells
// others which attempt is the newer one.
func ExampleBroker_Claim() {
	ctx, queue := context.Background(), newQueue()
	must(tq.Enqueue(ctx, queue, Greet{"Ada"}, tq.NewTask{}))
	claim := must(queue.Claim(ctx, tq.ClaimIn{Types: []string{"greet"}, Lease: tq.Duration(time.Minute)}))
	for _, task := range claim.Tasks {
		fmt.Printf("task %d, attempt %d, fence %d: %s\n", task.ID, task.Attempt, task.Fence, task.Payload)
		must(queue.Extend(ctx, tq.ExtendIn{Leases: []tq.ExtendLease{{
			LeaseToken: task.LeaseToken, Progress: &tq.Progress{Fraction: 0.5, Note: "half way"},
		}}}))
		out := must(queue.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{
			LeaseToken: task.LeaseToken, Result: json.RawMessage(`"hello"`),
		}}}))
		fmt.Println(out.Leases[0].Status)
	}
	// Output:
	// task 1, attempt 1, fence 1: {"name":"Ada"}
	// completed
}

// A settle that is sent again gets its first answer. One by somebody who has lost
// the task is refused, whatever it says.
func ExampleBroker_Complete() {
	ctx, queue := context.Background(), newQueue()
	must(tq.Enqueue(ctx, queue, Greet{"Ada"}, tq.NewTask{}))
	claim := must(queue.Claim(ctx, tq.ClaimIn{Types: []string{"greet"}}))
	done := tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: claim.Tasks[0].LeaseToken}}}
	for range 2 {
		row := must(queue.Complete(ctx, done)).Leases[0]
		fmt.Println(row.Status, row.Replayed)
	}

	must(tq.Enqueue(ctx, queue, Greet{"Grace"}, tq.NewTask{}))
	lost := must(queue.Claim(ctx, tq.ClaimIn{Types: []string{"greet"}})).Tasks[0]
	must(queue.Cancel(ctx, tq.CancelIn{IDs: []int64{lost.ID}, Force: true}))
	row := must(queue.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: lost.LeaseToken}}})).Leases[0]
	fmt.Println(errors.Is(row.Error, tq.ErrLeaseLost), row.Error.Reason)
	// Output:
	// completed false
	// completed true
	// true cancelled
}

// Why does it not run? One sentence, and what to type.
func ExampleBroker_Explain() {
	ctx, queue := context.Background(), newQueue()
	added := must(tq.Enqueue(ctx, queue, Greet{"Ada"}, tq.NewTask{}))
	must(queue.Pause(ctx, tq.QueueIn{Queue: tq.DefaultQueue}))
	why := must(queue.Explain(ctx, tq.ExplainIn{ID: added.ID}))
	fmt.Println(why.Code)
	fmt.Println(why.Sentence)
	fmt.Println(why.Next[0])
	// Output:
	// paused
	// its queue default is paused
	// tq queue resume default
}

// The journal tells what happened to a task, when, and by whom.
func ExampleBroker_Facts() {
	ctx, queue := context.Background(), newQueue()
	added := must(tq.Enqueue(ctx, queue, Greet{"Ada"}, tq.NewTask{}))
	must(queue.Cancel(ctx, tq.CancelIn{IDs: []int64{added.ID}, Reason: "she is on holiday"}))
	must(queue.As("grace").Rescue(ctx, tq.RescueIn{IDs: []int64{added.ID}}))
	for _, fact := range must(queue.Facts(ctx, tq.FactsIn{TaskID: added.ID})).Facts {
		fmt.Println(fact.Rev, fact.Kind, "by", fact.Actor, fact.Status)
	}
	// Output:
	// 1 task.enqueued by ann pending
	// 2 task.cancelled by ann cancelled
	// 3 task.rescued by grace pending
}
