package sqlite

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.com/tq/store/storetest"
)

// The newest schema has its file too, so that it is there on the day that it is an
// older one.
func TestFilesOfEveryOlderSchemaComeAlong(t *testing.T) {
	t.Parallel()
	texts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= len(texts); version++ {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			t.Parallel()
			path := unpack(t, fmt.Sprintf("testdata/schema-%d.db.gz", version))
			if found, err := probe(path, len(texts)); err != nil || int(found) != version {
				t.Fatalf("the golden file has schema %d (%v), want %d", found, err, version)
			}
			s, err := Open(path, Options{})
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

// unpack writes a golden file into a folder of the test.
func unpack(t *testing.T, name string) string {
	t.Helper()
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
	path := filepath.Join(t.TempDir(), "tq.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
