package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.com/tq/store/sqlite"
)

// What lists and counts of very many tasks cost, over HTTP from a hub: `make
// bench-listing` prints it for 10,000,000 tasks in 10,000 lanes. What a list
// reads is bounded, which store/sqlite tests with a fiftieth of them.

const listingTarget = 100 * time.Millisecond

// manyLanes is as many as there may be queues.
const manyLanes = 10_000

// listings are the questions, each with what a dashboard or a command asks.
func listings() []string {
	all := []string{"/v1/stats", "/v1/stats?by=type", "/v1/queues", "/v1/tasks", "/v1/tasks?limit=500"}
	for _, status := range []string{
		"blocked", "pending", "ready", "scheduled", "retrying", "running", "completed", "dead", "cancelled",
	} {
		all = append(all, "/v1/tasks?status="+status, "/v1/tasks?queue=q7&status="+status,
			"/v1/tasks?type=t3&status="+status, "/v1/tasks?project=p1&status="+status)
	}
	for _, filter := range []string{
		"queue=q99", "type=t3", "project=p1", "queue=q7&type=t0&project=p0", "queue=none",
		"key=often", "key=key-12343", "parent=1", "parent=1&status=dead",
		"q=order", "q=nowhere", "q=%22order%22%3A12345%2C",
		"filter=tag:slow", "filter=tag:once", "filter=payload.customer:c5", "filter=try:%3E2",
		"filter=age:%3E23h", "filter=status:dead+queue:q7", "filter=worker:w5", "filter=error:supplier", "filter=id:77",
	} {
		all = append(all, "/v1/tasks?"+filter)
	}
	return all
}

func BenchmarkListing(b *testing.B) {
	h, c := hubOfMany(b, listed(b), manyLanes)
	defer h.stop()
	for _, path := range listings() {
		b.Run(path, func(b *testing.B) { ask(b, c, h.url+path, listingTarget) })
	}
}

// ask reads url again and again, and says when it takes longer than it should.
func ask(b *testing.B, c *caller, url string, target time.Duration) {
	b.Helper()
	all := make([]time.Duration, 0, b.N)
	for b.Loop() {
		begun := time.Now()
		if err := c.get(b.Context(), url); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	for name, at := range map[string]int{"p50-ms": len(all) / 2, "p95-ms": len(all) * 95 / 100, "max-ms": len(all) - 1} {
		b.ReportMetric(float64(all[at].Microseconds())/1_000, name)
	}
	b.ReportMetric(0, "ns/op")
	if p95 := all[len(all)*95/100]; p95 > target {
		b.Logf("above the target of %s: %s", target, p95)
	}
}

// hubOfMany serves a store of n tasks in so many lanes.
func hubOfMany(b *testing.B, n int64, lanes int) (*served, *caller) {
	b.Helper()
	home := b.TempDir()
	enoughRoom(b, home, n)
	begun := time.Now()
	fillMany(b, filepath.Join(home, "tq.db"), n, lanes)
	b.Logf("%d tasks in %d lanes, filled in %s", n, lanes, time.Since(begun).Round(time.Second))
	h := serveAt(b, home, "--rate", "-1")
	return h, newCaller(b, h.token)
}

// listed is how many tasks are wanted.
func listed(b *testing.B) int64 {
	b.Helper()
	text := os.Getenv("TQ_LISTING")
	if text == "" {
		return 200_000
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		b.Fatalf("TQ_LISTING is %q, want a number of tasks", text)
	}
	return n
}

// enoughRoom fails before a disk is filled.
func enoughRoom(b *testing.B, dir string, n int64) {
	b.Helper()
	const perTask = 700 // bytes, with what the sorting of indexes takes meanwhile
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		b.Fatal(err)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < n*perTask {
		b.Fatalf("%d tasks take some %d MB, and %s has %d: set TMPDIR", n, n*perTask>>20, dir, free>>20)
	}
}

// fillMany makes a file with n tasks, straight through SQL. While it is filled
// nothing protects it: whatever goes wrong ends the benchmark. Indexes come
// last, since to sort them once is far quicker than to keep them in order.
func fillMany(b *testing.B, path string, n int64, lanes int) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	text, err := os.ReadFile("../store/sqlite/testdata/many.sql")
	must(err)
	store, err := sqlite.Open(path, sqlite.Options{})
	must(err)
	must(store.Close())
	db, err := sqlite.DB(path, sqlite.Options{Durability: sqlite.Relaxed})
	must(err)
	defer func() {
		must(db.Close())
		onDisk(b, path)
	}()
	db.SetMaxOpenConns(1) // the size is in a table of the connection
	run := func(text string, args ...any) {
		_, err := db.ExecContext(b.Context(), text, args...)
		must(err)
	}
	names, made := indexesOf(b, db)
	run(`pragma cache_size = -1000000; pragma journal_mode = off; pragma synchronous = off`)
	for _, name := range names {
		run(`drop index ` + name)
	}
	run(`create temp table size (n, now, lanes)`)
	run(`insert into temp.size values (?, ?, ?)`, n, time.Now().UnixMilli(), lanes)
	run(string(text))
	for _, text := range made {
		run(text)
	}
	run(`pragma synchronous = full; pragma journal_mode = wal`)
}

// onDisk waits for the disk to have all of a file, so that no reader waits for
// what the filling left to be written.
func onDisk(b *testing.B, path string) {
	b.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// indexesOf answers the names of all indexes, and the statements that make them.
func indexesOf(b *testing.B, db *sql.DB) (names, made []string) {
	b.Helper()
	rows, err := db.QueryContext(b.Context(), `select name, sql from sqlite_schema where type = 'index' and sql is not null`)
	if err != nil {
		b.Fatal(err)
	}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			b.Fatal(err)
		}
		names, made = append(names, name), append(made, text)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		b.Fatal(err)
	}
	return names, made
}

// get reads one page to its end.
func (c *caller) get(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	body, err := c.send(r)
	if err == nil && len(body) == 0 {
		err = fmt.Errorf("%s was answered with nothing", url)
	}
	return err
}
