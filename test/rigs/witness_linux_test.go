package rigs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The witness is what tasks call while they run. It sees which attempt runs when
// and where, keeps those of a machine from ending when the test asks it to, and
// notices when one is broken off.

const (
	witnessAddress = "127.0.0.1:8000" // on each machine: no cut wire stands between a task and it

	// witnessCall is a command that calls it. What it leaves as the result of its
	// task is whatever the witness answers.
	witnessCall = `exec curl -fsS -H "Tq-Task-Id: $TQ_TASK_ID" -H "Tq-Fence: $TQ_FENCE" -H "Pid: $$" -o "$TQ_RESULT_FILE" http://` + witnessAddress
)

type witness struct {
	t *testing.T

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	runs    map[int64][]*attempt
	held    map[string]chan struct{} // machines whose attempts may not end, until it is closed
	again   chan struct{}            // nor may those of tasks that are taken over, until this is
	ended   int                      // attempts
}

// attempt is one run of a task, told by its fence.
type attempt struct {
	task, fence int64
	pid         int // of its process, if it has one
	machine     string
	held        bool // it met a machine that was held
	over        bool
	cut         bool       // its caller hung up
	beside      []*attempt // attempts of the same task that were not over when it began
}

func newWitness(t *testing.T) *witness {
	return &witness{t: t, changed: make(chan struct{}), runs: map[int64][]*attempt{}, held: map[string]chan struct{}{}}
}

// serve listens on a machine until the test ends.
func (w *witness) serve(m *machine) {
	w.t.Helper()
	l := m.listen(witnessAddress)
	s := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.answer(rw, r, m.name) })}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	w.t.Cleanup(func() {
		_ = s.Close() // whoever is still there is cut off
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			w.t.Errorf("the witness on %s: %v", m.name, err)
		}
	})
}

func (w *witness) answer(rw http.ResponseWriter, r *http.Request, machine string) {
	task, err1 := strconv.ParseInt(r.Header.Get("Tq-Task-Id"), 10, 64)
	fence, err2 := strconv.ParseInt(r.Header.Get("Tq-Fence"), 10, 64)
	_, err3 := io.Copy(io.Discard, r.Body) // only then the server notices that the caller hangs up
	if err := errors.Join(err1, err2, err3); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	pid, _ := strconv.Atoi(r.Header.Get("Pid")) // 0 of a task that is no process
	a, hold := w.begin(attempt{task: task, fence: fence, pid: pid, machine: machine})
	pause := time.NewTimer(time.Duration(task*7919%40) * time.Millisecond)
	defer pause.Stop()
	for _, wait := range []func() bool{
		func() bool { return await(r.Context(), pause.C) },
		func() bool { return hold == nil || await(r.Context(), hold) },
	} {
		if !wait() {
			w.end(a, true)
			return
		}
	}
	w.end(a, false)
	_, _ = fmt.Fprintf(rw, `{"fence":%d}`, fence) // the caller may be stopped, or gone
}

func await[T any](ctx context.Context, c <-chan T) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *witness) begin(a attempt) (*attempt, chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hold := w.held[a.machine]
	a.held = hold != nil
	for _, other := range w.runs[a.task] {
		if other.held && hold == nil {
			hold = w.again
		}
		if !other.over {
			a.beside = append(a.beside, other)
		}
	}
	w.runs[a.task] = append(w.runs[a.task], &a)
	w.tell()
	return &a, hold
}

func (w *witness) end(a *attempt, cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended++
	a.over, a.cut = true, cut
	w.tell()
}

func (w *witness) tell() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// hold keeps the attempts that begin on a machine from ending, until release.
func (w *witness) hold(m *machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[m.name] = make(chan struct{})
}

func (w *witness) release(m *machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.held[m.name])
	delete(w.held, m.name)
}

// holdTakeOvers keeps what takes over the tasks of held attempts from ending,
// until releaseTakeOvers: whoever comes back finds his task with somebody else.
func (w *witness) holdTakeOvers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.again = make(chan struct{})
}

func (w *witness) releaseTakeOvers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.again)
	w.again = nil
}

// all lists what began; the caller holds mu, or everything is over.
func (w *witness) all() []*attempt {
	var all []*attempt
	for _, runs := range w.runs {
		all = append(all, runs...)
	}
	return all
}

// count counts the attempts that were held on a machine and are so; the caller
// holds mu.
func (w *witness) count(m *machine, so func(*attempt) bool) int {
	n := 0
	for _, a := range w.all() {
		if a.held && a.machine == m.name && so(a) {
			n++
		}
	}
	return n
}

// soFar is count for a caller who does not hold mu.
func (w *witness) soFar(m *machine, so func(*attempt) bool) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count(m, so)
}

// over counts the attempts that are over.
func (w *witness) over() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// live is so for an attempt that goes on.
func live(a *attempt) bool { return !a.over }

// takenOver is so for an attempt whose task has begun again.
func (w *witness) takenOver(a *attempt) bool {
	for _, other := range w.runs[a.task] {
		if other.fence > a.fence {
			return true
		}
	}
	return false
}

// await waits until cond holds; it is asked under the lock at each change.
func (w *witness) await(ctx context.Context, what string, cond func() bool) {
	w.t.Helper()
	for {
		w.mu.Lock()
		if cond() {
			w.mu.Unlock()
			return
		}
		changed := w.changed
		w.mu.Unlock()
		if !await(ctx, changed) {
			w.t.Fatalf("waited in vain until %s: %v", what, context.Cause(ctx))
		}
	}
}

// awaitCount waits until so many attempts that were held on a machine are so.
func (w *witness) awaitCount(ctx context.Context, m *machine, so func(*attempt) bool, n int, word string) {
	w.t.Helper()
	w.await(ctx, fmt.Sprintf("%d attempts on %s are %s", n, m.name, word), func() bool { return w.count(m, so) >= n })
}
