package test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.com/tq/client"
)

// served is `tq serve` as its users run it: a process with a file, a home and a
// token of its own.
type served struct {
	tb    testing.TB
	home  string
	url   string
	token string

	hub     *client.Remote // with its token
	process *os.Process
	ended   chan error // gets how the process ended

	mu     sync.Mutex
	said   strings.Builder
	silent bool       // it says no more
	heard  *sync.Cond // of mu
}

// serveHub starts a hub at a free port of this machine, and waits until it
// answers. It is stopped when the test ends, unless it was before.
func serveHub(tb testing.TB, flags ...string) *served {
	tb.Helper()
	return serveAt(tb, tb.TempDir(), flags...)
}

// serveAt starts a hub with the file tq.db in a folder, which is its home.
func serveAt(tb testing.TB, home string, flags ...string) *served {
	tb.Helper()
	h := &served{tb: tb, home: home, ended: make(chan error, 1)}
	h.heard = sync.NewCond(&h.mu)
	args := []string{"serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(h.home, "tq.db")}
	cmd := exec.Command("tq", append(args, flags...)...)
	cmd.Env = append(os.Environ(), "HOME="+h.home, "XDG_CONFIG_HOME=", "TQ_TOKEN=", "TQ_DB=")
	said, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	h.process = cmd.Process
	ready := make(chan struct{})
	go func() {
		h.listen(bufio.NewScanner(said), ready)
		h.ended <- cmd.Wait()
	}()
	tb.Cleanup(func() { _ = h.process.Kill() }) // most have ended by then
	<-ready
	secret, err := os.ReadFile(filepath.Join(h.home, ".config", "tq", "token"))
	if h.url == "" || err != nil {
		tb.Fatalf("the hub does not serve: %s %v", h.text(), err)
	}
	h.token = strings.TrimSpace(string(secret))
	if h.hub, err = client.New(h.url, client.Options{Token: h.token}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = h.hub.Close() }) // it only lets go of idle connections
	return h
}

// listen keeps what the hub says; ready is closed when it has said where it is,
// or ended without.
func (h *served) listen(lines *bufio.Scanner, ready chan<- struct{}) {
	done := sync.OnceFunc(func() { close(ready) })
	defer done()
	for lines.Scan() {
		line := lines.Text()
		h.mu.Lock()
		h.said.WriteString(line + "\n")
		h.heard.Broadcast()
		h.mu.Unlock()
		if _, link, ok := strings.Cut(line, "dashboard: "); ok {
			h.url, _, _ = strings.Cut(link, "/login")
			done()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = true
	h.heard.Broadcast()
}

// says waits until the hub has said that.
func (h *served) says(tb testing.TB, text string) {
	tb.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !strings.Contains(h.said.String(), text) {
		if h.silent {
			tb.Fatalf("the hub ended and did not say %q but %s", text, h.said.String())
		}
		h.heard.Wait()
	}
}

func (h *served) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said.String()
}

// stop interrupts the hub and waits for its end.
func (h *served) stop() {
	h.tb.Helper()
	if err := h.process.Signal(syscall.SIGTERM); err != nil {
		h.tb.Fatal(err)
	}
	if err := <-h.ended; err != nil {
		h.tb.Errorf("the hub ended with %v and said: %s", err, h.text())
	}
}
