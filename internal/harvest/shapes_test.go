package harvest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/harvest"
)

// shape is a way in which people write a list, and what is to be read of it:
// each open point, or ! and why it is skipped.
type shape struct{ name, text, want string }

func shapes() []shape {
	return []shape{
		{"dash", "- [ ] a\n- [x] b\n", "a"},
		{"star", "* [ ] a\n* [X] b\n", "a"},
		{"plus", "+ [ ] a\n", "a"},
		{"numbers", "1. [ ] a\n2. [x] b\n3) [ ] c\n", "a|c"},
		{"nested", "- [ ] a\n  - [ ] b\n    - [ ] c\n      - [ ] d\n", "a|b|c|d"},
		{"nested-done", "- [x] a\n  - [ ] b\n", "b"},
		{"tabs", "-\t[ ] a\n\t- [ ] b\n", "a|b"},
		{"crlf", "# T\r\n- [ ] a\r\n- [ ] b\r\n", "a|b"},
		{"no-newline", "- [ ] a", "a"},
		{"loose", "- [ ] a\n\n- [ ] b\n", "a|b"},
		{"wrapped", "- [ ] a\n  goes on\nlazily\n", "a goes on lazily"},
		{"quoted", "> - [ ] a\n", "a"},
		{"fence", "```\n- [ ] no\n```\n~~~md\n- [ ] no\n~~~\n- [ ] a\n", "a"},
		{"open-fence", "- [ ] a\n\n```\n- [ ] no\n", "a"},
		{"indented", "text\n\n    - [ ] no\n", ""},
		{"html", "<!--\n- [ ] no\n-->\n\n- [ ] a\n", "a"},
		{"details", "<details>\n\n- [ ] a\n\n</details>\n", "a"},
		{"front-matter", "---\ntitle: x\n---\n\n- [ ] a\n", "a"},
		{"table", "| [ ] | no |\n|---|---|\n| [ ] | no |\n", ""},
		{"no-box", "- [] no\n- [-] no\n- [y] no\n-[ ] no\n", ""},
		{"tight", "- [ ]a\n", "a"},
		{"setext", "Title\n=====\n\n- [ ] a\n", "a"},
		{"marks", "- [ ] a — P1\n- [ ] b -- P4\n- [ ] c P2\n", "a|b|c P2"},
		{"blocked", "- [ ] a BLOCKED: rain\n- [ ] b\n", "!blocked: rain|b"},
		{"styled", "- [ ] **a** `b` [c](http://d) ~~e~~\n", "**a** `b` [c](http://d) ~~e~~"},
		{"unicode", "- [ ] 世界 🚪 ü\n", "世界 🚪 ü"},
		{"bom", "\ufeff- [ ] a\n", "a"},
		{"twice", "- [ ] a\n- [ ] a\n", "!it has no text, or that of another box|a"},
		{"dashes", "- [ ] --yolo\n- [ ] $(reboot) `reboot`\n", "--yolo|$(reboot) `reboot`"},
		{"empty", "", ""},
		{"prose", "# Done\n\nAll is well.\n", ""},
		{"binary", "- [ ] a\x00\n", "!TODO_LIST.md"},
		{"utf16", "\xff\xfe-\x00 \x00[\x00 \x00]\x00 \x00a\x00", "!TODO_LIST.md"},
		{"deep", strings.Repeat("> ", 500_000) + "- [ ] no\n- [ ] a\n", "!TODO_LIST.md has a line with more than 1000 marks"},
		{"brackets", strings.Repeat("[", 400_000) + "\n\n- [ ] a\n", "a"},
		{"stars", strings.Repeat("*a_", 100_000) + "\n\n- [ ] a\n", "a"},
		{"ticks", strings.Repeat("`a``", 100_000) + "\n\n- [ ] a\n", "a"},
		{"wide", strings.Repeat("- [x] done\n", 20_000) + "- [ ] a\n", "a"},
		{"long", "- [ ] " + strings.Repeat("a", 200_000) + "\n- [ ] b\n", "!it cannot be a task|b"},
	}
}

func TestListsOfEveryShapeAreReadOrSkipped(t *testing.T) {
	f := newField(t)
	all := shapes()
	for _, s := range all {
		f.write(s.name, "TODO_LIST.md", s.text)
	}
	f.h.MaxPerTick = len(all)
	_, rows := f.tick()
	got := map[string][]string{}
	for _, r := range rows {
		text := r.Text
		if r.Verdict == harvest.Skipped {
			text = "!" + r.Reason
		}
		got[r.Repo] = append(got[r.Repo], text)
	}
	for _, s := range all {
		read := strings.Join(got[s.name], "|")
		why, skipped := strings.CutPrefix(s.want, "!TODO")
		switch {
		case s.name == "long" && strings.HasPrefix(read, "!it cannot be a task: tasks/0: payload is") && strings.HasSuffix(read, "|b"):
		case skipped && strings.HasPrefix(read, "!TODO"+why) && len(got[s.name]) == 1:
		case read != s.want:
			t.Errorf("%s: read %q, want %q", s.name, read, s.want)
		}
	}
	f.wantNew() // twice brings nothing new
}

// Nothing of a repository runs because somebody looks for its backlog.
func TestEvilRepositoriesRunNothingWhenTheyAreHarvested(t *testing.T) {
	f := newField(t)
	pwned := filepath.Join(f.dir, "pwned")
	touch := "touch " + pwned
	f.write("evil", "TODO_LIST.md", "- [ ] a\n")
	f.write("evil", ".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ./x\n\tupdate = !"+touch+"\n")
	f.write("evil", ".gitattributes", "* filter=x\n")
	dir := filepath.Join(f.dir, "evil")
	for _, args := range [][]string{
		{"init", "-q"},
		{"config", "core.fsmonitor", touch},
		{"config", "filter.x.clean", touch},
		{"config", "include.path", "../evil.conf"},
		{"config", "core.hooksPath", "."},
	} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	f.write("evil", ".git/evil.conf", fmt.Sprintf("[core]\n\tsshCommand = %s\n", touch))
	f.write("evil", ".envrc", touch+"\n")
	f.wantNew("evil:a")
	f.settle(func(c tq.ClaimedTask) error {
		_, err := f.q.Complete(t.Context(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
		return err
	})
	f.tick()
	if _, err := os.Lstat(pwned); err == nil {
		t.Error("something of the repository was run")
	}
}
