package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/tq/internal/config"
)

// What to give to an agent so that it finds the queue: a command to run once,
// or a piece of its configuration. Tokens stay in TQ_TOKEN.

func (a *app) mcpConfigCommand() *cobra.Command {
	var prefix string
	cmd := &cobra.Command{
		Use:   "config " + strings.Join(agentNames(), "|"),
		Short: "Print what to give to an agent so that it finds the queue",
		Long: `Prints what to run or to paste. With --db http://HUB it is the hub's address, and the
agent takes the token from TQ_TOKEN; with a file, the agent starts tq mcp by itself.`,
		Example: `  tq mcp config claude --db http://127.0.0.1:8080
  tq mcp config codex --db tasks.db`,
		Args:      oneArg("the agent"),
		ValidArgs: agentNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkPrefix(prefix); err != nil {
				return err
			}
			return a.printConfig(args[0], prefix)
		},
	}
	prefixFlag(cmd.Flags(), &prefix)
	return cmd
}

func agentNames() []string {
	return []string{"claude", "codex", "opencode", "gemini", "crush", "cursor"}
}

func (a *app) printConfig(agent, prefix string) error {
	if !slices.Contains(agentNames(), agent) {
		e := usage("%q is not an agent that tq knows", agent)
		return e.WithHint("it knows %s; others take the address of a hub, http://HOST:PORT/mcp, or the command tq mcp", strings.Join(agentNames(), ", "))
	}
	where := or(a.db, config.DefaultDB(a.Getenv))
	if isHub(where) {
		a.out.line("%s", remoteConfig(agent, strings.TrimSuffix(where, "/")+"/mcp"))
		return nil
	}
	if !strings.Contains(where, "://") {
		abs, err := filepath.Abs(where)
		if err != nil {
			return err
		}
		where = abs
	}
	args := []string{"mcp", "--db", where}
	if prefix != usualPrefix {
		args = append(args, "--tool-prefix", prefix)
	}
	a.out.line("%s", localConfig(agent, args))
	return nil
}

// settings is a piece of an agent's configuration.
type settings map[string]any

func remoteConfig(agent, url string) string {
	switch agent {
	case "claude":
		return `claude mcp add --transport http tq ` + word(url) + ` --header "Authorization: Bearer $TQ_TOKEN"`
	case "codex":
		return `codex mcp add tq --url ` + word(url) + ` --bearer-token-env-var TQ_TOKEN`
	case "gemini":
		return `gemini mcp add --transport http tq ` + word(url) + ` --header "Authorization: Bearer $TQ_TOKEN"`
	case "crush":
		return `mcp add tq --type http --url ` + word(url) + ` --header Authorization "Bearer $TQ_TOKEN"`
	case "opencode":
		return paste(settings{"mcp": settings{"tq": settings{
			"type": "remote", "url": url, "headers": settings{"Authorization": "Bearer {env:TQ_TOKEN}"},
		}}})
	}
	return paste(settings{"mcpServers": settings{"tq": settings{
		"url": url, "headers": settings{"Authorization": "Bearer ${env:TQ_TOKEN}"},
	}}})
}

func localConfig(agent string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = word(arg)
	}
	line := "tq " + strings.Join(quoted, " ")
	switch agent {
	case "claude", "codex":
		return agent + " mcp add tq -- " + line
	case "gemini":
		return "gemini mcp add tq " + line
	case "opencode":
		return paste(settings{"mcp": settings{"tq": settings{"type": "local", "command": append([]string{"tq"}, args...)}}})
	case "crush":
		return paste(settings{"mcp": settings{"tq": settings{"type": "stdio", "command": "tq", "args": args}}})
	}
	return paste(settings{"mcpServers": settings{"tq": settings{"command": "tq", "args": args}}})
}

// word is a text as one word of a shell.
func word(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/:._-@%+=,", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func paste(s settings) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(s) // text and lists of it
	return strings.TrimSpace(b.String())
}
