package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/tq"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/telemetry"
	"example.com/tq/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// measured is a queue in memory behind metrics.
type measured struct {
	t      *testing.T
	m      *telemetry.Metrics
	broker *tq.Broker
	away   error // what the store answers instead
}

type patient struct {
	tq.Store
	of *measured
}

func (p patient) Claim(ctx context.Context, q tq.ClaimQuery) (tq.Claims, error) {
	if p.of.away != nil {
		return tq.Claims{}, p.of.away
	}
	return p.Store.Claim(ctx, q)
}

// Commits as of an engine that writes calls together.
func (p patient) Commits() (commits, calls int64) { return 3, 12 }

func newMeasured(t *testing.T) *measured {
	t.Helper()
	x := &measured{t: t, m: telemetry.New("v1.2.3")}
	store := memory.Open(memory.Options{})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	x.broker = tq.New(x.m.Store(patient{store, x}), tq.Options{})
	return x
}

func (x *measured) scrape(c tq.Client, all bool) string {
	x.t.Helper()
	h := x.m.Handler(func(context.Context) tq.Client { return c }, func(context.Context) bool { return all })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(x.t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		x.t.Fatalf("scrape: %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func (x *measured) enqueue(tasks ...tq.NewTask) {
	x.t.Helper()
	if _, err := x.broker.Enqueue(x.t.Context(), tq.EnqueueIn{Tasks: tasks}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *measured) claim() tq.ClaimedTask {
	x.t.Helper()
	out, err := x.broker.Claim(x.t.Context(), tq.ClaimIn{})
	if err != nil || len(out.Tasks) == 0 {
		x.t.Fatalf("claim: %v, %v", out, err)
	}
	return out.Tasks[0]
}

func wants(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the scrape does not tell %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestAScrapeTellsDepthAgeAndWorkers(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	x.enqueue(tq.NewTask{Queue: "a", Type: "w"}, tq.NewTask{Queue: "a", Type: "w"}, tq.NewTask{Queue: "b", Type: "w", Delay: tq.Duration(time.Hour)})
	x.claim()
	if _, err := x.broker.Pause(t.Context(), tq.QueueIn{Queue: "b"}); err != nil {
		t.Fatal(err)
	}
	wants(t, x.scrape(x.broker, true),
		`tq_queue_depth{queue="a",status="ready"} 1`, `tq_queue_depth{queue="a",status="running"} 1`,
		`tq_queue_depth{queue="b",status="scheduled"} 1`, `tq_queue_paused{queue="b"} 1`, `tq_workers{state="idle"} 0`,
		`tq_build_info{version="v1.2.3"} 1`, `tq_store_duration_seconds_count{method="claim"} 1`,
	)
}

func TestACallerIsToldOfItsOwnQueuesOnly(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	x.enqueue(tq.NewTask{Queue: "own", Type: "w"}, tq.NewTask{Queue: "secret", Type: "w"})
	text := x.scrape(x.broker.For(tq.Rights{Can: []tq.Scope{tq.CanRead}, Queues: []string{"own"}, Types: []string{"*"}}, "sam"), false)
	wants(t, text, `tq_queue_depth{queue="own",status="ready"} 1`)
	if strings.Contains(text, "secret") || strings.Contains(text, "tq_store") {
		t.Errorf("it is told of more:\n%s", text)
	}
	w := httptest.NewRecorder()
	nobody := x.broker.For(tq.Rights{}, "nobody")
	x.m.Handler(func(context.Context) tq.Client { return nobody }, func(context.Context) bool { return false }).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("without the right to read: %d", w.Code)
	}
}

func TestManyQueuesShareALabel(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	var tasks []tq.NewTask
	for i := range 250 {
		tasks = append(tasks, tq.NewTask{Queue: fmt.Sprintf("q%03d", i), Type: "w"})
	}
	x.enqueue(tasks...)
	x.enqueue(tq.NewTask{Queue: "q249", Type: "w"})
	text := x.scrape(x.broker, true)
	wants(t, text, `tq_queue_depth{queue="_other",status="ready"} 50`, `tq_queue_depth{queue="q249",status="ready"} 2`)
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`queue="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	if len(names) != 201 {
		t.Errorf("there are %d names of queues, want 200 and _other", len(names))
	}
}

func TestTheJournalIsCountedFromNowOn(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	x.enqueue(tq.NewTask{Type: "w", MaxAttempts: 1}, tq.NewTask{Type: "w"})
	followed := make(chan struct{}, 64)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.m.Follow(ctx, told{x.broker, followed}) }()
	<-followed // it knows where the journal ends
	first, second := x.claim(), x.claim()
	failed, err := x.broker.Fail(ctx, tq.FailIn{Leases: []tq.FailLease{{LeaseToken: first.LeaseToken, Error: "no"}}})
	if err != nil || failed.Leases[0].Error != nil {
		t.Fatal(failed, err)
	}
	if _, err := x.broker.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: second.LeaseToken}}}); err != nil {
		t.Fatal(err)
	}
	for seen := ""; !strings.Contains(seen, `outcome="completed"`); seen = x.scrape(x.broker, true) {
		<-followed
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	text := x.scrape(x.broker, true)
	wants(t, text, `tq_task_attempts_total{outcome="completed"} 1`, `tq_task_attempts_total{outcome="failed"} 1`,
		`tq_facts_total{kind="task.dead-lettered"} 1`, `tq_facts_total{kind="task.claimed"} 2`,
		`tq_facts_total{kind="task.enqueued"} 0`)
}

// told says when a page of the journal has been asked for again.
type told struct {
	*tq.Broker
	asked chan struct{}
}

func (c told) Facts(ctx context.Context, in tq.FactsIn) (tq.FactsOut, error) {
	if !in.Last {
		select {
		case c.asked <- struct{}{}:
		default:
		}
	}
	return c.Broker.Facts(ctx, in)
}

func TestCallsAndTroubleAreCounted(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	table := ops.Table()
	claim := &table[slices.IndexFunc(table, func(o ops.Op) bool { return o.Name == "claim" })]
	call := x.m.Around(func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return o.Call(ctx, x.broker, raw) })
	ask := func(body string) { _, _ = call(t.Context(), claim, []byte(body)) }
	x.enqueue(tq.NewTask{Type: "w"})
	ask(`{}`)
	ask(`{}`)
	ask(`{"max":-1}`)
	x.away = tq.Errorf(tq.CodeUnavailable, "gone: %w", errors.New("disk"))
	ask(`{}`)
	x.m.Refused("host")
	wants(t, x.scrape(x.broker, true),
		`tq_operation_duration_seconds_count{code="ok",operation="claim"} 2`, `tq_operation_duration_seconds_count{code="invalid",operation="claim"} 1`,
		`tq_operation_duration_seconds_count{code="unavailable",operation="claim"} 1`, `tq_store_errors_total{code="unavailable"} 1`,
		`tq_claims_total{got="yes"} 1`, `tq_claims_total{got="no"} 1`, `tq_refused_total{reason="host"} 1`,
		`tq_store_commits_total 3`, `tq_store_commit_calls_total 12`)
}

func TestTheDashboardNamesOnlyMetricsThatAre(t *testing.T) {
	t.Parallel()
	x := newMeasured(t)
	text, err := os.ReadFile("../../deploy/grafana/tq.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatal("it is no JSON")
	}
	x.enqueue(tq.NewTask{Type: "w"})
	there := x.scrape(x.broker, true)
	names := regexp.MustCompile(`\btq_[a-z_]+`).FindAllString(string(text), -1)
	for _, name := range names {
		if !strings.Contains(there, "\n"+name+"{") && !strings.Contains(there, "\n"+name+" ") {
			t.Errorf("it asks for %s, which is not there", name)
		}
	}
	if len(names) < 12 {
		t.Errorf("it names %d metrics", len(names))
	}
}

// What is secret in a task is in no metric and no log.
func TestNoPayloadIsMeasuredOrLogged(t *testing.T) {
	t.Parallel()
	const canary = "canary-4711"
	x := newMeasured(t)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	logged := telemetry.Logged(logger, func(context.Context) string { return "r1" })
	call := logged(x.m.Around(func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return o.Call(ctx, x.broker, raw) }))
	table := ops.Table()
	for _, o := range table {
		for _, body := range []string{
			`{"type":"w","payload":"` + canary + `","idempotency_key":"` + canary + `"}`, `{"lease_token":"` + canary + `","error":"` + canary + `"}`,
			`{"tasks":[{"type":"` + canary + `"}]}`, `{"id":1}`, `{"name":"x","can":["read"],"queues":["*"]}`, `{"token":"` + canary + `"}`,
		} {
			_, _ = call(t.Context(), &o, []byte(body))
		}
	}
	if text := x.scrape(x.broker, true); strings.Contains(text, canary) {
		t.Errorf("the metrics tell it:\n%s", text)
	}
	if strings.Contains(log.String(), canary) || !strings.Contains(log.String(), `"msg":"enqueue"`) {
		t.Errorf("the log tells it, or nothing:\n%s", log.String())
	}
}

func TestLogLinesAreForPeopleOnATerminalAndJSONElsewhere(t *testing.T) {
	t.Parallel()
	var people, machines bytes.Buffer
	telemetry.Log(&people, true, false, slog.LevelInfo).Info("hello", "a", 1)
	telemetry.Log(&machines, false, false, slog.LevelInfo).Info("hello", "a", 1)
	if !strings.Contains(people.String(), "INF hello a=1") {
		t.Errorf("for people: %s", people.String())
	}
	var line map[string]any
	if err := json.Unmarshal(machines.Bytes(), &line); err != nil || line["msg"] != "hello" {
		t.Errorf("for machines: %s, %v", machines.String(), err)
	}
	telemetry.Log(io.Discard, true, true, slog.LevelInfo).Info("in color")
}
