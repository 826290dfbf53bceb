// Package move shows what moving a store from one engine to another keeps, while
// workers go on and whoever moves it is killed.
package move

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/move"
	"example.com/tq/store"
	"example.com/tq/store/postgres/pgtest"
)

// place is where a store is or will be.
type place func(t *testing.T) string

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "tq.db") }

func schema(t *testing.T) string { return pgtest.Address(t, pgtest.Shared(t).URL()) }

// ways are the directions of a move.
func ways() map[string][2]place {
	return map[string][2]place{
		"file to server":   {file, schema},
		"server to file":   {schema, file},
		"file to file":     {file, file},
		"server to server": {schema, schema},
	}
}

func open(t *testing.T, address string) tq.Movable {
	t.Helper()
	s, err := store.Open(address, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(tq.Movable)
}

// Everything that a store knows is the same on the other side: rows, tokens,
// keys, places in line, what waits for what, what readers follow by cursor.
func TestAMoveKeepsEverything(t *testing.T) {
	t.Parallel()
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, there := open(t, way[0](t)), way[1](t)
			l := newLife(t, from, 7)
			l.live(600)
			_, err := l.b.Pause(l.ctx(), tq.QueueIn{Queue: "slow"})
			l.must("pause", err)
			_, err = l.b.CreateToken(l.ctx(), tq.CreateTokenIn{Name: "bob", Can: []tq.Scope{tq.CanRead}, Queues: []string{"*"}})
			l.must("create a token", err)
			moved(t, from, there)
			to := open(t, there)
			sameWholes(t, from, to)
			sound(t, from)
			sound(t, to)
			sameCounts(t, from, to)
			goesOn(t, l, to)
		})
	}
}

// moved moves a store by the book.
func moved(t *testing.T, from tq.Movable, there string) move.Moved {
	t.Helper()
	to := open(t, there)
	m := move.Mover{From: from, To: to, FromPlace: "here", ToPlace: there}
	out, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sound(t *testing.T, s tq.Store) {
	t.Helper()
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("check of %s: %s: task %d: %s", s.Info().Engine, v.Invariant, v.TaskID, v.Detail)
	}
}

func wholes(t *testing.T, s tq.Movable) map[int64][]byte {
	t.Helper()
	all := map[int64][]byte{}
	err := s.Export(t.Context(), tq.ExportQuery{}, func(w *tq.Whole) error {
		b, err := json.Marshal(w)
		all[w.ID] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameWholes(t *testing.T, from, to tq.Movable) {
	t.Helper()
	theirs, ours := wholes(t, from), wholes(t, to)
	if len(theirs) == 0 || len(theirs) != len(ours) {
		t.Errorf("%d tasks were moved, %d are there", len(theirs), len(ours))
	}
	for id, text := range theirs {
		if !bytes.Equal(text, ours[id]) {
			t.Errorf("task %d was\n\t%s\nand is\n\t%s", id, text, ours[id])
		}
	}
}

func sameCounts(t *testing.T, from, to tq.Store) {
	t.Helper()
	was, err := from.Queues(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	is, err := to.Queues(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*tq.Census{&was, &is} {
		for i := range c.Lines {
			c.Lines[i].OldestReady = tq.Time{}
		}
	}
	a, b := text(t, was), text(t, is)
	if a != b {
		t.Errorf("counts were\n\t%s\nand are\n\t%s", a, b)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// goesOn does in the new place what was begun in the old one.
func goesOn(t *testing.T, l *life, to tq.Movable) {
	t.Helper()
	old := l.b
	l.b = tq.New(to, tq.Options{Actor: "ann"})
	_, err := old.Enqueue(l.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "mail"}}})
	if moved := tq.AsMoved(err); moved == nil || moved.To == "" {
		t.Errorf("an enqueue in the old place was answered %v", err)
	}
	facts, err := l.b.Facts(l.ctx(), tq.FactsIn{Last: true, Limit: 1})
	l.must("facts", err)
	end := facts.Facts[0].Seq

	first, err := l.b.Complete(l.ctx(), tq.CompleteIn{Leases: l.ended})
	l.must("repeat what was settled", err)
	for i, s := range first.Leases {
		if s.Error == nil && !s.Replayed || s.Error != nil && s.Error.Code != tq.CodeNotFound {
			t.Errorf("a repeat of a settle of task %d is answered %+v (%v)", l.ended[i].TaskID, s, s.Error)
		}
	}
	for _, c := range l.held {
		out, err := l.b.Complete(l.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
		l.must("complete", err)
		task, err := l.b.Task(l.ctx(), tq.TaskIn{ID: c.ID})
		l.must("task", err)
		if e := out.Leases[0].Error; e != nil && task.Status == tq.Running {
			t.Errorf("task %d is held, but its token is answered %v", c.ID, e)
		}
	}
	l.held = nil
	l.live(200)
	sound(t, to)
	page, err := l.b.Facts(l.ctx(), tq.FactsIn{After: end, Limit: tq.MaxPage})
	l.must("facts", err)
	if len(page.Facts) == 0 || page.Facts[0].Seq <= end {
		t.Errorf("behind the end of the old journal stand %d facts", len(page.Facts))
	}
}
