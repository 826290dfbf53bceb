package postgres

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"testing"

	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/store/storetest"
	"github.com/jackc/pgx/v5"
)

// The newest schema has its store too, so that it is there on the day that it is
// an older one.
func TestDatabasesOfOlderSchemasComeAlong(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	newest := len(names)
	for version := 3; version <= newest; version++ { // 1 was no address of a tq yet; 2 and 4 were replaced within hours
		if version == 4 { // no store of it was kept
			continue
		}
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			t.Parallel()
			s, err := Open(restored(t, version), Options{})
			if err != nil {
				t.Fatal(err)
			}
			storetest.Golden(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// restored is the address of a schema of its own with what a tq of that version
// left behind.
func restored(t *testing.T, version int) string {
	t.Helper()
	address := pgtest.Address(t, Server.URL())
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), Server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }() // all it did is committed
	schema := u.Query().Get("schema")
	text := strings.NewReplacer(
		"tq.", schema+".", "CREATE SCHEMA tq;", "CREATE SCHEMA "+schema+";",
		"search_path TO 'tq'", "search_path TO '"+schema+"'", "search_path', '', false", "search_path', '', true",
	).Replace(dump(t, version))
	if _, err := conn.PgConn().Exec(t.Context(), text).ReadAll(); err != nil {
		t.Fatalf("restore schema %d: %v", version, err)
	}
	return address
}

// dump is what pg_dump wrote, without what only psql understands.
func dump(t *testing.T, version int) string {
	t.Helper()
	name := fmt.Sprintf("testdata/schema-%d.sql.gz", version)
	packed, err := os.Open(name)
	if err != nil {
		t.Fatalf("%v: tools/golden.sh makes it, with a tq of that schema", err)
	}
	defer func() { _ = packed.Close() }() // it was read
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `\`) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
