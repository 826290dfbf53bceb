package cli

import (
	"context"
	"io"
	"log/slog"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
)

func (a *app) mcpCommand() *cobra.Command {
	var prefix string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an agent over standard input and output (MCP)",
		Long: `Speaks the Model Context Protocol with the agent that started it: tools to enqueue,
claim, settle and look, over a database file or a hub. An agent on the same network
needs no command: a hub answers at /mcp.

tq mcp config AGENT prints what to give to an agent so that it finds either.`,
		Example: `  tq mcp --db tasks.db
  tq mcp --db http://127.0.0.1:8080
  tq mcp config claude`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			if err := checkPrefix(prefix); err != nil {
				return err
			}
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error { return a.serveAgent(ctx, d, prefix) })
		},
	}
	prefixFlag(cmd.Flags(), &prefix)
	cmd.AddCommand(a.mcpConfigCommand())
	return cmd
}

// usualPrefix begins the names of tools unless told otherwise.
const usualPrefix = "tq"

func prefixFlag(f *pflag.FlagSet, prefix *string) {
	f.StringVar(prefix, "tool-prefix", usualPrefix, "what tools are called by; pigeonhole brings the tools and words of that queue")
}

// toolPrefix is what begins a tool's name. The expression never changes.
var toolPrefix = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

func checkPrefix(prefix string) error {
	if toolPrefix.MatchString(prefix) {
		return nil
	}
	return usage("tool-prefix: %q is not 1 to 32 small letters, digits, _ or -, the first a letter", prefix)
}

// serveAgent answers the agent on the pipes of this process.
func (a *app) serveAgent(ctx context.Context, d *door, prefix string) error {
	caller, err := d.caller(ctx)
	if err != nil {
		return err
	}
	agent := mcp.New(mcp.Options{
		Call:    func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return o.Call(ctx, d.client, raw) },
		Caller:  func(context.Context) mcp.Caller { return caller },
		Journal: d.client, Prefix: prefix, Version: version().short(),
		Log: slog.New(slog.NewTextHandler(a.Stderr, nil)),
	})
	return d.live(ctx, func(ctx context.Context) error {
		return beside(ctx, agent.Run, func(ctx context.Context) error {
			return agent.Stdio(ctx, io.NopCloser(a.Stdin), keepOpen{a.Stdout})
		})
	})
}

// caller is who asks through this door: the bearer of the hub's token, so that an
// agent is offered no tool that the hub would refuse, or somebody with every right.
func (d *door) caller(ctx context.Context) (mcp.Caller, error) {
	if d.hub == nil {
		return mcp.Caller{}, nil
	}
	token, err := d.hub.WhoAmI(ctx)
	return mcp.Caller{Rights: &token.Rights, Name: token.Name}, err
}

// keepOpen is standard output, which is not this command's to close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// beside runs fn with something in its background, which ends when fn does.
func beside(ctx context.Context, background, fn func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- background(ctx) }()
	err := fn(ctx)
	stop()
	if other := <-done; err == nil {
		err = other
	}
	return err
}

// hubAgents is the door for agents of a hub, at /mcp. It asks through the
// server, so that the gate and the measures see what agents do.
type hubAgents struct {
	*mcp.Server
	hub  *server.Server
	gate *server.Gate
}

func newHubAgents(d *door, prefix string, log *slog.Logger) *hubAgents {
	h := &hubAgents{}
	h.Server = mcp.New(mcp.Options{
		Call:   func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return h.hub.Call(ctx, o, raw) },
		Caller: callerOf, Journal: d.client, Prefix: prefix, Version: version().short(), Log: log,
		Place:        func(ctx context.Context) (func(), error) { return h.gate.Wait(ctx) },
		HostsChecked: true,
	})
	return h
}

func callerOf(ctx context.Context) mcp.Caller {
	token, known := server.Caller(ctx)
	if !known {
		return mcp.Caller{Rights: &tq.Rights{}}
	}
	return mcp.Caller{Rights: &token.Rights, Name: token.Name}
}
