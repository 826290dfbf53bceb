//go:build unix

package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.com/tq"
	"example.com/tq/exec/agent"
)

// A night of the agent pool: the backlogs of five repositories, agents that
// behave as agents do, a hub that is restarted and workers that are killed. In
// the morning each point is completed and verified, or dead with its evidence.

// night is how much happens in one. The gate has a short one,
// TQ_OVERNIGHT=200 a long one.
type night struct {
	points, workers, kills, restarts int
	ways                             []string
}

func howLong(t *testing.T) night {
	t.Helper()
	short := night{points: 15, workers: 2, kills: 1, restarts: 1, ways: []string{"ok", "broken", "once", "fork", "ok", "dirty", "nothing"}}
	text := os.Getenv("TQ_OVERNIGHT")
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 15 {
		t.Fatalf("TQ_OVERNIGHT is %q, want 15 or more", text)
	}
	more := []string{"ok", "push", "die", "hang", "ok", "untick", "rails", "ok"}
	return night{points: n, workers: 10, kills: 5, restarts: 3, ways: slices.Concat(short.ways, more)}
}

func TestOvernightEveryBacklogIsBurntDown(t *testing.T) {
	t.Parallel()
	n := &pool{T: t, night: howLong(t), dir: t.TempDir(), ended: make(chan int64, 10_000)}
	n.plant()
	n.serve()
	for i := range n.workers {
		n.work(fmt.Sprintf("w%d", i))
	}
	harvester := n.start("agent-pool", "--projects-dir", n.projects(), "--yolo", "--drain", "--interval", "1s",
		"--dlq-backoff", "0s", "--max-attempts", "2", "--lease", "3s", "--name", "pool", "--task-timeout", "20s", "--json")
	go n.listen(harvester)
	n.disturb()
	if err := harvester.cmd.Wait(); err != nil {
		t.Fatalf("the pool: %v\n%s", err, harvester.text())
	}
	n.check()
}

// pool is one such night.
type pool struct {
	*testing.T
	night
	dir     string
	address string
	hub     *process
	hands   []*process
	ended   chan int64 // tasks that were settled, as the pool tells
}

