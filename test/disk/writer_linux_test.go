package disk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store"
)

// The writer is a process of its own that enqueues, claims and completes as fast
// as it can and tells on its standard output, which is no file on the disk under
// test, what it was answered.

const (
	writerRole = "TQ_DISK_WRITER" // the durability
	writerDB   = "TQ_DISK_DB"

	// writerGoesOn makes it go on after an answer to try again after.
	writerGoesOn = "TQ_DISK_GOES_ON"

	producers = 4
	finishers = 2
)

func asWriter() int {
	s, err := store.Open(os.Getenv(writerDB), store.Options{Durability: os.Getenv(writerRole)})
	if err == nil {
		w := &writer{store: s, start: strconv.FormatInt(time.Now().UnixNano(), 36), goesOn: os.Getenv(writerGoesOn) != ""}
		err = errors.Join(w.forever(context.Background()), s.Close())
	}
	fmt.Println("error", err)
	return 1
}

type writer struct {
	store tq.Store
	start string // makes the keys of each writer its own
	quiet bool
	mu    sync.Mutex
	key   atomic.Int64

	goesOn bool // when it is told to try again
}

// forever writes until it is killed, or the first error.
func (w *writer) forever(ctx context.Context) error {
	ended := make(chan error, producers+finishers)
	for range producers {
		go func() { ended <- w.again(func() error { return w.enqueue(ctx) }) }()
	}
	for range finishers {
		go func() { ended <- w.again(func() error { return w.finish(ctx) }) }()
	}
	return <-ended
}

func (w *writer) again(f func() error) error {
	for {
		err := f()
		code := tq.CodeOf(err)
		switch {
		case err == nil:
		case w.goesOn && (code == tq.CodeUnavailable || code == tq.CodeOutcomeUnknown):
			w.say("refused %v", err)
		default:
			return err
		}
	}
}

// say prints one line, whole, as soon as it is known.
func (w *writer) say(format string, args ...any) {
	if w.quiet {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Printf(format+"\n", args...)
}

func (w *writer) enqueue(ctx context.Context) error {
	key := fmt.Sprintf("%s-%d", w.start, w.key.Add(1))
	n, err := tq.NewTask{Type: "t", IdempotencyKey: key, Payload: json.RawMessage(`{"of":"a disk"}`)}.Normal()
	if err != nil {
		return err
	}
	out, err := w.store.Enqueue(ctx, []tq.NewTask{n}, "writer")
	if err == nil {
		w.say("enqueued %d %s", out[0].ID, key)
	}
	return err
}

// finish claims up to three tasks and ends each third one as dead.
func (w *writer) finish(ctx context.Context) error {
	got, err := w.store.Claim(ctx, tq.ClaimQuery{Max: 3, Lease: time.Hour, ClaimID: fmt.Sprint("c", w.start, w.key.Add(1))})
	if err != nil {
		return err
	}
	var changes []tq.Change
	for _, c := range got.Tasks {
		w.say("claimed %d %d", c.Task.ID, c.Task.Epoch)
		x := tq.Change{TaskID: c.Task.ID, Event: tq.EventComplete, Actor: "writer", Arg: tq.Arg{Epoch: c.Task.Epoch}}
		if c.Task.ID%3 == 0 {
			x.Event, x.Arg.GiveUp = tq.EventFail, true
		}
		x.Body = []byte(strconv.FormatInt(c.Task.ID, 10))
		x.Arg.Hash = tq.SettleHash(x.Event, x.Body, x.Arg)
		changes = append(changes, x)
	}
	if len(changes) == 0 {
		return nil
	}
	out, err := w.store.Change(ctx, changes)
	if err != nil {
		return err
	}
	for i, c := range out {
		if c.Err != nil {
			return c.Err
		}
		word := map[tq.Event]string{tq.EventComplete: "completed", tq.EventFail: "failed"}[changes[i].Event]
		w.say("%s %d %d", word, changes[i].TaskID, changes[i].Arg.Epoch)
	}
	return nil
}

// answered is what all writers were told so far.
type answered struct {
	mu       sync.Mutex
	enqueued map[int64]string // its key
	acts     map[act]bool
	failures []string
	refused  int // calls that were answered: try again
	waiting  []waiting
}

// waiting is somebody who waits until there are so many answers.
type waiting struct {
	many   int
	enough chan struct{}
}

// more is closed when there are n answers more than now.
func (a *answered) more(n int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := waiting{len(a.enqueued) + len(a.acts) + n, make(chan struct{})}
	a.waiting = append(a.waiting, w)
	return w.enough
}

// tell closes what waits for no more than there is, or for what never comes.
// The caller holds mu.
func (a *answered) tell(over bool) {
	a.waiting = slices.DeleteFunc(a.waiting, func(w waiting) bool {
		reached := over || len(a.enqueued)+len(a.acts) >= w.many
		if reached {
			close(w.enough)
		}
		return reached
	})
}

// act is a claim or a settle of a task at an epoch.
type act struct {
	kind  tq.Kind
	id    int64
	epoch int64
}

func newAnswered() *answered {
	return &answered{enqueued: map[int64]string{}, acts: map[act]bool{}}
}

// note keeps one line of a writer. The last one of a killed writer may be cut.
func (a *answered) note(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.tell(false)
	words := strings.Fields(line)
	switch {
	case len(words) > 0 && words[0] == "error":
		a.failures = append(a.failures, line)
	case len(words) > 0 && words[0] == "refused":
		a.refused++
		return
	}
	if len(words) != 3 {
		return
	}
	id, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return
	}
	if words[0] == "enqueued" {
		a.enqueued[id] = words[2]
		return
	}
	epoch, err := strconv.ParseInt(words[2], 10, 64)
	if err == nil {
		a.acts[act{tq.Kind("task." + words[0]), id, epoch}] = true
	}
}

// until is what was answered until now.
func (a *answered) until() *answered {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &answered{enqueued: maps.Clone(a.enqueued), acts: maps.Clone(a.acts)}
}

// total is how many answers there are.
func (a *answered) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.enqueued) + len(a.acts)
}

// start runs a writer on db until stop is called, which waits until all it said
// has been noted. said is closed when it has been answered so many times more.
func (a *answered) start(t *testing.T, db, durability string, many int) (said <-chan struct{}, stop func()) {
	t.Helper()
	return a.startOne(t, map[string]string{writerRole: durability, writerDB: db}, many)
}

func (a *answered) startOne(t *testing.T, env map[string]string, many int) (said <-chan struct{}, stop func()) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = os.Environ()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	enough, ended := a.more(many), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			a.note(lines.Text())
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.tell(true) // it may have ended by itself: its failure is noted
	}()
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
		_ = cmd.Wait() // killed
	})
	t.Cleanup(stop)
	return enough, stop
}
