package harvest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/harvest"
	"example.com/tq/tqtest"
)

func TestBoxesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	source := strings.ReplaceAll(`# Shop
- [ ] paint the  door — P1
  - [ ] nested point
    that goes on
* [x] done
+ [X] done too
1. [ ] numbered
2) [ ] numbered with a brace
## Cellar ##
- [ ] clean it, BLOCKED: no light
- [] no box
- [y] no box either
-[ ] no list
> - [ ] quoted - P4
`+"```\n- [ ] in a fence\n```\n\n    - [ ] indented code\n\ntext\n- [ ] 世界 `code` *stress*\n", "\n", "\r\n")
	points, err := harvest.Points([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range points {
		got = append(got, fmt.Sprintf("%d|%s|%s|%v|%s|%d", p.Line, p.Heading, p.Text, p.Done, p.Blocked, p.Priority))
	}
	want := []string{
		"2|Shop|paint the door|false||90",
		"3|Shop|nested point that goes on|false||0",
		"5|Shop|done|true||0",
		"6|Shop|done too|true||0",
		"7|Shop|numbered|false||0",
		"8|Shop|numbered with a brace|false||0",
		"10|Cellar|clean it, BLOCKED: no light|false|no light|0",
		"14|Cellar|quoted|false||30",
		"22|Cellar|世界 `code` *stress*|false||0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, bad := range []string{"- [ ] x\x00", "- [ ] \xff"} {
		if _, err := harvest.Points([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// field is a folder of repositories and a queue.
type field struct {
	*testing.T
	dir string
	q   *tqtest.Queue
	h   *harvest.Harvest
}

func newField(t *testing.T) *field {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	q := tqtest.New(t)
	return &field{T: t, dir: dir, q: q, h: &harvest.Harvest{Client: q, ProjectsDir: dir}}
}

func (f *field) write(repo, name, text string) {
	f.Helper()
	path := filepath.Join(f.dir, repo, name)
	for _, dir := range []string{filepath.Dir(path), filepath.Join(f.dir, repo, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

// tick harvests and answers the new tasks as repo:text.
func (f *field) tick() (fresh []string, rows []harvest.Row) {
	f.Helper()
	rows, err := f.h.Tick(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range rows {
		if r.Verdict == harvest.New {
			fresh = append(fresh, r.Repo+":"+r.Text)
		}
	}
	return fresh, rows
}

func (f *field) wantNew(want ...string) {
	f.Helper()
	got, rows := f.tick()
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		f.Errorf("new: %v, want %v; rows %+v", got, want, rows)
	}
}

// settle ends the one task that is ready.
func (f *field) settle(do func(c tq.ClaimedTask) error) {
	f.Helper()
	got, err := f.q.Claim(f.Context(), tq.ClaimIn{Types: []string{tq.TypeAgent}})
	if err != nil || len(got.Tasks) != 1 {
		f.Fatalf("claimed %d tasks (%v)", len(got.Tasks), err)
	}
	if err := do(got.Tasks[0]); err != nil {
		f.Fatal(err)
	}
}

func (f *field) complete() {
	f.Helper()
	f.settle(func(c tq.ClaimedTask) error {
		_, err := f.q.Complete(f.Context(), tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: c.LeaseToken}}})
		return err
	})
}

func TestHarvestingTwiceBringsNothingNew(t *testing.T) {
	f := newField(t)
	f.write("a", "TODO_LIST.md", "- [ ] one\n- [ ] two\n")
	f.write("b", "TODO_LIST.md", "- [ ] one — P2\n")
	f.write("c", "README.md", "nothing to do")
	f.h.DryRun = true
	f.wantNew("a:one", "b:one")
	f.h.DryRun = false
	f.wantNew("a:one", "b:one")
	f.wantNew()
	got := f.q.Get(2)
	var p struct {
		Repo   string `json:"repo"`
		Prompt string `json:"prompt"`
		Todo   struct{ File, Text string }
	}
	if err := json.Unmarshal(got.Payload, &p); err != nil {
		t.Fatal(err)
	}
	if got.Priority != 70 || got.Project != "b" || p.Repo != filepath.Join(f.dir, "b") || p.Todo.Text != "one — P2" || !strings.Contains(p.Prompt, "BOX: one\n") {
		t.Errorf("task %+v with payload %s", got, got.Payload)
	}
}

func TestABoxIsTakenUpAgainWhenItIsOpenedAgain(t *testing.T) {
	f := newField(t)
	f.write("a", "TODO_LIST.md", "- [ ] one\n- [ ] two\n")
	f.wantNew("a:one")
	f.write("a", "TODO_LIST.md", "- [x] one\n- [ ] two\n")
	f.wantNew() // one in flight
	f.complete()
	f.wantNew("a:two")
	f.write("a", "TODO_LIST.md", "- [x] one\n- [x] two\n")
	f.complete()
	f.wantNew()
	f.write("a", "TODO_LIST.md", "- [ ] one\n- [x] two, but better\n")
	f.wantNew("a:one") // unticked again
	f.wantNew()
	f.complete()
	f.write("a", "TODO_LIST.md", "- [x] one\n- [ ] two, but better\n")
	f.wantNew("a:two, but better") // another text
}

func TestADeadTaskIsNotMadeAgain(t *testing.T) {
	f := newField(t)
	f.write("a", "TODO_LIST.md", "- [ ] one\n- [ ] two\n")
	f.wantNew("a:one")
	f.settle(func(c tq.ClaimedTask) error {
		again := false
		_, err := f.q.Fail(f.Context(), tq.FailIn{Leases: []tq.FailLease{{LeaseToken: c.LeaseToken, Requeue: &again}}})
		return err
	})
	f.wantNew("a:two")
}

func TestLimitsHold(t *testing.T) {
	f := newField(t)
	for i := range 5 {
		f.write(fmt.Sprintf("r%d", i), "TODO_LIST.md", "- [ ] x\n")
	}
	f.h.MaxPerTick, f.h.Subset = 2, "r[1-4]"
	f.wantNew("r1:x", "r2:x")
	f.h.Skip = func(repo string) string { return map[string]string{"r3": "keeps failing"}[repo] }
	f.wantNew("r4:x")
}

func TestStrangeFilesAreSkippedAndNeverWaitedFor(t *testing.T) {
	f := newField(t)
	secret := filepath.Join(f.dir, "secret.md")
	if err := os.WriteFile(secret, []byte("- [ ] stolen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant := func(repo string, how func(path string) error) {
		f.write(repo, "README.md", "")
		if err := how(filepath.Join(f.dir, repo, "TODO_LIST.md")); err != nil {
			t.Fatal(err)
		}
	}
	plant("absolute", func(p string) error { return os.Symlink(secret, p) })
	plant("dots", func(p string) error { return os.Symlink("../secret.md", p) })
	plant("folder", func(p string) error { return os.Mkdir(p, 0o700) })
	plant("huge", func(p string) error {
		if err := os.WriteFile(p, []byte("- [ ] x\n"), 0o600); err != nil {
			return err
		}
		return os.Truncate(p, 100<<20)
	})
	plant("binary", func(p string) error { return os.WriteFile(p, []byte("- [ ] x\n\x00\x01"), 0o600) })
	want := 5
	if runtime.GOOS != "windows" {
		want++
		plant("fifo", func(p string) error { return exec.CommandContext(t.Context(), "mkfifo", p).Run() })
	}
	f.write("inner", "docs/list.md", "- [ ] fine\n")
	if err := os.Symlink("docs/list.md", filepath.Join(f.dir, "inner", "TODO_LIST.md")); err != nil {
		t.Fatal(err)
	}
	fresh, rows := f.tick()
	if len(fresh) != 1 || fresh[0] != "inner:fine" || len(rows) != want+1 {
		t.Errorf("new %v, rows %+v", fresh, rows)
	}
	for _, r := range rows {
		if r.Verdict == harvest.Skipped && r.Reason == "" {
			t.Errorf("%+v does not say why", r)
		}
	}
}

const scan = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint","rules":[{"id":"E1","defaultConfiguration":{"level":"error"}}]}},"results":[
 {"ruleId":"E1","message":{"text":"bad %s"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%%20b.go"},"region":{"startLine":3}}}]},
 {"ruleId":"E1","level":"error","message":{"text":"worse"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"./a%%20b.go"},"region":{"startLine":%d}}}]},
 {"ruleId":"W1","message":{"text":"meh"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.go"}}}]},
 {"ruleId":"E1","suppressions":[{}],"message":{"text":"known"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c.go"}}}]},
 {"ruleId":"E1","message":{"text":"out"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"../../etc/passwd"}}}]}]}]}`

func TestFindingsBecomeOneFixForEachFile(t *testing.T) {
	f := newField(t)
	f.h.SARIF = []string{"scan.sarif"}
	f.write("a", "scan.sarif", fmt.Sprintf(scan, "x", 9))
	f.wantNew("a:a b.go")
	if p := string(f.q.Get(1).Payload); !strings.Contains(p, "line 3, lint E1 (error): bad x") || !strings.Contains(p, "worse") {
		t.Errorf("payload %s", p)
	}
	f.complete()
	f.wantNew() // the same scan tells nothing new
	f.write("a", "scan.sarif", fmt.Sprintf(scan, "x", 12))
	f.wantNew("a:a b.go") // a new one finds the same
	f.complete()
	f.write("a", "scan.sarif", fmt.Sprintf(scan, "y", 12))
	f.wantNew("a:a b.go") // and now something else
}

func TestFailingTestsBecomeTasks(t *testing.T) {
	f := newField(t)
	f.h.JUnit = []string{"junit.xml"}
	f.write("a", "junit.xml", `<testsuites><testsuite name="s"><testcase classname="shop" name="TestDoor"><failure message="want open">door.go:3</failure></testcase>
<testcase classname="shop" name="TestFine"/></testsuite></testsuites>`)
	f.wantNew("a:shop.TestDoor")
	f.write("b", "junit.xml", "not XML")
	if _, rows := f.tick(); rows[len(rows)-1].Verdict != harvest.Skipped {
		t.Errorf("rows %+v", rows)
	}
}

func TestACodeQualityAgentIsAsked(t *testing.T) {
	f := newField(t)
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked += r.Header.Get("Authorization") + " " + r.URL.String() + "\n"
		switch r.URL.Path {
		case "/api/v1/projects":
			fmt.Fprint(w, `[{"id":1,"repo_name":"other"},{"id":"p2","repo_name":"ann/a"}]`)
		case "/api/v1/projects/p2/scans":
			fmt.Fprint(w, `[{"id":9,"status":"completed"}]`)
		case "/api/v1/scans/9/issues":
			fmt.Fprint(w, `[{"analyzer":"vet","severity":"critical","rule_id":"R","file_path":"x.go","line_start":4,"message":"m","suggestion":"s","fixable":true},
{"analyzer":"vet","severity":"info","rule_id":"R","file_path":"y.go","line_start":4,"message":"m"}]`)
		}
	}))
	t.Cleanup(server.Close)
	f.write("a", "README.md", "")
	f.h.CQA = &harvest.CQA{URL: server.URL, Owner: "me & you", Token: "t"}
	f.wantNew("a:x.go")
	if !strings.Contains(asked, "Bearer t /api/v1/projects?limit=100&owner_id=me+%26+you\n") {
		t.Errorf("asked\n%s", asked)
	}
}
