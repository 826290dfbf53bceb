//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeWithoutAWriterIsGivenUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the same way out as the patience, without the wait
	if _, err := openText(ctx, "payload", path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0) // lets the opener in the background end
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
