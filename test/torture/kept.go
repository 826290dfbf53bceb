//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// kept is what was run of all figures so far, so that hours of it can be done
// in several sittings. A run of a tenth keeps nothing.
type kept struct {
	path  string // none: nothing is kept
	began time.Time

	mu  sync.Mutex
	now record
	err error // the first that stopped it from being written
}

// openKept finds what was run before: on this machine since the last whole run,
// or, of a run that adds what is missing, wherever the record beside the page was
// begun.
func openKept(s settings, now *record) (*kept, error) {
	k := &kept{began: time.Now(), now: *now}
	if !s.full {
		return k, nil
	}
	k.path = filepath.Join(s.logs, fmt.Sprintf("full-%d.json", s.seed))
	if s.missing {
		k.path = filepath.Join(s.out, fullName)
	}
	before, err := readRecord(filepath.Split(k.path))
	switch {
	case err != nil:
		return nil, fmt.Errorf("what was run before: %w", err)
	case before == nil:
		return k, nil
	case before.Seed != s.seed:
		return nil, fmt.Errorf("%s is of seed %d, not %d", k.path, before.Seed, s.seed)
	}
	k.now.Rigs, k.now.Seconds = before.Rigs, before.Seconds
	for i := range k.now.Rigs {
		k.now.Rigs[i].Machine = cmp.Or(k.now.Rigs[i].Machine, before.Machine) // this may be another one
	}
	fmt.Printf("%d rigs were run before; %s has them\n", len(k.now.Rigs), k.path)
	return k, nil
}

// find is the run of a command that went well.
func (k *kept) find(command string) (result, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.now.run(command)
	if i < 0 {
		return result{}, false
	}
	return k.now.Rigs[i], true
}

// add keeps a run that went well.
func (k *kept) add(x result) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.path == "" || x.bad() {
		return
	}
	k.now.Rigs = slices.DeleteFunc(k.now.Rigs, func(y result) bool { return y.Name == x.Name }) // of other figures
	k.now.Rigs = append(k.now.Rigs, x)
	saved := k.now
	saved.Seconds = k.took()
	k.err = errors.Join(k.err, saved.save(k.path))
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
func (k *kept) forget(s settings) error {
	if k.path == "" || s.missing {
		return nil
	}
	if err := os.Remove(k.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
