package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/guides/install.md says of make install.
func TestInstallPutsTheBinaryItsManualAndCompletionsInPlace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds everything anew")
	}
	there := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "make", "install", "DESTDIR="+there, "PREFIX=/usr", "BIN="+t.TempDir())
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make install: %v\n%s", err, out)
	}
	for path, want := range map[string]string{
		"share/man/man1/tq-queue-pause.1":         `.TH "TQ-QUEUE-PAUSE" "1"`,
		"share/bash-completion/completions/tq":    "__start_tq",
		"share/zsh/site-functions/_tq":            "#compdef tq",
		"share/fish/vendor_completions.d/tq.fish": "complete -c tq",
	} {
		text, err := os.ReadFile(filepath.Join(there, "usr", path))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not hold %q (%v)", path, want, err)
		}
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(there, "usr/bin/tq"), "__complete", "queue", "pa").Output()
	if err != nil || !strings.HasPrefix(string(out), "pause\t") {
		t.Errorf("what completes queue pa is %q (%v)", out, err)
	}
}
