package cli

import (
	"context"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/config"
	"example.com/tq/store"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database into a new file, while it is in use",
		Long: `Writes the database as it is at one moment into a new file that only you can read.
Workers and commands go on meanwhile. A database on PostgreSQL is copied with
PostgreSQL's own tools, as in pg_dump --schema tq.`,
		Example: `  tq backup /backups/tq-monday.db
  tq --db restored.db restore /backups/tq-monday.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error {
				c, ok := d.engine.(tq.Copied)
				if !ok {
					return usage("a copy is made of a database file, and %s is none", or(d.place(), "this")).
						WithHint("for PostgreSQL: pg_dump --schema tq; for a hub: run it where the file is")
				}
				bar := meter{out: a.out}
				err := c.Backup(ctx, args[0], bar.bytes("backup"))
				a.out.progress("")
				if err != nil {
					return err
				}
				return a.printCopy(args[0], "copied to %s, %s")
			})
		},
	}
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a copy of a database in the place of one that is not there",
		Long: `Puts a copy that tq backup made where --db says, if nothing is there, and walks all of
it as tq check does. What ran when the copy was made is run again when its lease ends.`,
		Example: `  tq --db restored.db restore /backups/tq-monday.db`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := or(a.db, config.DefaultDB(a.Getenv))
			bar := meter{out: a.out}
			err := store.Restore(cmd.Context(), args[0], to, bar.bytes("restore"))
			a.out.progress("")
			if err != nil {
				return err
			}
			if err := a.printCopy(to, "restored to %s, %s"); err != nil {
				return err
			}
			a.db = to
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error {
				if err := settleDown(ctx, d.store); err != nil {
					return err
				}
				return a.check(ctx, d)
			})
		},
	}
}

// settleDown does what has become due since the copy was made, but deletes
// nothing: whoever restores looks first.
func settleDown(ctx context.Context, s tq.Store) error {
	for {
		swept, err := s.Sweep(ctx, tq.Retention{Completed: -1, Cancelled: -1, Dead: -1, Facts: -1})
		if err != nil || !swept.More {
			return err
		}
	}
}

// printCopy tells where the copy is and how large.
func (a *app) printCopy(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if a.out.json {
		a.out.object(map[string]any{"file": path, "bytes": info.Size()})
		return nil
	}
	a.out.note(text, path, sizeText(info.Size()))
	return nil
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	const kib, mib = 1 << 10, 1 << 20
	switch {
	case n >= mib:
		return strconv.FormatFloat(float64(n)/mib, 'f', 1, 64) + " MiB"
	case n >= kib:
		return strconv.FormatInt(n/kib, 10) + " KiB"
	}
	return plural(int(n), "byte")
}
