package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// served is tq serve in this process, over a file of its own, and the commands
// of its user.
type served struct {
	*desk
	url  string
	said []string    // what serve printed before it was ready
	log  chan string // what it printed after that, when it has ended
	stop func()
}

func serveFor(t *testing.T, env map[string]string, args ...string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	db := filepath.Join(t.TempDir(), "tq.db")
	go func() {
		ended <- Process{
			Args:  append([]string{"serve", "--addr", "127.0.0.1:0", "--db", db}, args...),
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: in,
			Getenv: func(name string) string { return env[name] }, Now: time.Now,
		}.Run(ctx)
		_ = in.Close()
	}()
	s := &served{desk: &desk{t: t, env: env, now: time.Now}}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "dashboard: ") {
		s.said = append(s.said, lines.Text())
	}
	s.said = append(s.said, lines.Text())
	_, rest, _ := strings.Cut(strings.Join(s.said, "\n"), " at ")
	s.url, _, _ = strings.Cut(rest, "\n")
	s.log = make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
		}
		s.log <- all.String()
	}()
	s.stop = sync.OnceFunc(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with %d", code)
		}
	})
	t.Cleanup(s.stop)
	return s
}

func TestAFreshHubLetsItsUserInAndNobodyElse(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": t.TempDir(), "USER": "ann"}
	hub := serveFor(t, env)
	path := filepath.Join(env["HOME"], ".config", "tq", "token")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token file: %v, %v", info, err)
	}
	secret, err := os.ReadFile(path)
	if err != nil || strings.Contains(strings.Join(hub.said, "\n"), strings.TrimSpace(string(secret))) {
		t.Errorf("serve printed the token, or %v", err)
	}
	if id := hub.ok("enqueue", "--db", hub.url, "--type", "work", "--payload", "{}"); id != "1" {
		t.Errorf("enqueued %s", id)
	}
	if facts := hub.ok("facts", "--db", hub.url, "--json"); !strings.Contains(facts, `"actor":"ann"`) {
		t.Errorf("the actor is not ann: %s", facts)
	}
	env["TQ_TOKEN"] = "tq_wrong"
	hub.refused(5, "not valid", "list", "--db", hub.url)
	delete(env, "TQ_TOKEN")
	stranger := &desk{t: t, env: map[string]string{"HOME": t.TempDir()}, now: time.Now}
	stranger.refused(5, "a token is needed", "list", "--db", hub.url)
	env["TQ_TOKEN"] = hub.ok("token", "create", "--db", hub.url, "--name", "sam", "--queue", "shop:*", "--can", "read")
	hub.refused(5, "may not enqueue", "enqueue", "--db", hub.url, "--type", "work", "--queue", "shop:x", "--payload", "{}")
	hub.refused(3, "no task 1", "show", "--db", hub.url, "1")
}

// at calls see with each thing that is written.
type at func(text string)

func (see at) Write(p []byte) (int, error) {
	see(string(p))
	return len(p), nil
}

// Who waits for the line that says where a hub is may ask it at once. A worker
// that was started then had found no token, and ended.
func TestAHubSaysWhereItIsWhenItsTokenIsThere(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	home := t.TempDir()
	told := false
	code := Process{
		Args:  []string{"serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(home, "tq.db")},
		Stdin: strings.NewReader(""), Stdout: io.Discard,
		Stderr: at(func(text string) {
			if !strings.Contains(text, "http://") || told {
				return
			}
			told = true
			if _, err := os.Stat(filepath.Join(home, ".config", "tq", "token")); err != nil {
				t.Errorf("it says %q, and its token: %v", text, err)
			}
			stop()
		}),
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Now: time.Now,
	}.Run(ctx)
	if code != 0 || !told {
		t.Errorf("serve ended with %d, and said where it is: %v", code, told)
	}
}

func TestTheTokenOfAMachineIsGoodForEveryHubOnIt(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "USER": "ann"}
	first, second := serveFor(t, env), serveFor(t, env)
	for _, hub := range []*served{first, second} {
		hub.ok("stats", "--db", hub.url)
	}
	if strings.Contains(strings.Join(second.said, "\n"), "the token of this machine") {
		t.Error("the second hub made a new one")
	}
}

func TestATokenFileThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "USER": "ann"}
	hub := serveFor(t, env)
	path := filepath.Join(env["XDG_CONFIG_HOME"], "tq", "token")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	hub.refused(2, "others can read the token", "list", "--db", hub.url)
}

func TestAHubForTheNetworkWantsTokensAndTLS(t *testing.T) {
	t.Parallel()
	d := &desk{t: t, env: map[string]string{"HOME": t.TempDir(), "TQ_DB": filepath.Join(t.TempDir(), "tq.db")}, now: time.Now}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "tasks.example.com:443"} {
		d.refused(2, "there is no token yet", "serve", "--addr", addr)
		d.refused(2, "tq token create", "serve", "--addr", addr, "--insecure")
	}
	d.ok("token", "create", "--name", "sam", "--queue", "*", "--can", "read")
	d.refused(2, "in plain sight", "serve", "--addr", "0.0.0.0:0")
	d.refused(2, "--tls-cert FILE", "serve", "--addr", ":0")
	d.refused(2, "go together", "serve", "--addr", ":0", "--tls-cert", "x")
	d.refused(2, "addr", "serve", "--addr", "nonsense")
}
