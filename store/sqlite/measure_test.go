package sqlite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/tq"
)

func TestAHeldSnapshotStandsInNobodysWay(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "tq.db"), Options{Durability: Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	release, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Written(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, err := tq.NewTask{Type: "bench"}.Normal()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Enqueue(t.Context(), slices.Repeat([]tq.NewTask{n}, tq.MaxBatch), "bench"); err != nil {
			t.Fatal(err)
		}
	}
	after, err := s.Written(t.Context())
	if err != nil || after <= before {
		t.Errorf("it took %d bytes, then %d: %v", before, after, err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if v, err := s.Version(t.Context()); err != nil || !strings.HasPrefix(v, "SQLite 3.") {
		t.Errorf("version %q: %v", v, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
