//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/tq/test/tally"
)

const recordName, fullName, pageName = "reliability.json", "reliability-full.json", "reliability.md"

// record is a whole run.
type record struct {
	Made    string   `json:"made"`
	Commit  string   `json:"commit"`
	Full    bool     `json:"full"`
	Seed    uint64   `json:"seed"`
	Machine string   `json:"machine"`
	Seconds float64  `json:"seconds"`
	Rigs    []result `json:"rigs"`
}

func newRecord(ctx context.Context, s settings) *record {
	r := &record{Made: time.Now().UTC().Format(time.DateOnly), Full: s.full, Seed: s.seed}
	r.Commit = said(ctx, "git", "rev-parse", "--short=12", "HEAD")
	if said(ctx, "git", "status", "--porcelain", "--untracked-files=no") != "" {
		r.Commit += ", changed"
	}
	r.Machine = fmt.Sprintf("%d processors, %s/%s, Linux %s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, said(ctx, "uname", "-r"), runtime.Version())
	return r
}

// save writes it as a file.
func (r *record) save(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// said is what a program prints, "" when it is not there.
func said(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// sums are the counts of each campaign, in order.
func (r *record) sums() (numbers []int, sums map[int]tally.Counts) {
	sums = map[int]tally.Counts{}
	for _, x := range r.Rigs {
		c := sums[x.Campaign]
		c.Add(x.Counts)
		sums[x.Campaign] = c
	}
	for n := range sums {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, sums
}

// verdict is an error when anything is not as it must be.
func (r *record) verdict() error {
	var all []error
	for _, x := range r.Rigs {
		if x.bad() {
			all = append(all, fmt.Errorf("campaign %d, %s: lost %d, unexpected %d, stale settles accepted %d: %s",
				x.Campaign, x.Name, x.Counts.Lost, x.Counts.Unexpected, x.Counts.StaleAccepted, x.Problem))
		}
	}
	return errors.Join(all...)
}

func (r *record) write(dir string) error {
	name := recordName
	if r.Full {
		name = fullName
	}
	if err := r.save(filepath.Join(dir, name)); err != nil {
		return err
	}
	return rewrite(dir)
}

// rewrite makes the page anew from its records.
func rewrite(dir string) error {
	tenth, err := readRecord(dir, recordName)
	if err != nil {
		return err
	}
	full, err := readRecord(dir, fullName)
	if err != nil {
		return err
	}
	peer, err := readStale(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, pageName), []byte(page(tenth, full, peer)), 0o644)
}

// readRecord is nil when nothing was run.
func readRecord(dir, name string) (*record, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was run
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &r, nil
}

// commits are those at which the rigs were run, days those on which they were,
// machines those on which.
func (r *record) commits() string {
	return distinct(r, r.Commit, func(x *result) string { return x.Commit })
}

func (r *record) days() string {
	return distinct(r, r.Made, func(x *result) string { return x.Made })
}

func (r *record) machines() string {
	return distinct(r, r.Machine, func(x *result) string { return x.Machine })
}

// distinct lists what the rigs say of themselves, or what the record says of all
// of them when they say nothing.
func distinct(r *record, whole string, of func(*result) string) string {
	var all []string
	for i := range r.Rigs {
		if text := cmp.Or(of(&r.Rigs[i]), whole); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, " and ")
}

// run is where the run of a command stands among the rigs; −1 if it was not run.
func (r *record) run(command string) int {
	return slices.IndexFunc(r.Rigs, func(x result) bool { return x.Command == command })
}

// missing are the rigs that a record of all figures has no good run of.
func (r *record) missing() []string {
	var names []string
	for _, x := range rigs(true) {
		if r.run(x.command(settings{full: true, seed: r.Seed})) < 0 {
			names = append(names, x.name)
		}
	}
	return names
}
