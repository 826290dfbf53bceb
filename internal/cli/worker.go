package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
	httpexec "example.com/tq/exec/http"
	"example.com/tq/exec/sh"
	"example.com/tq/internal/telemetry"
)

// workerFlags is what `tq worker` was told.
type workerFlags struct {
	worker   tq.Worker
	envAllow []string
	network  []netip.Prefix
	agents   bool
	agent    agentFlags
	alerts   alertFlags
}

func (a *app) workerCommand() *cobra.Command {
	var in workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run tasks of type sh and http until ^C",
		Long: `Claims tasks and runs them. Whoever may enqueue a task of type sh runs commands as
the user of this worker. Agents are run only with --agents, in repositories that
--repos or --projects-dir name; see tq agent-pool --help.

The first interrupt stops claiming and lets running tasks finish, up to --grace; the
second gives them back at once. Ends with 0 when all were settled and 9 when some
were given back for another worker.`,
		Example: `  tq worker --concurrency 4 --queue builds,tests
  tq worker --drain        ends when nothing is claimable
  tq worker --http-allow 10.0.0.0/8`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if in.agents && !cmd.Flags().Changed("grace") {
				in.worker.Grace = agentGrace
			}
			log := newWorkerLog(a)
			a.log = log.logger()
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error { return a.work(ctx, d, &in, log) })
		},
	}
	in.define(cmd)
	return cmd
}

func (in *workerFlags) define(cmd *cobra.Command) {
	f, w := cmd.Flags(), &in.worker
	f.IntVar(&w.Concurrency, "concurrency", 0, "tasks at a time (default one per processor)")
	namesFlag(f, &w.Queues, "queue", "from these queues (default all)")
	namesFlag(f, &w.Types, "type", "of these types (default sh and http)")
	f.StringVar(&w.Project, "project", "", "of this project")
	durationFlag(f, &w.Lease, "lease", "claimed for how long, extended while a task runs, 1s to 1h (default 30s)")
	w.Grace = 30 * time.Second
	durationFlag(f, &w.Grace, "grace", "how long running tasks may go on after an interrupt")
	f.StringVar(&w.Name, "name", "", "a name for people (default host:pid)")
	f.BoolVar(&w.Once, "once", false, "run one task and end")
	f.BoolVar(&w.UntilEmpty, "drain", false, "end when nothing is claimable")
	f.Var(value[[]netip.Prefix]{&in.network, "networks", parseNetworks, showNetworks}, "http-allow",
		"private networks that http tasks may reach, as in 10.0.0.0/8")
	namesFlag(f, &in.envAllow, "env-allow", "the only variables that sh tasks inherit (default all but TQ_TOKEN, TQ_DB)")
	f.BoolVar(&in.agents, "agents", false, "run coding agents too (type agent)")
	in.agent.define(cmd)
	in.alerts.define(cmd.Flags())
	onlyArgv(cmd, "once", "drain")
	refuseZero(cmd, "1 to 10000", "concurrency")
	refuseZero(cmd, "1s to 1h", "lease")
	refuseZero(cmd, "a name", "queue", "type", "name")
	refuseZero(cmd, "a network", "http-allow")
}

// parseNetworks reads networks and single addresses between commas.
func parseNetworks(s string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil {
				return nil, fmt.Errorf("%q is not a network: want one like 10.0.0.0/8 or 127.0.0.1", part)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

func showNetworks(all []netip.Prefix) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}

// workerName tells workers of one machine apart for people.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// work runs the worker until it is stopped or done.
func (a *app) work(ctx context.Context, d *door, in *workerFlags, log *workerLog) error {
	w := &in.worker
	if w.Grace <= 0 {
		w.Grace = -1 // an explicit 0 means not at all
	}
	if err := in.checkTypes(); err != nil {
		return err
	}
	if w.Name == "" {
		w.Name = workerName()
	}
	w.Log, w.Client, w.Version = log.logger(), d.as(w.Name), version().short()
	traces, err := telemetry.OpenTraces(ctx, a.Getenv, version().short())
	if err != nil {
		return err
	}
	defer closeTraces(ctx, traces, log)
	w.Handle(tq.TypeShell, log.announced(traces.Executor(&sh.Executor{Supervisor: a.supervisor(), EnvAllow: in.envAllow})))
	w.Handle(tq.TypeHTTP, log.announced(traces.Executor(&httpexec.Executor{Allow: in.network})))
	if in.agents {
		x, err := in.agent.executor(a, w.Client)
		if err != nil {
			return err
		}
		w.KillGrace = agentKillGrace
		w.Handle(tq.TypeAgent, log.announced(traces.Executor(x)))
	}
	if err := a.out.flush(); err != nil {
		return err
	}
	log.begin(w, d, or(strings.Join(w.Types, ", "), in.kinds()))
	run, err := in.alerts.alerting(a, w.Client, w.Run)
	if err != nil {
		return err
	}
	return a.attend(ctx, d, w, log, run)
}

func closeTraces(ctx context.Context, traces *telemetry.Traces, log *workerLog) {
	if err := traces.Close(ctx); err != nil {
		log.logger().Warn("the last traces were not sent", "error", err)
	}
}

// kinds is what the worker runs when it is not told.
func (in *workerFlags) kinds() string {
	if in.agents {
		return "agent, http, sh"
	}
	return "http, sh"
}

func (in *workerFlags) checkTypes() error {
	for _, kind := range in.worker.Types {
		if kind == tq.TypeShell || kind == tq.TypeHTTP || kind == tq.TypeAgent && in.agents {
			continue
		}
		return usage("type: this worker cannot run %q", kind).
			WithHint("it runs sh and http, and agent with --agents; write a worker of your own with tq claim, or in Go")
	}
	return nil
}

// attend lets a worker run beside the broker, and stops it in two stages.
func (a *app) attend(ctx context.Context, d *door, w *tq.Worker, log *workerLog, run func(context.Context) error) error {
	// The broker outlives the interrupt: leases are kept while tasks finish.
	return d.live(context.WithoutCancel(ctx), func(brokerCtx context.Context) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(brokerCtx, stop)()
		defer a.hurryOnSecond(w, log)()
		err := run(ctx)
		if errors.Is(err, tq.ErrTasksReleased) {
			log.say("stopped; running tasks were given back")
			return status(exitReleased)
		}
		return err
	})
}

// hurryOnSecond tells of the first interrupt, which ends the command's context
// elsewhere, and makes the second one skip the grace.
func (a *app) hurryOnSecond(w *tq.Worker, log *workerLog) (stop func()) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer signal.Stop(interrupts)
		for n := 1; n <= 2; n++ {
			select {
			case <-interrupts:
			case <-done:
				return
			}
			if n == 1 {
				log.say("finishing what runs; interrupt again to give it back")
			}
		}
		w.Hurry()
		<-done
	}()
	return func() { close(done) }
}

// supervisor is how this binary is started to watch over one sh task, see
// Main.
func (a *app) supervisor() []string {
	return append(self(), superviseArg)
}

// self is how this binary is started again.
func self() []string {
	const linux = "/proc/self/exe" // also when the file was replaced or removed
	if _, err := os.Stat(linux); err == nil {
		return []string{linux}
	}
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path}
}
