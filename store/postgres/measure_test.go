package postgres

import (
	"strings"
	"testing"

	"example.com/tq"
)

func TestAHeldSnapshotStandsInNobodysWay(t *testing.T) {
	t.Parallel()
	s := OpenAt(t, Server.URL(), Options{})
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
	if _, err := s.Enqueue(t.Context(), []tq.NewTask{n}, "bench"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Claim(t.Context(), tq.ClaimQuery{Types: []string{"bench"}, Max: 1, Lease: tq.MinLease})
	if err != nil || len(got.Tasks) != 1 {
		t.Errorf("claimed %d tasks: %v", len(got.Tasks), err)
	}
	after, err := s.Written(t.Context())
	if err != nil || after <= before {
		t.Errorf("the log had %d bytes, then %d: %v", before, after, err)
	}
	if v, err := s.Version(t.Context()); err != nil || !strings.HasPrefix(v, "PostgreSQL 1") {
		t.Errorf("version %q: %v", v, err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
