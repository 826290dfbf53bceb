package agent

import (
	"errors"
	"fmt"
	"strings"
)

// Profile is all that tells one agent from another: how it is called, what
// permits it to work alone, and how its answer is read.
type Profile struct {
	Name string

	// Permission is the file of the repository that must be there before the
	// agent is given a free hand (Executor.Yolo): the owner's consent, in the
	// agent's own words.
	Permission string

	// Settings are the other files of the repository that the agent obeys.
	Settings []string

	// Env names variables that the agent inherits beside the usual ones; a
	// trailing * stands for any rest.
	Env []string

	argv func(ask) []string
	read func(*transcript) Answer

	// unready are exit statuses that say the agent cannot work at all: no
	// login, a broken configuration.
	unready []int
}

// called is how --agent names the profile.
func (p *Profile) called() string {
	if p.Name == "cmd" {
		return commandPrefix + "…"
	}
	return p.Name
}

// ask is what one call of an agent depends on.
type ask struct {
	dir, model, session string
	yolo                bool
}

// follow is the argument of agents that need one beside what they read on
// stdin, where the whole prompt is: arguments show in the list of processes and
// have a limit.
const follow = "Do the task that is described on standard input."

// DefaultProfile is the agent of those who name none.
const DefaultProfile = "crush"

// commandPrefix begins the name of a profile that is a command line.
const commandPrefix = "cmd:"

// Profiles lists the names that ProfileOf knows, cmd: aside.
func Profiles() []string { return []string{"crush", "claude", "codex", "opencode", "gemini"} }

// ProfileOf finds a profile by name. "" is DefaultProfile; cmd: and a command
// line is any program that reads the prompt on stdin and ends with 0 when it
// has done the task. The command line is split at blanks; no shell reads it.
func ProfileOf(name string) (Profile, error) {
	if line, own := strings.CutPrefix(name, commandPrefix); own {
		return commandProfile(line)
	}
	switch name {
	case "", "crush":
		return crush(), nil
	case "claude":
		return claude(), nil
	case "codex":
		return codex(), nil
	case "opencode":
		return opencode(), nil
	case "gemini":
		return gemini(), nil
	}
	return Profile{}, fmt.Errorf("%q is not an agent that is known: want %s, or cmd: and a command line", name, strings.Join(Profiles(), ", "))
}

func commandProfile(line string) (Profile, error) {
	argv := strings.Fields(line)
	if len(argv) == 0 {
		return Profile{}, errors.New("cmd: names no command, as in cmd:my-agent --fast")
	}
	return Profile{
		Name: "cmd", Permission: ".tq-agent",
		argv: func(ask) []string { return argv },
		read: readText,
	}, nil
}

// crush approves everything for its session by itself; what it may not do
// stands in .crushrc.
func crush() Profile {
	return Profile{
		Name: "crush", Permission: ".crushrc",
		Settings: []string{"crushrc", ".crush.json", "crush.json"},
		Env:      []string{"CRUSH_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "OPENROUTER_*", "XAI_*", "GROQ_*"},
		argv: func(a ask) []string {
			argv := []string{"crush", "run", "--quiet", "--cwd", a.dir}
			argv = option(argv, "--model", a.model)
			argv = option(argv, "--session", a.session)
			return append(argv, "--", follow)
		},
		read: readText,
	}
}

func claude() Profile {
	return Profile{
		Name: "claude", Permission: ".claude/settings.json",
		Settings: []string{".claude/settings.local.json", ".mcp.json"},
		Env:      []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*"},
		argv: func(a ask) []string {
			argv := []string{"claude", "-p", "--output-format", "stream-json", "--verbose"}
			if a.yolo {
				argv = append(argv, "--permission-mode", "bypassPermissions")
			}
			argv = option(argv, "--model", a.model)
			return option(argv, "--resume", a.session)
		},
		read: readClaude,
	}
}

func codex() Profile {
	return Profile{
		Name: "codex", Permission: ".codex/config.toml",
		Env: []string{"OPENAI_*", "CODEX_*"},
		argv: func(a ask) []string {
			argv := []string{"codex", "exec", "--json", "--cd", a.dir}
			if a.yolo {
				argv = append(argv, "--dangerously-bypass-approvals-and-sandbox")
			}
			argv = option(argv, "--model", a.model)
			if a.session != "" {
				argv = append(argv, "resume", a.session)
			}
			return append(argv, "-")
		},
		read: readCodex,
	}
}

func opencode() Profile {
	return Profile{
		Name: "opencode", Permission: "opencode.json",
		Settings: []string{"opencode.jsonc"},
		Env:      []string{"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "OPENROUTER_*"},
		argv: func(a ask) []string {
			argv := []string{"opencode", "run", "--format", "json", "--dir", a.dir}
			if a.yolo {
				argv = append(argv, "--auto")
			}
			argv = option(argv, "--model", a.model)
			argv = option(argv, "--session", a.session)
			return append(argv, "--", follow)
		},
		read: readOpencode,
	}
}

func gemini() Profile {
	return Profile{
		Name: "gemini", Permission: ".gemini/settings.json",
		Settings: []string{".gemini/.env"},
		Env:      []string{"GEMINI_*", "GOOGLE_*"},
		argv: func(a ask) []string {
			argv := []string{"gemini", "--output-format", "json"}
			if a.yolo {
				argv = append(argv, "--approval-mode", "yolo", "--skip-trust")
			}
			argv = option(argv, "--model", a.model)
			return append(argv, "--prompt", follow)
		},
		read:    readGemini,
		unready: []int{41, 44, 52, 55}, // no login, no sandbox, configuration, folder not trusted
	}
}

// option adds a flag with its value in the same argument, so that no value is
// taken for a flag.
func option(argv []string, flag, value string) []string {
	if value == "" {
		return argv
	}
	return append(argv, flag+"="+value)
}
