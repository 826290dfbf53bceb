package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/tq"
)

func TestExamineSaysHowTheFileIsKept(t *testing.T) {
	t.Parallel()
	now := time.Now()
	path := filepath.Join(t.TempDir(), "tq.db")
	s, err := Open(path, Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	task, err := tq.NewTask{Type: "work"}.Normal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enqueue(t.Context(), []tq.NewTask{task}, "tester"); err != nil {
		t.Fatal(err)
	}
	for name, level := range levels(t, s) {
		if level != tq.LevelOK {
			t.Errorf("%s of a fresh file is %s", name, level)
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	now = now.Add(-time.Minute)
	got := levels(t, s)
	for name, want := range map[string]tq.Level{"file": tq.LevelNote, "clock": tq.LevelBad, "lock": tq.LevelOK} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %s", name, got[name], want)
		}
	}
}

func levels(t *testing.T, s *Store) map[string]tq.Level {
	t.Helper()
	found, err := s.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tq.Level{}
	for _, f := range found {
		all[f.Name] = f.Level
		if (f.Hint == "") != (f.Level == tq.LevelOK) {
			t.Errorf("%s is %s with the hint %q", f.Name, f.Level, f.Hint)
		}
	}
	return all
}
