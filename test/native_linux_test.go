package test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/tq"
)

// The topology of deploy/compose.yaml as `make native-up` starts it: PostgreSQL, a
// hub that wants tokens, two workers. One worker is killed with -9 in the middle
// of a task; everything completes, and what always fails ends dead.

func TestTheNativeTopologyOutlivesAKilledWorker(t *testing.T) {
	t.Parallel()
	n := nativeUp(t)
	n.logIn()
	batch := []string{n.enqueue(`[ "$TQ_ATTEMPT" -gt 1 ] || exec sleep 600`)}
	for i := range 12 {
		batch = append(batch, n.enqueue(fmt.Sprintf("echo shard %d", i)))
	}
	broken := n.enqueue("exit 3", "--max-attempts", "2", "--backoff", "50ms")

	n.kill(n.claimantOf(batch[0]))
	n.tq(0, append([]string{"wait", "--timeout", "60s"}, batch...)...)
	n.tq(10, "wait", "--timeout", "60s", broken)

	if task := n.show(batch[0]); task.Status != tq.Completed || task.Attempt != 2 {
		t.Errorf("the task of the killed worker is %s in attempt %d, want completed in 2", task.Status, task.Attempt)
	}
	if task := n.show(broken); task.Status != tq.Dead || task.Attempt != 2 {
		t.Errorf("what always fails is %s after attempt %d, want dead after 2", task.Status, task.Attempt)
	}
	if out := n.tq(0, "check"); !strings.HasPrefix(out, "ok") {
		t.Errorf("check: %s", out)
	}
	n.down()
}

// native is one topology, in a folder and at ports of its own.
type native struct {
	t    *testing.T
	dir  string
	url  string
	link string
	env  []string
}

func nativeUp(t *testing.T) *native {
	t.Helper()
	dir, err := os.MkdirTemp("", "tq-native-") // not t.TempDir(): the user postgres has to get in
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	bin, err := exec.LookPath("tq")
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	n := &native{t: t, dir: dir, url: "http://127.0.0.1:" + port}
	n.env = append(os.Environ(), "NATIVE_DIR="+dir, "TQ="+bin, "HOST_PORT="+port, "POSTGRES_PORT="+freePort(t),
		"WORKERS=2", "WORKER_FLAGS=--lease 5s --concurrency 2")
	t.Cleanup(n.reset)
	_, link, found := strings.Cut(n.script("up"), "dashboard: ")
	if n.link = strings.TrimSpace(link); !found || !strings.HasPrefix(n.link, n.url+"/login?code=") {
		t.Fatalf("the link to the dashboard is %q", n.link)
	}
	return n
}

func freePort(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nobody came
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// script runs tools/native.sh, which make native-up does, and returns what it
// said. What it starts keeps its output open, so that goes through a file.
func (n *native) script(what string) string {
	n.t.Helper()
	said, err := os.CreateTemp(n.t.TempDir(), "said")
	if err != nil {
		n.t.Fatal(err)
	}
	defer func() { _ = said.Close() }() // only read from here on
	cmd := exec.Command("../tools/native.sh", what)
	cmd.Env, cmd.Stdout, cmd.Stderr = n.env, said, said
	err = cmd.Run()
	text, readErr := os.ReadFile(said.Name())
	if err != nil || readErr != nil {
		hub, _ := os.ReadFile(filepath.Join(n.dir, "hub.log")) // it may not have begun
		n.t.Fatalf("native %s: %v %v\n%s%s", what, err, readErr, text, hub)
	}
	return string(text)
}

// tq asks the hub with the token of the administrator.
func (n *native) tq(code int, args ...string) string {
	n.t.Helper()
	cmd := exec.CommandContext(n.t.Context(), "tq", args...)
	cmd.Env = slices.Concat(n.env, []string{
		"TQ_DB=" + n.url, "TQ_TOKEN=", "TQ_TOKEN_FILE=" + filepath.Join(n.dir, "tokens", "admin"), "TQ_CONFIG=" + os.DevNull,
	})
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		n.t.Fatalf("tq %s: exit %d (%v), want %d\n%s", strings.Join(args, " "), got, err, code, out)
	}
	return strings.TrimSpace(string(out))
}

func (n *native) enqueue(command string, more ...string) string {
	n.t.Helper()
	return n.tq(0, append([]string{"enqueue", "--type", "sh", "--payload", command}, more...)...)
}

func (n *native) show(id string) (task tq.Task) {
	n.t.Helper()
	if err := json.Unmarshal([]byte(n.tq(0, "show", id, "--json")), &task); err != nil {
		n.t.Fatalf("show %s: %v", id, err)
	}
	return task
}

// logIn follows the printed link.
func (n *native) logIn() {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, n.link, http.NoBody)
	if err != nil {
		n.t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it is empty
	if answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 {
		n.t.Errorf("the link answered %s and %d cookies", answer.Status, len(answer.Cookies()))
	}
}

// claimantOf waits until a worker has the task, and names it.
func (n *native) claimantOf(id string) string {
	n.t.Helper()
	var claim tq.Fact
	text := n.tq(0, "facts", "--task", id, "--kind", "claimed", "--follow", "--limit", "1", "--json")
	if err := json.Unmarshal([]byte(text), &claim); err != nil {
		n.t.Fatalf("the claim of task %s: %v: %s", id, err, text)
	}
	for _, worker := range []string{"worker-1", "worker-2"} {
		if strings.Contains(claim.Actor, worker) {
			return worker
		}
	}
	n.t.Fatalf("task %s was claimed by %q", id, claim.Actor)
	return ""
}

// kill is kill -9 of a worker.
func (n *native) kill(worker string) {
	n.t.Helper()
	if err := syscall.Kill(n.pid(worker), syscall.SIGKILL); err != nil {
		n.t.Fatalf("kill %s: %v", worker, err)
	}
}

func (n *native) pid(name string) int {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name+".pid"))
	if err != nil {
		n.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		n.t.Fatal(err)
	}
	return pid
}

// down stops it, which leaves no process.
func (n *native) down() {
	n.t.Helper()
	hub := n.pid("hub")
	n.script("down")
	if err := syscall.Kill(hub, 0); err == nil {
		n.t.Error("the hub still runs")
	}
}

func (n *native) reset() {
	n.t.Helper()
	n.script("reset")
	if _, err := os.Stat(n.dir); err == nil {
		n.t.Errorf("%s was left", n.dir)
	}
}
