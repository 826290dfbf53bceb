package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/tq/internal/cli"
)

func TestEveryCommandHasAPageThatSaysItsFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := write(dir, cli.Commands()); err != nil {
		t.Fatal(err)
	}
	commands := 0
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		commands++
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(text), `\-\-db`) && !strings.Contains(string(text), "--db") {
			t.Errorf("%s does not say --db", name)
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(cli.Commands())
	if commands < 30 {
		t.Errorf("found %d commands", commands)
	}
}
