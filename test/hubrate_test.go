package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/tq"
)

// What a hub does over HTTP beside a server that only reads JSON and sends it
// back: `make bench-hub` prints both rates and their ratio. Hub, echo and
// callers are three processes of one machine; the callers are Go's own HTTP
// client, each call brings one task, the file is durable in full.

const (
	callers = 64
	rounds  = 5      // of each kind, in turn: whatever else the machine does meets all of them
	inRound = 12_000 // calls
)

// caller sends requests over its connections.
type caller struct {
	http  *http.Client
	token string
}

func newCaller(tb testing.TB, token string) *caller {
	tb.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: callers, MaxConnsPerHost: callers, DisableCompression: true}
	tb.Cleanup(transport.CloseIdleConnections)
	return &caller{http: &http.Client{Transport: transport}, token: token}
}

// post sends one body and answers with what came back.
func (c *caller) post(ctx context.Context, url, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return c.send(r)
}

// send answers with what came back for a request.
func (c *caller) send(r *http.Request) ([]byte, error) {
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	var b bytes.Buffer
	_, err = b.ReadFrom(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s answered %s: %s", r.URL, answer.Status, b.Bytes())
	}
	return b.Bytes(), err
}

// crowd posts all bodies, from many callers at once, and answers how long that
// took and what came back.
func (c *caller) crowd(b *testing.B, url string, bodies []string) (time.Duration, [][]byte) {
	b.Helper()
	answers := make([][]byte, len(bodies))
	var next atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for range callers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(bodies); i = int(next.Add(1)) - 1 {
				answer, err := c.post(b.Context(), url, bodies[i])
				if err != nil {
					b.Error(err)
					return
				}
				answers[i] = answer
			}
		})
	}
	all.Wait()
	return time.Since(begun), answers
}

// step is one kind of call in a round, and what it and the echo took so far.
type step struct {
	name, url string
	calls     int
	hub, echo time.Duration
}

// The kinds of calls. A turn completes a task and takes the next in one call.
const (
	enqueueStep  = "enqueue"
	claimStep    = "claim"
	completeStep = "complete"
	turnStep     = "complete and claim"
)

// inTurn are the kinds in the order of a round. The second half of its tasks is
// what the turns take.
func inTurn() []string {
	return []string{enqueueStep, claimStep, enqueueStep, turnStep, completeStep}
}

func newSteps() map[string]*step {
	return map[string]*step{
		enqueueStep:  {name: enqueueStep, url: "/v1/tasks"},
		claimStep:    {name: claimStep, url: "/v1/claims"},
		completeStep: {name: completeStep, url: "/v1/leases/complete"},
		turnStep:     {name: turnStep, url: "/v1/leases/complete"},
	}
}

// BenchmarkHubBesideAnEcho enqueues, claims and completes tasks, one with each
// call, and lets the echo answer the same bodies in between. The figure is that
// of these three; beside it stand the calls that complete one and claim one.
func BenchmarkHubBesideAnEcho(b *testing.B) {
	hub, echo := serveHub(b, "--rate", "-1"), startEcho(b)
	c := newCaller(b, hub.token)
	steps := newSteps()
	before := hub.worked(b)
	for b.Loop() {
		for range rounds {
			c.round(b, steps, hub.url, echo)
		}
	}
	for _, name := range []string{enqueueStep, claimStep, completeStep, turnStep} {
		s := steps[name]
		b.Logf("%-18s %6.0f/s   echo %6.0f/s   %3.0f %%", name, rate(s.calls, s.hub), rate(s.calls, s.echo), 100*s.echo.Seconds()/s.hub.Seconds())
	}
	var hubs, echoes float64 // seconds, of one call of each kind
	for _, name := range []string{enqueueStep, claimStep, completeStep} {
		s := steps[name]
		hubs, echoes = hubs+1/rate(s.calls, s.hub), echoes+1/rate(s.calls, s.echo)
	}
	b.ReportMetric(100*echoes/hubs, "%-of-echo")
	b.ReportMetric(3/hubs, "calls/s")
	b.ReportMetric(3/echoes, "echoes/s")
	calls := 0
	for _, s := range steps {
		calls += s.calls
	}
	b.ReportMetric(float64((hub.worked(b)-before).Microseconds())/float64(calls), "hub-cpu-µs/call")
	b.ReportMetric(0, "ns/op")
	everythingWasCompleted(b, hub, steps[enqueueStep].calls)
}

