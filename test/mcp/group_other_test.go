//go:build !unix

package mcp

import (
	"os"
	"os/exec"
)

// Where there are no process groups, a program ends alone, and who runs these
// tests from two processes at once installs what they need before.

func lockFile(*os.File) error { return nil }

func endTogether(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
