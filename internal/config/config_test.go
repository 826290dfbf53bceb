package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseReadsFlatLines(t *testing.T) {
	t.Parallel()
	file, err := Parse("config", strings.NewReader("# mine\n\nlease = 45s\n queue=a, b \nname = \" x # y \"\nproject =\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Setting{{"lease", "45s", 3}, {"queue", "a, b", 4}, {"name", " x # y ", 5}, {"project", "", 6}}
	if len(file.Settings) != len(want) {
		t.Fatalf("got %+v, want %+v", file.Settings, want)
	}
	for i, s := range file.Settings {
		if s != want[i] {
			t.Errorf("setting %d: got %+v, want %+v", i, s, want[i])
		}
	}
}

func TestParseNamesTheLineItRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"lease 45s":                "config conf:1: want key = value",
		"\n= 45s":                  "config conf:2: want key = value",
		"name = \"x":               "config conf:1: name: the closing quote is missing",
		"name = \"":                "config conf:1: name: the closing quote is missing",
		"lease = 1s\n\nlease = 2s": "config conf:3: lease: is already set in line 1",
	} {
		if _, err := Parse("conf", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseHasALimit(t *testing.T) {
	t.Parallel()
	line := "# " + strings.Repeat("x", 77) + "\n"
	most := strings.Repeat(line, MaxFile/len(line))
	if _, err := Parse("conf", strings.NewReader(most)); err != nil {
		t.Errorf("a file of %d bytes: %v", len(most), err)
	}
	if _, err := Parse("conf", strings.NewReader(most+line)); err == nil {
		t.Errorf("a file of %d bytes is read", len(most)+len(line))
	}
}

// A file of the largest size takes no longer for its many keys: each is looked
// up once, not held against all before it.
func TestParseTakesManyKeys(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	n := 0
	for ; text.Len() < MaxFile-16; n++ {
		text.WriteString(strconv.Itoa(n) + "=\n")
	}
	began := time.Now()
	file, err := Parse("conf", strings.NewReader(text.String()))
	if took := time.Since(began); err != nil || len(file.Settings) != n || took > 5*time.Second {
		t.Errorf("%d of %d keys in %s, %v", len(file.Settings), n, took, err)
	}
}

func TestReadForgivesOnlyAMissingDefault(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if file, err := Read(path, true); err != nil || file.Path != "" {
		t.Errorf("a missing default file: got %+v, %v", file, err)
	}
	if _, err := Read(path, false); err == nil {
		t.Error("a missing file that was named is no error")
	}
	if err := os.WriteFile(path, []byte("queue = a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, err := Read(path, false); err != nil || file.Path != path || len(file.Settings) != 1 {
		t.Errorf("got %+v, %v", file, err)
	}
}

func TestFoldersFollowXDG(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/home/u", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "relative"}
	getenv := func(name string) string { return env[name] }
	if got := DefaultDB(getenv); got != "/data/tq/tq.db" {
		t.Errorf("database: %s", got)
	}
	if got := DefaultFile(getenv); got != "/home/u/.config/tq/config" {
		t.Errorf("configuration: %s", got)
	}
	if got := DefaultDB(func(string) string { return "" }); got != "" {
		t.Errorf("database without a home: %s", got)
	}
	if got := EnvName("max-attempts"); got != "TQ_MAX_ATTEMPTS" {
		t.Errorf("variable: %s", got)
	}
}