// round sends each kind of call, as many of one as of the other.
func (c *caller) round(b *testing.B, steps map[string]*step, hub, echo string) {
	b.Helper()
	var held []string
	for _, name := range inTurn() {
		s, bodies := steps[name], bodiesFor(name, held)
		span, _ := c.crowd(b, echo, bodies)
		s.echo += span
		span, answers := c.crowd(b, hub+s.url, bodies)
		s.hub += span
		s.calls += len(bodies)
		switch name {
		case claimStep, turnStep:
			held = leaseTokens(b, answers)
		}
	}
}

// bodiesFor are the requests of one kind, about tasks that are held.
func bodiesFor(name string, held []string) []string {
	bodies := make([]string, inRound)
	for i := range bodies {
		switch name {
		case enqueueStep:
			bodies[i] = `{"type":"bench","payload":{"to":"` + strings.Repeat("x", 180) + `"}}`
		case claimStep:
			bodies[i] = `{"types":["bench"],"lease_seconds":300}`
		case turnStep:
			bodies[i] = `{"lease_token":"` + held[i] + `","result":{"ok":true},"claim":{"types":["bench"],"lease_seconds":300,"max":1}}`
		default:
			bodies[i] = `{"lease_token":"` + held[i] + `","result":{"ok":true}}`
		}
	}
	return bodies
}

// leaseTokens are those of the one task in each answer.
func leaseTokens(b *testing.B, answers [][]byte) []string {
	b.Helper()
	tokens := make([]string, len(answers))
	for i, answer := range answers {
		var out struct {
			tq.ClaimOut
			Claimed *tq.ClaimOut `json:"claimed"`
		}
		if err := json.Unmarshal(answer, &out); err != nil {
			b.Fatalf("a claim was answered %s: %v", answer, err)
		}
		if out.Claimed != nil {
			out.ClaimOut = *out.Claimed
		}
		if len(out.Tasks) != 1 {
			b.Fatalf("a claim was answered %s", answer)
		}
		tokens[i] = out.Tasks[0].LeaseToken
	}
	return tokens
}

func rate(n int, span time.Duration) float64 { return float64(n) / span.Seconds() }

func everythingWasCompleted(b *testing.B, hub *served, want int) {
	b.Helper()
	stats, err := hub.hub.Stats(b.Context(), tq.StatsIn{})
	if err != nil || stats.Total.Completed != int64(want) {
		b.Errorf("%d of %d tasks are completed, %v", stats.Total.Completed, want, err)
	}
}

// BenchmarkPickUpOverHTTP measures from the answer of an enqueue to the begin
// of its handler in an idle worker, both over HTTP.
func BenchmarkPickUpOverHTTP(b *testing.B) {
	hub := serveHub(b)
	began := make(chan time.Time, 1)
	w := &tq.Worker{Client: hub.hub, Concurrency: 4, Log: slog.New(slog.DiscardHandler)}
	w.Handle("bench", tq.ExecutorFunc(func(context.Context, *tq.Task) (json.RawMessage, error) {
		began <- time.Now()
		return nil, nil
	}))
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	c := newCaller(b, hub.token)
	var all []time.Duration
	for b.Loop() {
		if _, err := c.post(b.Context(), hub.url+"/v1/tasks", `{"type":"bench"}`); err != nil {
			b.Fatal(err)
		}
		answered := time.Now()
		all = append(all, max(0, (<-began).Sub(answered)))
		<-time.After(5 * time.Millisecond) // for the worker to be idle again
	}
	stop()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	report(b, all)
}
