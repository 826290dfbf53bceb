package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
)

// The groups of the help, in the order of a task's life.
const (
	groupPut   = "put"
	groupWork  = "work"
	groupLook  = "look"
	groupAct   = "act"
	groupHouse = "house"
)

// root is the command tq with all commands below it.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tq",
		Short: "One durable task queue: a file, a binary, any number of workers",
		Long: `tq is a durable task queue. Tasks are put into a database file; workers take
them under a lease, run them, and retry what fails. What a worker loses, another
one finishes.

  tq enqueue --type sh --payload 'go test ./...'    prints the id of the task
  tq worker                                         runs what is there, until ^C
  tq show ID                                        tells what happened to it`,
		Version:           version().short(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		RunE:              unknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	a.globalFlags(root)
	root.AddGroup(
		&cobra.Group{ID: groupPut, Title: "Put work in:"},
		&cobra.Group{ID: groupWork, Title: "Do the work:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupAct, Title: "Set right:"},
		&cobra.Group{ID: groupHouse, Title: "This installation:"},
	)
	a.addCommands(root)
	root.SetHelpCommand(helpCommand())
	root.SetCompletionCommandGroupID(groupHouse)
	root.SetGlobalNormalizationFunc(canonical)
	root.SetFlagErrorFunc(flagError)
	return root
}

func (a *app) addCommands(root *cobra.Command) {
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add(groupPut, a.enqueueCommand(), a.harvestCommand(), a.waitCommand())
	add(groupWork, a.workerCommand(), a.agentPoolCommand(), a.serveCommand(), a.mcpCommand(), a.claimCommand(), a.completeCommand(), a.failCommand(),
		a.extendCommand(), a.releaseCommand())
	add(groupLook, a.listCommand(), a.showCommand(), a.explainCommand(), a.overviewCommand(), a.statsCommand(), a.watchCommand(),
		a.tailCommand(), a.factsCommand(), a.workersCommand(), a.reposCommand())
	add(groupAct, a.dlqCommand(), a.bulkCommand(), a.rescueCommand(), a.requeueCommand(), a.cancelCommand(),
		a.deleteCommand(), a.queueCommand(), a.tokenCommand())
	add(groupHouse, a.dashboardCommand(), a.readyCommand(), a.checkCommand(), a.doctorCommand(), a.backupCommand(), a.restoreCommand(), a.copyCommand(), a.exportCommand(), a.importCommand(), a.demoCommand(), a.benchCommand(), a.versionCommand())
	root.AddCommand(exitTopic(), configTopic())
}

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.db, "db", "", "database file, or http(s)://HUB (default tq/tq.db in the XDG data folder)")
	f.BoolVar(&a.insecure, "insecure", false, "let a token go over plain HTTP to another machine")
	f.StringVar(&a.ca, "ca", "", "file of the authorities that an https hub's certificate must come from (default the system's)")
	f.BoolVar(&a.out.json, "json", false, "answer in JSON: one object per line")
	f.String("config", "", "file of key = value lines (default tq/config in the XDG config folder)")
	f.StringVar(&a.colorMode, "color", "auto", "auto, always or never; NO_COLOR is honoured")
	keepFlag(f, &a.keep)
	depthFlag(f, &a.depth)
	f.StringVar(&a.durability, "durability", "full", "full, or relaxed: a power cut may lose the last moments")
}

// prepare runs before every command, when its flags are read.
func (a *app) prepare(cmd *cobra.Command) error {
	if cmd.DisableFlagParsing {
		return nil
	}
	if err := a.settle(cmd); err != nil {
		return err
	}
	if err := oneOf("color", a.colorMode, "auto", "always", "never"); err != nil {
		return err
	}
	a.out.color = !a.out.json && wantsColor(a.colorMode, a.Stdout, a.Getenv)
	return oneOf("durability", a.durability, "full", "relaxed")
}

func oneOf(flag, got string, words ...string) error {
	for _, w := range words {
		if got == w {
			return nil
		}
	}
	return usage("%s: is %q, want %s", flag, got, strings.Join(words, " or "))
}

