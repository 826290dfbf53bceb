package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/tq"
)

// A fleet of agents, each a process of its own, that die, give up in the middle
// of a claim and report twice. Each task settles once, and none stays with
// nobody. The gate runs a small one; make mcp-fleet three machines of ten.

// fleet is its size.
type fleet struct {
	machines, agents, tasks, kills int
	longest                        int // seconds that a claim may wait
	seed                           uint64
}

// sized is the fleet that TQ_FLEET asks for ("3x10x400"), or the small one.
func sized(t *testing.T) fleet {
	t.Helper()
	f := fleet{machines: 2, agents: 2, tasks: 40, kills: 2, longest: 3, seed: 7}
	want := os.Getenv("TQ_FLEET")
	if want == "" {
		return f
	}
	if _, err := fmt.Sscanf(want, "%dx%dx%d", &f.machines, &f.agents, &f.tasks); err != nil {
		t.Fatalf("TQ_FLEET is %q, want MACHINESxAGENTSxTASKS: %v", want, err)
	}
	f.kills, f.longest = f.machines*f.agents/2, 55
	if seed := os.Getenv("TQ_SEED"); seed != "" {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			t.Fatalf("TQ_SEED: %v", err)
		}
		f.seed = n
	}
	return f
}

func TestAFleetSettlesEachTaskOnce(t *testing.T) {
	t.Parallel()
	size := sized(t)
	t.Logf("%d machines of %d agents, %d tasks, %d kills, seed %d", size.machines, size.agents, size.tasks, size.kills, size.seed)
	h := newHub(t)
	h.fill("work", size.tasks)
	crowd := &crowd{hub: h, longest: size.longest, tokens: make([]string, size.machines), random: rand.New(rand.NewPCG(size.seed, 1))}
	for i := range crowd.tokens {
		crowd.tokens[i] = h.token("machine-"+strconv.Itoa(i), []string{"work"}, tq.CanClaim, tq.CanRead)
	}
	for i := range size.machines * size.agents {
		crowd.start(t, i)
	}
	for range size.kills {
		crowd.kill(t)
	}
	crowd.wait()
	crowd.settled(t, size.tasks)
}

func (h *hub) fill(queue string, n int) {
	h.t.Helper()
	tasks := make([]tq.NewTask, n)
	for i := range tasks {
		tasks[i] = tq.NewTask{Type: "shard", Queue: queue, Payload: json.RawMessage(strconv.Itoa(i)), MaxAttempts: 50}
	}
	if _, err := h.broker.Enqueue(context.Background(), tq.EnqueueIn{Tasks: tasks}); err != nil {
		h.t.Fatal(err)
	}
}

// crowd is the agents at work.
type crowd struct {
	*hub
	tokens  []string
	longest int
	random  *rand.Rand
	agents  sync.WaitGroup
	next    int

	mu    sync.Mutex
	alive []*exec.Cmd
	said  []saying
}

// saying is one line of an agent.
type saying struct {
	What, Name string
	ID         int64
}

func (c *crowd) start(t *testing.T, n int) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := node(ctx, t, "fleet.mjs")
	cmd.Env = append(cmd.Env, "URL="+c.url, "TOKEN="+c.tokens[n%len(c.tokens)], "NAME=agent-"+strconv.Itoa(n),
		"QUEUE=work", "SEED="+strconv.Itoa(n+1), "LONGEST="+strconv.Itoa(c.longest), "LINE=v"+strconv.Itoa(1+n%2))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.alive = append(c.alive, cmd)
	c.next = max(c.next, n+1)
	c.mu.Unlock()
	c.agents.Go(func() {
		defer stop()
		c.listen(t, out)
		err := cmd.Wait()
		var exit *exec.ExitError
		if killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled(); err != nil && !killed {
			t.Errorf("agent-%d: %v", n, err)
		}
	})
}

func (c *crowd) listen(t *testing.T, out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var s saying
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Errorf("%v in %s", err, lines.Text())
		}
		c.mu.Lock()
		c.said = append(c.said, s)
		c.mu.Unlock()
	}
}

