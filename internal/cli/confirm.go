package cli

import (
	"bufio"
	"strconv"
	"strings"
)

// confirm asks before something happens to many tasks: the count is typed, so
// that a wrong filter is noticed. Without a terminal nothing is done unless
// --yes says so.
func (a *app) confirm(yes bool, what string, count int64) error {
	if yes {
		return nil
	}
	if a.out.json || !isTerminal(a.Stdin) || !isTerminal(a.Stderr) {
		return usage("%s needs a confirmation, and there is no terminal to ask on", what).
			WithHint("nothing was done; add --yes if you mean it")
	}
	n := strconv.FormatInt(count, 10)
	a.out.toStderr(safe("About to " + what + ". Type " + n + " to go on: "))
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != n {
		return usage("nothing was done")
	}
	return nil
}
