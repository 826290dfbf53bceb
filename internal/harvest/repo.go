package harvest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Repo is a folder whose backlog is harvested.
type Repo struct {
	Name string // the project of its tasks: the folder's name, with its parent's where two are alike
	Dir  string // absolute, without symbolic links
}

// MaxFile is the largest file that is read; a larger one is skipped.
const MaxFile = 1 << 20

const maxRepos = 1000

// Repos finds the folders that are named, and those directly below
// projectsDir that are git repositories, whose name fits the pattern subset.
func Repos(named []string, projectsDir, subset string) ([]Repo, error) {
	dirs := slices.Clone(named)
	if projectsDir != "" {
		below, err := os.ReadDir(projectsDir)
		if err != nil {
			return nil, fmt.Errorf("look for repositories: %w", err)
		}
		for _, f := range below {
			dir := filepath.Join(projectsDir, f.Name())
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && f.IsDir() {
				dirs = append(dirs, dir)
			}
		}
	}
	var found []Repo
	for _, dir := range dirs {
		r, err := repoAt(dir)
		if err != nil {
			return nil, err
		}
		fits := true
		if subset != "" {
			if fits, err = path.Match(subset, r.Name); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", subset, err)
			}
		}
		same := func(o Repo) bool { return o.Dir == r.Dir }
		if fits && !slices.ContainsFunc(found, same) {
			found = append(found, r)
		}
	}
	if len(found) > maxRepos {
		return nil, fmt.Errorf("there are %d repositories, the limit is %d; choose some with --repo-subset", len(found), maxRepos)
	}
	return distinct(found), nil
}

func repoAt(dir string) (Repo, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Repo{}, fmt.Errorf("repository %s: %w", dir, err)
	}
	return Repo{Name: filepath.Base(abs), Dir: abs}, nil
}

// distinct puts the parent's name before names that two folders share.
func distinct(repos []Repo) []Repo {
	count := map[string]int{}
	for _, r := range repos {
		count[r.Name]++
	}
	for i, r := range repos {
		if count[r.Name] > 1 {
			repos[i].Name = filepath.Base(filepath.Dir(r.Dir)) + "/" + r.Name
		}
	}
	return repos
}

// read reads a regular file inside the repository; it follows no link out of
// it, waits for nobody and reads no more than MaxFile.
func (r *Repo) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read only
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, os.ErrNotExist
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > MaxFile:
		return nil, fmt.Errorf("%s is %d bytes, the limit is %d", name, info.Size(), MaxFile)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // read only
	return io.ReadAll(io.LimitReader(f, MaxFile))
}
