package test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// What a demo has started ends with it, also when it is killed, so that the next
// one finds the machine as the first one did.
func TestAKilledDemoLeavesNoHubBehind(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir, err := os.MkdirTemp("", "tq-demo-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a worker may be at the last line of its log
	demo := exec.CommandContext(t.Context(), "tq", "demo", "--dir", dir)
	said, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	hub := dashboardOf(t, said)
	var d net.Dialer
	line, err := d.DialContext(t.Context(), "tcp", hub)
	if err != nil {
		t.Fatalf("the hub of a demo that runs: %v", err)
	}
	defer func() { _ = line.Close() }() // nothing was written
	if err := demo.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = demo.Wait() // it was killed
	if err := line.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// A hub that dies before it has taken the connection resets it instead of closing
	// it. Both are the end of it: that the line stays open is what must not be.
	if _, err := io.Copy(io.Discard, line); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the hub went on without its demo: %v", err)
	}
	if again, err := d.DialContext(t.Context(), "tcp", hub); err == nil {
		_ = again.Close() // it is there, that is enough
		t.Error("the hub still listens")
	}
}

// dashboardOf reads what a demo says until it names its hub.
func dashboardOf(t *testing.T, said io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, link, ok := strings.Cut(lines.Text(), "its dashboard: "); ok {
			at, err := url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			return at.Host
		}
	}
	t.Fatalf("the demo ended before its hub answered: %v", lines.Err())
	return ""
}
