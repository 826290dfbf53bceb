package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// Tests of several processes run this test binary again as another program,
// which tells on its standard output what it was answered.

const (
	childRole = "TQ_SQLITE_CHILD"
	childPath = "TQ_SQLITE_CHILD_DB"
)

func TestMain(m *testing.M) {
	role, path := os.Getenv(childRole), os.Getenv(childPath)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := asChild(role, path); err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func asChild(role, path string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	switch role {
	case "write":
		err = writeForever(s)
	case "work":
		err = workUntilTold(s)
	case "small disk":
		err = fillSmallDisk(s)
	default:
		err = fmt.Errorf("unknown role %q", role)
	}
	return join(err, s.Close())
}

// program is such a child at work.
type program struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, role, path string) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has mostly ended by itself
		_ = cmd.Wait()
	})
	return &program{cmd: cmd, lines: bufio.NewScanner(out)}
}

// rest reads what the child said until it ended.
func (c *program) rest() []string {
	var all []string
	for c.lines.Scan() {
		all = append(all, c.lines.Text())
	}
	return all
}

// say prints one line, whole, as soon as it is known.
func say(mu *sync.Mutex, format string, args ...any) {
	mu.Lock()
	defer mu.Unlock()
	fmt.Printf(format+"\n", args...)
}

// writeForever enqueues, claims and completes from many callers until it is
// killed.
func writeForever(s *Store) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	errs := make(chan error, 16)
	start := strconv.FormatInt(time.Now().UnixNano(), 36)
	for caller := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%s-%d-%d", start, caller, i)
				n, err := tq.NewTask{Type: "t", IdempotencyKey: key, Delay: tq.Duration(i%3) * tq.Duration(time.Millisecond)}.Normal()
				if err != nil {
					errs <- err
					return
				}
				out, err := s.Enqueue(context.Background(), []tq.NewTask{n}, "child")
				if err != nil {
					errs <- err
					return
				}
				say(&mu, "enqueued %d %s", out[0].ID, key)
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for {
				if _, err := completeSome(s, &mu, "completed"); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	return <-errs
}

// completeSome claims up to three tasks, completes them and says so.
func completeSome(s *Store, mu *sync.Mutex, word string) (int, error) {
	got, err := s.Claim(context.Background(), tq.ClaimQuery{Max: 3, Lease: 30 * time.Second, Worker: tq.WorkerInfo{ID: strconv.Itoa(os.Getpid())}})
	if err != nil {
		return 0, err
	}
	var changes []tq.Change
	for _, c := range got.Tasks {
		arg := tq.Arg{Epoch: c.Task.Epoch}
		body := []byte(strconv.FormatInt(c.Task.ID, 10))
		arg.Hash = tq.SettleHash(tq.EventComplete, body, arg)
		changes = append(changes, tq.Change{TaskID: c.Task.ID, Event: tq.EventComplete, Arg: arg, Body: body})
	}
	out, err := s.Change(context.Background(), changes)
	if err != nil {
		return 0, err
	}
	for i, c := range out {
		if c.Err != nil {
			return 0, c.Err
		}
		say(mu, "%s %d", word, changes[i].TaskID)
	}
	return len(out), nil
}

// What was answered is there, whenever the writing process dies.
func TestKillingTheWriterLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	enqueued, completed := make(map[int64]string), make(map[int64]bool)
	kills := tally.Number(t, "TQ_KILLS", 20)
	for i := range kills {
		c := startChild(t, "write", path)
		// Let it say something, and more each time, then kill it as it writes.
		for said := 0; said < 20+7*i%160 && c.lines.Scan(); said++ {
			note(t, c.lines.Text(), enqueued, completed)
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for _, line := range c.rest() {
			note(t, line, enqueued, completed)
		}
		_ = c.cmd.Wait() // it was killed
	}
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if len(enqueued) == 0 || len(completed) == 0 {
		t.Fatalf("%d were enqueued, %d completed: nothing is shown", len(enqueued), len(completed))
	}
	n := tally.Counts{Faults: kills, Acknowledged: len(enqueued) + len(completed), Attempted: len(enqueued) + len(completed)}
	for id, key := range enqueued {
		page, err := s.Tasks(t.Context(), tq.TaskQuery{IDs: []int64{id}, Payload: true})
		if err != nil || len(page.Tasks) != 1 || page.Tasks[0].IdempotencyKey != key {
			t.Errorf("task %d with key %s was enqueued, found %+v (%v)", id, key, page.Tasks, err)
			n.Lost++
			continue
		}
		task := page.Tasks[0]
		if completed[id] && (task.Status != tq.Completed || string(task.Result) != strconv.FormatInt(id, 10)) {
			t.Errorf("task %d was completed, but is %s with result %s", id, task.Status, task.Result)
			n.Lost++
		}
	}
	sound(t, s)
	n.OK = n.Acknowledged - n.Lost
	n.Recovered = unannounced(t, s, enqueued, completed)
	n.Report(t)
}

