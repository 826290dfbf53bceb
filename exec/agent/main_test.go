//go:build unix

package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/exec/agent"
	"example.com/tq/exec/sh"
)

// The test binary is its own supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "_supervise" {
		os.Exit(sh.Supervise(os.Args[2:]))
	}
	// Built with -race, a supervisor would take a second to exit.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// bench is a folder of repositories, an executor that may enter it, and stand-ins
// for every agent.
type bench struct {
	*testing.T
	dir, bin string
	x        *agent.Executor
	environ  []string
	now      time.Time
}

func newBench(t *testing.T, profile string) *bench {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, dir: dir, bin: filepath.Join(dir, "bin"), now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	b.must(os.Mkdir(b.bin, 0o700))
	b.must(os.Mkdir(filepath.Join(dir, "projects"), 0o700))
	script, err := os.ReadFile("testdata/fake-agent.sh")
	b.must(err)
	for _, name := range append(agent.Profiles(), "my-agent") {
		b.must(os.WriteFile(filepath.Join(b.bin, name), script, 0o700))
	}
	b.environ = []string{
		"PATH=" + b.bin + ":" + os.Getenv("PATH"), "HOME=" + dir,
		"FAKE_ARGS=" + filepath.Join(dir, "args"), "FAKE_PROMPT=" + filepath.Join(dir, "prompt"),
		"ANTHROPIC_API_KEY=canary-provider-key", "TQ_TOKEN=canary-queue-token", "TQ_DB=/nowhere",
	}
	p, err := agent.ProfileOf(profile)
	b.must(err)
	self, err := os.Executable()
	b.must(err)
	shell := &sh.Executor{Supervisor: []string{self, "_supervise"}, Grace: 200 * time.Millisecond}
	b.x = &agent.Executor{
		Run: func(ctx context.Context, c agent.Command) (agent.Ended, error) {
			end, err := shell.RunProgram(ctx, sh.Program(c))
			return agent.Ended(end), err
		},
		Agent: p, ProjectsDir: filepath.Join(dir, "projects"), EnvAllow: []string{"FAKE_*"},
		Environ: func() []string { return b.environ }, Now: func() time.Time { return b.now },
	}
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// repo makes a repository with a gate that fails when there is a file broken.
func (b *bench) repo(name string, files map[string]string) string {
	b.Helper()
	dir := filepath.Join(b.x.ProjectsDir, name)
	b.must(os.MkdirAll(dir, 0o700))
	if files == nil {
		files = map[string]string{}
	}
	if _, own := files[".tq-verify"]; !own {
		files[".tq-verify"] = "test ! -e broken\necho checked\n"
	}
	b.git(dir, "init", "-q", "-b", "main")
	for path, text := range files {
		full := filepath.Join(dir, path)
		b.must(os.MkdirAll(filepath.Dir(full), 0o700))
		b.must(os.WriteFile(full, []byte(text), 0o600))
	}
	b.git(dir, "add", "-A")
	b.git(dir, "commit", "-q", "-m", "first")
	return dir
}

func (b *bench) git(dir string, args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", append([]string{"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@localhost"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// run has the agent do a task in a repository.
func (b *bench) run(repo, prompt string) (agent.Result, error) {
	b.Helper()
	return b.task(map[string]any{"repo": repo, "prompt": prompt})
}

func (b *bench) task(payload map[string]any) (agent.Result, error) {
	b.Helper()
	text, err := json.Marshal(payload)
	b.must(err)
	raw, err := b.x.Execute(b.Context(), &tq.Task{ID: 7, Epoch: 3, Attempt: 1, Type: tq.TypeAgent, Payload: text})
	var res agent.Result
	if err == nil {
		b.must(json.Unmarshal(raw, &res))
	}
	return res, err
}

// fails checks that a run fails in a class and says why.
func (b *bench) fails(repo, prompt string, class tq.Class, says ...string) {
	b.Helper()
	_, err := b.run(repo, prompt)
	b.wantError(err, class, says...)
}

func (b *bench) wantError(err error, class tq.Class, says ...string) {
	b.Helper()
	if err == nil || tq.ClassOf(err) != class {
		b.Fatalf("%v is of class %q, want %q", err, tq.ClassOf(err), class)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			b.Errorf("%q does not say %q", err, part)
		}
	}
}

// untouched checks that a repository is as it was: clean and at that commit.
func (b *bench) untouched(dir, head string) {
	b.Helper()
	if dirt := b.git(dir, "status", "--porcelain"); dirt != "" {
		b.Errorf("left in the tree:\n%s", dirt)
	}
	if now := b.git(dir, "rev-parse", "HEAD"); now != head {
		b.Errorf("HEAD is %s, it was %s", now, head)
	}
}

func (b *bench) read(path string) string {
	b.Helper()
	text, err := os.ReadFile(path)
	b.must(err)
	return string(text)
}
