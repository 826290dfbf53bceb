package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/move"
)

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE",
		Short: "Write all tasks, with their history, as lines of JSON",
		Long: `Writes the whole database as it is at one moment, one JSON object per line: tasks with
payload, result, facts, what they wait for and their leases; paused queues; keys. Others
go on meanwhile. FILE is new and can be read by you only; - is stdout. The secrets are
not in it: neither that which signs leases nor the access tokens.

tq import reads it, on any engine.`,
		Example: `  tq export tasks.jsonl
  tq export - | gzip > tasks.jsonl.gz`,
		Args: oneArg("the name of a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error {
				s, ok := d.engine.(tq.Movable)
				if !ok {
					return usage("an export is made of a database, and %s is none", or(d.place(), "this")).
						WithHint("for a hub: name the database that it serves")
				}
				return a.export(ctx, s, args[0])
			})
		},
	}
}

func (a *app) export(ctx context.Context, s tq.Movable, name string) error {
	bar := meter{out: a.out}
	if name == "-" {
		_, err := move.Export(ctx, s, a.out.stdout, bar.show)
		a.out.progress("")
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return tq.Errorf(tq.CodeInvalid, "write the export: %w", err).WithHint("name a file that is not there yet")
	}
	done, err := move.Export(ctx, s, file, bar.show)
	a.out.progress("")
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name)) // half an export helps nobody
	}
	if a.out.json {
		a.out.object(done)
		return nil
	}
	a.out.note("%s with %d facts written to %s", plural(int(done.Tasks), "task"), done.Facts, name)
	return nil
}

func (a *app) importCommand() *cobra.Command {
	var renumber bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read what tq export has written",
		Long: `Fills a database that was never used with an export: ids, keys and the whole history
are those of the file. Tasks that ran then are run again when their leases have ended.
Cut short, it goes on where it was when it is run again; once it is done, a repeat
changes nothing.

A database that is in use is refused, as the ids may be taken. With --renumber, what
has not ended in the file is enqueued there under new ids, with payload, priority, key
and what it waits for; attempts begin anew, and the history stays behind. That works
through a hub as well, and may be repeated, too. FILE may be - for stdin.`,
		Example: `  tq --db new.db import tasks.jsonl
  tq import --renumber tasks.jsonl`,
		Args: oneArg("the name of a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error {
				file := io.NopCloser(a.Stdin)
				if args[0] != "-" {
					f, err := os.Open(args[0])
					if err != nil {
						return tq.Errorf(tq.CodeInvalid, "read the export: %w", err)
					}
					file = f
				}
				err := a.importFrom(ctx, d, file, renumber)
				a.out.progress("")
				return errors.Join(err, file.Close())
			})
		},
	}
	cmd.Flags().BoolVar(&renumber, "renumber", false, "into a database in use: enqueue what has not ended under new ids")
	onlyArgv(cmd, "renumber")
	return cmd
}

func (a *app) importFrom(ctx context.Context, d *door, file io.Reader, renumber bool) error {
	bar := meter{out: a.out}
	if renumber {
		out, err := move.Renumber(ctx, d.client, file, bar.show)
		if err != nil {
			return err
		}
		return a.printImport(out, fmt.Sprintf("%s enqueued, %d were there, %d had ended, %d wait for one that ended badly",
			plural(int(out.Enqueued), "task"), out.Existed, out.Ended, out.Left))
	}
	s, ok := d.engine.(tq.Movable)
	if !ok {
		return usage("%s is a hub: it has no place for the ids of an export", or(d.place(), "this")).
			WithHint("give --renumber, or name the database itself")
	}
	out, err := move.Import(ctx, s, file, bar.show)
	if err != nil {
		return err
	}
	text := plural(int(out.Tasks), "task") + " imported"
	if out.Already {
		text = "this export was imported before"
	}
	if err := a.printImport(out, text); err != nil || out.Already {
		return err
	}
	if err := settleDown(ctx, d.store); err != nil {
		return err
	}
	return a.check(ctx, d)
}

func (a *app) printImport(out any, text string) error {
	if a.out.json {
		a.out.object(out)
		return nil
	}
	a.out.note("%s", text)
	return nil
}
