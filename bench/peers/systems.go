package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// system is a queue that is measured.
type system struct {
	group     string // those of one group share a database
	settings  string // as they stand in the page
	scenarios []string
	measure   func(ctx context.Context, scenario, place string, s settings) ([]sample, error) // in a process of its own
	script    string                                                                          // or: a program of Node's
}

// The groups.
const (
	onPostgres = "PostgreSQL"
	onSQLite   = "SQLite"
	onRedis    = "Redis"
)

// How tasks are worked: by a worker with so many hands, or by so many callers
// that each take one and settle it.
const (
	worker = "worker"
	byHand = "by hand"
)

// systems are all that are measured, by name.
func systems() map[string]system {
	paths := new(files)
	every := []string{"enqueue", "drain", "pickup"}
	return map[string]system{
		"tq on PostgreSQL": {
			group: onPostgres, scenarios: every, measure: measureTq,
			settings: "journal on, full durability, 8 connections; workers claim ahead where it says so",
		},
		"River": {
			group: onPostgres, scenarios: every, measure: opener(openRiver).scenario(bulk{4, 1000}, worker, []int{16, 100, 1000}),
			settings: "0.51.2, fetch at most each 2 ms, poll each 20 ms, no timeout, 32 connections, InsertManyFast for batches",
		},
		"graphile-worker": {
			group: onPostgres, scenarios: every, script: "graphile.mjs",
			settings: "0.18.0, 24 at a time, local queue of 500, completions batched, addJobs for batches",
		},
		"pg-boss": {
			group: onPostgres, scenarios: []string{"enqueue", "drain"}, script: "pgboss.mjs",
			settings: "12.38.0, fetch and complete by the thousand, insert for batches",
		},
		"tq on SQLite": {
			group: onSQLite, scenarios: every, measure: measureTqFile,
			settings: "journal on, synchronous=FULL, no cgo",
		},
		"goqite": {
			group: onSQLite, scenarios: []string{"enqueue", "drain"}, measure: openGoqite(paths).scenario(bulk{1, 1000}, byHand, []int{16, 100}),
			settings: "0.4.0 on mattn (cgo), WAL, synchronous=FULL, one connection; receive and delete",
		},
		"backlite": {
			group: onSQLite, scenarios: []string{"enqueue", "drain"}, measure: openBacklite(paths).scenario(bulk{1, 1000}, worker, []int{16, 100}),
			settings: "0.6.0 on mattn (cgo), WAL, synchronous=FULL, one connection",
		},
		"asynq": {
			group: onRedis, scenarios: []string{"enqueue", "drain"}, measure: opener(openAsynq).scenario(bulk{100, 1}, worker, []int{16, 100}),
			settings: "0.26.0 on Redis 7, appendonly yes, appendfsync always",
		},
	}
}

// order is that of a round.
func order() []string {
	return []string{
		"tq on PostgreSQL", "River", "graphile-worker", "pg-boss", "tq on SQLite", "goqite", "backlite", "asynq",
	}
}

// run measures one scenario in a process of its own.
func (b *system) run(ctx context.Context, name, scenario, place string, s settings) ([]sample, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-tasks", strconv.Itoa(s.tasks), "-for", s.span.String(), "-child", name, scenario, place)
	if b.script != "" {
		cmd = exec.CommandContext(ctx, "node_modules/.bin/node", b.script, scenario, place, strconv.Itoa(s.tasks), strconv.FormatFloat(s.span.Seconds(), 'f', -1, 64))
		cmd.Dir = "node"
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s, %s: %w\n%s", name, scenario, err, complaint.String())
	}
	var all []sample
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("%s, %s: read what it printed: %w\n%s", name, scenario, err, out.String())
	}
	return all, nil
}
