package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func TestEnqueuePrintsTheIDAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if got := d.run("enqueue", "--type", "sh", "--payload", "echo $(reboot)"); got != (answer{0, "1\n", ""}) {
		t.Errorf("got %+v", got)
	}
	if got := d.ok("show", "1", "--payload"); got != `"echo $(reboot)"` {
		t.Errorf("payload: %s", got)
	}
}

func TestARepeatedKeyAnswersTheFirstTask(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "sh", "--payload", "true", "--key", "k")
	if got := d.run("enqueue", "--type", "sh", "--payload", "true", "--key", "k"); got != (answer{0, "1\n", "tq: already queued as task 1 (pending)\n"}) {
		t.Errorf("the same again: %+v", got)
	}
	if got := d.run("enqueue", "--type", "sh", "--payload", "false", "--key", "k"); got.code != 0 || got.out != "1\n" || !strings.Contains(got.err, "warning: key k") {
		t.Errorf("another payload: %+v", got)
	}
	d.refused(exitConflict, "key", "enqueue", "--type", "sh", "--payload", "false", "--key", "k", "--on-mismatch", "error")
}

func TestPayloadLooksLikeAFlagAndIsText(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, text := range []string{"-n", "--help", "--", "$(reboot)", "-"} {
		d.stdin = "-"
		id := d.ok("enqueue", "--type", "sh", "--payload", text)
		if id != fmt.Sprint(i+1) {
			t.Errorf("%q: id %s", text, id)
		}
		if got := d.ok("show", id, "--payload"); got != fmt.Sprintf("%q", text) {
			t.Errorf("%q is kept as %s", text, got)
		}
	}
}

func TestEnqueueFileTakesBatchesAndEarlierLines(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var b strings.Builder
	for i := range 2_500 {
		fmt.Fprintf(&b, `{"type":"sh","payload":"true","idempotency_key":"n%d"`, i)
		if i == 2_400 {
			b.WriteString(`,"deps":["$0","$2399"]`)
		}
		b.WriteString("}\n")
		if i%7 == 0 {
			b.WriteString("  \n")
		}
	}
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ids := strings.Split(d.ok("enqueue", "--file", path), "\n")
	if len(ids) != 2_500 || ids[0] != "1" || ids[2_499] != "2500" {
		t.Fatalf("%d ids, from %s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
	var task tq.Task
	if err := json.Unmarshal([]byte(d.ok("show", "2401", "--json")), &task); err != nil {
		t.Fatal(err)
	}
	if len(task.Deps) != 2 || task.Deps[0].ID != 1 || task.Deps[1].ID != 2400 {
		t.Errorf("deps: %+v", task.Deps)
	}
	if again := d.run("enqueue", "--file", path); again.out != strings.Join(ids, "\n")+"\n" {
		t.Error("the same file again answers other ids")
	}
}

func TestABadLineStoresNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for line, want := range map[string]string{
		`{"type":"sh","priorty":1}`:              `priorty: is no field of a task`,
		`{"type":"sh","type":"http"}`:            `type: stands twice`,
		`{"type":"sh","Queue":"a"}`:              `Queue: is no field of a task`,
		`{"type":"sh","priority":"high"}`:        `priority: is a string, want a whole number`,
		`{"type":"sh","priority":1.5}`:           `priority: is a number 1.5, want a whole number`,
		`{"type":"sh","priority":null}`:          `priority: is null`,
		`{"type":"sh","delay_seconds":"5"}`:      `delay_seconds: is not a number of seconds`,
		`{"type":"sh","max_attempts":0}`:         `max_attempts: is 0`,
		`{"type":"sh","run_at":"24:61"}`:         `run_at: is not a time`,
		`{"type":"sh"} {}`:                       `has something after the object`,
		`{"type":"sh"`:                           `is not valid JSON`,
		`{"type":}`:                              `is not valid JSON`,
		`null`:                                   `want an object`,
		`[]`:                                     `want an object`,
		`"x"`:                                    `want an object`,
		`{"type":"sh","deps":["$9"]}`:            `deps: $9 is not an earlier line`,
		`{"type":"sh","deps":["$-1"]}`:           `deps.0: is "$-1"`,
		`{"type":"sh","queue":"../x"}`:           `queue: `,
		`{"type":"sh","payload":"\ud800","x":1}`: `x: is no field`,
	} {
		d.stdin = ""
		path := filepath.Join(t.TempDir(), "tasks.jsonl")
		if err := os.WriteFile(path, []byte(`{"type":"sh"}`+"\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.refused(exitInvalid, "tasks.jsonl:2: "+want, "enqueue", "--file", path)
	}
	if got := d.ok("list"); got != "" {
		t.Errorf("something was stored:\n%s", got)
	}
}

func TestALineThatTheQueueRefusesIsNamed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.stdin = "\n{\"type\":\"a\"}\n\n{\"type\":\"a\",\"deps\":[77]}\n"
	d.refused(exitNotFound, "standard input:4: ", "enqueue", "--file", "-")
	if got := d.ok("list"); got != "" {
		t.Errorf("something was stored:\n%s", got)
	}
}

func TestDeadlyWaitsAreNoticed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, args := range [][]string{{"--max-attempts", "1"}, {"--after", "1"}, {"--after", "2"}, nil} {
		d.ok(append([]string{"enqueue", "--type", "t"}, args...)...)
	}
	token := d.object("claim")["lease_token"].(string)
	d.env["TQ_LEASE_TOKEN"] = token
	if got := d.ok("fail", "1", "--error", "no\x1b[2J"); got != "1 dead" {
		t.Errorf("fail: %q", got)
	}
	d.refused(exitDead, `task 1 is dead (max_attempts): no\x1b[2J`, "wait", "1")
	d.refused(exitBlocked, "task 2 waits for task 1, which is dead", "wait", "3")
	d.ok("cancel", "4")
	d.refused(exitCancelled, "task 4 was cancelled", "wait", "4")
	d.ok("enqueue", "--type", "t")
	d.refused(exitTimedOut, "waited 1ms", "wait", "5", "4", "--timeout", "1ms")
	d.refused(exitNotFound, "no task 99", "wait", "99")
}

func TestAScriptCanBeAWorker(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "build", "--payload", `{"n": 1.0e2}`)
	claimed := d.object("claim", "--type", "build", "--lease", "60s", "--name", "script")
	d.env["TQ_LEASE_TOKEN"] = claimed["lease_token"].(string)
	if got := d.ok("extend", "--progress", "0.4", "--note", "half\nway", "--lease", "90s"); !strings.HasPrefix(got, "1 extended, lease 1m") {
		t.Errorf("extend: %s", got)
	}
	if got := d.ok("complete", "1", "--result", `{"ok": true}`); got != "1 completed" {
		t.Errorf("complete: %s", got)
	}
	if got := d.run("complete", "1", "--result", `{"ok": true}`); got.code != 0 || !strings.Contains(got.err, "a repeat") {
		t.Errorf("complete again: %+v", got)
	}
	d.refused(exitConflict, "already settled", "complete", "--result", `{"ok": false}`)
	d.refused(exitNothing, "nothing to claim", "claim", "--type", "build")
	if got := d.ok("show", "1", "--result"); got != `{"ok": true}` {
		t.Errorf("result: %s", got)
	}
}

