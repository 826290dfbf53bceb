package docs

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const referencePage = "docs/reference/cli.md"

const referenceHead = `# The command line

<!-- Generated from the help of the binary: make docs -->

`

func TestTheReferenceOfTheCommandLineIsFresh(t *testing.T) {
	t.Parallel()
	tq := helper{t: t, bin: binary(t)}
	var text strings.Builder
	text.WriteString(referenceHead)
	fmt.Fprintf(&text, "```text\n%s```\n", tq.help())
	tq.describe(&text, "tq")
	_, topics, _ := strings.Cut(tq.help(), "Additional help topics:\n")
	for _, topic := range topicLine.FindAllStringSubmatch(topics, -1) {
		fmt.Fprintf(&text, "\n## tq help %s\n\n```text\n%s```\n", topic[1], tq.help("help", topic[1]))
	}
	fresh(t, referencePage, text.String())
}

// helper asks a binary for its help.
type helper struct {
	t   *testing.T
	bin string
}

var (
	commandLine = regexp.MustCompile(`^  ([a-z][a-z-]*) {2,}\S`)
	topicLine   = regexp.MustCompile(`(?m)^  tq ([a-z-]+) +\S.*$`)
	globalFlags = regexp.MustCompile(`(?s)\nGlobal Flags:\n.*`)
)

// describe writes the help of all commands below a command.
func (h helper) describe(text *strings.Builder, command string) {
	for _, name := range commandsIn(h.help(strings.Fields(command)[1:]...)) {
		if name == "help" || name == "completion" {
			continue // the library's own
		}
		below := command + " " + name
		own := globalFlags.ReplaceAllString(h.help(strings.Fields(below)[1:]...), "")
		fmt.Fprintf(text, "\n## %s\n\n```text\n%s\n```\n", below, strings.TrimSpace(own))
		h.describe(text, below)
	}
}

// commandsIn lists the commands that a help text names, in its order.
func commandsIn(help string) []string {
	var names []string
	list := false
	for line := range strings.Lines(help) {
		switch m := commandLine.FindStringSubmatch(line); {
		case strings.HasSuffix(line, ":\n"):
			list = !strings.Contains(line, "Usage") && !strings.Contains(line, "Examples") && !strings.Contains(line, "Flags")
		case list && m != nil:
			names = append(names, m[1])
		}
	}
	return names
}

// help is what the binary says to a command with --help.
func (h helper) help(command ...string) string {
	h.t.Helper()
	args := command
	if len(command) == 0 || command[0] != "help" {
		args = append(append([]string{}, command...), "--help")
	}
	cmd := exec.CommandContext(h.t.Context(), h.bin, args...)
	cmd.Env = []string{"HOME=/nonexistent", "LC_ALL=C.UTF-8", "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("tq %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestCommandsAreFoundInAHelpText(t *testing.T) {
	t.Parallel()
	help := "Does it.\n\nUsage:\n  tq [flags]\n\nPut in:\n  enqueue     Put tasks in\n\nLook:\n  list        List\n\nFlags:\n  -h, --help   help\n"
	if got := strings.Join(commandsIn(help), " "); got != "enqueue list" {
		t.Errorf("found %q", got)
	}
}