// kill kills an agent in the middle of things, after some more tasks were
// settled, and starts another in its place.
func (c *crowd) kill(t *testing.T) {
	t.Helper()
	until := c.count("done") + 3 + c.random.IntN(5)
	for after := int64(0); c.count("done") < until; {
		out, err := c.broker.Facts(t.Context(), tq.FactsIn{After: after, Kinds: []tq.Kind{tq.FactCompleted}, Wait: tq.Duration(20 * time.Second)})
		if err != nil || len(out.Facts) == 0 {
			return // they are done
		}
		after = out.Facts[len(out.Facts)-1].Seq
	}
	c.mu.Lock()
	i := c.random.IntN(len(c.alive))
	victim, n := c.alive[i], c.next
	c.alive = append(c.alive[:i], c.alive[i+1:]...)
	c.mu.Unlock()
	_ = endGroup(victim) // it may have ended by itself
	c.start(t, n)
}

func (c *crowd) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, s := range c.said {
		if s.What == what {
			n++
		}
	}
	return n
}

func (c *crowd) wait() { c.agents.Wait() }

// settled asks the journal: each task was completed once, and nothing is left.
func (c *crowd) settled(t *testing.T, want int) {
	t.Helper()
	stats, err := c.broker.Stats(t.Context(), tq.StatsIn{Queue: "work"})
	if err != nil {
		t.Fatal(err)
	}
	if s := stats.Total; s.Completed != int64(want) || s.Running+s.Ready+s.Scheduled+s.Dead != 0 {
		t.Errorf("the queue ends as %+v, want %d completed and nothing else", s, want)
	}
	times := map[int64]int{}
	for after := int64(0); ; {
		out, err := c.broker.Facts(t.Context(), tq.FactsIn{After: after, Kinds: []tq.Kind{tq.FactCompleted}, Limit: tq.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Facts) == 0 {
			break
		}
		for _, f := range out.Facts {
			times[f.TaskID]++
			after = f.Seq
		}
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("task %d was completed %d times", id, n)
		}
	}
	if n := c.count("twice"); n > 0 {
		t.Errorf("%d reports were taken twice", n)
	}
	t.Logf("%d done, %d failed, %d gave up on a claim, %d lost their lease",
		c.count("done"), c.count("failed"), c.count("gave up"), c.count("refused lease_lost"))
}

func TestDroppedClaimsLeaveNothingWithNobody(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	secret := h.token("sam", []string{"work"}, tq.CanClaim, tq.CanRead)
	out, err := runWith(t, 2*time.Minute, []string{"URL=" + h.url, "TOKEN=" + secret, "CLAIMS=20"}, "drop.mjs")
	if err != nil {
		t.Fatal(err)
	}
	h.fill("work", 20)
	// All 20 polls of 55 s were given up; two seconds later nothing may be
	// leased, so a claim of everything has it all at once.
	all, err := h.broker.Claim(t.Context(), tq.ClaimIn{Queues: []string{"work"}, Max: 20})
	if err != nil || len(all.Tasks) != 20 {
		t.Errorf("%d of 20 tasks are left after %s, %v", len(all.Tasks), out, err)
	}
	for _, task := range all.Tasks {
		if task.Attempt != 1 {
			t.Errorf("task %d has attempt %d, want its first", task.ID, task.Attempt)
		}
	}
}

func TestATokenOfAnotherQueueSeesNothing(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.fill("work", 3)
	secret := h.token("eve", []string{"play"}, tq.Scopes()...)
	out, err := runWith(t, time.Minute, []string{"URL=" + h.url, "TOKEN=" + secret}, "stranger.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var saw []string
	if err := json.Unmarshal([]byte(out), &saw); err != nil || len(saw) == 0 {
		t.Fatalf("%v in %s", err, out)
	}
	for _, s := range saw {
		if s != "nothing" && s != "forbidden" && s != "not_found" && s != "-32602" && s != "lease_lost" {
			t.Errorf("it saw %s in %s", s, out)
		}
	}
}
