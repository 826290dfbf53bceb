package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look at how the database is kept, and say what to do about it",
		Long: `Looks at what lies under the queue. For a file: who may read it, the disk, the
write-ahead log, the lock, the clock. For PostgreSQL: version, durability, old
snapshots, dead rows, autovacuum, connections, the clock. Changes nothing. Ends
with 0 when nothing is bad, 1 otherwise. What is in the queue, tq check walks.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withDoor(cmd.Context(), func(ctx context.Context, d *door) error {
				patient, ok := d.engine.(tq.Examined)
				if !ok {
					return usage("doctor needs the database itself")
				}
				found, err := patient.Examine(ctx)
				if err != nil {
					return err
				}
				return a.printFindings(found)
			})
		},
	}
}

func (a *app) printFindings(found []tq.Finding) error {
	var end error
	bad, notes := 0, 0
	for _, f := range found {
		switch f.Level {
		case tq.LevelBad:
			bad++
			end = status(exitInternal)
		case tq.LevelNote:
			notes++
		}
		if a.out.json {
			a.out.object(f)
			continue
		}
		a.out.line("%-4s  %s: %s", f.Level, f.Name, f.Value)
		if f.Hint != "" {
			a.out.line("      hint: %s", f.Hint)
		}
	}
	if !a.out.json {
		a.out.note("%d bad, %s", bad, plural(notes, "note"))
	}
	return end
}
