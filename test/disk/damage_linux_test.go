package disk

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.com/tq"
	"example.com/tq/store"
	"example.com/tq/test/tally"
)

// Damaged files: the log of a killed writer is torn off, a bit of it flipped, a
// sector of it zeroed, anywhere. What is opened then holds a beginning of what
// was written, whole tasks with their facts, and goes on.
//
// No checkpoint has moved anything out of the log: once one has, the database
// needs the log as far as it was moved, and no program can mend a log that lost
// that.

func TestADamagedLogIsReadUpToTheDamage(t *testing.T) {
	t.Parallel()
	files := tally.Number(t, "TQ_DAMAGES", 40)
	d := newDamage(t)
	for range files {
		d.one()
	}
	d.counts.OK = d.counts.Acknowledged - d.counts.Unexpected
	t.Logf("%d of %d facts stood behind the damage, in %d files", d.behind, files*len(d.whole), files)
	d.counts.Report(t)
}

// damage is a log and its database, and what they hold when they are sound.
type damage struct {
	t        *testing.T
	rng      *rand.Rand
	db, log  []byte
	whole    []tq.Fact
	behind   int // facts that the damage took
	counts   tally.Counts
	damagers []func(log []byte, at int) []byte
}

func newDamage(t *testing.T) *damage {
	t.Helper()
	seed := tally.Seed(t)
	d := &damage{t: t, rng: rand.New(rand.NewPCG(seed, 0)), counts: tally.Counts{Seed: seed}}
	d.damagers = []func([]byte, int) []byte{
		func(log []byte, at int) []byte { return log[:at] },
		func(log []byte, at int) []byte { log[at] ^= 1 << d.rng.IntN(8); return log },
		func(log []byte, at int) []byte { clear(log[at:min(at+512, len(log))]); return log },
	}
	path := filepath.Join(t.TempDir(), "tq.db")
	said, stop := newAnswered().start(t, path, "full", 200)
	<-said
	stop()
	d.db, d.log = d.read(path), d.read(path+"-wal")
	if len(d.log) == 0 {
		t.Fatal("the writer left no log: nothing is shown")
	}
	d.opened(d.log, func(s tq.Store) { d.whole = facts(t, s) })
	return d
}

func (d *damage) read(path string) []byte {
	d.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// opened opens a copy with that log.
func (d *damage) opened(log []byte, use func(tq.Store)) {
	d.t.Helper()
	dir, err := os.MkdirTemp(d.t.TempDir(), "")
	if err != nil {
		d.t.Fatal(err)
	}
	path := filepath.Join(dir, "tq.db")
	err = errors.Join(os.WriteFile(path, d.db, 0o600), os.WriteFile(path+"-wal", log, 0o600))
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := store.Open(path, store.Options{Durability: "relaxed"}) // what is read does not depend on it
	if err != nil {
		d.t.Errorf("open a damaged store: %v", err)
		d.counts.Unexpected++
		return
	}
	use(s)
	if err := errors.Join(s.Close(), os.RemoveAll(dir)); err != nil {
		d.t.Error(err)
	}
}

// one damages the log somewhere and looks at what is left.
func (d *damage) one() {
	d.t.Helper()
	at, kind := d.rng.IntN(len(d.log)), d.rng.IntN(len(d.damagers))
	log := d.damagers[kind](append([]byte(nil), d.log...), at)
	d.counts.Faults++
	d.counts.Attempted++
	d.opened(log, func(s tq.Store) {
		d.counts.Acknowledged++
		wrong := d.wrongWith(s)
		if wrong == "" {
			return
		}
		d.counts.Unexpected++
		d.t.Errorf("damage of kind %d at byte %d of %d: %s", kind, at, len(d.log), wrong)
	})
}

func (d *damage) wrongWith(s tq.Store) string {
	d.t.Helper()
	left := facts(d.t, s)
	d.behind += len(d.whole) - len(left)
	born := map[int64]bool{}
	for i, f := range left {
		if i >= len(d.whole) || f.Seq != d.whole[i].Seq || f.TaskID != d.whole[i].TaskID || f.Kind != d.whole[i].Kind {
			return "the journal is no beginning of what was written"
		}
		born[f.TaskID] = true
	}
	for id := range keysOf(d.t, s) {
		if !born[id] {
			return "a task without facts"
		}
	}
	if broken, err := s.Check(d.t.Context()); err != nil || len(broken) > 0 {
		return "check finds something"
	}
	w := &writer{store: s, start: "after", quiet: true}
	if err := errors.Join(w.enqueue(d.t.Context()), w.finish(d.t.Context())); err != nil {
		return "it does not go on: " + err.Error()
	}
	return ""
}

// facts reads the journal of s.
func facts(t *testing.T, s tq.Store) []tq.Fact {
	t.Helper()
	var all []tq.Fact
	for after := int64(0); ; after = all[len(all)-1].Seq {
		page, err := s.Facts(t.Context(), tq.FactQuery{After: after, Limit: tq.MaxPage})
		if err != nil {
			t.Fatalf("read the journal: %v", err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}
