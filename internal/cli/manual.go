package cli

import (
	"bufio"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// Commands is the command tq with all commands below it, as nobody runs it: for
// what is written from the same texts as --help, the pages of the manual.
func Commands() *cobra.Command {
	a := &app{
		Process: Process{
			Stdout: io.Discard, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Now: time.Now,
		},
		out: &output{stdout: bufio.NewWriter(io.Discard), stderr: io.Discard},
	}
	root := a.root()
	root.Version = "" // pages are the same whoever writes them
	return root
}
