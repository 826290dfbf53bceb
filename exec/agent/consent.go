package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Consent: with a free hand an agent does what the settings in the repository
// say, hooks and servers among them. The first time they are taken as they are,
// for whoever let agents in has just looked there. What changes later may have
// come with a pull from anybody, and is asked about again: the content is
// trusted, not the path.

// consentFile lies in the git folder, where no pull can reach it. Its lines are
// those of sha256sum: all that was ever approved.
const consentFile = "tq-consent"

// Approved is a settings file as an agent may use it.
type Approved struct {
	File string `json:"file"`
	Hash string `json:"sha256"`
}

func (a Approved) line() string { return a.Hash + "  " + a.File + "\n" }

// Approve takes the settings of the executor's agent in a repository for good
// as they are now, and answers with them.
func (x *Executor) Approve(ctx context.Context, dir string) ([]Approved, error) {
	profile, err := x.profile(&Payload{})
	if err != nil {
		return nil, err
	}
	r, err := x.openRepo(ctx, dir)
	if err != nil {
		return nil, err
	}
	lock, err := r.lock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.dir, err)
	}
	defer func() { _ = lock.Close() }() // nothing is written to it
	now, err := r.settings(&profile)
	if err != nil {
		return nil, err
	}
	return now, r.approve(now)
}

// consent checks that the owner agrees to the settings as they are, and answers
// the hash of the permission file.
func (r *repo) consent(p *Profile) (hash string, err error) {
	now, err := r.settings(p)
	if err != nil {
		return "", err
	}
	known, err := r.approvals()
	if err != nil {
		return "", err
	}
	if !strings.Contains(known, "  "+p.Permission+"\n") {
		return now[0].Hash, r.approve(now)
	}
	for _, s := range now {
		if !strings.Contains(known, s.line()) {
			return "", fmt.Errorf("%s of %s is not what was approved: look at what it lets %s do, then say yes with tq agent-pool --approve --agent %s --repos %s",
				s.File, r.dir, p.Name, p.called(), r.dir)
		}
	}
	return now[0].Hash, nil
}

// settings are the files that tell the agent what it may do, the permission
// file first.
func (r *repo) settings(p *Profile) ([]Approved, error) {
	hash, err := r.permission(p)
	if err != nil {
		return nil, err
	}
	found := []Approved{{p.Permission, hash}}
	for _, name := range p.Settings {
		hash, err := r.hash(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, Approved{name, hash})
	}
	return found, nil
}

func (r *repo) consentPath() string { return filepath.Join(r.gitDir, consentFile) }

func (r *repo) approvals() (string, error) {
	text, err := os.ReadFile(r.consentPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read what was approved: %w", err)
	}
	return string(text), nil
}

// approve adds to what was approved, once.
func (r *repo) approve(now []Approved) error {
	known, err := r.approvals()
	if err != nil {
		return err
	}
	lines := map[string]bool{}
	for line := range strings.Lines(known) {
		lines[line] = true
	}
	for _, s := range now {
		lines[s.line()] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(lines)), "")
	if err := os.WriteFile(r.consentPath(), []byte(text), 0o600); err != nil {
		return fmt.Errorf("note what was approved: %w", err)
	}
	return nil
}
