//go:build unix

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/exec/agent"
)

func TestVerifiedWorkIsTheResult(t *testing.T) {
	b := newBench(t, "claude")
	b.x.Yolo = true
	dir := b.repo("shop", map[string]string{
		".claude/settings.json": `{"permissions":{}}`,
		"TODO_LIST.md":          "- [ ] paint the door\n- [ ] other\n",
	})
	before := b.git(dir, "rev-parse", "HEAD")
	res, err := b.task(map[string]any{
		"repo": "shop", "prompt": "FAKE ok {{TASK_ID}}\nBOX: paint the door",
		"todo": agent.Todo{File: "TODO_LIST.md", Text: "paint the door"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Verified || res.Exit != 0 || res.Log != "checked" || res.Session != "ses-1" || res.Cost != 0.25 || res.Text != "all done" {
		t.Errorf("result %+v", res)
	}
	if res.Commit != b.git(dir, "rev-parse", "HEAD") || res.Commit == before || strings.Join(res.Files, " ") != "TODO_LIST.md work.txt" {
		t.Errorf("commit %s changed %v", res.Commit, res.Files)
	}
	if len(res.Hash) != 64 || res.Permission != ".claude/settings.json" || !strings.Contains(res.Diff, "2 files changed") {
		t.Errorf("result %+v", res)
	}
	prompt := b.read(filepath.Join(b.dir, "prompt"))
	for _, part := range []string{"AGENTS.md", "Never push", "FAKE ok 7\n", "Task-Queue-ID: 7", "test ! -e broken"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt does not say %q:\n%s", part, prompt)
		}
	}
	if args := b.read(filepath.Join(b.dir, "args")); strings.Contains(args, "FAKE") || !strings.Contains(args, "bypassPermissions") {
		t.Errorf("arguments:\n%s", args)
	}
}

func TestWorkThatDoesNotHoldFailsTheAttempt(t *testing.T) {
	for way, says := range map[string][]string{
		"nothing": {"commit: the agent says that it is done, but it has changed nothing"},
		"broken":  {"verify: exit status 1 of the gate", "what was left is kept: git -C"},
		"dirty":   {"tree: the agent left changes", "rest.txt", "refs/tq/left/7-3"},
		"untick":  {"todo: the agent did not tick the box in TODO_LIST.md"},
		"rails":   {"rails: the agent changed .tq-verify"},
		"consent": {"rails: the agent changed .git/tq-consent"},
		"history": {"commit: the agent changed the history"},
		"die":     {"agent: the agent failed: signal: killed"},
		"strange": {"exit status 2", "do not know how to strange"},
	} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t, "crush")
			dir := b.repo("shop", map[string]string{"TODO_LIST.md": "* [ ] paint\n"})
			head := b.git(dir, "rev-parse", "HEAD")
			_, err := b.task(map[string]any{
				"repo": dir, "prompt": "FAKE " + way + "\nBOX: paint",
				"todo": agent.Todo{File: "TODO_LIST.md", Text: "paint"},
			})
			b.wantError(err, tq.ClassTransient, says...)
			b.untouched(dir, head)
			if _, err := os.Stat(filepath.Join(dir, ".git", "tq-agent.json")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the note of the attempt is still there: %v", err)
			}
		})
	}
}

func TestAPushIsStoppedAndGivenUp(t *testing.T) {
	b := newBench(t, "crush")
	dir := b.repo("shop", nil)
	b.git(b.dir, "init", "-q", "--bare", "origin.git")
	b.git(dir, "remote", "add", "origin", filepath.Join(b.dir, "origin.git"))
	b.fails(dir, "FAKE push", tq.ClassPermanent, "push: the agent pushed its work to refs/remotes/origin/main")
}

func TestLimitsParkTheProvider(t *testing.T) {
	for _, profile := range agent.Profiles() {
		t.Run(profile, func(t *testing.T) {
			b := newBench(t, profile)
			dir := b.repo("shop", nil)
			head := b.git(dir, "rev-parse", "HEAD")
			b.fails(dir, "FAKE limit", tq.ClassRateLimited, "usage limit reached")
			b.untouched(dir, head)
			b.fails(dir, "FAKE login", tq.ClassPreflight, "the agent failed")
		})
	}
}

