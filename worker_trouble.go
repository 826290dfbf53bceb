package tq

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// What a part of the worker does while its calls fail: it waits longer each
// time, and tells the log at first and then once a minute.

const (
	troubleWorst = 5 * time.Second // between two tries
	troubleTold  = time.Minute     // between two lines in the log
	askedWorst   = 30 * time.Second
)

// trouble is one part's view of an outage.
type trouble struct {
	what string // the call
	log  *slog.Logger
	seed int64 // scatters the waits, and the heartbeats

	mu    sync.Mutex // calls may fail at the same time
	tries int
	since time.Time
	told  time.Time
}

func newTrouble(log *slog.Logger, what string) *trouble {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return &trouble{what: what, log: log, seed: int64(binary.LittleEndian.Uint64(b[:]))}
}

// note takes down a failed call and answers how long to wait before the next.
func (t *trouble) note(err error) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.tries == 0 {
		t.since, t.told = now, time.Time{}
	}
	t.tries++
	if now.Sub(t.told) >= troubleTold {
		t.told = now
		t.log.Warn(t.what, "error", err, "tries", t.tries)
	}
	return t.wait(t.tries, err)
}

// wait is the wait before try number tries + 1: doubled each time, anywhere
// from half to one and a half of that, and no less than the answer asked for.
func (t *trouble) wait(tries int, err error) time.Duration {
	b := Backoff{Base: Duration(100 * time.Millisecond), Cap: Duration(troubleWorst)}
	d := b.Delay(tries, 0)
	d += time.Duration(0.5 * Jitter(t.seed, int64(tries)) * float64(d))
	var e *Error
	if errors.As(err, &e) {
		d = max(d, min(e.RetryAfter, askedWorst))
	}
	return d
}

// over says that a call has worked.
func (t *trouble) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tries > 0 {
		t.log.Info(t.what+" works again", "after", time.Since(t.since).Round(time.Millisecond), "tries", t.tries)
	}
	t.tries = 0
}

// refused reports whether a call was turned down for what is in it: sending it
// again unchanged cannot help.
func refused(err error) bool {
	code := CodeOf(err)
	return code == CodeInvalid || code == CodeTooLarge
}

// puzzling reports whether a call failed in a way that says nothing of why:
// something in it may be poison.
func puzzling(err error) bool {
	return CodeOf(err) == CodeInternal &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
