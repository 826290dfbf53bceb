package sqlite

import (
	"os"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The wake file: each commit that may concern somebody appends a byte, and the
// kernel tells the other processes so. Who knows how much he wrote himself
// knows by its size whether somebody else did.

const (
	// pokeEvery is the least time between two bytes.
	pokeEvery = 2 * time.Millisecond
	maxWake   = 1 << 20 // then it begins anew
)

type waker struct {
	path string

	mu     sync.Mutex
	file   *os.File // nil until it is needed
	size   int64    // as it would be if nobody else wrote
	last   time.Time
	timer  *time.Timer // a byte is due
	closed bool
}

// open opens the file; the lock must be held.
func (w *waker) open() error {
	if w.file != nil {
		return nil
	}
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return join(err, f.Close())
	}
	w.file, w.size = f, info.Size()
	return nil
}

// nudge tells of what is not urgent, such as the end of a lease. It needs no byte
// right after another: who was woken by that one looks again within a second.
func (w *waker) nudge() {
	w.mu.Lock()
	recent := time.Since(w.last) < backstop/2
	w.mu.Unlock()
	if !recent {
		w.poke()
	}
}

// poke wakes the other processes, at once or together with what follows in the
// next moment. Its errors count for nothing: the others have a backstop.
func (w *waker) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil || w.closed {
		return
	}
	if wait := pokeEvery - time.Since(w.last); wait > 0 {
		w.timer = time.AfterFunc(wait, w.late)
		return
	}
	w.write()
}

func (w *waker) late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = nil
	if !w.closed {
		w.write()
	}
}

func (w *waker) write() {
	if w.open() != nil {
		return
	}
	w.last = time.Now()
	if w.size >= maxWake {
		_ = w.file.Truncate(0) // if it fails, the file grows on
		w.size = 0
	}
	if n, err := w.file.Write([]byte{'\n'}); err == nil {
		w.size += int64(n)
	}
}

// foreign reports whether somebody else has written since the last time.
func (w *waker) foreign() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return true
	}
	info, err := w.file.Stat()
	if err != nil || info.Size() == w.size {
		return err != nil
	}
	w.size = info.Size()
	return true
}

// listen asks the kernel to tell of changes of the file.
func (w *waker) listen() (*fsnotify.Watcher, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil && !w.same() {
		_ = w.file.Close() // another file lies there now
		w.file = nil
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	l, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := l.Add(w.path); err != nil {
		return nil, join(err, l.Close())
	}
	return l, nil
}

// moved reports whether another file, or none, lies where ours was.
func (w *waker) moved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file == nil || !w.same()
}

// same reports whether the open file is still the one at path.
func (w *waker) same() bool {
	ours, err := w.file.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(w.path)
	return err == nil && os.SameFile(ours, theirs)
}

func (w *waker) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
