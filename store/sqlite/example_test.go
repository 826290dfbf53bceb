package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/tq"
	"example.com/tq/store/sqlite"
)

// An order and the task that mails its receipt are written together, or not at
// all.
func ExampleEnqueueTx() {
	if err := order(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: task 1 is pending
}

func order(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "tq-example")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // of no use to anybody if it stays
	db, err := sqlite.DB(filepath.Join(folder, "shop.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // everything was committed before
	if _, err := db.ExecContext(ctx, `create table orders (id integer primary key, item text)`); err != nil {
		return err
	}

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if _, err := tx.ExecContext(ctx, `insert into orders (item) values (?)`, "a lamp"); err != nil {
		return err
	}
	tasks, err := sqlite.EnqueueTx(ctx, tx, tq.NewTask{Type: "mail-receipt", Payload: []byte(`{"order": 1}`)})
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	fmt.Printf("task %d is %s\n", tasks[0].ID, tasks[0].Status)
	return nil
}
