package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/server"
	"example.com/tq/web"
)

// serveFlags is what `tq serve` was told.
type serveFlags struct {
	alerts alertFlags
	addr   string
	drain  time.Duration
	gate   gateFlags
	watch  observeFlags
	tools  string // prefix
}

func (a *app) serveCommand() *cobra.Command {
	var in serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer HTTP: one database for services, workers and people on a network",
		Long: `Serves the database over HTTP until it is interrupted. Every command can then be
given the address instead of a file: tq --db http://127.0.0.1:8080 list.

Nobody comes in without a token (tq token). At a loopback address the first start
makes one for you, kept in tq/token of the XDG config folder, where commands on this
machine find it by themselves; the link to the dashboard logs you in once. At any
other address there must be a token, and TLS or --insecure.

The first interrupt stops taking work, answers whoever waits, and lets requests
finish, up to --grace.`,
		Example: `  tq serve
  tq serve --addr 127.0.0.1:9000 --db tasks.db
  tq serve --addr :443 --tls-cert hub.pem --tls-key hub.key --allow-host tasks.example.com`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error { return a.serve(ctx, d, &in) })
		},
	}
	in.define(cmd.Flags())
	return cmd
}

func (in *serveFlags) define(f *pflag.FlagSet) {
	f.StringVar(&in.addr, "addr", "127.0.0.1:8080", "address to listen at")
	in.drain = 30 * time.Second
	durationFlag(f, &in.drain, "grace", "how long requests may go on after an interrupt")
	in.gate.define(f)
	in.watch.define(f)
	prefixFlag(f, &in.tools)
	in.alerts.define(f)
}

// spare is memory that a hub sets aside and never touches, so that the system
// never gives it any: address space alone. The collector of garbage runs when
// the heap has doubled; what a hub holds is a few MiB, and it would run many
// times a second under load.
const spare = 16 << 20

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, d *door, in *serveFlags) error {
	if d.broker == nil {
		return usage("serve needs the database itself, not a hub").WithHint("name a file: --db FILE")
	}
	if err := a.checkAddress(ctx, d, in.addr, &in.gate); err != nil {
		return err
	}
	if err := a.openLog(&in.watch); err != nil {
		return err
	}
	metrics, err := a.measure(ctx, d)
	if err != nil {
		return err
	}
	gate, err := a.newGate(d, in.addr, &in.gate, metrics.Refused)
	if err != nil {
		return err
	}
	s, agents, err := a.newServer(d, in, gate, metrics)
	if err != nil {
		return err
	}
	profiles, err := a.listenProfiles(ctx, &in.watch)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	plain, err := lc.Listen(ctx, "tcp", in.addr)
	if err != nil {
		return usage("addr: %w", err).WithHint("is something else listening there? try --addr 127.0.0.1:0")
	}
	l, err := a.secure(ctx, plain, &in.gate)
	if err != nil {
		return errors.Join(err, plain.Close())
	}
	base := in.gate.scheme() + "://" + l.Addr().String()
	a.keepSessions(gate, l.Addr())
	if err := a.welcome(ctx, d, gate, in.addr, base); err != nil {
		return errors.Join(err, l.Close())
	}
	serving, err := in.alerts.alerting(a, d.broker, func(ctx context.Context) error { return s.Serve(ctx, l) })
	if err != nil {
		return errors.Join(err, l.Close())
	}
	idle := make([]byte, spare)
	defer runtime.KeepAlive(idle)
	return d.live(ctx, func(ctx context.Context) error {
		return a.beside(ctx, d, metrics, profiles, func(ctx context.Context) error {
			return beside(ctx, agents.Run, serving)
		})
	})
}

// newServer makes the server behind its gate, and the door for agents in it.
func (a *app) newServer(d *door, in *serveFlags, gate *server.Gate, m *watch) (*server.Server, *hubAgents, error) {
	if err := checkPrefix(in.tools); err != nil {
		return nil, nil, err
	}
	dashboard, err := server.Dashboard(web.Files())
	if err != nil {
		return nil, nil, err
	}
	agents := newHubAgents(d, in.tools, a.log)
	opts := a.serverOptions(d, in)
	opts.Site = map[string]http.Handler{"/": dashboard, "/mcp": agents}
	guard(&opts, gate)
	opts.Place = counted(gate.Wait, m.Streamed)
	a.observe(&opts, gate, m)
	s, err := server.New(opts)
	if err != nil {
		return nil, nil, err
	}
	gate.Pattern, agents.hub, agents.gate = s.Pattern, s, gate
	return s, agents, nil
}

// counted takes places for streams and counts those that are taken.
func counted(place func(context.Context) (func(), error), streamed func() (done func())) func(context.Context) (func(), error) {
	return func(ctx context.Context) (func(), error) {
		leave, err := place(ctx)
		if err != nil {
			return nil, err
		}
		done := streamed()
		return func() { done(); leave() }, nil
	}
}

func (a *app) serverOptions(d *door, in *serveFlags) server.Options {
	return server.Options{
		Client: func(context.Context) tq.Client { return d.broker },
		All:    d.broker,
		Ready: func(ctx context.Context) error {
			_, err := d.store.Workers(ctx)
			return err
		},
		Version: version().short(),
		Log:     a.log,
		Drain:   in.drain,
	}
}
