package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"example.com/tq"
)

// inspect looks at what the agent has left: a commit on the same branch, on top
// of what was there, in a clean tree, with the box ticked and the rails
// untouched, and nothing pushed.
func (a *attempt) inspect(ctx context.Context) (commit string, err error) {
	g := a.repo.git
	if commit, err = g.head(ctx); err != nil {
		return "", err
	}
	branch, err := g.branch(ctx)
	if err != nil {
		return "", err
	}
	if branch != a.branch {
		return "", a.evidence("commit", fmt.Errorf("the agent left branch %q checked out, it began on %q", branch, a.branch))
	}
	above, err := g.descends(ctx, a.head, commit)
	if err != nil {
		return "", err
	}
	if !above {
		return "", a.evidence("commit", fmt.Errorf("the agent changed the history: %s is no longer in it", a.head))
	}
	if err := a.checkPushed(ctx, commit); err != nil {
		return "", err
	}
	if err := a.checkRails(); err != nil {
		return "", err
	}
	if err := a.checkTree(ctx, commit); err != nil {
		return "", err
	}
	return commit, a.checkTicked()
}

func (a *attempt) checkTree(ctx context.Context, commit string) error {
	dirt, err := a.repo.git.dirt(ctx)
	if err != nil {
		return err
	}
	if a.tidy && dirt != "" {
		return a.evidence("tree", fmt.Errorf("the agent left changes that it did not commit:\n%s", string(lastBytes([]byte(dirt), resultTail))))
	}
	if commit == a.head {
		return a.evidence("commit", errors.New("the agent says that it is done, but it has changed nothing"))
	}
	return nil
}

// checkPushed looks for the agent's commits on a remote branch. That cannot be
// undone, and another attempt might do it again.
func (a *attempt) checkPushed(ctx context.Context, commit string) error {
	now, err := a.repo.git.remotes(ctx)
	if err != nil || maps.Equal(now, a.remotes) {
		return err
	}
	made, err := a.repo.git.run(ctx, "rev-list", a.head+".."+commit)
	if err != nil {
		return err
	}
	for name, at := range now {
		if at != a.remotes[name] && strings.Contains(made, at) {
			return tq.Permanent(a.evidence("push", fmt.Errorf("the agent pushed its work to %s, which it may not", name)))
		}
	}
	return nil
}

func (a *attempt) checkRails() error {
	now, err := a.repo.rails()
	if err != nil {
		return a.evidence("rails", err)
	}
	for name, hash := range a.rails {
		if now[name] != hash {
			return a.evidence("rails", fmt.Errorf("the agent changed %s, which permits or judges its work", name))
		}
	}
	return nil
}

// checkTicked looks whether fewer boxes of the task's text stand open than
// before. Where there were none, somebody moved it, which is no fault.
func (a *attempt) checkTicked() error {
	now, err := a.openBoxes()
	switch {
	case err != nil:
		return a.evidence("todo", err)
	case now > 0 && now >= a.boxes:
		return a.evidence("todo", fmt.Errorf("the agent did not tick the box in %s", a.payload.Todo.File))
	}
	return nil
}

// openBoxes counts the boxes of the task's text that stand open.
func (a *attempt) openBoxes() (n int, err error) {
	todo := a.payload.Todo
	if todo == nil {
		return 0, nil
	}
	text, err := a.repo.read(todo.File)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	box := regexp.MustCompile(`^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[ \]\s*(.*)$`)
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		m := box.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if len(m) == 2 && sameText(m[1], firstLine(todo.Text)) {
			n++
		}
	}
	return n, nil
}

func sameText(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }
