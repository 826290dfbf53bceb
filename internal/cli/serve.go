package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/server"
	"example.com/tq/web"
)

// serveFlags is what `tq serve` was told.
type serveFlags struct {
	addr  string
	drain time.Duration
}

func (a *app) serveCommand() *cobra.Command {
	var in serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer HTTP: one database for services, workers and people on a network",
		Long: `Serves the database over HTTP until it is interrupted. Every command can then be
given the address instead of a file: tq --db http://127.0.0.1:8080 list.

The first interrupt stops taking work, answers whoever waits, and lets requests
finish, up to --grace.`,
		Example: `  tq serve
  tq serve --addr 127.0.0.1:9000 --db tasks.db`,
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
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, d *door, in *serveFlags) error {
	if d.broker == nil {
		return usage("serve needs the database itself, not a hub").WithHint("name a file: --db FILE")
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", in.addr)
	if err != nil {
		return usage("addr: %w", err).WithHint("is something else listening there? try --addr 127.0.0.1:0")
	}
	opts := a.serverOptions(d, in)
	dashboard, err := server.Dashboard(web.Files())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	opts.Site = map[string]http.Handler{"/": dashboard}
	s, err := server.New(opts)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	a.out.note("serving %s at http://%s", d.store.Info().Place, l.Addr())
	return d.live(ctx, func(ctx context.Context) error { return s.Serve(ctx, l) })
}

func (a *app) serverOptions(d *door, in *serveFlags) server.Options {
	return server.Options{
		Client: func(context.Context) tq.Client { return d.broker },
		Ready: func(ctx context.Context) error {
			_, err := d.store.Workers(ctx)
			return err
		},
		Version: version().short(),
		Log:     slog.New(slog.NewTextHandler(a.Stderr, nil)),
		Drain:   in.drain,
	}
}
