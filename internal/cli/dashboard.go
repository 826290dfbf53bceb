package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) dashboardCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "dashboard",
		Short: "Print a link that opens the dashboard of a hub and logs you in, once",
		Long: `Prints a link to the dashboard of a hub. It is good for one login within 15 minutes,
with the rights of your token; the token itself is not in it. Without --db the hub is
the one at http://127.0.0.1:8080.`,
		Example: `  tq dashboard
  tq --db https://tasks.example.com dashboard`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.db = or(a.db, "http://127.0.0.1:8080")
			return a.withHub(cmd.Context(), func(ctx context.Context, d *door) error {
				code, err := d.hub.LoginCode(ctx)
				if err != nil {
					return err
				}
				return a.printLink(or(at, d.hub.Address()) + "/login?code=" + code)
			})
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "the address that your browser knows the hub by, if it is another one")
	return cmd
}

func (a *app) printLink(link string) error {
	if a.out.json {
		a.out.object(map[string]string{"link": link})
		return nil
	}
	a.out.line("%s", link)
	return nil
}

func (a *app) readyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ready",
		Short: "Say whether a hub can do work: for health checks",
		Long: `Ends with 0 when the hub answers and its database does, with 6 when not. It needs no
token. Without --db the hub is the one at http://127.0.0.1:8080.`,
		Example: `  tq --db http://127.0.0.1:8080 ready`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.db = or(a.db, "http://127.0.0.1:8080")
			return a.withHub(cmd.Context(), func(ctx context.Context, d *door) error {
				if err := d.hub.Ready(ctx); err != nil {
					return err
				}
				a.out.note("ready")
				return nil
			})
		},
	}
}

// withHub is withDoor for what only a hub answers.
func (a *app) withHub(ctx context.Context, fn func(context.Context, *door) error) error {
	return a.withDoor(ctx, func(ctx context.Context, d *door) error {
		if d.hub == nil {
			return usage("this asks a hub, not a database").WithHint("name one: --db http://127.0.0.1:8080; tq serve starts it")
		}
		return fn(ctx, d)
	})
}
