package rigs

import (
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A machine of a rig is a network namespace that has no name: one thread of the
// test lives in it and starts its programs. When the thread ends, and be it that
// the test was killed, they end too, and the kernel takes the namespace with its
// wires away. Nothing of it is ever seen from outside.

type machine struct {
	t      *testing.T
	name   string
	thread int // that lives in the namespace
	calls  chan func()
}

const wantsRoot = "hint: these tests make network namespaces: run them on Linux as root, outside of containers that may not (docker run --privileged)"

func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	m := &machine{t: t, name: name, calls: make(chan func())}
	entered := make(chan error)
	go m.live(entered)
	if err := <-entered; err != nil {
		t.Fatalf("a network namespace for %s: %v\n%s", name, err, wantsRoot)
	}
	t.Cleanup(func() { close(m.calls) })
	m.run("ip", "link", "set", "lo", "up")
	return m
}

// live makes the calls of the machine on its thread, which is never given back:
// it ends with this function.
func (m *machine) live(entered chan<- error) {
	runtime.LockOSThread()
	m.thread = syscall.Gettid()
	err := syscall.Unshare(syscall.CLONE_NEWNET)
	entered <- err
	if err != nil {
		return
	}
	for call := range m.calls {
		call()
	}
}

// do calls f on the machine's thread: what it opens and starts is there.
func (m *machine) do(f func() error) error {
	done := make(chan error)
	m.calls <- func() { done <- f() }
	return <-done
}

func (m *machine) start(cmd *exec.Cmd) error { return m.do(cmd.Start) }

// command makes a program ready for start. It does not outlive the machine.
func (m *machine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.t.Context(), name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// output runs a command to its end and returns what it printed and, when it did
// not end well, why.
func (m *machine) output(cmd *exec.Cmd) (string, error) {
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := m.start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		err = fmt.Errorf("%s on %s: %w\n%s%s", strings.Join(cmd.Args, " "), m.name, err, out.String(), problems.String())
	}
	return strings.TrimSpace(out.String()), err
}

// run runs a program that has to end well.
func (m *machine) run(name string, args ...string) string {
	m.t.Helper()
	out, err := m.output(m.command(name, args...))
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// listen opens a port of the machine.
func (m *machine) listen(address string) net.Listener {
	m.t.Helper()
	var l net.Listener
	err := m.do(func() (err error) {
		l, err = new(net.ListenConfig).Listen(m.t.Context(), "tcp", address)
		return err
	})
	if err != nil {
		m.t.Fatalf("listen on %s: %v", m.name, err)
	}
	return l
}

func itoa[N int | int64](n N) string { return strconv.FormatInt(int64(n), 10) }
