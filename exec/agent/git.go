package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// git is one repository, asked so that nothing of it runs: no hooks, no file
// system monitor, no filters, no pagers, no programs that sign or show.
type git struct {
	dir string
	env []string
}

const gitTimeout = time.Minute

func newGit(dir string, environ []string) *git {
	env := inherit(environ, usual())
	return &git{dir: dir, env: append(env,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_EDITOR=true", "GIT_PAGER=cat", "LC_ALL=C",
	)}
}

// run answers what git prints.
func (g *git) run(ctx context.Context, args ...string) (string, error) {
	return g.runWith(ctx, nil, args...)
}

func (g *git) runWith(ctx context.Context, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	safe := []string{
		"-C", g.dir, "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "protocol.file.allow=user", "-c", "safe.bareRepository=explicit", "-c", "log.showSignature=false",
		"-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
		"-c", "core.attributesFile=/dev/null",
	}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Env = append(append([]string(nil), g.env...), env...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), &gitError{args: args[0], err: err, said: firstLine(errs.String())}
	}
	return out.String(), nil
}

// gitError is a git command that went wrong, in its own words.
type gitError struct {
	args string
	err  error
	said string
}

func (e *gitError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("git %s: %v: %s", e.args, e.err, e.said), ": ")
}
func (e *gitError) Unwrap() error { return e.err }

// saidNo reports whether git answered no, which is exit status 1.
func saidNo(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}

// head is the commit that is checked out, "" before the first one.
func (g *git) head(ctx context.Context) (string, error) {
	out, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if saidNo(err) {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// branch is the name of what is checked out, "" of a commit by itself.
func (g *git) branch(ctx context.Context) (string, error) {
	out, err := g.run(ctx, "symbolic-ref", "--quiet", "HEAD")
	if saidNo(err) {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// dirt lists what differs from the commit that is checked out, "" if nothing.
func (g *git) dirt(ctx context.Context) (string, error) {
	out, err := g.run(ctx, "status", "--porcelain", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
	return strings.TrimRight(out, "\n"), err
}

// remotes is where the remote branches were last seen.
func (g *git) remotes(ctx context.Context) (map[string]string, error) {
	out, err := g.run(ctx, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = commit
	}
	return refs, nil
}

// descends reports whether commit has base among its ancestors; "" is the
// ancestor of all.
func (g *git) descends(ctx context.Context, base, commit string) (bool, error) {
	if base == "" {
		return true, nil
	}
	_, err := g.run(ctx, "merge-base", "--is-ancestor", base, commit)
	if saidNo(err) {
		return false, nil
	}
	return err == nil, err
}

// emptyTree stands for "before the first commit" in a diff.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// stat is the summary of a diff, and the files in it.
func (g *git) stat(ctx context.Context, from, to string) (summary string, files []string, err error) {
	if from == "" {
		from = emptyTree
	}
	base := []string{"diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"}
	summary, err = g.run(ctx, append(base, "--shortstat", from, to, "--")...)
	if err != nil {
		return "", nil, err
	}
	names, err := g.run(ctx, append(base, "--name-only", "-z", from, to, "--")...)
	for name := range strings.SplitSeq(strings.TrimRight(names, "\x00"), "\x00") {
		if name != "" {
			files = append(files, name)
		}
	}
	return strings.TrimSpace(summary), files, err
}

// putBack makes the working tree what it was at commit, and keeps what it takes
// away under refs/tq/left/name, so that nothing is ever lost. It answers the
// ref, "" when there was nothing to keep.
func (g *git) putBack(ctx context.Context, commit, branch, name string) (string, error) {
	now, err := g.head(ctx)
	if err != nil {
		return "", err
	}
	dirt, err := g.dirt(ctx)
	if err != nil || dirt == "" && now == commit {
		return "", err
	}
	ref := ""
	if kept, err := g.keep(ctx, now, dirt); err != nil {
		return "", err
	} else if kept != "" && kept != commit {
		ref = "refs/tq/left/" + name
		if _, err := g.run(ctx, "update-ref", ref, kept); err != nil {
			return "", err
		}
	}
	if branch != "" {
		if _, err := g.run(ctx, "symbolic-ref", "HEAD", branch); err != nil {
			return ref, err
		}
	}
	if commit == "" {
		return ref, errors.New("the repository had no commit to go back to")
	}
	if _, err := g.run(ctx, "reset", "--hard", "--quiet", commit); err != nil {
		return ref, err
	}
	_, err = g.run(ctx, "clean", "-d", "--force", "--quiet")
	return ref, err
}

// keep makes a commit of the working tree as it is, on no branch.
func (g *git) keep(ctx context.Context, head, dirt string) (string, error) {
	if dirt == "" {
		return head, nil
	}
	if _, err := g.run(ctx, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := g.run(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", strings.TrimSpace(tree), "-m", "tq: what an attempt left behind"}
	if head != "" {
		args = append(args, "-p", head)
	}
	who := []string{
		"GIT_AUTHOR_NAME=tq", "GIT_AUTHOR_EMAIL=tq@localhost",
		"GIT_COMMITTER_NAME=tq", "GIT_COMMITTER_EMAIL=tq@localhost",
	}
	out, err := g.runWith(ctx, who, args...)
	return strings.TrimSpace(out), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
