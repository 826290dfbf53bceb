package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/tq"
)

// Traces follow a task from who enqueued it over its claims to how it was
// settled. The trace of the caller is kept on the task, also while nobody
// exports spans. Names are those of the OpenTelemetry conventions for messaging.
type Traces struct {
	tracer trace.Tracer
	close  func(context.Context) error
}

// OpenTraces sends spans where the usual OTEL_ variables say, over OTLP, and
// nowhere when they say nothing.
func OpenTraces(ctx context.Context, getenv func(string) string, version string) (*Traces, error) {
	wanted := getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	if !wanted || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return &Traces{tracer: noop.NewTracerProvider().Tracer("tq")}, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "tq"), attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	return traced(sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))), nil
}

func traced(p *sdk.TracerProvider) *Traces {
	return &Traces{tracer: p.Tracer("tq"), close: p.Shutdown}
}

// Close sends what is left.
func (t *Traces) Close(ctx context.Context) error {
	if t.close == nil {
		return nil
	}
	const grace = 5 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	return t.close(ctx)
}

// Wrap reads the trace of a request from its headers, if it has one.
func (t *Traces) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") == "" {
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Client is c, with spans around what happens to tasks. While nobody exports
// them there are none, and the trace of the caller goes on the tasks alone.
func (t *Traces) Client(c tq.Client) tq.Client {
	if t.close == nil {
		return &silent{c}
	}
	return &tracing{Client: c, traces: t}
}

type silent struct{ tq.Client }

// Enqueue implements tq.Client.
func (c *silent) Enqueue(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
	in.Tasks = carrying(in.Tasks, trace.SpanContextFromContext(ctx))
	return c.Client.Enqueue(ctx, in)
}

type tracing struct {
	tq.Client
	traces *Traces
}

// Enqueue puts the trace that it is part of on every task that has none.
func (c *tracing) Enqueue(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
	queue := ""
	if len(in.Tasks) > 0 {
		queue = in.Tasks[0].Queue
	}
	ctx, span := c.traces.start(ctx, "enqueue", "send", queue, trace.WithSpanKind(trace.SpanKindProducer))
	defer span.End()
	span.SetAttributes(attribute.Int("messaging.batch.message_count", len(in.Tasks)))
	in.Tasks = carrying(in.Tasks, span.SpanContext())
	out, err := c.Client.Enqueue(ctx, in)
	note(span, err)
	if len(out.Tasks) == 1 {
		span.SetAttributes(attribute.Int64("messaging.message.id", out.Tasks[0].ID))
	}
	return out, err
}

// carrying is tasks with that trace on every one that has none.
func carrying(tasks []tq.NewTask, of trace.SpanContext) []tq.NewTask {
	parent := traceparent(of)
	if parent == "" {
		return tasks
	}
	tasks = slices.Clone(tasks) // they are the caller's
	for i := range tasks {
		tasks[i].Traceparent = cmp.Or(tasks[i].Traceparent, parent)
	}
	return tasks
}

// Claim makes a span when something came, linked to the traces of the tasks.
func (c *tracing) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	began := time.Now()
	out, err := c.Client.Claim(ctx, in)
	if err != nil || len(out.Tasks) == 0 {
		return out, err
	}
	var links []trace.Link
	for i := range out.Tasks {
		if of := contextOf(out.Tasks[i].Traceparent); of.IsValid() {
			links = append(links, trace.Link{SpanContext: of})
		}
	}
	_, span := c.traces.start(ctx, "claim", "receive", out.Tasks[0].Queue,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(began), trace.WithLinks(links...))
	span.SetAttributes(attribute.Int("messaging.batch.message_count", len(out.Tasks)))
	span.End()
	return out, err
}

// Complete implements tq.Client.
func (c *tracing) Complete(ctx context.Context, in tq.CompleteIn) (tq.SettleOut, error) {
	return settled(ctx, c.traces, "complete", func(ctx context.Context) (tq.SettleOut, error) { return c.Client.Complete(ctx, in) })
}

// Fail implements tq.Client.
func (c *tracing) Fail(ctx context.Context, in tq.FailIn) (tq.SettleOut, error) {
	return settled(ctx, c.traces, "fail", func(ctx context.Context) (tq.SettleOut, error) { return c.Client.Fail(ctx, in) })
}

// Release implements tq.Client.
func (c *tracing) Release(ctx context.Context, in tq.ReleaseIn) (tq.SettleOut, error) {
	return settled(ctx, c.traces, "release", func(ctx context.Context) (tq.SettleOut, error) { return c.Client.Release(ctx, in) })
}

func settled(ctx context.Context, t *Traces, name string, do func(context.Context) (tq.SettleOut, error)) (tq.SettleOut, error) {
	ctx, span := t.start(ctx, name, "settle", "", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	out, err := do(ctx)
	note(span, err)
	span.SetAttributes(attribute.Int("messaging.batch.message_count", len(out.Leases)))
	return out, err
}

// Executor is x, in a span that goes on with the trace of the task; what x
// starts finds it in the task's Traceparent.
func (t *Traces) Executor(x tq.Executor) tq.Executor {
	return tq.ExecutorFunc(func(ctx context.Context, task *tq.Task) (json.RawMessage, error) {
		ctx = trace.ContextWithRemoteSpanContext(ctx, contextOf(task.Traceparent))
		ctx, span := t.start(ctx, "process", "process", task.Queue, trace.WithSpanKind(trace.SpanKindConsumer))
		defer span.End()
		span.SetAttributes(
			attribute.Int64("messaging.message.id", task.ID), attribute.String("tq.task.type", task.Type),
			attribute.Int("tq.task.attempt", task.Attempt))
		own := *task
		own.Traceparent = traceparent(span.SpanContext())
		result, err := x.Execute(ctx, &own)
		note(span, err)
		return result, err
	})
}

func (t *Traces) start(ctx context.Context, name, kind, queue string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	attributes := []attribute.KeyValue{
		attribute.String("messaging.system", "tq"),
		attribute.String("messaging.operation.name", name),
		attribute.String("messaging.operation.type", kind),
	}
	title := name
	if queue != "" {
		title += " " + queue
		attributes = append(attributes, attribute.String("messaging.destination.name", queue))
	}
	return t.tracer.Start(ctx, title, append(o, trace.WithAttributes(attributes...))...)
}

// note says how a span ended: the code, never the words, in which a payload
// may be quoted.
func note(span trace.Span, err error) {
	if err == nil {
		return
	}
	word := "failed"
	var e *tq.Error
	if errors.As(err, &e) {
		word = string(e.Code)
	}
	span.SetStatus(codes.Error, word)
	span.SetAttributes(attribute.String("error.type", word))
}

// traceparent writes a span as W3C Trace Context does; "" for none.
func traceparent(c trace.SpanContext) string {
	if !c.IsValid() {
		return ""
	}
	return "00-" + c.TraceID().String() + "-" + c.SpanID().String() + "-" + c.TraceFlags().String()
}

// contextOf reads it back; the zero SpanContext for none.
func contextOf(text string) trace.SpanContext {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": text})
	return trace.SpanContextFromContext(ctx)
}
