package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"example.com/tq"
	"example.com/tq/store"
	"example.com/tq/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// A worker that comes back: it takes a task and stands still for longer than the
// queue waits; another worker is given the task; then the first one settles it
// while the second is still at work, and the second one fails. What is the first
// one told, and how does the task end?

// staleRecord is read by test/torture, which writes the page.
type staleRecord struct {
	Made    string      `json:"made"`
	Commit  string      `json:"commit"`
	Command string      `json:"command"`
	Rows    []staleLine `json:"rows"`
}

type staleLine struct {
	System   string `json:"system"`
	Version  string `json:"version"`
	Answered string `json:"answered"`
	Kept     string `json:"kept"`
	Taken    bool   `json:"taken"`
}

// measureStale tries tq and River on one server and writes what it saw.
func measureStale(ctx context.Context, dir string) (err error) {
	server, err := pgtest.StartOwn()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	r := staleRecord{Made: time.Now().UTC().Format(time.DateOnly), Commit: commit(), Command: "make stale"}
	for _, try := range []func(context.Context, string) (staleLine, error){staleTq, staleRiver} {
		line, err := try(ctx, server.URL())
		if err != nil {
			return err
		}
		fmt.Printf("%s %s: told %s; the task is %s\n", line.System, line.Version, line.Answered, line.Kept)
		r.Rows = append(r.Rows, line)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "stale.json"), append(text, '\n'), 0o644)
}

func staleTq(ctx context.Context, url string) (line staleLine, err error) {
	line = staleLine{System: "tq on PostgreSQL", Version: commit()}
	db, err := store.Open(url, store.Options{})
	if err != nil {
		return line, err
	}
	broker := tq.New(db, tq.Options{Actor: "peers"})
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- broker.Run(life) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended, db.Close())
	}()
	out, err := broker.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "stale"}}})
	if err != nil {
		return line, err
	}
	claim := func(name string) (tq.ClaimedTask, error) {
		got, err := broker.Claim(ctx, tq.ClaimIn{Types: []string{"stale"}, Max: 1, Lease: tq.Duration(time.Second), Wait: tq.Duration(20 * time.Second), Worker: tq.WorkerInfo{Name: name}})
		if err == nil && len(got.Tasks) != 1 {
			err = fmt.Errorf("%s was given %d tasks", name, len(got.Tasks))
		}
		if err != nil {
			return tq.ClaimedTask{}, err
		}
		return got.Tasks[0], nil
	}
	first, err := claim("first")
	if err != nil {
		return line, err
	}
	second, err := claim("second") // waits until the lease of the first has run out
	if err != nil {
		return line, err
	}
	late, err := broker.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{TaskID: first.ID, LeaseToken: first.LeaseToken}}})
	if err != nil {
		return line, err
	}
	line.Taken = late.Leases[0].Error == nil
	line.Answered = "that it is completed"
	if e := late.Leases[0].Error; e != nil {
		line.Answered = fmt.Sprintf("`%s`: %s", e.Code, e.Message)
	}
	if _, err := broker.Fail(ctx, tq.FailIn{Leases: []tq.FailLease{{TaskID: second.ID, LeaseToken: second.LeaseToken, Error: "the second one failed"}}}); err != nil {
		return line, err
	}
	task, err := broker.Task(ctx, tq.TaskIn{ID: out.Tasks[0].ID})
	if err != nil {
		return line, err
	}
	line.Kept = fmt.Sprintf("%s, as the second one left it when it failed", task.Status)
	return line, nil
}

// riverStale is a worker of which each run waits to be let go.
type riverStale struct {
	river.WorkerDefaults[riverStaleArgs]
	began chan string
	name  string
	end   chan error
}

type riverStaleArgs struct{}

// Kind is its type.
func (riverStaleArgs) Kind() string { return "stale" }

// Work stands still, whatever its context says, as a stopped process does.
func (w *riverStale) Work(context.Context, *river.Job[riverStaleArgs]) error {
	w.began <- w.name
	return <-w.end
}

func staleRiver(ctx context.Context, url string) (line staleLine, err error) {
	line = staleLine{System: "River", Version: version("github.com/riverqueue/river")}
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	defer stop()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return line, err
	}
	defer pool.Close()
	if err := migrateRiver(ctx, pool); err != nil {
		return line, err
	}
	began := make(chan string, 2)
	first, firstClient, err := startStale(ctx, pool, began, "first")
	if err != nil {
		return line, err
	}
	settled, unsubscribe := firstClient.Subscribe(river.EventKindJobCompleted)
	defer unsubscribe()
	put, err := firstClient.Insert(ctx, riverStaleArgs{}, &river.InsertOpts{MaxAttempts: 5})
	if err != nil {
		return line, err
	}
	<-began
	second, secondClient, err := startStale(ctx, pool, began, "second")
	if err != nil {
		return line, err
	}
	select {
	case name := <-began: // the rescuer looks each 30 s
		if name != "second" {
			return line, fmt.Errorf("the %s was given the task again", name)
		}
	case <-ctx.Done():
		return line, errors.New("river did not rescue")
	}
	first.end <- nil
	<-settled // its client says: completed
	state, err := riverState(ctx, pool, put.Job.ID)
	if err != nil {
		return line, err
	}
	line.Taken = state == "completed"
	line.Answered = "nothing; its client reports the task completed"
	second.end <- errors.New("the second one failed")
	if err := errors.Join(firstClient.Stop(ctx), secondClient.Stop(ctx)); err != nil {
		return line, err
	}
	last, err := riverState(ctx, pool, put.Job.ID)
	line.Kept = fmt.Sprintf("%s while the second one still runs, and %s after that one failed", state, last)
	return line, err
}

func startStale(ctx context.Context, pool *pgxpool.Pool, began chan string, name string) (*riverStale, *river.Client[pgx.Tx], error) {
	w := &riverStale{began: began, name: name, end: make(chan error)}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID: name, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
		JobTimeout: time.Second, RescueStuckJobsAfter: 2 * time.Second, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, err
	}
	return w, c, c.Start(ctx)
}

func riverState(ctx context.Context, pool *pgxpool.Pool, id int64) (state string, err error) {
	return state, pool.QueryRow(ctx, `select state::text from river_job where id = $1`, id).Scan(&state)
}

// version is that of a module this program was built with.
func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return "unknown"
}
