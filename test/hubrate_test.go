package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
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

// BenchmarkHubBesideAnEcho enqueues, claims and completes tasks, one with each
// call, and lets the echo answer the same bodies in between.
func BenchmarkHubBesideAnEcho(b *testing.B) {
	hub, echo := serveHub(b, "--rate", "-1"), startEcho(b)
	c := newCaller(b, hub.token)
	steps := []string{"enqueue", "claim", "complete"}
	took, bare := map[string]time.Duration{}, map[string]time.Duration{}
	ran := 0
	for b.Loop() {
		for range rounds {
			bodies := slices.Repeat([]string{`{"type":"bench","payload":{"to":"` + strings.Repeat("x", 180) + `"}}`}, inRound)
			for i, url := range []string{"/v1/tasks", "/v1/claims", "/v1/leases/complete"} {
				span, _ := c.crowd(b, echo, bodies)
				bare[steps[i]] += span
				span, answers := c.crowd(b, hub.url+url, bodies)
				took[steps[i]] += span
				bodies = nextBodies(b, steps[i], answers)
			}
			ran += inRound
		}
	}
	var hubs, echoes time.Duration
	for _, step := range steps {
		b.Logf("%-9s %6.0f/s   echo %6.0f/s   %3.0f %%", step, rate(ran, took[step]), rate(ran, bare[step]), 100*bare[step].Seconds()/took[step].Seconds())
		hubs, echoes = hubs+took[step], echoes+bare[step]
	}
	b.ReportMetric(100*echoes.Seconds()/hubs.Seconds(), "%-of-echo")
	b.ReportMetric(rate(3*ran, hubs), "calls/s")
	b.ReportMetric(rate(3*ran, echoes), "echoes/s")
	b.ReportMetric(0, "ns/op")
	everythingWasCompleted(b, hub, ran)
}

func rate(n int, span time.Duration) float64 { return float64(n) / span.Seconds() }

// nextBodies are the requests of the step behind one that was answered.
func nextBodies(b *testing.B, step string, answers [][]byte) []string {
	b.Helper()
	next := make([]string, len(answers))
	for i, answer := range answers {
		if step != "claim" {
			next[i] = `{"types":["bench"],"lease_seconds":300}`
			continue
		}
		var out tq.ClaimOut
		if err := json.Unmarshal(answer, &out); err != nil || len(out.Tasks) != 1 {
			b.Fatalf("a claim was answered %s: %v", answer, err)
		}
		next[i] = `{"lease_token":"` + out.Tasks[0].LeaseToken + `","result":{"ok":true}}`
	}
	return next
}

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
