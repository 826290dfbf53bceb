//go:build unix

package sh_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"example.com/tq"
)

func TestExitStatusAndOutputAreTheResult(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if got := output(t, x, line("echo to stdout; echo to stderr >&2")); got != "to stdout\nto stderr\n" {
				t.Errorf("output %q", got)
			}
			if got := output(t, x, line("true")); got != "" {
				t.Errorf("output %q, want none", got)
			}
			mustFail(t, x, line("echo why; exit 255"), "exit status 255\nwhy")
			mustFail(t, x, line("exit 1"), "exit status 1")
		})
	}
}

func TestDeathBySignalIsNamed(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			mustFail(t, x, line("echo last words; kill -KILL $$"), "signal: killed\nlast words")
			mustFail(t, x, line("kill -TERM $$"), "signal: terminated")
		})
	}
}

func TestCommandTextIsLiteral(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, err := execute(t, x, line("-n"))
			if err == nil || !strings.HasPrefix(err.Error(), "exit status 127\n") || !strings.Contains(err.Error(), "-n") {
				t.Errorf("-n as a command: %v, want status 127", err)
			}
			if got := output(t, x, line(`printf '%s|' '$(reboot)' "a  b" --help`)); got != "$(reboot)|a  b|--help|" {
				t.Errorf("output %q", got)
			}
		})
	}
}

func TestDirEnvAndStdinReachTheCommand(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			got := output(t, x, object(map[string]any{
				"cmd": `pwd; echo "$GREETING"; cat`, "dir": dir,
				"env": map[string]string{"GREETING": "two\nlines = fine"}, "stdin": "line 1\nline 2",
			}))
			if want := dir + "\ntwo\nlines = fine\nline 1\nline 2"; got != want {
				t.Errorf("output %q, want %q", got, want)
			}
			if got := output(t, x, line("cat")); got != "" {
				t.Errorf("stdin of a command without one: %q, want its end", got)
			}
		})
	}
}

func TestStdinThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			got := output(t, x, object(map[string]any{"cmd": "exec <&-; echo done", "stdin": strings.Repeat("x", 120_000)}))
			if got != "done\n" {
				t.Errorf("output %q", got)
			}
		})
	}
}

func TestRelativeDirStartsFromTheExecutors(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	x := supervised()
	x.Dir = dir
	if got := output(t, x, line("pwd")); got != dir+"\n" {
		t.Errorf("without a dir it runs in %q", got)
	}
	if got := output(t, x, object(map[string]any{"cmd": "pwd", "dir": "inner"})); got != dir+"/inner\n" {
		t.Errorf("with a relative dir it runs in %q", got)
	}
}

func TestTheTaskIsInTheEnvironment(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			got := output(t, x, object(map[string]any{
				"cmd": `echo "$TQ_TASK_ID $TQ_ATTEMPT $TQ_FENCE"; test -d "$(dirname "$TQ_RESULT_FILE")" && echo folder`,
				"env": map[string]string{"TQ_FENCE": "1000", "TQ_RESULT_FILE": "/etc/passwd"},
			}))
			if got != "42 2 9\nfolder\n" {
				t.Errorf("output %q; the payload must not override tq's own variables", got)
			}
		})
	}
}