func TestAParkedProviderIsNotAsked(t *testing.T) {
	b := newBench(t, "codex")
	dir := b.repo("shop", nil)
	until := tq.At(b.now.Add(time.Hour))
	b.x.Parked = func(context.Context) ([]tq.Parked, error) {
		return []tq.Parked{{Scope: "provider:codex", Until: until, Reason: "limit"}}, nil
	}
	b.fails(dir, "FAKE ok", tq.ClassRateLimited, "limit")
	if _, err := os.Stat(filepath.Join(b.dir, "prompt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the agent was started: %v", err)
	}
	b.now = until.Add(time.Second)
	if _, err := b.run(dir, "FAKE ok"); err != nil {
		t.Errorf("after the limit: %v", err)
	}
}

func TestPreflightBurnsNothingAndSaysWhatToDo(t *testing.T) {
	b := newBench(t, "crush")
	dirty := b.repo("dirty", nil)
	b.must(os.WriteFile(filepath.Join(dirty, "mine.txt"), nil, 0o600))
	b.fails(dirty, "FAKE ok", tq.ClassPreflight, "not committed (?? mine.txt)", "--allow-dirty")
	b.must(os.MkdirAll(filepath.Join(b.dir, "elsewhere"), 0o700))
	b.fails(filepath.Join(b.dir, "elsewhere"), "FAKE ok", tq.ClassPreflight, "neither named by --repos nor below --projects-dir")
	b.must(os.Symlink(filepath.Join(b.dir, "elsewhere"), filepath.Join(b.x.ProjectsDir, "link")))
	b.fails("link", "FAKE ok", tq.ClassPreflight, "neither named")
	b.fails("../elsewhere", "FAKE ok", tq.ClassPreflight, "neither named")
	b.must(os.Mkdir(filepath.Join(b.x.ProjectsDir, "plain"), 0o700))
	b.fails("plain", "FAKE ok", tq.ClassPreflight, "is not a git repository")
	b.x.Yolo = true
	b.fails(b.repo("shy", nil), "FAKE ok", tq.ClassPreflight, "has no .crushrc: write one")
	b.x.Yolo = false
	empty := b.repo("gateless", map[string]string{".tq-verify": "\n"})
	b.fails(empty, "FAKE ok", tq.ClassPreflight, ".tq-verify is empty")
	_, err := b.task(map[string]any{"repo": "shy", "prompt": "x", "agent": "claude"})
	b.wantError(err, tq.ClassPreflight, "this worker runs crush")
	_, err = b.task(map[string]any{"repo": "shy"})
	b.wantError(err, tq.ClassPermanent, "prompt is required")
	b.must(os.Remove(filepath.Join(b.bin, "crush")))
	b.fails("shy", "FAKE ok", tq.ClassPreflight, "the agent is not on this machine")
}

func TestChangedSettingsAreAskedAboutAgain(t *testing.T) {
	b := newBench(t, "claude")
	b.x.Yolo = true
	const file, first, second = ".claude/settings.json", `{"permissions":{}}`, `{"hooks":{"SessionStart":[]}}`
	dir := b.repo("shop", map[string]string{file: first})
	change := func(name, text string) {
		b.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		b.git(dir, "add", "-A")
		b.git(dir, "commit", "-q", "-m", "as if pulled")
	}
	works := func(why string) {
		t.Helper()
		if _, err := b.run(dir, "FAKE ok"); err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	works("the first time they are taken as they are")
	b.must(os.Remove(filepath.Join(b.dir, "prompt")))
	change(file, second)
	b.fails(dir, "FAKE ok", tq.ClassPreflight, file+" of "+dir+" is not what was approved", "tq agent-pool --approve --agent claude --repos "+dir)
	b.x.Yolo = false
	works("without a free hand nothing is asked")
	b.x.Yolo = true
	b.must(os.Remove(filepath.Join(b.dir, "prompt")))
	if got, err := b.x.Approve(t.Context(), dir); err != nil || len(got) != 1 || got[0].File != file || len(got[0].Hash) != 64 {
		t.Fatalf("approved %+v (%v)", got, err)
	}
	change(".mcp.json", `{"mcpServers":{}}`)
	b.fails(dir, "FAKE ok", tq.ClassPreflight, ".mcp.json of "+dir+" is not what was approved")
	if _, err := os.Stat(filepath.Join(b.dir, "prompt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the agent was started: %v", err)
	}
	b.git(dir, "rm", "-q", ".mcp.json")
	change(file, second)
	works("approved once")
	change(file, first)
	works("what was approved before is good still")
}

func TestOneAgentAtATimeWorksInARepository(t *testing.T) {
	b := newBench(t, "crush")
	dir := b.repo("shop", nil)
	first, stop := context.WithCancel(t.Context())
	begun := make(chan struct{})
	run := b.x.Run
	b.x.Run = func(ctx context.Context, c agent.Command) (agent.Ended, error) {
		close(begun)
		return run(ctx, c)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := b.x.Execute(first, &tq.Task{ID: 1, Payload: []byte(`{"repo":"shop","prompt":"FAKE hang"}`)})
		ended <- err
	}()
	<-begun
	b.fails(dir, "FAKE ok", tq.ClassRateLimited, "another agent works here")
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the first ended with %v", err)
	}
	b.x.Run = run
	if _, err := b.run(dir, "FAKE ok"); err != nil {
		t.Errorf("when the first is gone: %v", err)
	}
}

