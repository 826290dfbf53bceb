package postgres

import (
	"testing"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
)

func (w *world) levels() map[string]tq.Level {
	w.t.Helper()
	found, err := w.Examine(w.ctx())
	w.must("examine", err)
	all := map[string]tq.Level{}
	for _, f := range found {
		all[f.Name] = f.Level
		if (f.Hint == "") != (f.Level == tq.LevelOK) {
			w.t.Errorf("%s is %s with the hint %q", f.Name, f.Level, f.Hint)
		}
	}
	return all
}

func TestExamineSaysHowTheServerIsKept(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	w := worldOf(t, OpenAt(t, server.URL(), Options{}), nil)
	w.enqueue(tq.NewTask{})
	for name, level := range w.levels() {
		if level != tq.LevelOK {
			t.Errorf("%s of a fresh server is %s", name, level)
		}
	}
	w.must("shut down", server.Shutdown())
	w.must("launch", server.Launch("autovacuum=off", "full_page_writes=off", "synchronous_commit=off"))
	got := w.levels()
	for name, want := range map[string]tq.Level{
		"autovacuum": tq.LevelBad, "full_page_writes": tq.LevelBad, "durability": tq.LevelNote, "fsync": tq.LevelOK,
		"oldest snapshot": tq.LevelOK, "dead rows": tq.LevelOK,
	} {
		equal(t, name, got[name], want)
	}
}

func TestARelaxedStoreSaysSo(t *testing.T) {
	t.Parallel()
	w := worldOf(t, OpenAt(t, Server.URL(), Options{Durability: Relaxed, NoNotify: true}), nil)
	equal(t, "durability", w.levels()["durability"], tq.LevelNote)
	equal(t, "notify", w.levels()["notify"], tq.LevelOK)
}
