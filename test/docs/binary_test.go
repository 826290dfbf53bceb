package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaryDir holds the binary while the tests run; TestMain alone sets it.
var binaryDir string

// build makes the binary as docs/guides/install.md says, once for all tests that
// run it.
var build = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(binaryDir, "tq")
	cmd := exec.Command("go", "install", "-buildvcs=false", "./cmd/tq")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOBIN="+binaryDir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tq: %w\n%s", err, out)
	}
	return bin, nil
})

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tq-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a folder for the binary:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaryDir = dir
	return m.Run()
}

func binary(t *testing.T) string {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
