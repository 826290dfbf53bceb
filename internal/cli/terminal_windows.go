package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

func hasWindow(f *os.File) bool {
	var info windows.ConsoleScreenBufferInfo
	return windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) == nil
}
