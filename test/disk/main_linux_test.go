package disk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const (
	inside  = "TQ_DISK_INSIDE" // set where mounts are private
	private = syscall.CLONE_NEWNS
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(writerRole) != "":
		os.Exit(asWriter())
	case os.Getenv(inside) != "" || os.Getuid() != 0: // without root, each test says what it wants
		os.Exit(m.Run())
	}
	os.Exit(runInside())
}

// runInside runs this binary again where what it mounts is seen by nobody else
// and ends with it.
func runInside() int {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: private, Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "a mount namespace of our own:", err)
		fmt.Fprintln(os.Stderr, "hint: run as root where file systems may be mounted")
		return 1
	}
	return cmd.ProcessState.ExitCode()
}
