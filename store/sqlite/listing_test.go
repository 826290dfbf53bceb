package sqlite

import (
	"os"
	"testing"
	"time"

	"example.com/tq"
)

// Lists and counts of many tasks in many lanes: what each of them reads is
// bounded, however many there are. How long that takes, with ten million of
// them, says `make bench-listing`.

// fillMany fills a store with n tasks in so many lanes.
func fillMany(t testing.TB, s *Store, n, lanes int64) {
	t.Helper()
	text, err := os.ReadFile("testdata/many.sql")
	if err != nil {
		t.Fatal(err)
	}
	c, err := openWriter(s.path, Full)
	if err != nil {
		t.Fatal(err)
	}
	err = c.script(`create temp table size (n, now, lanes)`)
	if err == nil {
		err = c.sql(`insert into temp.size values (?, ?, ?)`).int(n).int(s.now()).int(lanes).exec()
	}
	if err == nil {
		err = c.script("begin immediate; " + string(text) + "; commit")
	}
	if err := join(err, c.close()); err != nil {
		t.Fatal(err)
	}
}

// rowsOf answers how many rows fn makes the readers of a store ask for.
func rowsOf(s *Store, fn func() error) (int, error) {
	before := steps(s)
	err := fn()
	return steps(s) - before, err
}

// steps adds up all readers, which are at rest.
func steps(s *Store) (n int) {
	s.readers.mu.Lock()
	defer s.readers.mu.Unlock()
	for _, c := range s.readers.idle {
		n += c.steps
	}
	return n
}

func TestListsOfManyTasksReadFewRows(t *testing.T) {
	t.Parallel()
	const n, lanes = 200_000, 10_000
	// The clock stands still: what ends a walk is its length.
	now := time.Now()
	s := openStore(t, Options{Clock: func() time.Time { return now }})
	fillMany(t, s, n, lanes)
	if _, err := s.Queues(t.Context()); err != nil { // reads the lanes, for all who come later
		t.Fatal(err)
	}
	const counters = 25_000 // rows that say how many tasks each lane has
	long := maxWalk * 6     // rows of a task that is looked at and left out
	for name, x := range map[string]struct {
		q    tq.TaskQuery
		most int
	}{
		"all":                 {tq.TaskQuery{}, 500},
		"one lane":            {tq.TaskQuery{Queue: "q7", Type: "t0", Project: "p0"}, 500},
		"a queue":             {tq.TaskQuery{Queue: "q99"}, 1_000},
		"a type":              {tq.TaskQuery{Type: "t3"}, 1_500},
		"a project":           {tq.TaskQuery{Project: "p1"}, 3_000},
		"nobody's queue":      {tq.TaskQuery{Queue: "none"}, 20},
		"completed":           {tq.TaskQuery{Status: "completed"}, counters + 1_000},
		"dead":                {tq.TaskQuery{Status: "dead"}, counters + 3_000},
		"dead in a queue":     {tq.TaskQuery{Status: "dead", Queue: "q7"}, 20_000},
		"cancelled of a type": {tq.TaskQuery{Status: "cancelled", Type: "t0"}, 20_000},
		"ready":               {tq.TaskQuery{Status: "ready"}, long},
		"scheduled":           {tq.TaskQuery{Status: "scheduled"}, long},
		"retrying":            {tq.TaskQuery{Status: "retrying"}, long},
		"running":             {tq.TaskQuery{Status: "running"}, long},
		"blocked":             {tq.TaskQuery{Status: "blocked"}, long},
		"pending in a queue":  {tq.TaskQuery{Status: "pending", Queue: "q3"}, long},
		"a key":               {tq.TaskQuery{Key: "key-12343"}, 20},
		"a key of many":       {tq.TaskQuery{Key: "often"}, 500},
		"a parent of many":    {tq.TaskQuery{Parent: 1}, 500},
		"words of few":        {tq.TaskQuery{Search: `"order":199999`}, long},
		"words of none":       {tq.TaskQuery{Search: "nowhere"}, long},
	} {
		rows, err := rowsOf(s, func() error {
			page, err := s.Tasks(t.Context(), x.q)
			if page.More && len(page.Tasks) < tq.DefaultPage && page.Searched == 0 {
				t.Errorf("%s: a short page of %d does not say how many it looked at", name, len(page.Tasks))
			}
			return err
		})
		if err != nil || rows > x.most {
			t.Errorf("%s: read %d rows, want at most %d: %v", name, rows, x.most, err)
		}
	}
	var census tq.Census
	rows, err := rowsOf(s, func() (err error) {
		census, err = s.Queues(t.Context())
		return err
	})
	// Lanes and their counters once, and the heads of up to four priorities.
	if most := 9*lanes + 4*lanes; err != nil || rows > most {
		t.Errorf("counting read %d rows, want at most %d: %v", rows, most, err)
	}
	var all int64
	for i := range census.Lines {
		l := &census.Lines[i]
		all += l.Ready + l.Scheduled + l.Blocked + l.Running + l.Completed + l.Dead + l.Cancelled
		if l.Ready > 0 && l.OldestReady.IsZero() {
			t.Errorf("the oldest ready task of %s %s %s is not known", l.Queue, l.Type, l.Project)
		}
	}
	equal(t, "tasks counted", all, n)
	var causes tq.Causes
	rows, err = rowsOf(s, func() (err error) {
		causes, err = s.Causes(t.Context(), tq.CauseQuery{})
		return err
	})
	const dead = n / 100
	if err != nil || rows > dead+100 {
		t.Errorf("the causes of %d deaths read %d rows: %v", dead, rows, err)
	}
	var counted int64
	for _, l := range causes.Lines {
		counted += l.Dead
	}
	equal(t, "dead tasks counted by cause", counted, int64(dead))
	rows, err = rowsOf(s, func() error {
		_, err := s.Facts(t.Context(), tq.FactQuery{Last: true, Limit: 1_000})
		return err
	})
	if err != nil || rows > 1_100 {
		t.Errorf("the newest 1,000 facts read %d rows: %v", rows, err)
	}
}

// What runs is listed at once, however much newer stands before it in a walk:
// with more of both than a page looks at the list was empty, and said "more".
func TestWhatRunsIsFoundBehindALongQueue(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := openStore(t, Options{Clock: func() time.Time { return now }})
	const running, newer = maxListed + 100, maxWalk + 100
	enqueueMany(t, s, running, tq.NewTask{Type: "held"})
	for range running / tq.MaxClaim {
		if _, err := s.Claim(t.Context(), tq.ClaimQuery{Max: tq.MaxClaim, Lease: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	enqueueMany(t, s, newer, tq.NewTask{Type: "waiting"})
	for _, q := range []tq.TaskQuery{{Status: "running"}, {Status: "running", Type: "held"}} {
		page, err := s.Tasks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "tasks shown", len(page.Tasks), tq.DefaultPage)
		equal(t, "looked at beside them", page.Searched, 0)
		for i := range page.Tasks {
			equal(t, "id", page.Tasks[i].ID, int64(running-i))
		}
	}
	sound(t, s)
}