func TestShowTellsTheStory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t", "--payload", `{"a": "\u001b[2J"}`, "--key", "shard-38", "--queue", "shop:tasks", "--priority", "5", "--tag", "x,y")
	d.env["TQ_LEASE_TOKEN"] = d.object("claim", "--name", "api")["lease_token"].(string)
	d.ok("extend", "--note", "tests 140/212")
	d.ok("fail", "--error", "first\nsecond \x1b]0;pwn\x07", "--retry-delay", "1h")
	got := regexp.MustCompile(`\d\d:\d\d:\d\d|\d+ms|\b0s|59m\d+s|\d{4}-\d\d-\d\d `).ReplaceAllString(d.ok("show", "1"), "_")
	want := `↻ 1  retrying  shop:tasks  t  prio 5  attempt 1/3
  next attempt at _, in _
  key       shard-38
  tags      x, y
  payload   {"a": "\u001b[2J"}
  error     first
            second \x1b]0;pwn\x07
  _  enqueued          by ann
  _  claimed           attempt 1, lease 5m, by api, waited _
  _  heartbeat         "tests 140/212", by ann
  _  failed            first … second \x1b]0;pwn\x07, not before _ (in 1h), by ann, after _`
	got = strings.ReplaceAll(got, "at __", "at _")
	got = strings.ReplaceAll(got, "before __", "before _")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTablesAreTheSameInAPipe(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := time.Now()
	d.now = func() time.Time { return now }
	d.ok("enqueue", "--type", "t", "--queue", "a", "--project", "ünï")
	d.ok("enqueue", "--type", "longer-type", "--queue", "longer:queue")
	colored := d.ok("list", "--color", "always")
	if got, want := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""), d.ok("list"); got != want {
		t.Errorf("without the color:\n%s\nin a pipe:\n%s", got, want)
	}
}