// unannounced counts the enqueues and completions that were written though the
// child died before it could say so.
func unannounced(t *testing.T, s *Store, enqueued map[int64]string, completed map[int64]bool) int {
	t.Helper()
	n := 0
	for after := int64(0); ; {
		facts, err := s.Facts(t.Context(), tq.FactQuery{After: after, Limit: tq.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			after = f.Seq
			if f.Kind == tq.FactEnqueued && enqueued[f.TaskID] == "" || f.Kind == tq.FactCompleted && !completed[f.TaskID] {
				n++
			}
		}
		if len(facts) == 0 {
			return n
		}
	}
}

// note keeps what a child was answered. Its last line may be cut.
func note(t *testing.T, line string, enqueued map[int64]string, completed map[int64]bool) {
	t.Helper()
	words := strings.Fields(line)
	if len(words) > 0 && words[0] == "failed" {
		t.Errorf("the writing process met an error: %s", line)
	}
	if len(words) < 2 {
		return
	}
	id, err := strconv.ParseInt(words[1], 10, 64)
	switch {
	case err != nil:
	case words[0] == "enqueued" && len(words) == 3:
		enqueued[id] = words[2]
	case words[0] == "completed":
		completed[id] = true
	}
}

// workUntilTold claims and completes whatever it hears of until its standard
// input ends.
func workUntilTold(s *Store) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is closed
		cancel()
	}()
	news, watched := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		watched <- s.Watch(ctx, func(tq.News) {
			select {
			case news <- struct{}{}:
			default:
			}
		})
	}()
	var mu sync.Mutex
	for ctx.Err() == nil {
		some, err := completeSome(s, &mu, "completed")
		if err != nil {
			return err
		}
		if some > 0 {
			continue
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
	if err := <-watched; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Two processes work on what a third enqueues: nothing is done twice, and no
// error of the file they share is ever seen.
func TestProcessesShareAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	many := tally.Number(t, "TQ_SHARED_TASKS", 2_000)
	done := make(chan string, many+100)
	var stop []func() error
	for range 2 {
		c := startWorker(t, path)
		stop = append(stop, c.stop)
		go func() {
			for c.lines.Scan() {
				done <- c.lines.Text()
			}
		}()
	}
	task := normal(t, tq.NewTask{Type: "t"})
	for range many / 20 {
		tasks := make([]tq.NewTask, 20)
		for i := range tasks {
			tasks[i] = task
		}
		if _, err := s.Enqueue(t.Context(), tasks, "parent"); err != nil {
			t.Fatal(err)
		}
	}
	times := make(map[string]int)
	patience := time.After(2 * time.Minute)
	for len(times) < many {
		select {
		case line := <-done:
			if times[line]++; times[line] > 1 || !strings.HasPrefix(line, "completed ") {
				t.Fatalf("heard %q %d times", line, times[line])
			}
		case <-patience:
			t.Fatalf("only %d of %d were completed", len(times), many)
		}
	}
	for _, end := range stop {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	sound(t, s)
	tally.Counts{Attempted: many, Acknowledged: many, OK: len(times), Lost: many - len(times)}.Report(t)
}

// workerProgram is one that ends when its input does.
type workerProgram struct {
	*program
	stop func() error
}

func startWorker(t *testing.T, path string) workerProgram {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"=work", childPath+"="+path)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := join(cmd.Start(), in.Close()); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(func() error { return join(out.Close(), cmd.Wait()) })
	t.Cleanup(func() { _ = stop() }) // asked for by the test already
	return workerProgram{&program{cmd: cmd, lines: bufio.NewScanner(said)}, stop}
}

func enqueueOne(s *Store, mu *sync.Mutex, i int) error {
	key := fmt.Sprint("key-", i)
	n, err := tq.NewTask{Type: "t", IdempotencyKey: key, Payload: []byte(`"` + strings.Repeat("x", 20_000) + `"`)}.Normal()
	if err != nil {
		return err
	}
	out, err := s.Enqueue(context.Background(), []tq.NewTask{n}, "child")
	if err == nil {
		say(mu, "enqueued %d %s", out[0].ID, key)
	}
	return err
}

func TestAFullDiskIsSaidAndLeftBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	c := startChild(t, "small disk", path)
	enqueued := make(map[int64]string)
	said := c.rest()
	for _, line := range said {
		note(t, line, enqueued, nil)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("%v; it said %q", err, said[max(0, len(said)-3):])
	}
	if last := said[len(said)-1]; last != "recovered" {
		t.Fatalf("it ended with %q", last)
	}
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for id, key := range enqueued {
		page, err := s.Tasks(t.Context(), tq.TaskQuery{IDs: []int64{id}})
		if err != nil || len(page.Tasks) != 1 || page.Tasks[0].IdempotencyKey != key {
			t.Errorf("task %d with key %s was acknowledged, found %+v (%v)", id, key, page.Tasks, err)
		}
	}
	sound(t, s)
}
