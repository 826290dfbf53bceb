package move

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/store"
)

const (
	movers    = 20 // workers at work while the store is moved
	oneTask   = 100 * time.Millisecond
	openTasks = 100 // that wait for the workers, about
	mostPause = 2 * time.Second
)

// number reads how much a larger run wants.
func number(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// A store is moved while workers go on, and whoever moves it is killed again and
// again: nothing that was answered is lost, and nothing runs twice.
func TestAMoveOutlivesKillsAndNothingRunsTwice(t *testing.T) {
	t.Parallel()
	binary, commit := build(t), said(t, "git", "rev-parse", "--short=12", "HEAD") // it may go on meanwhile
	for _, name := range []string{"file to server", "server to file"} {
		t.Run(name, func(t *testing.T) {
			way := ways()[name]
			f := &fleet{t: t, runs: map[int64]int{}, done: make(chan struct{}, 1), seen: seen{Way: name, Commit: commit, Workers: movers}}
			from, to := way[0](t), way[1](t)
			f.history(from, number("TQ_COPY", 3_000))
			f.work(from, func() { f.copyAndKill(binary, from, to, number("TQ_COPY_KILLS", 2)) })
			target := open(t, to)
			f.accounted(target)
			sound(t, target)
			if !t.Failed() {
				record(t, f.seen)
			}
		})
	}
}

// build makes the binary that users have.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "tq")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "example.com/tq/cmd/tq").CombinedOutput(); err != nil {
		t.Fatalf("build tq: %v\n%s", err, out)
	}
	return binary
}

// fleet is producers and workers, and what they were answered.
type fleet struct {
	t    *testing.T
	seen seen

	mu    sync.Mutex
	asked []int64 // acknowledged, to be run
	other []int64 // acknowledged, not for now
	runs  map[int64]int
	done  chan struct{} // one more has run
}

// history fills a store: two fifths completed, a tenth blocked, the rest
// scheduled for later.
func (f *fleet) history(address string, n int) {
	f.t.Helper()
	s := open(f.t, address)
	b := tq.New(s, tq.Options{Actor: "ann"})
	ctx := f.t.Context()
	for i := 0; i < n; i += tq.MaxBatch {
		var in tq.EnqueueIn
		for k := range min(tq.MaxBatch, n-i) {
			task := tq.NewTask{Type: "old", Payload: json.RawMessage(fmt.Sprintf(`{"n": %d}`, i+k))}
			switch {
			case k%10 == 4:
				task.Deps = []tq.Ref{tq.Ref(fmt.Sprintf("$%d", k-1))}
			case k%10 == 3, k%10 > 4:
				task.Delay, task.IdempotencyKey = tq.Duration(24*time.Hour), fmt.Sprint("key ", i+k)
			}
			in.Tasks = append(in.Tasks, task)
		}
		out, err := b.Enqueue(ctx, in)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, e := range out.Tasks {
			f.other = append(f.other, e.ID)
		}
		f.complete(ctx, b)
	}
}

// complete runs all that is ready.
func (f *fleet) complete(ctx context.Context, b *tq.Broker) {
	f.t.Helper()
	for {
		got, err := b.Claim(ctx, tq.ClaimIn{Types: []string{"old"}, Max: tq.MaxClaim})
		if err != nil {
			f.t.Fatal(err)
		}
		if len(got.Tasks) == 0 {
			return
		}
		var in tq.CompleteIn
		for _, c := range got.Tasks {
			in.Leases = append(in.Leases, tq.CompleteLease{LeaseToken: c.LeaseToken, Result: json.RawMessage(`{"ok":true}`)})
		}
		if _, err := b.Complete(ctx, in); err != nil {
			f.t.Fatal(err)
		}
	}
}

// work lets producers and workers go on at an address, wherever its store goes,
// while do runs; then until all is done.
func (f *fleet) work(address string, do func()) {
	f.t.Helper()
	s := store.Following(open(f.t, address), func(place string) (tq.Store, error) { return store.Open(place, store.Options{}) }, nil)
	b := tq.New(s, tq.Options{Actor: "fleet", Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(context.WithoutCancel(f.t.Context()))
	var background sync.WaitGroup
	background.Go(func() { f.ended("the broker", b.Run(ctx)) })
	for i := range movers {
		background.Go(func() { f.ended("a worker", f.worker(b, i).Run(ctx)) })
	}
	producing, enough := context.WithCancel(ctx)
	var producer sync.WaitGroup
	producer.Go(func() { f.produce(producing, b) })
	do()
	enough()
	producer.Wait()
	for f.left() > 0 {
		<-f.done
	}
	stop()
	background.Wait()
}

func (f *fleet) ended(what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		f.t.Errorf("%s ended: %v", what, err)
	}
}

func (f *fleet) worker(b *tq.Broker, i int) *tq.Worker {
	w := &tq.Worker{Client: b, Name: fmt.Sprint("worker-", i), Concurrency: 1, Log: slog.New(slog.DiscardHandler)}
	w.Handle("work", tq.ExecutorFunc(func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
		f.mu.Lock()
		f.runs[task.ID]++
		f.mu.Unlock()
		select {
		case <-time.After(oneTask):
		case <-ctx.Done():
		}
		select {
		case f.done <- struct{}{}:
		default:
		}
		return json.RawMessage(`{"by":"` + w.Name + `"}`), nil
	}))
	return w
}

