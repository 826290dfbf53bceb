package pgtest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Address is that of a schema of its own, for a store to be opened in, on the
// server whose database is at url. It is dropped when tb ends.
func Address(tb testing.TB, url string) string {
	tb.Helper()
	schema := "t_" + strings.ToLower(rand.Text()[:12])
	tb.Cleanup(func() { Drop(tb, url, schema) })
	return url + "&schema=" + schema + "&application_name=" + schema // to be told apart in the server's views
}

// Drop removes a schema and all in it.
func Drop(tb testing.TB, url, schema string) {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err == nil {
		_, err = conn.Exec(ctx, "drop schema if exists "+pgx.Identifier{schema}.Sanitize()+" cascade")
	}
	if err != nil {
		tb.Errorf("drop %s: %v", schema, err)
		return
	}
	if err := conn.Close(ctx); err != nil {
		tb.Errorf("drop %s: %v", schema, err)
	}
}

// Shared starts a server for one test and what runs inside it, or takes the one
// that Env names.
func Shared(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := Start()
	return stopped(tb, c, err)
}

// Own starts a server that the test may stop, kill and set as it likes.
func Own(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := StartOwn()
	return stopped(tb, c, err)
}

func stopped(tb testing.TB, c *Cluster, err error) *Cluster {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return c
}
