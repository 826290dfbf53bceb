//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// kept is what was run of all figures so far, so that hours of it can be done
// in several sittings. A run of a tenth keeps nothing.
type kept struct {
	path  string // none: nothing is kept
	began time.Time

	mu  sync.Mutex
	now keptRuns
	err error // the first that stopped it from being written
}

type keptRuns struct {
	Seconds float64  `json:"seconds"` // of the sittings before this one
	Rigs    []result `json:"rigs"`
}

func openKept(s settings) (*kept, error) {
	k := &kept{began: time.Now()}
	if !s.full {
		return k, nil
	}
	k.path = filepath.Join(s.logs, fmt.Sprintf("full-%d.json", s.seed))
	text, err := os.ReadFile(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, nil
	case err != nil:
		return nil, fmt.Errorf("read what was run before: %w", err)
	}
	if err := json.Unmarshal(text, &k.now); err != nil {
		return nil, fmt.Errorf("read %s, which can be deleted: %w", k.path, err)
	}
	fmt.Printf("%d rigs were run before; %s has them\n", len(k.now.Rigs), k.path)
	return k, nil
}

// find is the run of a command that went well.
func (k *kept) find(command string) (result, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.now.Rigs {
		if x.Command == command {
			return x, true
		}
	}
	return result{}, false
}

// add keeps a run that went well.
func (k *kept) add(x result) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.path == "" || x.bad() {
		return
	}
	k.now.Rigs = append(k.now.Rigs, x)
	saved := k.now
	saved.Seconds = k.took()
	text, err := json.MarshalIndent(&saved, "", "  ")
	if err == nil {
		err = os.WriteFile(k.path, append(text, '\n'), 0o644)
	}
	k.err = errors.Join(k.err, err)
}

// seconds is how long all sittings took.
func (k *kept) seconds() float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.took()
}

func (k *kept) took() float64 { return k.now.Seconds + time.Since(k.began).Seconds() }

func (k *kept) interrupted() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.path == "" || k.err != nil {
		return errors.Join(errors.New("interrupted"), k.err)
	}
	return fmt.Errorf("interrupted; the same command goes on: %d rigs are in %s", len(k.now.Rigs), k.path)
}

// forget is called when the page has it all.
func (k *kept) forget() error {
	if k.path == "" {
		return nil
	}
	if err := os.Remove(k.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
