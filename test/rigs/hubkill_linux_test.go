package rigs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/tq"
	"example.com/tq/client"
	"example.com/tq/test/tally"
)

// A hub that is killed with -9 while callers send it tasks and six workers run
// them.

const (
	hubCallers  = 4
	callerBatch = 5
	callerAhead = 100 // tasks that wait for the workers, at most about
)

func TestAKilledHubLosesNothing(t *testing.T) {
	t.Parallel()
	kills := tally.Number(t, "TQ_HUB_KILLS", 3)
	f := prepareFleet(t, 3*time.Minute+time.Duration(kills)*15*time.Second)
	f.staff(f.startHub(), "--insecure")
	seed := tally.Seed(t)
	n := tally.Counts{Seed: seed, Faults: kills}
	rng := rand.New(rand.NewPCG(seed, 0))
	c := f.callHub()
	for range kills {
		f.witness.awaitMore(f.ctx, 60)
		f.hub.killAfter(f.ctx, time.Duration(rng.IntN(50))*time.Millisecond)
		n.Longest = max(n.Longest, f.recover(c))
	}
	c.stop()
	f.enqueued = len(c.acknowledged)
	n.Attempted, n.Acknowledged, n.Recovered = len(c.acknowledged), len(c.acknowledged), c.recovered
	f.finish(n)
	if n.Recovered == 0 && kills >= 20 {
		t.Error("no call was ever cut off from its answer: the rig kills at the wrong moments")
	}
}

// awaitMore waits until so many attempts more are over.
func (w *witness) awaitMore(ctx context.Context, n int) {
	w.t.Helper()
	soon := w.over() + n
	w.await(ctx, itoa(soon)+" attempts are over", func() bool { return w.ended >= soon })
}

// killAfter kills a process in a moment, so that it is at one thing one time and
// at another the next.
func (p *process) killAfter(ctx context.Context, d time.Duration) {
	p.t.Helper()
	moment := time.NewTimer(d)
	defer moment.Stop()
	await(ctx, moment.C)
	p.kill()
}

// recover starts the hub again, and answers how long after its end a caller has
// been told that his tasks are safe.
func (f *fleet) recover(c *callers) time.Duration {
	f.Helper()
	died := time.Now()
	c.expectAnswer()
	f.launchHub()
	if !await(f.ctx, c.answered) {
		f.Fatal("nobody is answered by the hub that was started again")
	}
	return time.Since(died)
}

// callers enqueue at the hub, from its own machine, until they are stopped. What
// is not answered they ask again with the same keys.
type callers struct {
	f    *fleet
	hub  *client.Remote
	quit context.CancelFunc
	all  sync.WaitGroup

	mu           sync.Mutex
	acknowledged []int64 // tasks
	recovered    int     // of those, there before though nobody had been told
	answered     chan struct{}
	expected     bool // somebody waits for answered
}

// callHub sets callers to work.
func (f *fleet) callHub() *callers {
	f.Helper()
	over := &http.Transport{DialContext: func(ctx context.Context, wire, address string) (conn net.Conn, err error) {
		err = f.network.server.do(func() error {
			conn, err = new(net.Dialer).DialContext(ctx, wire, address)
			return err
		})
		return conn, err
	}}
	hub, err := client.New("http://"+hubAddress, client.Options{Token: f.token, Insecure: true, HTTP: &http.Client{Transport: over}})
	if err != nil {
		f.Fatal(err)
	}
	ctx, quit := context.WithCancel(f.ctx)
	c := &callers{f: f, hub: hub, quit: quit, answered: make(chan struct{})}
	for i := range hubCallers {
		c.all.Go(func() { c.call(ctx, i) })
	}
	f.Cleanup(c.stop)
	return c
}

// stop lets each caller have his last answer.
func (c *callers) stop() {
	c.quit()
	c.all.Wait()
	if err := c.hub.Close(); err != nil {
		c.f.Error(err)
	}
}

func (c *callers) call(ctx context.Context, caller int) {
	for i := 0; ctx.Err() == nil; i++ {
		in := tq.EnqueueIn{}
		for k := range callerBatch {
			in.Tasks = append(in.Tasks, tq.NewTask{
				Type: tq.TypeHTTP, Payload: json.RawMessage(`"http://` + witnessAddress + `/"`), MaxAttempts: 20,
				IdempotencyKey: fmt.Sprint(caller, "-", i, "-", k),
			})
		}
		if !c.persist(in) {
			return
		}
		c.f.witness.awaitRoom(ctx, c.ahead)
	}
}

// persist makes a call until it is answered.
func (c *callers) persist(in tq.EnqueueIn) bool {
	for {
		out, err := c.hub.Enqueue(c.f.ctx, in)
		if err == nil {
			c.note(out)
			return true
		}
		if code := tq.CodeOf(err); code != tq.CodeUnavailable && code != tq.CodeOutcomeUnknown || c.f.ctx.Err() != nil {
			c.f.Errorf("enqueue at the hub: %v", err)
			return false
		}
		pause := time.NewTimer(20 * time.Millisecond)
		await(c.f.ctx, pause.C)
		pause.Stop()
	}
}

// note takes an answer down.
func (c *callers) note(out tq.EnqueueOut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, task := range out.Tasks {
		c.acknowledged = append(c.acknowledged, task.ID)
		if task.Existed {
			c.recovered++
		}
	}
	if c.expected {
		c.expected = false
		close(c.answered)
	}
}

// expectAnswer makes a new channel of answered, closed at the next answer.
func (c *callers) expectAnswer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered, c.expected = make(chan struct{}), true
}

// ahead is how many tasks were acknowledged, less those that may wait.
func (c *callers) ahead() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.acknowledged) - callerAhead
}

// awaitRoom waits until the workers have caught up with the callers, or ctx ends.
func (w *witness) awaitRoom(ctx context.Context, ahead func() int) {
	for {
		w.mu.Lock()
		ended, changed := w.ended, w.changed
		w.mu.Unlock()
		if ended >= ahead() || !await(ctx, changed) {
			return
		}
	}
}
