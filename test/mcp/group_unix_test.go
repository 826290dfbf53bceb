//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockFile waits until no other process holds the file.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }

// endTogether makes what a program starts end with it when its context does.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

// endGroup kills a program and what it has started.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
