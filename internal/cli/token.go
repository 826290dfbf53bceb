package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
)

func (a *app) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list, revoke or rotate the tokens that open a hub",
		Long: `A token says who asks a hub, and what that may do: scopes (enqueue, claim, read,
admin) over queues and types. The hub keeps its SHA-256 alone; the secret is shown
once, when it is made. A program hands it over in TQ_TOKEN.`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownCommand,
	}
	cmd.AddCommand(a.createTokenCommand(), a.listTokensCommand(), a.revokeTokenCommand(), a.rotateTokenCommand())
	return cmd
}

// tokenFlags is what `tq token create` was told.
type tokenFlags struct {
	name    string
	can     []string
	queues  []string
	types   []string
	open    int64
	expires time.Duration
	file    string
}

func (a *app) createTokenCommand() *cobra.Command {
	var in tokenFlags
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a token and print its secret, this once",
		Long: `Makes a token and prints its secret alone, so that TQ_TOKEN=$(tq token create …)
works. --type '*' is every type but sh and agent: whoever may enqueue one of those
has programs run on the machines of its workers, so they must be named.

With --file the secret goes into a file that only you can read; when there is one
already, nothing is made: a service that sets things up may run it at every start.`,
		Example: `  tq token create --name sam --queue 'shop:*' --can enqueue,read --expires 90d
  tq token create --name builder --queue builds --can claim,read --type '*,sh'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				if done, err := a.hasToken(in.file); done || err != nil {
					return err
				}
				out, err := c.CreateToken(ctx, in.input())
				if err != nil {
					return err
				}
				return a.handOver(&out, in.file)
			})
		},
	}
	in.define(cmd.Flags())
	onlyArgv(cmd, "name", "can", "max-open", "expires", "file")
	return cmd
}

func (in *tokenFlags) define(f *pflag.FlagSet) {
	f.StringVar(&in.name, "name", "", "who asks with it; shown as the actor of facts")
	namesFlag(f, &in.can, "can", "what it allows: enqueue, claim, read, admin")
	namesFlag(f, &in.queues, "queue", "queues it is good for: names, or patterns such as 'shop:*'")
	namesFlag(f, &in.types, "type", "types it is good for (default '*': all but sh and agent)")
	f.Int64Var(&in.open, "max-open", 0, "most open tasks in those queues; it may enqueue no more (default no limit)")
	durationFlag(f, &in.expires, "expires", "how long it is good, as in 90d (default for ever)")
	f.StringVar(&in.file, "file", "", "write the secret there, if there is no file yet, instead of printing it")
}

func (in *tokenFlags) input() tq.CreateTokenIn {
	var can []tq.Scope
	for _, word := range in.can {
		can = append(can, tq.Scope(word))
	}
	return tq.CreateTokenIn{
		Name: in.name, Can: can, Queues: in.queues, Types: in.types,
		MaxOpen: in.open, Expires: tq.Duration(in.expires),
	}
}

// hasToken reports whether the file that the secret is to go into has one.
func (a *app) hasToken(path string) (bool, error) {
	if path == "" {
		return false, nil
	}
	old, err := readToken(path)
	if old != "" {
		a.out.note("there is a token in %s already", path)
	}
	return old != "", err
}

// handOver gives the secret to whoever asked for it.
func (a *app) handOver(t *tq.CreateTokenOut, path string) error {
	if path == "" {
		a.printSecret(t)
		return nil
	}
	if err := writeToken(path, t.Secret); err != nil {
		return err
	}
	a.out.note("token %s of %s is in %s", t.ID, t.Name, path)
	return nil
}

// printSecret: the secret is all that goes to standard output.
func (a *app) printSecret(t *tq.CreateTokenOut) {
	if a.out.json {
		a.out.object(t)
		return
	}
	a.out.line("%s", t.Secret)
	a.out.note("token %s of %s; it is not shown again", t.ID, t.Name)
}

func (a *app) listTokensCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List tokens, what they allow and when they were used",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := c.Tokens(ctx, tq.TokensIn{})
				if err == nil {
					a.printTokens(out.Tokens)
				}
				return err
			})
		},
	}
}

func (a *app) printTokens(tokens []tq.Token) {
	if a.out.json {
		for i := range tokens {
			a.out.object(&tokens[i])
		}
		return
	}
	if len(tokens) == 0 {
		a.out.note("no tokens; tq token create makes one")
		return
	}
	now := a.Now()
	t := newTable("ID", "NAME", "CAN", "QUEUES", "TYPES", ">MAX OPEN", ">AGE", ">USED", "EXPIRES")
	for i := range tokens {
		k := &tokens[i]
		used := "never"
		if !k.UsedAt.IsZero() {
			used = age(now.Sub(k.UsedAt.Time)) + " ago"
		}
		t.row(k.ID, k.Name, scopes(k.Can), strings.Join(k.Queues, ","), strings.Join(k.Types, ","),
			most(k.MaxOpen), age(now.Sub(k.CreatedAt.Time)), used, expiry(k, now))
	}
	t.print(a.out)
}

// most is a limit in a table, where none is empty.
func most(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func scopes(can []tq.Scope) string {
	words := make([]string, len(can))
	for i, s := range can {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

func expiry(t *tq.Token, now time.Time) string {
	switch left := t.ExpiresAt.Sub(now); {
	case t.ExpiresAt.IsZero():
		return "never"
	case left <= 0:
		return "expired"
	default:
		return "in " + age(left)
	}
}

func (a *app) revokeTokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "End a token: its bearer is refused within a second",
		Args:  oneArg("the id of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				_, err := c.RevokeToken(ctx, tq.RevokeTokenIn{ID: args[0]})
				switch {
				case err != nil:
					return err
				case a.out.json:
					a.out.object(tq.RevokeTokenIn{ID: args[0]})
				default:
					a.out.line("%s revoked", args[0])
				}
				return nil
			})
		},
	}
}

func (a *app) rotateTokenCommand() *cobra.Command {
	overlap, expires := time.Hour, time.Duration(0)
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Make a new token for an old one, which is good a while longer",
		Args:  oneArg("the id of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				out, err := c.RotateToken(ctx, tq.RotateTokenIn{
					ID: args[0], Overlap: tq.Duration(overlap), Expires: tq.Duration(expires),
				})
				if err == nil {
					a.printSecret(&out)
				}
				return err
			})
		},
	}
	durationFlag(cmd.Flags(), &overlap, "overlap", "how long the old one is good yet")
	durationFlag(cmd.Flags(), &expires, "expires", "how long the new one is good (default as the old one was)")
	onlyArgv(cmd, "overlap", "expires")
	return cmd
}
