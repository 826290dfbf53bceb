//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/tq/test/tally"
)

// result is what one rig counted.
type result struct {
	Campaign int          `json:"campaign"`
	Name     string       `json:"name"`
	About    string       `json:"about"`
	Command  string       `json:"command"`
	Counts   tally.Counts `json:"counts"`
	Seconds  float64      `json:"seconds"`
	Problem  string       `json:"problem,omitempty"`
	Commit   string       `json:"commit,omitempty"` // of tq, when it was run
	Made     string       `json:"made,omitempty"`   // the day
	Machine  string       `json:"machine,omitempty"`
}

// runAll runs the rigs, as many at once as there are processors, and those that
// want the machine to themselves at the end. What was run before is taken from
// what is kept.
func (r *record) runAll(ctx context.Context, s settings, all []rig, k *kept) {
	results := make([]result, len(all))
	one := func(i int) {
		known, found := k.find(all[i].command(s))
		if !found {
			known = all[i].run(ctx, s, i)
			known.Commit, known.Made, known.Machine = r.Commit, r.Made, r.Machine
			k.add(known)
		}
		results[i] = known
	}
	free := make(chan struct{}, max(1, runtime.NumCPU()))
	var group sync.WaitGroup
	for i := range all {
		if all[i].alone {
			continue
		}
		free <- struct{}{}
		group.Go(func() {
			one(i)
			<-free
		})
	}
	group.Wait()
	for i := range all {
		if all[i].alone {
			one(i)
		}
	}
	r.Rigs = results
	r.Seconds = k.seconds()
}

// run is one rig. What it says goes into a file of the logs.
func (r *rig) run(ctx context.Context, s settings, number int) result {
	out := result{Campaign: r.campaign, Name: r.name, About: r.about, Command: r.command(s)}
	if ctx.Err() != nil {
		out.Problem = "interrupted"
		return out
	}
	fmt.Printf("%s  %2d %s …\n", time.Now().Format(time.TimeOnly), r.campaign, r.name)
	began := time.Now()
	path := filepath.Join(s.logs, fmt.Sprintf("%02d-%02d.log", r.campaign, number))
	found, err := r.read(ctx, s, path, &out.Counts)
	out.Seconds = time.Since(began).Seconds()
	switch {
	case err != nil:
		out.Problem = fmt.Sprintf("%v, see %s", err, path)
	case !found:
		out.Problem = "it counted nothing, see " + path
	}
	word := "lost 0, unexpected 0, stale settles accepted 0"
	if out.bad() {
		word = strings.TrimSpace(fmt.Sprintf("LOST %d, UNEXPECTED %d, STALE SETTLES ACCEPTED %d  %s",
			out.Counts.Lost, out.Counts.Unexpected, out.Counts.StaleAccepted, out.Problem))
	}
	fmt.Printf("%s  %2d %s: %d attempted, %s (%.0f s)\n", time.Now().Format(time.TimeOnly), r.campaign, r.name, out.Counts.Attempted, word, out.Seconds)
	return out
}

func (r *result) bad() bool { return r.Problem != "" || r.Counts.Bad() > 0 }

// read runs the rig's tests and adds up the counts in what they print.
func (r *rig) read(ctx context.Context, s settings, path string, counts *tally.Counts) (found bool, err error) {
	log, err := os.Create(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	cmd := exec.CommandContext(ctx, "go", r.arguments(s)...)
	cmd.Env = append(os.Environ(), r.environment(s)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is ours to pass on
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	said, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return false, err
	}
	lines := bufio.NewScanner(io.TeeReader(said, log))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		c, one, readErr := r.count(lines.Text())
		err = errors.Join(err, readErr)
		switch {
		case !one:
		case r.fuzz:
			*counts, found = c, true // it counts on
		default:
			counts.Add(c)
			found = true
		}
	}
	return found, errors.Join(err, lines.Err(), cmd.Wait())
}

// count reads what a line says: a rig its counts, a fuzzer how many inputs it
// has tried by now.
func (r *rig) count(line string) (tally.Counts, bool, error) {
	if !r.fuzz {
		return tally.Read(line)
	}
	tried := regexp.MustCompile(`^fuzz: elapsed: .*, execs: (\d+) \(`).FindStringSubmatch(line)
	if tried == nil {
		return tally.Counts{}, false, nil
	}
	n, err := strconv.Atoi(tried[1])
	return tally.Counts{Attempted: n, Acknowledged: n, OK: n}, true, err
}