// process is a running tq; what it tells is read to the end.
type process struct {
	name string
	cmd  *exec.Cmd
	err  *bufio.Reader

	mu  sync.Mutex
	log bytes.Buffer
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// line reads one more line of what the process tells.
func (p *process) line() (string, error) {
	line, err := p.err.ReadString('\n')
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.WriteString(line)
	return line, err
}

func (p *process) drain() {
	for {
		if _, err := p.line(); err != nil {
			return
		}
	}
}

func (n *pool) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

func (n *pool) projects() string { return filepath.Join(n.dir, "projects") }

func (n *pool) env() []string {
	env := []string{"HOME=" + n.dir, "TQ_CONFIG=" + os.DevNull, "TQ_DB=http://" + n.address, "USER=ann", "GIT_CONFIG_NOSYSTEM=1"}
	return append(env, "PATH="+filepath.Join(n.dir, "bin")+":"+os.Getenv("PATH"))
}

// plant makes the repositories, their backlogs and the agent.
func (n *pool) plant() {
	n.Helper()
	script, err := os.ReadFile("../exec/agent/testdata/fake-agent.sh")
	n.must(err)
	n.must(os.MkdirAll(filepath.Join(n.dir, "bin"), 0o700))
	n.must(os.WriteFile(filepath.Join(n.dir, "bin", "crush"), script, 0o700))
	var lists [5]strings.Builder
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n.points) {
		fmt.Fprintf(&lists[at%len(lists)], "- [ ] FAKE %s point %d\n", n.ways[i%len(n.ways)], i)
	}
	for i := range lists {
		dir := filepath.Join(n.projects(), "repo"+strconv.Itoa(i))
		origin := filepath.Join(n.dir, "origin"+strconv.Itoa(i)+".git")
		n.must(os.MkdirAll(dir, 0o700))
		for name, text := range map[string]string{"TODO_LIST.md": "# Tonight\n\n" + lists[i].String(), ".tq-verify": "test ! -e broken\n", ".crushrc": ""} {
			n.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		n.git(n.dir, "init", "-q", "--bare", origin)
		n.git(dir, "init", "-q", "-b", "main")
		n.git(dir, "add", "-A")
		n.git(dir, "-c", "user.name=ann", "-c", "user.email=ann@localhost", "commit", "-q", "-m", "first")
		n.git(dir, "remote", "add", "origin", origin)
	}
}

func (n *pool) git(dir string, args ...string) string {
	n.Helper()
	cmd := exec.CommandContext(n.Context(), "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = n.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (n *pool) start(args ...string) *process {
	n.Helper()
	cmd := exec.CommandContext(n.Context(), "tq", args...)
	cmd.Dir, cmd.Env = n.dir, n.env()
	pipe, err := cmd.StderrPipe()
	n.must(err)
	n.must(cmd.Start())
	return &process{name: args[0], cmd: cmd, err: bufio.NewReader(pipe)}
}

// serve starts the hub, always at the same address.
func (n *pool) serve() {
	n.Helper()
	if n.address == "" {
		l, err := new(net.ListenConfig).Listen(n.Context(), "tcp", "127.0.0.1:0")
		n.must(err)
		n.address = l.Addr().String()
		n.must(l.Close())
	}
	n.hub = n.start("serve", "--addr", n.address, "--db", filepath.Join(n.dir, "tq.db"))
	for {
		line, err := n.hub.line()
		if err != nil {
			n.Fatalf("the hub does not start: %s", n.hub.text())
		}
		if strings.Contains(line, "http://"+n.address) {
			break
		}
	}
	go n.hub.drain()
}

func (n *pool) stop(p *process) {
	n.Helper()
	n.must(p.cmd.Process.Signal(syscall.SIGTERM))
	if err := p.cmd.Wait(); err != nil {
		n.Errorf("%s: %v\n%s", p.name, err, p.text())
	}
}

func (n *pool) work(name string) {
	n.Helper()
	p := n.start("worker", "--agents", "--type", "agent", "--yolo", "--projects-dir", n.projects(), "--name", name,
		"--concurrency", "1", "--lease", "3s", "--task-timeout", "20s")
	go p.drain()
	n.hands = append(n.hands, p)
}

// listen counts what the pool harvests: each new point says that another one
// has ended, or has never been begun.
func (n *pool) listen(p *process) {
	defer close(n.ended)
	for {
		line, err := p.line()
		if err != nil {
			return
		}
		if strings.Contains(line, `"event":"harvested"`) {
			n.ended <- 1
		}
	}
}

// disturb restarts the hub and kills workers while points end.
func (n *pool) disturb() {
	n.Helper()
	step := n.points / (n.kills + n.restarts + 1)
	for seen, kills, restarts := 0, 0, 0; kills < n.kills || restarts < n.restarts; {
		if _, on := <-n.ended; !on {
			n.Errorf("the night was over after %d kills and %d restarts", kills, restarts)
			return
		}
		if seen++; seen%step != 0 {
			continue
		}
		if kills <= restarts && kills < n.kills {
			kills++
			n.kill(kills)
			continue
		}
		restarts++
		n.explainAll()
		n.stop(n.hub)
		n.serve()
	}
	go func() {
		for range n.ended { // let the pool tell on
		}
	}()
}

// kill ends the oldest worker with -9 and starts another one.
func (n *pool) kill(which int) {
	n.Helper()
	p := n.hands[0]
	n.must(p.cmd.Process.Kill())
	_ = p.cmd.Wait() // it was killed
	n.hands = n.hands[1:]
	n.work("again" + strconv.Itoa(which))
}

func (n *pool) tq(args ...string) string {
	n.Helper()
	cmd := exec.CommandContext(n.Context(), "tq", args...)
	cmd.Dir, cmd.Env = n.dir, n.env()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		n.Fatalf("tq %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// explainAll wants a sentence for each task that is not running.
func (n *pool) explainAll() {
	n.Helper()
	for _, t := range n.tasks() {
		var why tq.ExplainOut
		n.must(json.Unmarshal([]byte(n.tq("explain", strconv.FormatInt(t.ID, 10), "--json")), &why))
		if why.Code == "" || why.Sentence == "" {
			n.Errorf("nothing explains task %d: %+v", t.ID, why)
		}
	}
}

func (n *pool) tasks() []tq.Task {
	n.Helper()
	var all []tq.Task
	for d := json.NewDecoder(strings.NewReader(n.tq("list", "--limit", "1000", "--json"))); d.More(); {
		var t tq.Task
		n.must(d.Decode(&t))
		all = append(all, t)
	}
	return all
}

// check looks at the morning.
func (n *pool) check() {
	n.Helper()
	all := n.tasks()
	if len(all) != n.points {
		n.Errorf("%d tasks for %d points", len(all), n.points)
	}
	for _, t := range all {
		n.checkTask(t.ID)
	}
	if text, err := os.ReadFile(filepath.Join(n.dir, "two-at-a-time")); err == nil {
		n.Errorf("two agents were in one repository:\n%s", text)
	}
	for _, p := range n.hands {
		n.stop(p)
	}
	if out := n.tq("check"); !strings.HasPrefix(out, "ok") {
		n.Errorf("check: %s", out)
	}
	n.stop(n.hub)
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	n.must(err)
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && strings.HasPrefix(dir, n.projects()) {
			n.Errorf("%s still works in %s", link, dir)
		}
	}
}

// checkTask wants a verified commit, or an end that says why.
func (n *pool) checkTask(id int64) {
	n.Helper()
	var t struct {
		tq.Task
		Facts []tq.Fact `json:"facts"`
	}
	n.must(json.Unmarshal([]byte(n.tq("show", strconv.FormatInt(id, 10), "--json")), &t))
	good := strings.Contains(string(t.Payload), "FAKE ok ") || strings.Contains(string(t.Payload), "FAKE fork ") || strings.Contains(string(t.Payload), "FAKE once ")
	if good != (t.Status == tq.Completed) {
		n.Errorf("task %d is %s (%s): %s", t.ID, t.Status, t.LastError, t.Payload)
	}
	burnt := 0
	for _, f := range t.Facts {
		if f.Kind == tq.FactFailed || f.Kind == tq.FactLeaseExpired || f.Kind == tq.FactCompleted {
			burnt++
		}
	}
	if burnt != t.Attempt {
		n.Errorf("task %d counts %d attempts, its facts %d: limits and faults of others were counted", t.ID, t.Attempt, burnt)
	}
	if t.Status != tq.Completed {
		if t.LastError == "" {
			n.Errorf("task %d is %s and says nothing", t.ID, t.Status)
		}
		return
	}
	var r agent.Result
	n.must(json.Unmarshal(t.Result, &r))
	dir := filepath.Join(n.projects(), t.Project)
	if said := n.git(dir, "log", "-1", "--format=%B", r.Commit); !r.Verified || !strings.Contains(said, fmt.Sprintf("Task-Queue-ID: %d", t.ID)) {
		n.Errorf("task %d: result %s, commit says %q", t.ID, t.Result, said)
	}
}
