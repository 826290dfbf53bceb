package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The rig: programs for Node.js, installed once from the lock file.

// install brings the rig in, once for all tests of all processes.
var install = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs("rig")
	if err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "tq-mcp-rig.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }() // gives the lock back
	if err := lockFile(lock); err != nil {
		return "", err
	}
	return dir, bring(dir)
})

// bring installs what the lock file says, unless it is there.
func bring(dir string) error {
	wanted, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(wanted)
	mark := filepath.Join(dir, "node_modules", ".tq-installed")
	if have, err := os.ReadFile(mark); err == nil && string(have) == hex.EncodeToString(sum[:]) {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return &failed{"npm ci in test/mcp/rig", out, err}
	}
	return os.WriteFile(mark, []byte(hex.EncodeToString(sum[:])), 0o600)
}

// failed is a program that ended badly, with what it said.
type failed struct {
	what string
	said []byte
	err  error
}

func (f *failed) Error() string { return f.what + ": " + f.err.Error() + "\n" + string(f.said) }
func (f *failed) Unwrap() error { return f.err }

// node makes a program of the rig ready to run. It dies with the test.
func node(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Node.js")
	}
	dir, err := install()
	if err != nil {
		t.Fatalf("the rig is not there (Node.js 20 and npm are needed): %v", err)
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	endTogether(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs a program of the rig and answers what it printed.
func run(t *testing.T, within time.Duration, args ...string) (string, error) {
	t.Helper()
	return runWith(t, within, nil, args...)
}

func runWith(t *testing.T, within time.Duration, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	cmd := node(ctx, t, args...)
	cmd.Env = append(cmd.Env, env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), &failed{args[0], problems.Bytes(), err}
	}
	return out.String(), nil
}
