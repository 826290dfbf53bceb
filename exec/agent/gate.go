package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/tq"
)

// The verify gate: the command that says whether what an agent has done counts.
// It is run by the executor, after the agent is gone.

// gateFile is the repository's own gate: a script, or lines for sh.
const gateFile = ".tq-verify"

// strict makes the first command that fails the end of a gate of several lines.
const strict = "set -e\n"

var errNoGate = errors.New("nothing says how to verify a change")

// gate chooses the command: the repository's own, the payload's, or what its
// files tell.
func (r *repo) gate(p *Payload) (string, error) {
	own, err := r.read(gateFile)
	switch {
	case err == nil && len(strings.TrimSpace(string(own))) == 0:
		return "", fmt.Errorf("%s is empty: write the commands that must pass", gateFile)
	case err == nil && strings.HasPrefix(string(own), "#!"):
		return "./" + gateFile, nil
	case err == nil:
		return strict + strings.TrimSpace(string(own)), nil
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	case p.Verify != "":
		return p.Verify, nil
	}
	return r.detected()
}

func (r *repo) detected() (string, error) {
	switch {
	case r.has("go.mod"):
		return "go build ./... && go test ./... -count=1", nil
	case r.npmTest():
		return "npm test", nil
	case r.has("Cargo.toml"):
		return "cargo build --quiet && cargo test --quiet", nil
	case r.makes("check"):
		return "make check", nil
	case r.makes("test"):
		return "make test", nil
	case r.has("Makefile"):
		return "make", nil
	case r.has("flake.nix"):
		return "nix flake check", nil
	case r.has("pyproject.toml"), r.has("setup.py"):
		return "python3 -m pytest -q", nil
	case r.has("pom.xml"):
		return "mvn --batch-mode --quiet verify", nil
	}
	return "", fmt.Errorf("%w in %s: write %s with the commands that must pass", errNoGate, r.dir, gateFile)
}

func (r *repo) has(name string) bool {
	info, err := os.Lstat(filepath.Join(r.dir, name))
	return err == nil && info.Mode().IsRegular()
}

// npmTest reports whether there is a test script that is not the one npm init
// writes.
func (r *repo) npmTest() bool {
	b, err := r.read("package.json")
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err != nil || json.Unmarshal(b, &p) != nil {
		return false
	}
	test := p.Scripts["test"]
	return test != "" && !strings.Contains(test, "no test specified")
}

func (r *repo) makes(target string) bool {
	b, err := r.read("Makefile")
	return err == nil && regexp.MustCompile(`(?m)^`+target+`\s*:`).Match(b)
}

// verified is how the gate judged.
type verified struct {
	Failure string // "" when it passed
	Log     string // the end of what it printed
}

// verify runs the gate. Credentials of providers are not in its environment.
func (x *Executor) verify(ctx context.Context, t *tq.Task, r *repo, gate string, hold *os.File) (verified, error) {
	environ := x.environ()
	log := newTranscript(newScrubber(environ), func(note string) { t.Report(0, "verify: "+note) })
	ctx, cancel := context.WithTimeoutCause(ctx, x.verifyTimeout(), fmt.Errorf("%w: the gate took more than %s", tq.ErrTimedOut, x.verifyTimeout()))
	defer cancel()
	end, err := x.Run(ctx, Command{
		Argv: []string{"sh", "-c", "--", gate}, Dir: r.dir, Hold: hold,
		Env:    append(inherit(environ, usual()), taskEnv(t)...),
		Stdout: log.out, Stderr: log.out,
	})
	if err != nil {
		return verified{}, fmt.Errorf("run the gate: %w", err)
	}
	v := verified{Failure: end.Failure, Log: strings.TrimSpace(log.out.tail())}
	if end.Stopped {
		v.Failure = context.Cause(ctx).Error()
	}
	return v, nil
}
