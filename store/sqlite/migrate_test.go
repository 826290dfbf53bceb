package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	zs "zombiezen.com/go/sqlite"
)

// schema is all that a database is made of.
func schema(t *testing.T, c *conn) []string {
	t.Helper()
	q := c.sql(`select type, name, tbl_name, sql from sqlite_schema order by type, name`)
	var all []string
	for q.next() {
		all = append(all, q.colText(0)+" "+q.colText(1)+" "+q.colText(2)+" "+q.colText(3))
	}
	if err := q.end(); err != nil {
		t.Fatal(err)
	}
	return all
}

func blank(t *testing.T) (*conn, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blank.db")
	c, err := openConn(path, zs.OpenReadWrite|zs.OpenCreate, ``)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.close() }) // closed by the test, or as it broke
	return c, path
}

func TestAnInterruptedMigrationBeginsAnew(t *testing.T) {
	t.Parallel()
	texts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, `create table later (a); create table last (b);`)
	fresh, _ := blank(t)
	if err := migrate(fresh, texts); err != nil {
		t.Fatal(err)
	}
	want := schema(t, fresh)
	// The connection is lost after k statements of the second migration.
	for k := range 4 {
		c, path := blank(t)
		if err := migrate(c, texts[:1]); err != nil {
			t.Fatal(err)
		}
		steps := []string{`begin immediate`, `create table later (a)`, `create table last (b)`, `pragma user_version = 2`}
		for _, step := range steps[:k+1] {
			if err := c.script(step); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
		again, err := openConn(path, zs.OpenReadWrite, ``)
		if err != nil {
			t.Fatal(err)
		}
		if err := migrate(again, texts); err != nil {
			t.Errorf("after %d statements: %v", k+1, err)
		}
		if got := schema(t, again); !slices.Equal(got, want) {
			t.Errorf("after %d statements the schema is\n%q, want\n%q", k+1, got, want)
		}
		if err := again.close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMigrationThatFailsLeavesTheSchemaAsItWas(t *testing.T) {
	t.Parallel()
	texts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	c, _ := blank(t)
	if err := migrate(c, texts); err != nil {
		t.Fatal(err)
	}
	before := schema(t, c)
	if err := migrate(c, append(texts, `create table half (a); create table meta (b);`)); err == nil {
		t.Fatal("a table was created twice")
	}
	if got := schema(t, c); !slices.Equal(got, before) {
		t.Errorf("the schema is now %q", got)
	}
	version, err := c.one(`pragma user_version`)
	if err != nil || int(version) != len(texts) {
		t.Errorf("user_version is %d (%v)", version, err)
	}
}