func TestEveryListIsLinesOfJSON(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t", "--max-attempts", "1")
	d.ok("enqueue", "--type", "t", "--after", "1")
	d.env["TQ_LEASE_TOKEN"] = d.object("claim")["lease_token"].(string)
	d.ok("fail", "--error", "no")
	d.ok("queue", "pause", "q2")
	for _, line := range []string{
		"list", "list --all", "show 1", "show 1 2", "explain 1 2", "stats", "stats --by type", "tail", "facts", "dlq",
		"workers", "queue list", "queue pause q", "queue resume q", "rescue 1", "requeue 1", "cancel 1 2", "delete 1",
		"queue purge q --yes", "dlq --rescue-all --yes", "version", "enqueue --type t",
	} {
		out := d.ok(append(strings.Fields(line), "--json")...)
		for _, text := range strings.Split(out, "\n") {
			var object map[string]any
			if text != "" && json.Unmarshal([]byte(text), &object) != nil {
				t.Errorf("tq %s --json prints %q", line, text)
			}
		}
	}
}

func TestErrorsAreObjectsWithJSON(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for line, want := range map[string]struct {
		exit int
		code string
	}{
		"show 9":                 {exitNotFound, "not_found"},
		"show x":                 {exitInvalid, "invalid"},
		"enqueue --type t --nix": {exitInvalid, "invalid"},
		"frobnicate":             {exitInvalid, "invalid"},
		"queue purge q":          {exitInvalid, "invalid"},
	} {
		got := d.run(append(strings.Fields(line), "--json")...)
		var v struct {
			Error struct {
				Code, Detail, Hint string
				Exit               int
			}
		}
		if err := json.Unmarshal([]byte(got.err), &v); err != nil {
			t.Errorf("tq %s: %q", line, got.err)
		}
		if got.code != want.exit || v.Error.Exit != want.exit || v.Error.Code != want.code || v.Error.Detail == "" || got.out != "" {
			t.Errorf("tq %s: exit %d, %+v, %q", line, got.code, v, got.out)
		}
	}
}

func TestSlipsOfTheHandGetASuggestion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.refused(exitInvalid, "hint: did you mean tq enqueue?", "enqeue")
	d.refused(exitInvalid, "hint: did you mean --payload?", "enqueue", "--paylod", "x")
	d.refused(exitInvalid, "hint: did you mean tq queue pause?", "queue", "pouse")
	d.refused(exitInvalid, "hint: tq --help lists them", "xyzzyx")
	d.refused(exitInvalid, `tq: "\x1b[2J" is not a command`, "\x1b[2J")
	d.refused(exitInvalid, "the id of a task is missing", "show")
	d.refused(exitInvalid, "takes no", "workers", "1")
	d.refused(exitInvalid, "hint: nothing polls here", "worker", "--poll", "250ms")
}

func TestWordsOfOtherQueuesWork(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t", "--idempotency-key", "k", "--tags", "a")
	d.ok("enqueue", "--type", "t", "--deps", "1,key:k")
	for _, line := range []string{"ls", "tasks", "why 1", "tail -n 1", "queue ls"} {
		d.ok(strings.Fields(line)...)
	}
	token := d.object("claim", "--types", "t", "--queues", "default")["lease_token"].(string)
	d.ok("heartbeat", "--token", token, "--extend", "2m")
	d.ok("fail", "--token", token, "--error", "x", "--retry-in", "0")
	d.ok("cancel", "1")
	d.ok("rm", "1")
}

func TestBulkCommandsDoNothingUnasked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t", "--max-attempts", "1")
	d.env["TQ_LEASE_TOKEN"] = d.object("claim")["lease_token"].(string)
	d.ok("fail")
	d.stdin = "1\n"
	d.refused(exitInvalid, "add --yes", "dlq", "--rescue-all")
	d.refused(exitInvalid, "add --yes", "queue", "purge", "default")
	d.env["TQ_YES"] = "true"
	d.refused(exitInvalid, "add --yes", "queue", "purge", "default")
	if got := d.ok("list", "--json"); !strings.Contains(got, `"status":"dead"`) {
		t.Errorf("something was done: %s", got)
	}
	if got := d.ok("dlq", "--rescue-all", "--yes"); got != "rescued 1, skipped 0" {
		t.Errorf("rescue: %s", got)
	}
	if got := d.ok("queue", "purge", "default", "--yes"); !strings.HasPrefix(got, "1 task deleted") {
		t.Errorf("purge: %s", got)
	}
}

func TestRowsAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t")
	got := d.run("cancel", "1", "77", "1")
	if got.code != exitNotFound || got.out != "1 cancelled\n1 unchanged, it is cancelled\n" || !strings.Contains(got.err, "no task 77") {
		t.Errorf("got %+v", got)
	}
}

func TestListSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 3 {
		d.ok("enqueue", "--type", "t")
	}
	got := d.run("list", "--limit", "2")
	cursor := regexp.MustCompile(`--cursor (\S+),`).FindStringSubmatch(got.err)
	if cursor == nil || strings.Count(got.out, "\n") != 3 {
		t.Fatalf("got %+v", got)
	}
	if rest := d.ok("list", "--limit", "2", "--cursor", cursor[1]); !strings.Contains(rest, "\n 1  ○ ready") {
		t.Errorf("second page:\n%s", rest)
	}
	if all := d.ok("list", "--limit", "2", "--all", "--json"); strings.Count(all, "\n") != 2 {
		t.Errorf("all:\n%s", all)
	}
}

func TestGlyphsHaveAnASCIIForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("enqueue", "--type", "t", "--delay", "1h")
	if got := d.ok("list"); !strings.Contains(got, "◷ scheduled") {
		t.Errorf("UTF-8:\n%s", got)
	}
	d.env["LANG"] = "C"
	if got := d.ok("list"); !strings.Contains(got, "S scheduled") {
		t.Errorf("ASCII:\n%s", got)
	}
	d.env["NO_COLOR"] = "1"
	if got := d.ok("list", "--color", "always"); !strings.Contains(got, "\x1b[34mS scheduled\x1b[0m") {
		t.Errorf("color:\n%q", got)
	}
}

func TestTailBeginsWithTheNewest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 5 {
		d.ok("enqueue", "--type", "t")
	}
	if got := d.ok("tail", "-n", "2"); strings.Count(got, "\n") != 1 || !strings.Contains(got, "task 5      enqueued") {
		t.Errorf("tail:\n%s", got)
	}
	if got := d.ok("facts", "--after", "2", "--limit", "2", "--json"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"seq":3`) {
		t.Errorf("facts:\n%s", got)
	}
	if got := d.ok("tail", "--after", "3", "--json"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"seq":4`) {
		t.Errorf("tail --after:\n%s", got)
	}
	if got := d.ok("facts", "--kind", "completed"); got != "" {
		t.Errorf("facts of another kind:\n%s", got)
	}
	d.refused(exitInvalid, "want one of", "facts", "--kind", "banana")
}

// Every command is documented, and its help shows what it takes.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		if cmd.Short == "" {
			t.Errorf("%v has no description", path)
		}
		if slices.Contains(path, "completion") || slices.Contains(path, "help") {
			return
		}
		if got := d.ok(append(path, "--help")...); got == "" {
			t.Errorf("%v prints no help", path)
		}
		for _, sub := range cmd.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name()))
		}
	}
	a := &app{Process: Process{Getenv: func(string) string { return "" }}, out: &output{}}
	walk(a.root(), nil)
	if help := d.ok("--help"); strings.Contains(help, "Additional Commands") {
		t.Errorf("a command has no group:\n%s", help)
	}
}

func TestHelpKnowsItsWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if text := d.ok("help", "queue", "pause"); !strings.Contains(text, "tq queue pause") {
		t.Errorf("help queue pause printed %q", text)
	}
	if text := d.ok("help"); !strings.Contains(text, "durable task queue") {
		t.Errorf("help printed %q", text)
	}
	d.refused(2, "did you mean tq list?", "help", "lst")
	d.refused(2, "did you mean tq queue pause?", "help", "queue", "puse")
}

func TestTheJournalSaysWhatAnActWasDoneTo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ok("queue", "pause", "builds")
	secret := d.ok("token", "create", "--name", "sam", "--queue", "*", "--can", "read")
	text := d.ok("tail")
	for _, want := range []string{"queue builds", "token       token.created", secret[3:13] + " sam"} {
		if !strings.Contains(text, want) {
			t.Errorf("the journal does not say %q:\n%s", want, text)
		}
	}
	if one := d.ok("tail", "--kind", "token.created"); strings.Count(one, "\n") != 0 || !strings.Contains(one, "sam") {
		t.Errorf("of that kind there is %q", one)
	}
}