// unknownCommand answers a word that is no command, and shows the help when
// there is none.
// helpCommand is cobra's, but refuses a word that it knows nothing of.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Say what a command does, or a topic",
		GroupID: groupHouse,
		RunE: func(cmd *cobra.Command, words []string) error {
			about, rest, err := cmd.Root().Find(words)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
			about, _, err := cmd.Root().Find(words)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range about.Commands() {
				if strings.HasPrefix(sub.Name(), begun) && !sub.Hidden {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := usage("%q is not a command of %s", args[0], cmd.CommandPath())
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
		names = append(names, sub.Aliases...)
	}
	if near := tq.Nearest(args[0], names); near != "" {
		return e.WithHint("did you mean %s %s?", cmd.CommandPath(), near)
	}
	return e.WithHint("%s --help lists them", cmd.CommandPath())
}

// flagError answers a flag that is not there or has a wrong value.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var none *pflag.NotExistError
	if !errors.As(err, &none) {
		return usage("%w", cause(err)).WithHint("%s --help", cmd.CommandPath())
	}
	e := usage("%w", err)
	if hint := foreignFlags()[none.GetSpecifiedName()]; hint != "" {
		return e.WithHint("%s", hint)
	}
	if near := nearestFlag(cmd, none.GetSpecifiedName()); near != "" {
		return e.WithHint("did you mean --%s?", near)
	}
	return e.WithHint("%s --help lists the flags", cmd.CommandPath())
}

// foreignFlags says what stands for flags that other queues have and this one
// does not need.
func foreignFlags() map[string]string {
	return map[string]string{
		"poll":                  "nothing polls here: a worker hears of new tasks at once; leave it out",
		"task-timeout":          "each task has its own: tq enqueue --timeout 10m",
		"heartbeat":             "a worker renews its leases by itself: --lease is all there is to set",
		"dead-pool-ticks":       "a pool needs no count of idle harvests: it waits for the end of a task, at most --interval",
		"max-concurrent-agents": "give --concurrency",
		"log-dir":               "the end of what an agent prints is kept with its task: tq show ID",
		"redact":                "credentials are always taken out of what agents print",
		"dedup-key":             "give --key",
		"not-before":            "give --at or --delay",
	}
}

func nearestFlag(cmd *cobra.Command, name string) string {
	names := []string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return tq.Nearest(name, names)
}

// noArgs refuses what a command does not take.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("%s takes no %q", cmd.CommandPath(), args[0]).WithHint("%s --help", cmd.CommandPath())
}

// someIDs wants at least one id of a task.
func someIDs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usage("the id of a task is missing").WithHint("%s; tq list shows ids", cmd.UseLine())
}

func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return usage("%s is missing", what).WithHint("%s", cmd.UseLine())
		}
		return usage("%s takes one argument, not %d", cmd.CommandPath(), len(args)).WithHint("%s", cmd.UseLine())
	}
}

func exitTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-status", Short: "What the exit statuses mean", Long: exitHelp}
}

func configTopic() *cobra.Command {
	return &cobra.Command{Use: "config", Short: "Where settings come from", Long: `A flag that is not given takes its value from the environment, then from a file:

  tq worker --concurrency 4
  TQ_CONCURRENCY=4 tq worker
  echo 'concurrency = 4' >> ~/.config/tq/config

Variables are TQ_ and the flag in capitals, with _ for -. The file is named by
--config or TQ_CONFIG; it has lines of key = value, # begins a comment, a key that
no command knows is an error. Flags that are acts (--yes, --force, --rescue-all)
and those of one call (--payload, --key, --at) are read from the command line only.
Lengths of time need a unit: 90s, 5m, 2h, 3d.

Ended tasks are deleted in time by whatever command is running: completed and
cancelled ones after 7 days, dead ones never, the facts of all 30 days later. --keep
says otherwise, for all queues or for one; write it into the file, so that all hold
to it:

  keep = completed=1d,dead=90d,completed@builds=forever,facts=forever

The database is --db, else TQ_DB, else tq/tq.db in XDG_DATA_HOME or ~/.local/share.
Instead of a file it may be the address of a hub, as in http://127.0.0.1:8080 (see
tq serve); the token for it goes into TQ_TOKEN. --ca or TQ_CA names the file of the
authority when the hub's certificate comes from one of your own.`}
}

// clientFunc is what a command asks of a client.
type clientFunc func(context.Context, tq.Client) error
