// Manual writes a page of the manual for each command of tq into a folder, from
// the texts that --help shows: go run ./internal/manual FOLDER. The pages go into
// what is released; the binary itself need not carry what writes them.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"example.com/tq/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], cli.Commands()); err != nil {
		fmt.Fprintln(os.Stderr, "write the manual:", err)
		os.Exit(1)
	}
}

// titleLine is that of a page. The date in it is taken out: the same commit shall
// give the same page in any month.
var titleLine = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "1" )"[^"]*"`)

func write(dir string, root *cobra.Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a manual is for all to read
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "tq", Manual: "tq"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := undate(page); err != nil {
			return err
		}
	}
	return nil
}

func undate(page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	undated := titleLine.ReplaceAll(text, []byte(`$1""`))
	if bytes.Equal(undated, text) {
		return fmt.Errorf("%s has no title with a date", page)
	}
	return os.WriteFile(page, undated, 0o644) //nolint:gosec // a manual is for all to read
}
