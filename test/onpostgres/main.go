// Command onpostgres runs a command beside a PostgreSQL for tests: the one that
// TQ_TEST_POSTGRES names, else one of its own that ends with it. The command
// finds in TQ_STORES the beginning of an address; with a word of its own behind
// it, it is the address of a store, which is dropped in the end.
//
//	go run ./test/onpostgres npm --prefix web run journeys -- smoke
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"example.com/tq/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

func main() {
	err := run(context.Background(), os.Args[1:])
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode()) // it has said why itself
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "onpostgres:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command []string) error {
	if len(command) == 0 {
		return errors.New("name the command to run")
	}
	server, err := pgtest.Start()
	if err != nil {
		return err
	}
	prefix := "w_" + strings.ToLower(rand.Text()[:12]) + "_"
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "TQ_STORES="+server.URL()+"&schema="+prefix)
	err = cmd.Run()
	if server.Own() {
		return errors.Join(err, server.Stop())
	}
	return errors.Join(err, drop(ctx, server.URL(), prefix))
}

// drop removes every store that the command made on a server that stays.
func drop(ctx context.Context, url, prefix string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "select nspname from pg_namespace where starts_with(nspname, $1)", prefix)
	if err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		_, failed := conn.Exec(ctx, "drop schema "+pgx.Identifier{name}.Sanitize()+" cascade")
		err = errors.Join(err, failed)
	}
	return errors.Join(err, conn.Close(ctx))
}
