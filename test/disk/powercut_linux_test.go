package disk

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
)

// Power cuts: a writer at work, a clone of its disk at a random moment, and what
// it had been answered by then looked for in the clone. The same disk under a
// store that may lose the last moments is the control: when that loses nothing,
// the rig shows nothing.

func TestAPowerCutLosesNothingOnSQLite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("mounts file systems and takes seconds")
	}
	powerCuts(t, fileOn)
}

func TestAPowerCutLosesNothingOnPostgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("mounts file systems and takes seconds")
	}
	powerCuts(t, serverOn)
}

// engine is a database whose data lies on a disk.
type engine struct {
	db string                             // its address
	at func(dir string, use func(string)) // uses the one on another disk
}

func fileOn(d *disk) engine {
	const name = "tq.db"
	return engine{
		db: filepath.Join(d.dir, name),
		at: func(dir string, use func(string)) { use(filepath.Join(dir, name)) },
	}
}

// serverOn has its log of asynchronous commits written seldom: else the control
// would lose little, and on a slow machine nothing. Who waits for the log is not
// concerned.
func serverOn(d *disk) engine {
	d.t.Helper()
	c, err := pgtest.StartIn(d.dir)
	if err == nil {
		d.t.Cleanup(func() { d.ended(c.Stop()) })
		err = errors.Join(c.Shutdown(), c.Launch("wal_writer_delay=10s", "wal_writer_flush_after=64MB"))
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return engine{db: c.URL(), at: func(dir string, use func(string)) {
		moved, err := c.Moved(dir)
		if err == nil {
			err = moved.Launch()
		}
		if err != nil {
			d.t.Fatalf("the server after the cut: %v", err)
		}
		defer func() { d.ended(moved.Stop()) }()
		use(moved.URL())
	}}
}

func (d *disk) ended(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Error(err)
	}
}

func powerCuts(t *testing.T, on func(*disk) engine) {
	t.Helper()
	seed := tally.Seed(t)
	cuts := tally.Number(t, "TQ_CUTS", 2)
	n := tally.Counts{Seed: seed}
	d := newDisk(t)
	e := on(d)
	for _, durability := range []string{"full", "relaxed"} {
		r := &cutter{t: t, disk: d, engine: e, durability: durability, rng: rand.New(rand.NewPCG(seed, 0)), answered: newAnswered()}
		r.prepare()
		if durability == "relaxed" {
			cuts = min(cuts, 20) // enough to show what the rig sees
		}
		for range cuts {
			r.cut()
		}
		t.Logf("durability %s, seed %d: %d cuts, %d facts acknowledged, lost %d in %d cuts, %d looked for and found, %d found without an answer, longest recovery %s",
			durability, seed, cuts, r.answered.total(), r.lost, r.losses, r.found, r.extra, r.longest.Round(time.Millisecond))
		if durability == "relaxed" {
			n.ControlLost = r.lost
			continue
		}
		n.Faults, n.Attempted, n.Acknowledged, n.OK = cuts, r.found+r.lost, r.found+r.lost, r.found
		n.Lost, n.Recovered, n.Longest = r.lost, r.extra, r.longest
	}
	n.Report(t)
	if n.ControlLost == 0 {
		t.Error("the control lost nothing: the rig is broken, and what it shows of full durability counts for nothing")
	}
}

// cutter is one durability under one power cut after another.
type cutter struct {
	t          *testing.T
	disk       *disk
	engine     engine
	durability string
	rng        *rand.Rand
	answered   *answered
	before     map[act]bool // what stood in the journal already

	found, lost, losses, extra int
	longest                    time.Duration
}

// prepare makes the tables, so that a cut never meets their making, and has the
// disk hold what is there so far.
func (r *cutter) prepare() {
	r.t.Helper()
	r.open(r.engine.db, func(s tq.Store) { r.before = r.journal(s) })
	r.disk.settle()
}

func (r *cutter) open(db string, use func(tq.Store)) {
	r.t.Helper()
	s, err := store.Open(db, store.Options{Durability: r.durability})
	if err != nil {
		r.t.Fatalf("open: %v", err)
	}
	use(s)
	if err := s.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
}

// cut lets a new writer work, cuts the power under it, and looks at the disk.
func (r *cutter) cut() {
	r.t.Helper()
	said, stop := r.answered.start(r.t, r.engine.db, r.durability, 50+r.rng.IntN(250))
	<-said
	promised := r.answered.until()
	image := r.disk.cut()
	stop()
	for _, f := range r.answered.failures {
		r.t.Errorf("the writer met an error: %s", f)
	}
	r.disk.found(image, func(dir string) {
		began := time.Now()
		r.engine.at(dir, func(db string) {
			r.open(db, func(s tq.Store) {
				r.longest = max(r.longest, time.Since(began))
				r.compare(s, promised)
				sound(r.t, s)
				r.goesOn(s)
			})
		})
	})
}

// compare looks for each answer in the journal, and for each key at its task.
func (r *cutter) compare(s tq.Store, promised *answered) {
	r.t.Helper()
	journal, keys := r.journal(s), keysOf(r.t, s)
	lost := 0
	for id, key := range promised.enqueued {
		fact := act{tq.FactEnqueued, id, 0}
		if !journal[fact] || keys[id] != key {
			lost++
		}
		delete(journal, fact)
	}
	for a := range promised.acts {
		if !journal[a] {
			lost++
		}
		delete(journal, a)
	}
	r.lost += lost
	r.found += promised.total() - lost
	for a := range journal {
		if !r.before[a] {
			r.extra++
		}
	}
	if lost > 0 {
		r.losses++
	}
}

func (r *cutter) journal(s tq.Store) map[act]bool {
	r.t.Helper()
	all := map[act]bool{}
	for after := int64(0); ; {
		facts, err := s.Facts(r.ctx(), tq.FactQuery{After: after, Limit: tq.MaxPage})
		if err != nil {
			r.t.Fatalf("read the journal: %v", err)
		}
		if len(facts) == 0 {
			return all
		}
		for _, f := range facts {
			after = f.Seq
			if f.Kind != tq.FactDeadLettered { // in one breath with its failed
				all[act{f.Kind, f.TaskID, f.Epoch}] = true
			}
		}
	}
}

// keysOf is the key of every task in s.
func keysOf(t *testing.T, s tq.Store) map[int64]string {
	t.Helper()
	all := map[int64]string{}
	for q := (tq.TaskQuery{Limit: tq.MaxPage}); ; {
		page, err := s.Tasks(t.Context(), q)
		if err != nil {
			t.Fatalf("read the tasks: %v", err)
		}
		for _, task := range page.Tasks {
			all[task.ID] = task.IdempotencyKey
		}
		if !page.More {
			return all
		}
		q.Before = page.Next
	}
}

// goesOn works off one more task in what was found.
func (r *cutter) goesOn(s tq.Store) {
	r.t.Helper()
	w := &writer{store: s, start: "after", quiet: true}
	if err := errors.Join(w.enqueue(r.ctx()), w.finish(r.ctx())); err != nil {
		r.t.Errorf("after the cut: %v", err)
	}
}

func (r *cutter) ctx() context.Context { return context.WithoutCancel(r.t.Context()) }

// sound fails the test when check finds anything.
func sound(t *testing.T, s tq.Store) {
	t.Helper()
	broken, err := s.Check(t.Context())
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, v := range broken {
		t.Errorf("check: %s: task %d: %s", v.Invariant, v.TaskID, v.Detail)
	}
}
