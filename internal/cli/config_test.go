package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (d *desk) config(text string) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env["TQ_CONFIG"] = d.config("queue = from-file\nmax-attempts = 7\nconcurrency = 3\n")
	queue := func(args ...string) any {
		id := d.ok(append([]string{"enqueue", "--type", "t"}, args...)...)
		return d.object("show", id)["queue"]
	}
	if got := queue(); got != "from-file" {
		t.Errorf("file: %v", got)
	}
	d.env["TQ_QUEUE"] = "from-env"
	if got := queue(); got != "from-env" {
		t.Errorf("environment: %v", got)
	}
	if got := queue("--queue", "from-flag"); got != "from-flag" {
		t.Errorf("flag: %v", got)
	}
	d.env["TQ_QUEUE"] = ""
	if got := queue(); got != "from-file" {
		t.Errorf("an empty variable: %v", got)
	}
	if got := d.object("show", "1")["max_attempts"]; got != 7.0 {
		t.Errorf("max_attempts: %v", got)
	}
}

func TestABadFileIsRefusedByItsLine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for text, want := range map[string]string{
		"queue = a\nbanana = 1\n": ":2: banana: unknown key",
		"# x\nlease = 5\n":        `:2: lease: "5" has no unit: write 5s or 5m`,
		"max = -1x\n":             ":1: max: unknown key", // of one call, not of a file
		"yes = true\n":            ":1: yes: unknown key",
		"help = true\n":           ":1: help: unknown key",
		"lease 5s\n":              ":1: want key = value",
		"lease = 0\n":             ":1: lease: is 0, want 1s to 1h",
		"queue =\n":               ":1: queue: is empty, want a name",
	} {
		path := d.config(text)
		d.refused(exitInvalid, "tq: config "+path+want, "--config", path, "claim")
	}
	d.refused(exitInvalid, "no such file", "--config", "/nonexistent/config", "list")
	d.refused(exitInvalid, `TQ_LEASE: lease: "5" has no unit`, func() []string {
		d.env["TQ_LEASE"] = "5"
		return []string{"claim"}
	}()...)
}

func TestAFileMayHoldKeysOfOtherCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env["XDG_CONFIG_HOME"] = t.TempDir()
	dir := filepath.Join(d.env["XDG_CONFIG_HOME"], "tq")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte("concurrency = 3\njson = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.ok("stats"); !strings.HasPrefix(got, `{"queues":[]`) {
		t.Errorf("got %s", got)
	}
}

func TestExplicitZerosAreNoDefaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for line, want := range map[string]string{
		"enqueue --type t --max-attempts 0":                     "max_attempts: is 0, want 1 to 1000",
		"claim --lease 0":                                       "lease: is 0, want 1s to 1h",
		"claim --lease 0s":                                      "lease: is 0, want 1s to 1h",
		"claim --max 0":                                         "max: is 0, want 1 to 100",
		"list --limit 0":                                        "limit: is 0, want 1 to 1000",
		"dlq --limit 0":                                         "limit: is 0, want 1 to 1000",
		"extend --token x --lease 0":                            "lease: is 0, want 1s to 1h",
		"enqueue --type t --queue=":                             "queue: is empty, want a name",
		"enqueue --type t --key=":                               "key: is empty, want a name",
		"enqueue --type=":                                       "type: is empty, want a name",
		"enqueue --type t --payload=":                           "payload: is empty",
		"worker --concurrency 0":                                "concurrency: is 0",
		"complete --lease-token=":                               "lease_token: is empty",
		"enqueue --type t --parent 0":                           "parent: is 0, want the id of a task",
		"enqueue":                                               "type: is required",
		"complete 1":                                            "lease_token: is required",
		"list --color sometimes":                                `color: is "sometimes", want auto or always or never`,
		"list --durability none":                                `durability: is "none", want full or relaxed`,
		"worker --type agent":                                   `this worker cannot run "agent"`,
		"worker --http-allow nowhere":                           `"nowhere" is not a network`,
		"enqueue --type t --priority high":                      `priority: is "high", want a whole number`,
		"enqueue --type t --file x":                             "no such file",
		"enqueue --file x --payload y":                          "--payload goes with one task",
		"dlq --rescue 1 --rescue-all":                           "give --rescue or --rescue-all, not both",
		"complete 1 2 --lease-token x":                          "one task at a time",
		"complete x --lease-token x":                            `"x" is not the id of a task`,
		"enqueue --type t --backoff 5":                          "is not a backoff",
		"enqueue --type t --at tomorrow":                        `at: "tomorrow" is not a time`,
		"enqueue --type t --delay 1h --at 2026-11-29T16:00:00Z": "not both",
	} {
		d.refused(exitInvalid, want, strings.Fields(line)...)
	}
}
