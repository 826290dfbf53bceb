package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/server"
	"example.com/tq/internal/telemetry"
)

// How a hub is watched: its log, its metrics, its profiles.

// observeFlags is what tq serve is told about it.
type observeFlags struct {
	level string
	pprof string
}

func (in *observeFlags) define(f *pflag.FlagSet) {
	f.StringVar(&in.level, "log-level", "info", "debug (a line for each operation), info, warn or error")
	f.StringVar(&in.pprof, "pprof", "", "loopback address for profiles, as in 127.0.0.1:6060 (default none)")
}

// openLog makes the log of a hub on stderr: lines for people on a terminal,
// JSON otherwise.
func (a *app) openLog(in *observeFlags) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(in.level)); err != nil {
		return usage("log-level: is %q, want debug, info, warn or error", in.level)
	}
	a.log = telemetry.Log(a.Stderr, isTerminal(a.Stderr), wantsColor(a.colorMode, a.Stderr, a.Getenv), level)
	return nil
}

// watch is what a hub measures and where its traces go.
type watch struct {
	*telemetry.Metrics
	traces *telemetry.Traces
}

// measure puts metrics around the store of d.
func (a *app) measure(ctx context.Context, d *door) (*watch, error) {
	traces, err := telemetry.OpenTraces(ctx, a.Getenv, version().short())
	if err != nil {
		return nil, err
	}
	m := telemetry.New(version().short())
	d.broker = tq.New(m.Store(d.store), tq.Options{Actor: actor(a.Getenv), Retention: a.keep, Depth: a.depth, Log: a.log})
	d.client = d.broker
	return &watch{m, traces}, nil
}

// observe puts log, metrics and traces into the options of a server.
func (a *app) observe(o *server.Options, g *server.Gate, m *watch) {
	all := func(ctx context.Context) bool {
		token, ok := server.Caller(ctx)
		return ok && token.SeesAll()
	}
	o.Site["GET /metrics"] = m.Handler(g.Client, all)
	asked := o.Client
	o.Client = func(ctx context.Context) tq.Client { return m.traces.Client(asked(ctx)) }
	o.Wrap = append(o.Wrap, m.traces.Wrap)
	logged := telemetry.Logged(a.log, server.RequestID)
	o.Around = append(o.Around,
		func(next server.Call) server.Call { return m.Around(next) },
		func(next server.Call) server.Call { return logged(next) },
	)
}

// beside runs fn with the rest of a hub at work: the reader of the journal, and
// profiles if they are wanted. The rest ends with fn.
func (a *app) beside(ctx context.Context, d *door, m *watch, profiles net.Listener, fn func(context.Context) error) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	running := 1
	go func() { ended <- m.Follow(life, d.broker) }()
	if profiles != nil {
		running++
		go func() { ended <- serveProfiles(life, profiles) }()
	}
	err := fn(ctx)
	stop()
	for range running {
		err = errors.Join(err, <-ended)
	}
	if lost := m.traces.Close(ctx); lost != nil {
		a.log.Warn("the last traces were not sent", "error", lost)
	}
	return err
}

// listenProfiles opens the port for profiles: for this machine alone, since
// they show what is in memory. nil when none is wanted.
func (a *app) listenProfiles(ctx context.Context, in *observeFlags) (net.Listener, error) {
	if in.pprof == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	host, _, err := net.SplitHostPort(in.pprof)
	if err != nil || !isLoopback(host) {
		return nil, usage("pprof: %q is not a loopback address", in.pprof).WithHint("profiles show what is in memory: give 127.0.0.1:6060")
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", in.pprof)
	if err != nil {
		return nil, usage("pprof: %w", err)
	}
	a.out.note("profiles at http://%s/debug/pprof/", l.Addr())
	return l, nil
}

func serveProfiles(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	h := &http.Server{Handler: onlyLoopback(mux), ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		_ = h.Close() // what is under way is a profile of something that ends
	}()
	err := h.Serve(l)
	<-stopped
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// onlyLoopback refuses requests that name another host, as a page does whose
// name was made to point here.
func onlyLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil || !isLoopback(host) || r.Header.Get("Origin") != "" {
			http.Error(w, "only for this machine", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
