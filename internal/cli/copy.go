package cli

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
	"example.com/tq/internal/move"
	"example.com/tq/store"
)

func (a *app) copyCommand() *cobra.Command {
	var abandon bool
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Move a database to another place, while workers go on",
		Long: `Moves a database: from a file to PostgreSQL, back, or to another file. Workers and
hubs go on meanwhile; at the end they are held for a moment, and go on at the new
place by themselves, with the leases they have. Ids, keys, leases, tokens and the
journal stay what they are. Every row is compared before anybody works there, and
both databases are checked at the end.

TO must not have been used yet. What is cut short goes on where it was when the same
command is run again. FROM keeps what it had and sends everybody on to TO; --abandon
gives up a move that has not come to its end.

An address is noted without its password: processes take that from PGPASSWORD or
~/.pgpass when they go on at TO.`,
		Example: `  tq copy tq.db postgres://tq@db.example.net/tq
  tq copy postgres://tq@db.example.net/tq tq.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("want two databases, from and to").WithHint("%s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.copy(cmd.Context(), args[0], args[1], abandon)
		},
	}
	cmd.Flags().BoolVar(&abandon, "abandon", false, "give up a move that has not come to its end")
	onlyArgv(cmd, "abandon")
	return cmd
}

// place is an address without its password; that of a file from the root on, so
// that it holds in every folder.
func place(address string) string {
	if !strings.Contains(address, "://") {
		if full, err := filepath.Abs(address); err == nil {
			return full
		}
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "the database"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	q.Del("password")
	u.RawQuery = q.Encode()
	return u.String()
}

func (a *app) copy(ctx context.Context, from, to string, abandon bool) error {
	if place(from) == place(to) {
		return usage("both are %s", place(to))
	}
	source, err := a.openMovable(from)
	if err != nil {
		return err
	}
	target, err := a.openMovable(to)
	if err != nil {
		return errors.Join(err, source.Close())
	}
	bar := meter{out: a.out}
	m := &move.Mover{From: source, To: target, FromPlace: place(from), ToPlace: place(to), Report: bar.show}
	var moved move.Moved
	if abandon {
		err = m.Abandon(ctx)
	} else {
		moved, err = m.Run(ctx)
	}
	a.out.progress("")
	if err = errors.Join(err, target.Close()); err != nil || abandon {
		if err == nil {
			a.out.note("given up: %s is as it was, %s may be thrown away", m.FromPlace, m.ToPlace)
		}
		return errors.Join(err, source.Close())
	}
	return errors.Join(a.checkBoth(ctx, m, source, to, moved), source.Close())
}

func (a *app) openMovable(address string) (tq.Movable, error) {
	if isHub(address) {
		return nil, usage("%s is a hub, not a database", address).WithHint("name the database that it serves")
	}
	s, err := a.openStore(address)
	if err != nil {
		return nil, err
	}
	movable, ok := s.(tq.Movable)
	if !ok {
		return nil, errors.Join(usage("%s cannot be moved", place(address)), s.Close())
	}
	return movable, nil
}

// copied is the answer of tq copy.
type copied struct {
	From     string      `json:"from"`
	To       string      `json:"to"`
	Already  bool        `json:"already,omitempty"`
	Tasks    int64       `json:"tasks"`
	Compared int64       `json:"compared"`
	Pause    tq.Duration `json:"pause_seconds"`
	Found    int         `json:"found"` // by the checks of both
}

// checkBoth walks both databases, the new one as everybody opens it now.
func (a *app) checkBoth(ctx context.Context, m *move.Mover, source tq.Movable, to string, moved move.Moved) error {
	target, err := store.Open(to, store.Options{Durability: a.durability})
	if err != nil {
		return err
	}
	answer := copied{
		From: m.FromPlace, To: m.ToPlace, Already: moved.Already, Tasks: moved.Tasks, Compared: moved.Compared,
		Pause: tq.Duration(moved.Pause),
	}
	for _, s := range []tq.Store{source, target} {
		found, checkErr := s.Check(ctx)
		err = errors.Join(err, checkErr)
		for _, v := range found {
			a.out.note("%s: %s: task %d: %s", s.Info().Place, v.Invariant, v.TaskID, v.Detail)
		}
		answer.Found += len(found)
	}
	if err = errors.Join(err, target.Close()); err != nil {
		return err
	}
	a.printCopied(&answer)
	if answer.Found > 0 {
		return tq.Errorf(tq.CodeInternal, "the checks found %s", plural(answer.Found, "fault")).
			WithHint("keep both databases; tq check names the faults again")
	}
	return nil
}

func (a *app) printCopied(c *copied) {
	switch {
	case a.out.json:
		a.out.object(c)
	case c.Already:
		a.out.line("moved to %s before; both are sound", c.To)
	default:
		a.out.line("moved to %s: %s carried and %d compared, held for %s, both are sound",
			c.To, plural(int(c.Tasks), "task"), c.Compared, c.Pause.Std().Round(time.Millisecond).String())
	}
}
