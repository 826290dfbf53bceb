package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"example.com/tq"
)

// A copy that is made while others write is whole: everything answered before
// it began is in it, and its journal is a beginning of the other's.
func TestACopyUnderLoadIsABeginningOfTheStore(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	before := enqueueBefore(t, s, 200)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Enqueue(context.Background(), []tq.NewTask{normal(t, tq.NewTask{Type: "load"})}, "writer"); err != nil {
					t.Errorf("enqueue beside a copy: %v", err)
					return
				}
			}
		})
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	err := s.Backup(t.Context(), file, nil)
	stop()
	writers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v (%v), want a file for its owner alone", info.Mode(), err)
	}
	to := filepath.Join(t.TempDir(), "restored.db")
	if err := Restore(t.Context(), file, to, nil); err != nil {
		t.Fatal(err)
	}
	r, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	sound(t, r)
	was, is := factsOf(t, s), factsOf(t, r)
	if len(is) < before || !slices.Equal(is, was[:len(is)]) {
		t.Errorf("the copy has %d facts, the store %d: no beginning of it that holds the %d from before", len(is), len(was), before)
	}
}

func enqueueBefore(t *testing.T, s *Store, n int) int {
	t.Helper()
	tasks := make([]tq.NewTask, n)
	for i := range tasks {
		tasks[i] = normal(t, tq.NewTask{Type: "before"})
	}
	if _, err := s.Enqueue(t.Context(), tasks, "ann"); err != nil {
		t.Fatal(err)
	}
	return n
}

// factsOf reads all facts, as what tells them apart.
func factsOf(t *testing.T, s *Store) []tq.Fact {
	t.Helper()
	var all []tq.Fact
	for {
		page, err := s.Facts(t.Context(), tq.FactQuery{After: last(all), Limit: tq.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

func last(facts []tq.Fact) int64 {
	if len(facts) == 0 {
		return 0
	}
	return facts[len(facts)-1].Seq
}

func TestCopiesOverwriteNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	enqueueBefore(t, s, 1)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), there, nil); tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("a copy over a file: %v", err)
	}
	if err := Restore(t.Context(), there, filepath.Join(dir, "new.db"), nil); tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("a restore of what is no copy: %v", err)
	}
	file := filepath.Join(dir, "copy.db")
	if err := s.Backup(t.Context(), file, nil); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), file, there, nil); tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("a restore over a file: %v", err)
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "mine" {
		t.Errorf("the file that was there has %q (%v)", text, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("drafts were left: %v (%v)", left, err)
	}
	sound(t, s)
}

// Whoever waits for a copy hears how far it is, and may give up: then nothing is
// left.
func TestACopyTellsHowFarItIsAndCanBeGivenUp(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	enqueueBefore(t, s, 1_000)
	dir := t.TempDir()
	file := filepath.Join(dir, "copy.db")
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	if err := s.Backup(ctx, file, func(int64, int64) { giveUp() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a copy that was given up ended with %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("a copy that was given up left %v (%v)", left, err)
	}
	if err := s.Backup(t.Context(), file, nil); err != nil {
		t.Fatal(err)
	}
	var heard, size int64
	hear := func(done, of int64) { heard, size = done, of }
	if err := Restore(t.Context(), file, filepath.Join(dir, "restored.db"), hear); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || heard != size || size != info.Size() {
		t.Errorf("of a copy of %d bytes (%v) it was told that %d of %d are restored", info.Size(), err, heard, size)
	}
	if err := Restore(ctx, file, filepath.Join(dir, "given up.db"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a restore that was given up ended with %v", err)
	}
}
