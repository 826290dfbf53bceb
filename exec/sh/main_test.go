package sh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/tq"
	"example.com/tq/exec/sh"
)

// The test binary is its own supervisor and, for tests that kill one, worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "_supervise":
			os.Exit(sh.Supervise(os.Args[2:]))
		case "_worker":
			os.Exit(worker())
		}
	}
	// Built with -race, a supervisor would take a second to exit.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// worker runs the payload on its stdin as a worker would.
func worker() int {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	x := supervised()
	if _, err := x.Execute(context.Background(), &tq.Task{ID: 7, Payload: payload}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// patience is how long a test waits for what should come at once.
const patience = 2 * time.Minute

// grace is short, for commands that ignore TERM on purpose.
const grace = 100 * time.Millisecond

func supervised() *sh.Executor {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &sh.Executor{Supervisor: []string{self, "_supervise"}, Grace: grace}
}

// modes are the two ways to run a command: with a supervisor and without.
func modes() map[string]*sh.Executor {
	return map[string]*sh.Executor{"supervised": supervised(), "direct": {Grace: grace}}
}

// line is the payload of a bare command line.
func line(cmd string) json.RawMessage { return object(cmd) }

// object is the JSON of any payload.
func object(payload any) json.RawMessage {
	b, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	return b
}

func execute(t *testing.T, x *sh.Executor, payload json.RawMessage) (json.RawMessage, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return x.Execute(ctx, &tq.Task{ID: 42, Attempt: 2, Epoch: 9, Payload: payload})
}

// output is what a command that must end with 0 printed, by its result.
func output(t *testing.T, x *sh.Executor, payload json.RawMessage) string {
	t.Helper()
	result, err := execute(t, x, payload)
	if err != nil {
		t.Fatalf("the command failed: %v", err)
	}
	var got struct {
		ExitCode *int    `json:"exit_code"`
		Output   *string `json:"output"`
	}
	if err := json.Unmarshal(result, &got); err != nil || got.ExitCode == nil || got.Output == nil {
		t.Fatalf("result %s: want exit_code and output (%v)", result, err)
	}
	if *got.ExitCode != 0 {
		t.Fatalf("exit_code %d, want 0", *got.ExitCode)
	}
	return *got.Output
}

// mustFail wants the error of a command, with exactly that text.
func mustFail(t *testing.T, x *sh.Executor, payload json.RawMessage, want string) {
	t.Helper()
	result, err := execute(t, x, payload)
	if err == nil {
		t.Fatalf("result %s, want the error %q", result, want)
	}
	if err.Error() != want {
		t.Fatalf("error %q, want %q", err, want)
	}
}

// permanent says whether no retry is to follow. What kind of failure an
// executor asks for has no exported name, so this reads it from inside.
func permanent(err error) bool {
	asked := reflect.ValueOf(tq.Permanent(errors.New("")))
	for ; err != nil; err = errors.Unwrap(err) {
		if got := reflect.ValueOf(err); got.Type() == asked.Type() {
			return got.Elem().FieldByName("giveUp").Bool()
		}
	}
	return false
}
