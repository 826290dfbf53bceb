package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says what this binary was made of.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

// version reads what the linker wrote into the binary.
func version() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

func (b build) short() string {
	text := b.Version
	if b.Commit != "" {
		text += " commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Dirty {
		text += " (changed)"
	}
	return text
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say what this binary was made of",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := version()
			if a.out.json {
				a.out.object(b)
				return nil
			}
			a.out.line("tq %s %s %s", b.short(), b.Go, b.System)
			return nil
		},
	}
}
