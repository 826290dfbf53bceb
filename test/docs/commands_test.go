package docs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The commands of one page run as its reader would type them: in order, in one
// shell, in one empty folder, with tq on PATH and its store in that folder. A
// block "sh not-run" is only parsed, and the text before it says why, with the
// words "not run here". A block "output" shows what the block before it prints;
// in it, … stands for the rest of a line, and alone on a line for any lines.

const pageTime = 2 * time.Minute

func TestCommandsInTheDocumentsRun(t *testing.T) {
	t.Parallel()
	bin := binary(t)
	for _, p := range pages(t) {
		session := sessionOf(p)
		if len(session) == 0 {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			session.run(t, bin)
		})
	}
}

func TestCommandsThatAreNotRunAreParsedAndSaySo(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			if b.info != "sh not-run" {
				continue
			}
			if !strings.Contains(b.before, "not run here") {
				t.Errorf("%s:%d: the text before the block does not say why it is \"not run here\"", p.path, b.line)
			}
			sh := exec.CommandContext(t.Context(), "sh", "-n")
			sh.Stdin = strings.NewReader(b.text)
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v: %s", p.path, b.line, err, out)
			}
		}
	}
}

func TestEveryFencedBlockIsOfAKnownKind(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			switch b.info {
			case "sh", "sh not-run", "output", "go", "sql", "text":
			default:
				t.Errorf("%s:%d: block of kind %q: want sh, sh not-run, output, go, sql or text", p.path, b.line, b.info)
			}
		}
	}
}

// step is one block to run and, if the page shows it, what it should print.
type step struct {
	block
	want *block
}

type session []step

func sessionOf(p page) session {
	var s session
	for _, b := range p.blocks() {
		switch {
		case b.info == "sh":
			s = append(s, step{block: b})
		case b.info == "output" && len(s) > 0 && s[len(s)-1].want == nil:
			s[len(s)-1].want = &b
		}
	}
	return s
}

func (s session) run(t *testing.T, bin string) {
	t.Helper()
	dir := t.TempDir()
	printed := t.TempDir()
	err := shell(t, dir, bin, s.script(printed))
	for i, st := range s {
		out, readErr := os.ReadFile(filepath.Join(printed, fmt.Sprint(i)))
		last := readErr == nil && !exists(filepath.Join(printed, fmt.Sprint(i+1)))
		switch {
		case err != nil && last:
			t.Fatalf("the block at line %d: %v\n%s", st.line, err, out)
		case readErr != nil:
			t.Fatalf("the block at line %d did not run: %v", st.line, err)
		case st.want != nil && !matches(st.want.text, string(out)):
			t.Errorf("the block at line %d printed\n%s\nthe page says\n%s", st.line, out, st.want.text)
		}
	}
}

// script is the whole session; the output of each block goes to a file of its own.
func (s session) script(printed string) string {
	var b strings.Builder
	b.WriteString("set -eu\n")
	for i, st := range s {
		fmt.Fprintf(&b, "exec >'%s/%d' 2>&1\n%s\n", printed, i, st.text)
	}
	return b.String()
}

// shell runs a script and ends with it whatever the script left running.
func shell(t *testing.T, dir, bin, script string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pageTime)
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", "-c", script)
	sh.Dir = dir
	sh.Env = []string{
		"PATH=" + filepath.Dir(bin) + ":" + os.Getenv("PATH"),
		"HOME=" + dir, "TMPDIR=" + dir, "TZ=UTC", "LC_ALL=C.UTF-8", "NO_COLOR=1",
		"TQ_DB=" + filepath.Join(dir, "tq.db"),
	}
	endTogether(sh)
	sh.WaitDelay = 10 * time.Second
	err := sh.Run()
	if sh.Process != nil {
		_ = endGroup(sh) // mostly nobody is left
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// matches compares what was printed with what a page shows.
func matches(want, got string) bool {
	var pattern bytes.Buffer
	pattern.WriteString(`\A`)
	for line := range strings.Lines(want) {
		line = strings.TrimRight(line, " \n")
		if line == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		for i, part := range strings.Split(line, "…") {
			if i > 0 {
				pattern.WriteString(`.*`)
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
		pattern.WriteString(` *\n`)
	}
	pattern.WriteString(`\z`)
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	return regexp.MustCompile(pattern.String()).MatchString(got)
}

func TestShownOutputIsComparedWithWildcards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"1\n", "1\n", true},
		{"1\n", "2\n", false},
		{"id …\n", "id 7 x\n", true},
		{"a\n…\nz\n", "a\nb\nc\nz\n", true},
		{"a\n…\nz\n", "a\nz\n", true},
		{"a\n…\nz\n", "a\nb\n", false},
		{"a.b\n", "axb\n", false},
	} {
		if matches(c.want, c.got) != c.same {
			t.Errorf("matches(%q, %q) is %v", c.want, c.got, !c.same)
		}
	}
}
