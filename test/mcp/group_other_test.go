//go:build !unix

package mcp

import "os/exec"

// Where there are no process groups, a program ends alone.

func endTogether(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
