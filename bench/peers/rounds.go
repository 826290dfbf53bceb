package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/tq/bench"
)

// record is all that was found out; the page is made from nothing else.
type record struct {
	Made     string            `json:"made"`
	Commit   string            `json:"commit,omitempty"`
	Command  string            `json:"command"`
	Servers  string            `json:"servers"`
	Rounds   int               `json:"rounds"`
	Tasks    int               `json:"tasks"`
	Seconds  float64           `json:"seconds_per_measure"`
	Settings map[string]string `json:"settings"`
	Runs     []*measured       `json:"runs"` // one for each kind of disk
}

// measured is all rounds on one kind of disk.
type measured struct {
	Disk    string        `json:"disk"`
	Machine bench.Machine `json:"machine"`
	Load    string        `json:"load"`    // what else the machine did: its load average before and after
	Results []result      `json:"results"` // medians, in the order of the page
}

// result is one measure of one system over all rounds.
type result struct {
	System  string   `json:"system"`
	Measure string   `json:"measure"`
	Median  sample   `json:"median"`
	Rounds  []sample `json:"rounds"`
}

// measureAll runs the rounds on the disk, and then where syncing costs nothing.
func measureAll(ctx context.Context, s settings) (*record, error) {
	r := &record{
		Made: time.Now().UTC().Format("2006-01-02"), Commit: commit(), Command: "make bench-peers",
		Rounds: s.rounds, Tasks: s.tasks, Seconds: s.span.Seconds(), Settings: map[string]string{},
	}
	for _, d := range disks(s) {
		if err := r.measure(ctx, s, d); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// disk is where the databases of a run lie.
type disk struct{ name, folder string }

func disks(s settings) []disk {
	all := []disk{{"disk", s.dir}, {"memory", s.memory}}
	return slices.DeleteFunc(all, func(d disk) bool { return d.folder == "none" })
}

func (r *record) measure(ctx context.Context, s settings, d disk) (err error) {
	where, err := startServers(d.folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, where.stop()) }()
	if r.Servers, err = describe(ctx, where); err != nil {
		return err
	}
	m := &measured{Disk: d.name, Machine: bench.ThisMachine(where.folder), Load: load()}
	for round := range s.rounds {
		for _, scenario := range []string{"enqueue", "drain", "pickup"} {
			fmt.Fprintf(os.Stderr, "%s, round %d, %s\n", d.name, round+1, scenario)
			if err := m.round(ctx, where, s, scenario); err != nil {
				return err
			}
		}
	}
	for name, b := range systems() {
		r.Settings[name] = b.settings
	}
	m.finish()
	r.Runs = append(r.Runs, m)
	return nil
}

// load is the load average over five minutes, "" where the kernel does not say.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		return fields[1]
	}
	return ""
}

func (m *measured) finish() {
	if m.Load != "" {
		m.Load += " to " + load()
	}
	for i := range m.Results {
		m.Results[i].Median = median(m.Results[i].Rounds)
	}
	slices.SortStableFunc(m.Results, func(a, b result) int { return slices.Index(order(), a.System) - slices.Index(order(), b.System) })
}

// round lets every system do one scenario, one after the other.
func (m *measured) round(ctx context.Context, where *servers, s settings, scenario string) error {
	for _, name := range order() {
		b := systems()[name]
		if !slices.Contains(b.scenarios, scenario) || s.only != "" && !strings.Contains(name, s.only) {
			continue
		}
		place, remove, err := where.place(ctx, b.group)
		if err != nil {
			return err
		}
		samples, err := b.run(ctx, name, scenario, place, s)
		if err = errors.Join(err, remove()); err != nil {
			return err
		}
		for _, x := range samples {
			fmt.Fprintf(os.Stderr, "  %-18s %-14s %s\n", name, x.Measure, x)
			m.add(name, x)
		}
	}
	return nil
}

func (m *measured) add(name string, x sample) {
	for i := range m.Results {
		if m.Results[i].System == name && m.Results[i].Measure == x.Measure {
			m.Results[i].Rounds = append(m.Results[i].Rounds, x)
			return
		}
	}
	m.Results = append(m.Results, result{System: name, Measure: x.Measure, Rounds: []sample{x}})
}

func (x sample) String() string {
	text := fmt.Sprintf("%8.0f/s", x.Rate)
	if x.P50 > 0 {
		text = fmt.Sprintf("p50 %.2f ms, p99 %.2f ms", x.P50, x.P99)
	}
	if x.Bytes > 0 {
		text += fmt.Sprintf(", %.0f bytes of log a task", x.Bytes)
	}
	if x.Lost > 0 || x.Again > 0 {
		text += fmt.Sprintf(", %d LOST, %d TWICE", x.Lost, x.Again)
	}
	return text
}

// median takes each figure by itself.
func median(all []sample) sample {
	m := all[0]
	of := func(get func(sample) float64) float64 {
		var values []float64
		for _, x := range all {
			values = append(values, get(x))
		}
		slices.Sort(values)
		return values[(len(values)-1)/2]
	}
	m.Rate = of(func(x sample) float64 { return x.Rate })
	m.P50 = of(func(x sample) float64 { return x.P50 })
	m.P99 = of(func(x sample) float64 { return x.P99 })
	m.Bytes = of(func(x sample) float64 { return x.Bytes })
	for _, x := range all[1:] {
		m.Lost, m.Again = m.Lost+x.Lost, m.Again+x.Again
	}
	return m
}

func describe(ctx context.Context, where *servers) (string, error) {
	var all []string
	for _, name := range []string{"server_version", "fsync", "synchronous_commit", "shared_buffers"} {
		value, err := where.show(ctx, name)
		if err != nil {
			return "", err
		}
		all = append(all, name+" "+value)
	}
	redis, err := exec.CommandContext(ctx, "redis-server", "--version").Output()
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(redis))
	return "PostgreSQL " + strings.Join(all, ", ") + "; Redis " + words[2], nil
}

// commit names what was measured; "" outside a work tree.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

const (
	jsonFile  = "performance.json"
	pageFile  = "performance.md"
	chartFile = "performance.svg"
)

// write writes the record, and the page and the chart that are made from it.
func (r *record) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, jsonFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return rewrite(folder)
}

// rewrite makes page and chart from the record of an earlier run.
func rewrite(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, jsonFile))
	if err != nil {
		return err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, pageFile), []byte(r.page()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, chartFile), []byte(r.chart()), 0o644)
}
