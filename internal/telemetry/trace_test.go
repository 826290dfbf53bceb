package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/tq"
	"example.com/tq/store/memory"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "00-" + callersTrace + "-b7ad6b7169203331-01"
)

func newBroker(t *testing.T) *tq.Broker {
	t.Helper()
	store := memory.Open(memory.Options{})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return tq.New(store, tq.Options{})
}

// requestContext is that of a request with the caller's traceparent.
func requestContext(t *testing.T, traces *Traces) context.Context {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/tasks", nil)
	r.Header.Set("Traceparent", callersSpan)
	var ctx context.Context
	traces.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ctx = r.Context() })).ServeHTTP(httptest.NewRecorder(), r)
	return ctx
}

func TestATaskIsTracedFromEnqueueToSettle(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	traces := traced(provider)
	c := traces.Client(newBroker(t))
	ctx := requestContext(t, traces)
	if _, err := c.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "shop", Type: "w", Payload: []byte(`"canary"`)}}}); err != nil {
		t.Fatal(err)
	}
	out, err := c.Claim(t.Context(), tq.ClaimIn{})
	if err != nil || len(out.Tasks) != 1 {
		t.Fatal(out, err)
	}
	inner := ""
	x := traces.Executor(tq.ExecutorFunc(func(_ context.Context, task *tq.Task) (json.RawMessage, error) {
		inner = task.Traceparent
		return nil, errors.New("canary")
	}))
	if _, err := x.Execute(t.Context(), &out.Tasks[0].Task); err == nil {
		t.Error("the error of the handler is lost")
	}
	if _, err := c.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: out.Tasks[0].LeaseToken}}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range spans.Ended() {
		names = append(names, s.Name()+" "+s.SpanKind().String())
		if s.Name() == "claim shop" {
			if len(s.Links()) != 1 || s.Links()[0].SpanContext.TraceID().String() != callersTrace {
				t.Errorf("the claim links to %v", s.Links())
			}
			continue
		}
		if s.SpanContext().TraceID().String() != callersTrace {
			t.Errorf("%s is in another trace", s.Name())
		}
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "canary") || strings.Contains(s.Status().Description, "canary") {
				t.Errorf("%s tells what is in the task", s.Name())
			}
		}
	}
	if want := []string{"enqueue shop producer", "claim shop client", "process shop consumer", "complete client"}; !slices.Equal(names, want) {
		t.Errorf("spans are %v, want %v", names, want)
	}
	if !strings.HasPrefix(inner, "00-"+callersTrace+"-") || inner == callersSpan {
		t.Errorf("the handler's children find %s", inner)
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheCallersTraceIsKeptWhenNobodyExports(t *testing.T) {
	t.Parallel()
	traces, err := OpenTraces(t.Context(), func(string) string { return "" }, "test")
	if err != nil {
		t.Fatal(err)
	}
	c := traces.Client(newBroker(t))
	own := "00-" + strings.Repeat("a", 32) + "-" + strings.Repeat("b", 16) + "-00"
	if _, err := c.Enqueue(requestContext(t, traces), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "w"}, {Type: "w", Traceparent: own}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Enqueue(t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "w"}}}); err != nil {
		t.Fatal(err)
	}
	out, err := c.Claim(t.Context(), tq.ClaimIn{Max: 3})
	if err != nil || len(out.Tasks) != 3 {
		t.Fatal(out, err)
	}
	for i, want := range []string{callersSpan, own, ""} {
		if got := out.Tasks[i].Traceparent; got != want {
			t.Errorf("task %d keeps %q, want %q", i+1, got, want)
		}
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// What makes an enqueue repeatable goes on to the queue with its tasks, whether
// or not anybody exports: it was left behind here once, and a repeat over a hub
// made its tasks a second time.
func TestARepeatedEnqueueIsRepeatedBehindTheTraces(t *testing.T) {
	t.Parallel()
	silent, err := OpenTraces(t.Context(), func(string) string { return "" }, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, traces := range map[string]*Traces{"silent": silent, "exported": traced(sdk.NewTracerProvider())} {
		c := traces.Client(newBroker(t))
		for _, ctx := range []context.Context{t.Context(), requestContext(t, traces)} {
			in := tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "w"}, {Type: "w"}}, EnqueueID: "once"}
			out, err := c.Enqueue(ctx, in)
			if err != nil || out.Tasks[0].ID != 1 || out.Tasks[1].ID != 2 || in.Tasks[0].Traceparent != "" {
				t.Errorf("%s: answered %+v, %v; the caller's task is %+v", name, out, err, in.Tasks[0])
			}
		}
	}
}

func TestSpansGoWhereTheUsualVariablesSay(t *testing.T) {
	got := make(chan string, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what came counts
		got <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	traces, err := OpenTraces(t.Context(), func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}[name]
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := traces.Client(newBroker(t)).Enqueue(t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "shop", Type: "w"}}}); err != nil {
		t.Fatal(err)
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sent := <-got; !strings.HasPrefix(sent, "/v1/traces ") || !strings.Contains(sent, "enqueue shop") {
		t.Errorf("sent %q", sent)
	}
}
