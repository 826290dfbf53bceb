package test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/tq/store/postgres/pgtest"
	"example.com/tq/test/tally"
)

// TestMain builds tq as its users have it, and puts it before everything else
// that has its name.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv(echoPart) != "" {
		if err := serveEcho(); err != nil {
			fmt.Fprintln(os.Stderr, "serve the echo:", err)
			return 1
		}
		return 0
	}
	dir, err := os.MkdirTemp("", "tq-journeys-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a folder for the binary:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "tq"), "example.com/tq/cmd/tq")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build tq: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Every journey is made on a file and, with the same words, on a server.
func TestScripts(t *testing.T) {
	t.Parallel()
	journeys(t, func(env *testscript.Env) string { return filepath.Join(env.WorkDir, "tq.db") })
}

func TestScriptsOnPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	journeys(t, func(*testscript.Env) string { return pgtest.Address(t, server.URL()) })
}

// journeys runs the scripts, each on a database of its own.
func journeys(t *testing.T, database func(*testscript.Env) string) {
	t.Helper()
	testscript.Run(t, journey(t, database))
}

func journey(t *testing.T, database func(*testscript.Env) string) testscript.Params {
	t.Helper()
	refused := new(atomic.Int64)
	t.Cleanup(func() {
		n := int(refused.Load())
		tally.Counts{Attempted: n, Acknowledged: n, OK: n}.Log(t)
	})
	hook := httptest.NewServer(http.HandlerFunc(hook))
	t.Cleanup(hook.Close)
	return testscript.Params{
		Dir: "scripts",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TQ_DB", database(env))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("USER", "ann")
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("TZ", "UTC")
			env.Setenv("HOOK", hook.URL)
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				exits(ts, neg, args)
				refused.Add(1) // else it has not come here
			}, "capture": capture, "await": await, "sqlite": runSQL,
		},
		RequireExplicitExec: true,
	}
}

// hook is what http tasks call: /echo answers the body, /status/N answers N.
func hook(w http.ResponseWriter, r *http.Request) {
	if code, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/status/")); err == nil {
		w.WriteHeader(code)
		return
	}
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"got": body}) // the client is gone
}

// exits N COMMAND... runs a command that has to end with exit status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("exit status %d, want %s", code, want)
	}
}

// capture NAME FIELD puts a field of the JSON object on stdout into a variable;
// without FIELD all of stdout.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: capture NAME [FIELD]")
	}
	if len(args) == 2 {
		var object map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(text), &object))
		text = strings.Trim(string(object[args[1]]), `"`)
		if text == "" {
			ts.Fatalf("%s is not there", args[1])
		}
	}
	ts.Setenv(args[0], text)
}

// await KIND ID [N] waits until the journal has N facts of that kind of the task.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: await KIND ID [N]")
	}
	n := 1
	if len(args) == 3 {
		var err error
		n, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	cmd := exec.Command("tq", "facts", "--follow", "--json", "--kind", args[0], "--task", args[1])
	cmd.Env = []string{"TQ_DB=" + ts.Getenv("TQ_DB"), "HOME=" + ts.Getenv("HOME")}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewReader(out)
	var readErr error
	for range n {
		_, readErr = lines.ReadString('\n')
	}
	ts.Check(cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	ts.Check(readErr)
}

// runSQL FILE STATEMENT makes or changes an SQLite file that may not be ours.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE STATEMENT")
	}
	conn, err := sqlite.OpenConn(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(sqlitex.ExecuteScript(conn, args[1], nil))
	ts.Check(conn.Close())
}
