package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The rails: what must hold of a repository before an agent is let in. All of
// it is looked at without running anything of the repository's own.

// repo is a repository that an agent may work in.
type repo struct {
	dir    string // without symbolic links
	gitDir string
	git    *git
}

// Scope is how the repository is called where it is parked.
func (r *repo) scope() string { return RepoScope(r.dir) }

// RepoScope is the scope of faults that concern one repository.
func RepoScope(dir string) string { return "repo:" + dir }

// ProviderScope is the scope of limits that concern all work of one agent.
func ProviderScope(profile string) string { return "provider:" + profile }

// unready is a fault that somebody has to put right before an attempt can
// begin.
type unready struct {
	scope string
	err   error
}

func (u *unready) Error() string { return u.err.Error() }
func (u *unready) Unwrap() error { return u.err }

// openRepo finds the repository that a payload names and checks that it may be
// entered.
func (x *Executor) openRepo(ctx context.Context, name string) (*repo, error) {
	dir := name
	if !filepath.IsAbs(dir) && x.ProjectsDir != "" {
		dir = filepath.Join(x.ProjectsDir, dir)
	}
	if !filepath.IsAbs(name) && x.ProjectsDir == "" {
		return nil, fmt.Errorf("repo %q is not an absolute path, and there is no --projects-dir to find it in", name)
	}
	real, err := realPath(dir)
	if err != nil {
		return nil, fmt.Errorf("repo: %w", err)
	}
	if !x.allowed(real) {
		return nil, fmt.Errorf("repo %s is neither named by --repos nor below --projects-dir: an agent may not enter it", real)
	}
	r := &repo{dir: real, git: newGit(real, x.environ())}
	if err := r.check(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func (x *Executor) allowed(real string) bool {
	named := func(dir string) bool {
		resolved, err := realPath(dir)
		return err == nil && resolved == real
	}
	if slices.ContainsFunc(x.Repos, named) {
		return true
	}
	if x.ProjectsDir == "" {
		return false
	}
	base, err := realPath(x.ProjectsDir)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(base, real)
	return err == nil && below != "." && filepath.IsLocal(below)
}

// realPath is absolute and without symbolic links.
func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func (r *repo) check(ctx context.Context) error {
	for _, path := range []string{r.dir, filepath.Join(r.dir, ".git")} {
		info, err := os.Lstat(path)
		if err != nil {
			return fmt.Errorf("%s is not a git repository: %w", r.dir, err)
		}
		if !ours(info) {
			return fmt.Errorf("%s belongs to another user: an agent may not enter it", path)
		}
	}
	out, err := r.git.run(ctx, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	if err != nil {
		return fmt.Errorf("%s is not a git repository: %w", r.dir, err)
	}
	top, gitDir, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if top != r.dir {
		return fmt.Errorf("repo %s is not the top of its repository, which is %s", r.dir, top)
	}
	r.gitDir = gitDir
	return r.checkConfig(ctx)
}

// checkConfig refuses a repository whose own configuration makes git run
// programs, or read further files, when somebody only looks at it.
func (r *repo) checkConfig(ctx context.Context) error {
	out, err := r.git.run(ctx, "config", "--local", "--list", "--name-only", "-z")
	if err != nil {
		return err
	}
	runs := regexp.MustCompile(`(?i)^(include\.|includeif\.|filter\..+\.(clean|smudge|process)$|diff\.(external$|.+\.(command|textconv)$)|merge\..+\.driver$|core\.(worktree|sshcommand|gitproxy|askpass|alternaterefscommand)$|gpg\..*program$|extensions\.worktreeconfig$)`)
	for key := range strings.SplitSeq(out, "\x00") {
		if runs.MatchString(key) {
			return fmt.Errorf("%s sets %s in its own .git/config, which runs or reads what nobody vouches for; remove it with git config --unset, or set it for yourself with --global", r.dir, key)
		}
	}
	return nil
}

// permission finds the file by which the owner lets this agent work alone.
func (r *repo) permission(p *Profile) (hash string, err error) {
	hash, err = r.hash(p.Permission)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s has no %s: %s", r.dir, p.Permission, writeThis(p.Name))
	}
	return hash, err
}

// writeThis says how to consent, in the words of each agent.
func writeThis(profile string) string {
	switch profile {
	case "crush":
		return "write one with the tools it may use, as in: permissions allow bash edit view write"
	case "claude":
		return `write one with what it may do, as in: {"permissions": {"allow": ["Bash", "Edit", "Write"]}}`
	case "codex":
		return `write one with how far it may go, as in: sandbox_mode = "workspace-write"`
	case "opencode":
		return `write one with what it may do, as in: {"permission": {"bash": "allow", "edit": "allow"}}`
	case "gemini":
		return `write one with the tools it may use, as in: {"tools": {"allowed": ["run_shell_command"]}}`
	}
	return "create it to let agents work here by themselves; what stands in it is up to you"
}

const maxRailFile = 1 << 20

// hash is the SHA-256 of a regular file inside the repository.
func (r *repo) hash(name string) (string, error) {
	b, err := r.read(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// read reads a regular file of the repository, of at most 1 MiB, and follows no
// link out of it.
func (r *repo) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read only
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxRailFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxRailFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	return io.ReadAll(io.LimitReader(f, maxRailFile))
}

// rails hashes what permits and judges an agent, which it must not touch.
func (r *repo) rails() (map[string]string, error) {
	found := map[string]string{}
	names := []string{gateFile, ".tq-agent"}
	for _, name := range Profiles() {
		p, err := ProfileOf(name)
		if err != nil {
			return nil, err
		}
		names = append(append(names, p.Permission), p.Settings...)
	}
	known, err := r.approvals()
	if err != nil {
		return nil, err
	}
	found[".git/"+consentFile] = known
	for _, name := range names {
		hash, err := r.hash(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		found[name] = hash
	}
	return found, nil
}

// begun is the note that an attempt leaves in the repository while it runs: by
// it the next one knows what to put back when this worker was killed.
type begun struct {
	Task   int64  `json:"task"`
	Epoch  int64  `json:"epoch"`
	Head   string `json:"head"`
	Branch string `json:"branch"`
}

func (r *repo) notePath() string { return filepath.Join(r.gitDir, "tq-agent.json") }

func (r *repo) note(b begun) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.notePath(), text, 0o600); err != nil {
		return fmt.Errorf("note the beginning of the attempt: %w", err)
	}
	return nil
}

// recover puts back what an attempt left whose worker was killed.
func (r *repo) recover(ctx context.Context) error {
	text, err := os.ReadFile(r.notePath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var b begun
	if err != nil || json.Unmarshal(text, &b) != nil || b.Head == "" {
		return os.Remove(r.notePath()) // half written: that attempt had not begun
	}
	if _, err := r.git.putBack(ctx, b.Head, b.Branch, fmt.Sprintf("%d-%d", b.Task, b.Epoch)); err != nil {
		return fmt.Errorf("put back what the attempt at task %d left: %w", b.Task, err)
	}
	return os.Remove(r.notePath())
}