// Not parallel: it changes the environment of the worker, this process.
func TestSecretsOfTheWorkerStayWithIt(t *testing.T) {
	t.Setenv("TQ_TOKEN", "canary-token")
	t.Setenv("TQ_DB", "canary-db")
	t.Setenv("TRACEPARENT", "00-trace")
	t.Setenv("SHARED", "shared value")
	x := supervised()

	got := output(t, x, line("env; cat /proc/$PPID/environ 2>/dev/null || true"))
	if strings.Contains(got, "canary") {
		t.Errorf("a secret is visible to the command or in its supervisor:\n%s", got)
	}
	for _, want := range []string{"SHARED=shared value\n", "TRACEPARENT=00-trace\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the environment", want)
		}
	}

	x.EnvAllow = []string{"PATH", "TQ_TOKEN"}
	got = output(t, x, line("env"))
	if strings.Contains(got, "canary") || strings.Contains(got, "SHARED") {
		t.Errorf("not on the list, yet inherited:\n%s", got)
	}
	if !strings.Contains(got, "PATH=") || !strings.Contains(got, "TRACEPARENT=00-trace\n") {
		t.Errorf("on the list, yet missing:\n%s", got)
	}

	if err := os.Unsetenv("TRACEPARENT"); err != nil { // t.Setenv above puts it back as it was
		t.Fatal(err)
	}
	x.EnvAllow = []string{}
	got = output(t, x, line("/usr/bin/env; /bin/cat /proc/$PPID/environ 2>/dev/null || :"))
	if strings.Contains(got, "canary") || strings.Contains(got, "SHARED") || strings.Contains(got, "HOME=") {
		t.Errorf("an empty list lets nothing through, got:\n%s", got)
	}
}

func TestPayloadsThatNameNoCommandFailForGood(t *testing.T) {
	t.Parallel()
	const want = `payload: want a JSON string, the command line, or an object {"cmd", "dir", "env", "stdin"}`
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for payload, text := range map[string]string{
		``:                                  want,
		`null`:                              want,
		`42`:                                want,
		`["ls"]`:                            want,
		`{"cmd":`:                           want,
		`""`:                                "payload: cmd is empty",
		`" \n"`:                             "payload: cmd is empty",
		`{}`:                                "payload: cmd is empty",
		`{"dir":"/"}`:                       "payload: cmd is empty",
		`{"cmd":"ls","comand":1}`:           `payload: unknown field "comand", want cmd, dir, env, stdin`,
		`{"CMD":"ls"}`:                      `payload: unknown field "CMD", want cmd, dir, env, stdin`,
		`{"cmd":["ls"]}`:                    "payload: cmd must be a string",
		`{"cmd":"ls","stdin":1}`:            "payload: stdin must be a string",
		`{"cmd":"ls","env":[1]}`:            "payload: env must be an object of strings",
		`{"cmd":"ls","env":{"A":1}}`:        "payload: env must be an object of strings",
		`{"cmd":"ls","env":{"A=B":"1"}}`:    `payload: env: "A=B" is not a name for a variable`,
		`{"cmd":"ls","env":{"":"1"}}`:       `payload: env: "" is not a name for a variable`,
		`{"cmd":"ls","env":{"A":"\u0000"}}`: "payload: env: the value of A contains a NUL character",
		`{"cmd":"ls","dir":"\u0000"}`:       "payload: dir contains a NUL character",
		`"a\u0000b"`:                        "payload: cmd contains a NUL character",
		`{"cmd":"ls","dir":"/no/such"}`:     `payload: dir "/no/such" does not exist on this worker`,
		fmt.Sprintf(`{"cmd":"ls","dir":%q}`, file): fmt.Sprintf("payload: dir %q is not a directory", file),
	} {
		_, err := execute(t, supervised(), json.RawMessage(payload))
		if err == nil || err.Error() != text {
			t.Errorf("%s: %v, want %q", payload, err, text)
		}
		if !permanent(err) {
			t.Errorf("%s: would be retried", payload)
		}
	}
}

func TestAnyOutputMakesAResult(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for name, cmd := range map[string]string{
				"NUL":           `printf 'a\000b\n'`,
				"invalid UTF-8": `printf 'caf\351 \377\376\n'`,
				"ANSI":          `printf '\033[31mred\033]0;title\007\n'`,
				"random":        `head -c 200000 /dev/urandom`,
				"only NUL":      `head -c 200000 /dev/zero`,
				"control":       `head -c 200000 /dev/zero | tr '\000' '\001'`,
				"half a rune":   `head -c 200000 /dev/zero | tr '\000' x; printf '\303'`,
			} {
				result, err := execute(t, x, line(cmd))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if bad := tq.CheckJSON("result", result, tq.MaxPayload); bad != nil {
					t.Errorf("%s: %v", name, bad)
				}
				if _, err := execute(t, x, line(cmd+"; exit 9")); err == nil || !utf8.ValidString(err.Error()) ||
					strings.ContainsRune(err.Error(), 0) || len(err.Error()) > tq.MaxError {
					t.Errorf("%s: as an error: %.100q", name, err)
				}
			}
		})
	}
}

func TestOnlyTheEndOfLongOutputIsKept(t *testing.T) {
	t.Parallel()
	got := output(t, supervised(), line(`i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done`))
	head, rest, _ := strings.Cut(got, "\n")
	if !strings.HasPrefix(head, "[") || !strings.HasSuffix(head, "bytes before this were not kept]") {
		t.Errorf("first line %q does not say what is missing", head)
	}
	if !strings.HasPrefix(rest, "line ") || !strings.HasSuffix(rest, "\nline 19999\n") || len(rest) > 32<<10 {
		t.Errorf("kept %d bytes, from %.20q to %q", len(rest), rest, rest[len(rest)-20:])
	}
}

func TestClosedOutputHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			mustFail(t, x, line("exec >&- 2>&-; exit 3"), "exit status 3")
		})
	}
}

func TestTheResultFileIsTheResult(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			result, err := execute(t, x, line(`echo noise; echo ' {"n": 1.0e2, "n": 12345678901234567890} ' >"$TQ_RESULT_FILE"`))
			if err != nil || string(result) != `{"n": 1.0e2, "n": 12345678901234567890}` {
				t.Errorf("result %s, error %v: want the bytes that were written", result, err)
			}
			mustFail(t, x, line(`echo 1 >"$TQ_RESULT_FILE"; exit 4`), "exit status 4")
		})
	}
}

func TestABadResultFileFailsTheAttempt(t *testing.T) {
	t.Parallel()
	const prefix = "exit status 0, but $TQ_RESULT_FILE: "
	x := supervised()
	mustFail(t, x, line(`echo seen; echo oops >"$TQ_RESULT_FILE"`), prefix+"result: is not valid JSON\nseen")
	mustFail(t, x, line(`: >"$TQ_RESULT_FILE"`), prefix+"is empty, not JSON")
	mustFail(t, x, line(`printf '"\377"' >"$TQ_RESULT_FILE"`), prefix+"result: is not valid UTF-8")
	mustFail(t, x, line(`mkfifo "$TQ_RESULT_FILE"`), prefix+"is not a regular file")
	mustFail(t, x, line(`ln -s /etc/passwd "$TQ_RESULT_FILE"`), prefix+"is not a regular file")
	mustFail(t, x, line(`cat /dev/zero | head -c 131073 >"$TQ_RESULT_FILE"`),
		prefix+"is larger than 131072 bytes: keep large data elsewhere and write its address")

	fits := `(printf '"'; head -c 131070 /dev/zero | tr '\000' x; printf '"') >"$TQ_RESULT_FILE"`
	if result, err := execute(t, x, line(fits)); err != nil || len(result) != tq.MaxPayload {
		t.Errorf("%d bytes, error %v: want all of %d", len(result), err, tq.MaxPayload)
	}
}

func TestTheAttemptsFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := strings.TrimSpace(output(t, supervised(), object(map[string]any{
		"cmd": `dirname "$TQ_RESULT_FILE"; ls -ld "$(dirname "$TQ_RESULT_FILE")" | cut -c1-10`, "stdin": "x",
	})))
	dir, mode, _ := strings.Cut(dir, "\n")
	if mode != "drwx------" {
		t.Errorf("mode %s: others may look in", mode)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

func TestManyCommandsAtOnceKeepApart(t *testing.T) {
	t.Parallel()
	for mode, x := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			for i := range 32 {
				all.Go(func() {
					if got := output(t, x, line(fmt.Sprintf("echo %d; echo %d >&2", i, i))); got != fmt.Sprintf("%d\n%d\n", i, i) {
						t.Errorf("command %d printed %q", i, got)
					}
				})
			}
			all.Wait()
		})
	}
}