// left is how many acknowledged tasks have not run yet.
func (f *fleet) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, id := range f.asked {
		if f.runs[id] == 0 {
			n++
		}
	}
	return n
}

// produce keeps some tasks waiting.
func (f *fleet) produce(ctx context.Context, b *tq.Broker) {
	for ctx.Err() == nil {
		if f.left() > openTasks {
			select {
			case <-f.done:
			case <-ctx.Done():
			}
			continue
		}
		in := tq.EnqueueIn{Tasks: slices.Repeat([]tq.NewTask{{Type: "work"}}, 20)}
		out, err := b.Enqueue(context.WithoutCancel(ctx), in)
		if err != nil {
			f.t.Errorf("enqueue while the store is moved: %v", err)
			return
		}
		f.mu.Lock()
		for _, e := range out.Tasks {
			f.asked = append(f.asked, e.ID)
		}
		f.mu.Unlock()
	}
}

// copyAndKill moves the store with the binary, which is killed when it has come
// to stages that chance picks, and begun again.
func (f *fleet) copyAndKill(binary, from, to string, kills int) {
	f.t.Helper()
	dice, began := rand.New(rand.NewPCG(1, uint64(kills))), time.Now()
	for n := 0; ; n++ {
		at := ""
		if n < kills {
			at = []string{"copy", "catch up", "compare", "copy", "pause"}[(n+dice.IntN(2))%5]
		}
		out, killed := f.copyOnce(binary, from, to, at)
		if killed {
			continue
		}
		var answer struct {
			Pause tq.Duration `json:"pause_seconds"`
			Found int
			Tasks int64
		}
		if err := json.Unmarshal(out, &answer); err != nil {
			f.t.Errorf("tq copy answered %q: %v", out, err)
			return
		}
		f.seen.Kills, f.seen.Pause, f.seen.Found = n, answer.Pause, answer.Found
		f.seen.Took = tq.Duration(time.Since(began).Round(time.Second))
		f.t.Logf("killed %d times, then held for %s, %d tasks carried in the last run", n, answer.Pause, answer.Tasks)
		if answer.Pause.Std() > mostPause || answer.Found > 0 {
			f.t.Errorf("tq copy answered %s", out)
		}
		return
	}
}

// copyOnce runs it until it ends or comes to the stage at which it is killed.
func (f *fleet) copyOnce(binary, from, to, at string) (out []byte, killed bool) {
	cmd := exec.Command(binary, "--json", "copy", from, to)
	cmd.Env = append(os.Environ(), "HOME="+f.t.TempDir())
	stderr, err := cmd.StderrPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err = errors.Join(err, outErr, cmd.Start()); err != nil {
		f.t.Errorf("run tq copy: %v", err)
		return nil, false
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		var p struct{ Stage string }
		if json.Unmarshal(lines.Bytes(), &p) == nil && p.Stage != "" {
			if at == p.Stage {
				killed = cmd.Process.Kill() == nil
				at = ""
			}
			continue
		}
		f.t.Logf("tq copy: %s", lines.Text())
	}
	out, err = io.ReadAll(stdout)
	if end := cmd.Wait(); end != nil && !killed || err != nil {
		f.t.Errorf("tq copy ended: %v, %v", end, err)
	}
	return out, killed
}

// accounted finds every task that was acknowledged, and those that ran ended,
// each after one run.
func (f *fleet) accounted(s tq.Movable) {
	f.t.Helper()
	ended := map[int64]bool{}
	there := map[int64]bool{}
	err := s.Export(f.t.Context(), tq.ExportQuery{}, func(w *tq.Whole) error {
		there[w.ID] = true
		ended[w.ID] = w.Last() != nil && w.Last().Status == tq.Completed
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	lost, doubled := 0, 0
	for _, id := range f.asked {
		if !ended[id] {
			lost++
		}
		if f.runs[id] != 1 {
			doubled++
		}
	}
	for _, id := range f.other {
		if !there[id] {
			lost++
		}
	}
	f.seen.Tasks, f.seen.Run, f.seen.Lost, f.seen.Doubled = len(there), len(f.asked), lost, doubled
	f.t.Logf("%d tasks, %d of them run meanwhile by %d workers: lost %d, doubled %d",
		len(there), len(f.asked), movers, lost, doubled)
	if lost > 0 || doubled > 0 {
		f.t.Errorf("lost %d, doubled %d", lost, doubled)
	}
}
