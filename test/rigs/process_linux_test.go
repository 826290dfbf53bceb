package rigs

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// process is a tq that goes on, a worker or a hub, and what it tells.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	over chan struct{} // closed when it tells nothing more

	mu      sync.Mutex
	changed chan struct{} // closed at the next line
	said    []string      // without the beginnings of tasks
	refused []refusal
}

// refusal is what the queue answered a worker whose lease was not its own any
// more.
type refusal struct {
	task int64
	verb string // extend, complete, fail, release
}

// tq is a command on this machine. It finds no settings of whoever runs the test.
func (m *machine) tq(env []string, args ...string) *exec.Cmd {
	cmd := m.command("tq", args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "USER=ann", "TQ_CONFIG=" + os.DevNull}, env...)
	return cmd
}

// begin starts tq on a machine and reads what it tells.
func begin(m *machine, name string, env []string, args ...string) *process {
	m.t.Helper()
	p := &process{t: m.t, name: name, cmd: m.tq(env, args...), changed: make(chan struct{}), over: make(chan struct{})}
	lines, err := p.cmd.StderrPipe()
	if err == nil {
		err = m.start(p.cmd)
	}
	if err != nil {
		m.t.Fatalf("start %s: %v", name, err)
	}
	go p.listen(bufio.NewScanner(lines))
	m.t.Cleanup(func() {
		if m.t.Failed() {
			m.t.Logf("%s said:\n%s", name, p.text())
		}
	})
	return p
}

// work starts a worker on a machine.
func work(m *machine, name string, env []string, flags ...string) *process {
	m.t.Helper()
	return begin(m, name, env, append([]string{"worker", "--name", name, "--json"}, flags...)...)
}

func (p *process) listen(lines *bufio.Scanner) {
	defer close(p.over)
	for lines.Scan() {
		p.hear(lines.Text())
	}
}

func (p *process) hear(line string) {
	var e struct {
		Event  string            `json:"event"`
		TaskID int64             `json:"task_id"`
		More   map[string]string `json:"more"`
	}
	_ = json.Unmarshal([]byte(line), &e) // a line that is not JSON is for people
	if e.Event == "start" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, line)
	switch e.Event {
	case "lease lost":
		p.refused = append(p.refused, refusal{e.TaskID, "extend"})
	case "not settled":
		p.refused = append(p.refused, refusal{e.TaskID, e.More["verb"]})
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// await waits until cond holds; it is asked under the lock after each line.
func (p *process) await(ctx context.Context, what string, cond func() bool) {
	p.t.Helper()
	for {
		p.mu.Lock()
		holds, changed := cond(), p.changed
		p.mu.Unlock()
		if holds {
			return
		}
		select {
		case <-changed:
		case <-p.over:
			p.t.Fatalf("%s ended before %s", p.name, what)
		case <-ctx.Done():
			p.t.Fatalf("waited in vain until %s: %v", what, context.Cause(ctx))
		}
	}
}

// awaitSaid waits for a line with this text.
func (p *process) awaitSaid(ctx context.Context, text string) {
	p.t.Helper()
	p.await(ctx, p.name+" says "+text, func() bool {
		return slices.ContainsFunc(p.said, func(line string) bool { return strings.Contains(line, text) })
	})
}

// awaitRefusals waits until the worker was refused the leases of so many tasks.
func (p *process) awaitRefusals(ctx context.Context, n int) {
	p.t.Helper()
	p.await(ctx, p.name+" is refused "+itoa(n)+" leases", func() bool {
		return p.refusedTasks() >= n
	})
}

// text is the end of what it said.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said[max(0, len(p.said)-30):], "\n")
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("signal %s to %s: %v", s, p.name, err)
	}
}

// kill ends it with -9.
func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	<-p.over
	_ = p.cmd.Wait() // it was killed
}

// stop ends it in order.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	<-p.over
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%s: %v", p.name, err)
	}
}
