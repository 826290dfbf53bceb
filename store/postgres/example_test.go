package postgres_test

import (
	"context"
	"fmt"

	"example.com/tq"
	"example.com/tq/store/postgres"
	"github.com/jackc/pgx/v5"
)

// An order and the task that mails its receipt are written together, or not at
// all.
func ExampleStore_EnqueueTx() {
	if err := order(context.Background(), exampleAddress()); err != nil {
		fmt.Println(err)
	}
	// Output: task 1 is pending
}

func order(ctx context.Context, address string) error {
	queue, err := postgres.Open(address, postgres.Options{Schema: "shop_example"})
	if err != nil {
		return err
	}
	defer func() { _ = queue.Close() }() // everything was committed before
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }()
	defer func() { _, _ = db.Exec(ctx, `drop schema shop_example cascade`) }() // this is an example

	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // does nothing after the commit
	if _, err := tx.Exec(ctx, `create temp table orders (id int, item text) on commit drop`); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `insert into orders values (1, $1)`, "a lamp"); err != nil {
		return err
	}
	tasks, err := queue.EnqueueTx(ctx, tx, tq.NewTask{Type: "mail-receipt", Payload: []byte(`{"order": 1}`)})
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	if err := queue.Wake(ctx); err != nil { // without it, workers see the task within a second
		return err
	}
	fmt.Printf("task %d is %s\n", tasks[0].ID, tasks[0].Status)
	return nil
}

func exampleAddress() string { return postgres.Server.URL() }