func TestAnAgentThatHangsIsEndedByItsOwnClock(t *testing.T) {
	b := newBench(t, "opencode")
	dir := b.repo("shop", nil)
	_, err := b.task(map[string]any{"repo": dir, "prompt": "FAKE hang", "timeout_minutes": 0.005})
	b.wantError(err, tq.ClassTransient, "timed out: the agent took more than", ": the agent was stopped")
	if !errors.Is(err, tq.ErrTimedOut) {
		t.Errorf("%v is not ErrTimedOut", err)
	}
}

func TestWhatAnAgentLeavesRunningIsEnded(t *testing.T) {
	b := newBench(t, "crush")
	dir := b.repo("shop", nil)
	if _, err := b.run(dir, "FAKE fork"); err != nil {
		t.Fatal(err)
	}
	for _, line := range processes(t) {
		if strings.Contains(line, dir) {
			t.Errorf("still running: %s", line)
		}
	}
}

// processes lists the working directories of all processes that can be seen.
func processes(t *testing.T) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && !strings.HasPrefix(link, "/proc/self") {
			all = append(all, link+" "+dir)
		}
	}
	return all
}

func TestAnAttemptWhoseWorkerWasKilledIsPutBack(t *testing.T) {
	b := newBench(t, "crush")
	dir := b.repo("shop", nil)
	head := b.git(dir, "rev-parse", "HEAD")
	note, err := json.Marshal(map[string]any{"task": 5, "epoch": 2, "head": head, "branch": "refs/heads/main"})
	b.must(err)
	b.must(os.WriteFile(filepath.Join(dir, ".git", "tq-agent.json"), note, 0o600))
	b.must(os.WriteFile(filepath.Join(dir, "half.txt"), []byte("half"), 0o600))
	b.git(dir, "commit", "-q", "--allow-empty", "-m", "half done")
	if _, err := b.run(dir, "FAKE ok"); err != nil {
		t.Fatal(err)
	}
	if got := b.git(dir, "show", "refs/tq/left/5-2:half.txt"); got != "half" {
		t.Errorf("what was left is %q", got)
	}
	if got := b.git(dir, "rev-parse", "HEAD^"); got != head {
		t.Errorf("the new work stands on %s, want %s", got, head)
	}
}

func TestSecretsStayOutOfWhatIsTold(t *testing.T) {
	b := newBench(t, "claude")
	dir := b.repo("shop", nil)
	_, err := b.run(dir, "FAKE secret")
	b.wantError(err, tq.ClassTransient, "key is [redacted] and token")
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("a secret is in %q", err)
	}
}

