// Package tq is a durable task queue.
//
// A task is one unit of work: a type, a payload, a queue. It is enqueued into a
// [Store], claimed by a [Worker] under a lease, run by the handler of its type,
// and settled: completed, retried after a wait, or dead with its last error.
// Every change is a [Fact] in the journal. An answer means that it is on disk.
//
// Delivery is at least once. A task runs again when its worker died, or was too
// slow to keep its lease; handlers must be safe to run twice. What tq adds is
// that the second run is rare, can be seen, and that the first can no longer
// settle the task: see the fence in [ClaimedTask] and [Task].Epoch.
//
// A program with a queue, one task and one worker:
//
//	package main
//
//	import (
//		"context"
//		"log"
//
//		"example.com/tq"
//		"example.com/tq/store/sqlite"
//	)
//
//	type Greet struct{ Name string }
//
//	func (Greet) Kind() string { return "greet" }
//
//	func main() {
//		if err := run(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
//	func run(ctx context.Context) error {
//		store, err := sqlite.Open("tq.db", sqlite.Options{})
//		if err != nil {
//			return err
//		}
//		defer store.Close()
//		queue := tq.New(store, tq.Options{})
//		if _, err := tq.Enqueue(ctx, queue, Greet{"Ada"}, tq.NewTask{}); err != nil {
//			return err
//		}
//		worker := tq.Worker{Client: queue, UntilEmpty: true}
//		tq.Handle(&worker, func(_ context.Context, _ *tq.Task, g Greet) (string, error) {
//			return "Hello, " + g.Name, nil
//		})
//		return worker.Run(ctx)
//	}
//
// A program that serves for long also runs the broker beside its workers:
// [Broker.Run] wakes waiting claims, expires leases and keeps retention.
//
// Where things are: [NewTask] and limits.go say what a task may be; [Next] in
// lifecycle.go is the only place where a status changes; [Client] is everything
// that can be asked; [Store] is the seam below; errors.go has the codes and the
// targets for errors.Is. The package imports the standard library only; a
// program links the engine that it imports.
package tq
