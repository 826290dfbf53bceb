package pool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/internal/harvest"
	"example.com/tq/internal/pool"
	"example.com/tq/tqtest"
)

// farm is a folder of repositories, a queue, and a pool whose agent ticks boxes.
type farm struct {
	*testing.T
	dir string
	q   *tqtest.Queue
	p   *pool.Pool
	did chan string // boxes, as the agent comes to them
}

// newFarm makes a pool whose agent does what do says of a box.
func newFarm(t *testing.T, do func(text string) error) *farm {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &farm{T: t, dir: dir, q: tqtest.New(t), did: make(chan string, 100)}
	f.live()
	w := &tq.Worker{Client: f.q, Concurrency: 2, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	w.Handle(tq.TypeAgent, tq.ExecutorFunc(func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
		var p struct {
			Repo string
			Todo struct{ Text string }
		}
		if err := json.Unmarshal(task.Payload, &p); err != nil {
			return nil, err
		}
		f.did <- task.Project + ":" + p.Todo.Text
		if err := do(p.Todo.Text); err != nil {
			return nil, tq.Permanent(err)
		}
		list := filepath.Join(p.Repo, "TODO_LIST.md")
		text, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		text = []byte(strings.Replace(string(text), "[ ] "+p.Todo.Text, "[x] "+p.Todo.Text, 1))
		return json.RawMessage(`{"verified":true,"commit":"0123456789abcdef"}`), os.WriteFile(list, text, 0o600)
	}))
	f.p = &pool.Pool{
		Client: f.q, Worker: w, Harvest: &harvest.Harvest{Client: f.q, ProjectsDir: dir},
		Log: w.Log, Interval: 20 * time.Millisecond,
	}
	return f
}

// live lets the queue wake those who wait.
func (f *farm) live() {
	broker, ok := f.q.Client.(*tq.Broker)
	if !ok {
		f.Fatalf("the queue is a %T", f.q.Client)
	}
	ctx, stop := context.WithCancel(f.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = broker.Run(ctx) // ends with ctx
	}()
	f.Cleanup(func() {
		stop()
		<-ended
	})
}

func (f *farm) plant(repo string, boxes ...string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Join(f.dir, repo, ".git"), 0o700); err != nil {
		f.Fatal(err)
	}
	text := "- [ ] " + strings.Join(boxes, "\n- [ ] ") + "\n"
	if err := os.WriteFile(filepath.Join(f.dir, repo, "TODO_LIST.md"), []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *farm) run() {
	f.Helper()
	if err := f.p.Run(f.Context()); err != nil {
		f.Fatal(err)
	}
}

func fine(string) error { return nil }

func TestADrainBurnsEveryBacklogDown(t *testing.T) {
	f := newFarm(t, func(text string) error {
		if text == "hard" {
			return errors.New("too hard")
		}
		return nil
	})
	f.plant("a", "one", "hard", "two")
	f.plant("b", "one")
	f.p.Drain = true
	f.run()
	if n := len(f.did); n != 4 {
		t.Errorf("%d points were begun, want 4", n)
	}
	states, err := pool.States(t.Context(), f.q, *f.p.Harvest)
	if err != nil || len(states) != 2 {
		t.Fatalf("states %+v (%v)", states, err)
	}
	a := states[0]
	if a.Open != 1 || a.Completed != 2 || a.Dead != 1 || !strings.HasSuffix(a.LastVerify, "commit 0123456789ab") {
		t.Errorf("state %+v", a)
	}
}

func TestOnceTakesOnePointOfEachRepository(t *testing.T) {
	f := newFarm(t, fine)
	f.plant("a", "one", "two")
	f.plant("b", "three")
	f.p.Once = true
	f.run()
	if n := len(f.did); n != 2 {
		t.Errorf("%d points were begun, want 2", n)
	}
}

func TestARepositoryWhoseTasksDieRests(t *testing.T) {
	f := newFarm(t, func(string) error { return errors.New("no") })
	f.plant("a", "one", "two")
	f.p.Backoff, f.p.Drain = time.Hour, true
	f.p.Now = f.q.Now
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.p.Run(ctx) }()
	if first := <-f.did; first != "a:one" {
		t.Errorf("began with %s", first)
	}
	for f.q.Get(1).Status != tq.Dead {
		if _, err := f.q.Wait(ctx, tq.WaitIn{IDs: []int64{1}, Wait: tq.Duration(time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.q.Enqueued(tq.TypeAgent)); n != 1 {
		t.Errorf("%d tasks were made while the repository rests", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTheLackOfAWorkerEndsThePool(t *testing.T) {
	f := newFarm(t, fine)
	f.p.Worker = &tq.Worker{Client: f.q}
	if err := f.p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "have no handler") {
		t.Errorf("a pool without hands ran: %v", err)
	}
}