func TestEvilRepositoriesRunNothingBeforeTheAgent(t *testing.T) {
	touch := func(b *bench) string { return "touch " + filepath.Join(b.dir, "pwned") }
	for name, evil := range map[string]struct {
		plant  func(b *bench, dir string)
		refuse string // what the refusal names; "" when it is harmless
	}{
		"hooks": {plant: func(b *bench, dir string) {
			for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"} {
				b.must(os.WriteFile(filepath.Join(dir, ".git", "hooks", hook), []byte("#!/bin/sh\n"+touch(b)+"\n"), 0o700))
			}
		}},
		"fsmonitor": {plant: func(b *bench, dir string) { b.git(dir, "config", "core.fsmonitor", touch(b)) }},
		"hooksPath": {plant: func(b *bench, dir string) { b.git(dir, "config", "core.hooksPath", "hooks") }},
		"pager":     {plant: func(b *bench, dir string) { b.git(dir, "config", "core.pager", touch(b)) }},
		"filter": {refuse: "filter.x.clean", plant: func(b *bench, dir string) {
			b.git(dir, "config", "filter.x.clean", touch(b))
			b.must(os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* filter=x\n"), 0o600))
			b.must(os.WriteFile(filepath.Join(dir, ".tq-verify"), []byte("true\n"), 0o600))
		}},
		"include": {refuse: "include.path", plant: func(b *bench, dir string) { b.git(dir, "config", "include.path", "../evil.conf") }},
		"worktree": {refuse: "is not the top of its repository", plant: func(b *bench, dir string) {
			b.git(dir, "config", "core.worktree", b.dir)
		}},
		"submodule": {plant: func(b *bench, dir string) {
			sub := filepath.Join(dir, "sub")
			b.must(os.Mkdir(sub, 0o700))
			b.git(sub, "init", "-q")
			b.must(os.WriteFile(filepath.Join(sub, "a.txt"), []byte("a\n"), 0o600))
			b.git(sub, "add", "-A")
			b.git(sub, "commit", "-q", "-m", "first")
			b.must(os.WriteFile(filepath.Join(dir, ".gitmodules"), []byte("[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tupdate = !"+touch(b)+"\n"), 0o600))
			b.git(dir, "add", "-A")
			b.git(dir, "commit", "-q", "-m", "a submodule")
			for key, value := range map[string]string{"core.fsmonitor": touch(b), "filter.x.clean": touch(b), "core.hooksPath": "."} {
				b.git(sub, "config", key, value)
			}
			b.must(os.WriteFile(filepath.Join(sub, ".git", "info", "attributes"), []byte("* filter=x\n"), 0o600))
			b.must(os.WriteFile(filepath.Join(sub, "a.txt"), []byte("b\n"), 0o600))
			b.git(dir, "config", "submodule.sub.update", "!"+touch(b))
			b.git(dir, "config", "submodule.recurse", "true")
		}},
		"gate is a link out": {refuse: "path escapes", plant: func(b *bench, dir string) {
			b.must(os.Remove(filepath.Join(dir, ".tq-verify")))
			b.must(os.Symlink("/etc/passwd", filepath.Join(dir, ".tq-verify")))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "crush")
			dir := b.repo("evil", nil)
			evil.plant(b, dir)
			ran := false
			run := b.x.Run
			b.x.Run = func(ctx context.Context, c agent.Command) (agent.Ended, error) {
				if !ran && evil.refuse == "" {
					b.clean()
				}
				ran = true
				return run(ctx, c)
			}
			_, err := b.run(dir, "FAKE nothing")
			if evil.refuse == "" {
				b.wantError(err, tq.ClassTransient, "changed nothing")
				return
			}
			b.wantError(err, tq.ClassPreflight, evil.refuse)
			b.clean()
			if ran {
				t.Error("the agent was let in")
			}
		})
	}
}

func TestAListThatIsALinkOutIsNotRead(t *testing.T) {
	b := newBench(t, "crush")
	b.must(os.WriteFile(filepath.Join(b.dir, "secret.md"), []byte("- [ ] paint\n"), 0o600))
	dir := b.repo("evil", nil)
	b.must(os.Symlink("../../secret.md", filepath.Join(dir, "TODO_LIST.md")))
	b.git(dir, "add", "-A")
	b.git(dir, "commit", "-q", "-m", "a link")
	_, err := b.task(map[string]any{"repo": dir, "prompt": "FAKE ok", "todo": agent.Todo{File: "TODO_LIST.md", Text: "paint"}})
	b.wantError(err, tq.ClassPreflight, "path escapes")
}

// clean checks that nothing of the repository's own has run.
func (b *bench) clean() {
	b.Helper()
	if _, err := os.Stat(filepath.Join(b.dir, "pwned")); !errors.Is(err, os.ErrNotExist) {
		b.Errorf("something of the repository was run: %v", err)
	}
}
