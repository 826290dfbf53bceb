package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
)

// costs is where a batch and a drain of the same tasks spend processor time.
type costs struct {
	tasks  int
	phases []phase
}

type phase struct {
	name           string
	client, server time.Duration // of processor time
	statements     []statement
}

// statement is one of those that took most of the server's time.
type statement struct {
	text  string
	calls int64
	share float64 // of the time of all statements of its phase
}

// A worker asks for many tasks at once and settles many at once: a statement
// more for each task would show here first. With TQ_COSTS=N it drains N tasks
// and writes docs/why/drain.md.
func TestADrainAsksFewStatementsForEachTask(t *testing.T) {
	const usual, most = 2_000, 1.5 // statements a task; one at a time takes more than twenty
	c := watchedServer(t)
	s := OpenAt(t, c.URL(), Options{})
	got := costs{tasks: tally.Number(t, "TQ_COSTS", usual)}
	b := tq.New(s, tq.Options{Actor: "costs"})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	got.measure(t, c, s, "enqueue", func() { fillStore(t, s, got.tasks) })
	got.measure(t, c, s, "drain", func() { drainWith(t, b) })
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	calls := int64(0)
	for _, x := range got.phases[1].statements {
		calls += x.calls
	}
	if each := float64(calls) / float64(got.tasks); each > most {
		t.Errorf("a drain of %d tasks asked %.1f statements for each, want at most %.1f:\n%s", got.tasks, each, most, got.page())
	}
	if os.Getenv("TQ_COSTS") != "" {
		if err := os.WriteFile("../../docs/why/drain.md", []byte(got.page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// watchedServer counts its statements.
func watchedServer(t *testing.T) *pgtest.Cluster {
	t.Helper()
	c := ownServer(t)
	if err := c.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if err := c.Launch("shared_preload_libraries=pg_stat_statements", "shared_buffers=512MB"); err != nil {
		t.Fatal(err)
	}
	return c
}

func drainWith(t *testing.T, b *tq.Broker) {
	t.Helper()
	w := &tq.Worker{Client: b, Concurrency: 100, UntilEmpty: true}
	w.Handle("bench", nothing{})
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

type nothing struct{}

func (nothing) Execute(context.Context, *tq.Task) (json.RawMessage, error) { return nil, nil }

func (c *costs) measure(t *testing.T, server *pgtest.Cluster, s *Store, name string, do func()) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.pool.Exec(t.Context(), `create extension if not exists pg_stat_statements`)
	must(err)
	_, err = s.pool.Exec(t.Context(), `select pg_stat_statements_reset()`)
	must(err)
	client, there := ownTime(t), serverTime(t, server)
	do()
	p := phase{name: name, client: ownTime(t) - client, server: serverTime(t, server) - there}
	rows, err := s.pool.Query(t.Context(), `select query, calls, total_exec_time / sum(total_exec_time) over () from pg_stat_statements
		where query not like '%pg_stat_statements%' order by 3 desc`)
	must(err)
	defer rows.Close()
	for rows.Next() {
		var x statement
		must(rows.Scan(&x.text, &x.calls, &x.share))
		p.statements = append(p.statements, x)
	}
	must(rows.Err())
	c.phases = append(c.phases, p)
}

// ownTime is how long this process has worked.
func ownTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const shownStatements = 8

func (c *costs) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Where the time goes on PostgreSQL\n\n<!-- Written by `make bench-costs`: measure again instead of editing. -->\n\n"+
		"%s tasks of 200 bytes, each tenth with a key, are enqueued in batches of 1,000 and worked off by a worker of 100 whose handler does nothing; "+
		"fsync and synchronous_commit are on, the journal is kept, the data lies on a disk in memory. "+
		"What is shown is processor time, which says where work is left to save; rates stand in [performance](performance.md).\n", grouped(c.tasks))
	for _, p := range c.phases {
		fmt.Fprintf(&b, "\n## %s\n\nEach task: %.0f µs of the server, %.0f µs of the client.\n\n| share of the server's statements | calls | statement |\n|---:|---:|---|\n",
			strings.ToUpper(p.name[:1])+p.name[1:], p.each(p.server, c.tasks), p.each(p.client, c.tasks))
		for _, x := range p.statements[:min(shownStatements, len(p.statements))] {
			fmt.Fprintf(&b, "| %.0f %% | %s | `%s` |\n", 100*x.share, grouped(int(x.calls)), x.short())
		}
	}
	b.WriteString(nextSteps)
	return b.String()
}

// nextSteps is what the figures above led to when they were last read.
const nextSteps = `
## What comes next

**Enqueue.** Each task is three rows, itself, its first fact and its place in line, with six entries in indexes, all of which go to the log too; River writes one row. Sixteen callers and a batch of a thousand cost the same rows: what they share is the commit.

The next step is to read the first fact of a task from its row for as long as there is no second one: it says nothing that the row does not. That saves the second insert of the table above, and its part of the log.

**Drain.** Each task costs two inserts of a fact, one read before it is settled, one row taken out of its line, and its part of the fold into the charts. In the order of what they promise:

1. Settle without reading first. A worker's process knows the rows that it claimed: a fact whose (task, rev) is taken would refuse what somebody else changed meanwhile, and only then they would be read.
2. Write into the fact that ends an attempt when it began. The fold looks up the claim of each attempt for that, which is three quarters of its time.
3. One index of facts less: what ended could be found through the tasks of a lane.

Inserting facts with COPY was tried and is no faster: what a fact costs are its indexes and the log, not how it is sent.

**Pick-up.** Between the answer of an enqueue and the beginning of its handler lies a claim, which is a sync of the log. On SQLite it is hardly anything else: the slowest in a hundred take as long as the slowest syncs of the disk, and in memory a third of that. The next step is to hand a task to a worker that waits in the same process with the transaction that enqueues it: one sync for both.
`

func (p *phase) each(d time.Duration, tasks int) float64 {
	return float64(d.Microseconds()) / float64(tasks)
}

// short is the beginning of a statement, without the name of its schema.
func (x *statement) short() string {
	const width = 90
	text := regexp.MustCompile(`\bt_[0-9a-z]+\.`).ReplaceAllString(strings.Join(strings.Fields(x.text), " "), "")
	text = strings.ReplaceAll(text, "|", "/") // which would end a column
	if len(text) > width {
		text = text[:width] + " …"
	}
	return text
}

func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
