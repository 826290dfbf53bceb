//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

func hasWindow(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
