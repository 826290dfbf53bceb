package sqlite

import (
	"bytes"
	"context"
	"encoding/json"

	"example.com/tq"
)

// The mark of a move (tq copy). It stands in meta, and every writer reads it
// there whenever another process has written; so once it is committed nobody
// writes who does not know it.

const (
	metaMove = "move"

	existsUse = `select exists (select 1 from tasks) or exists (select 1 from facts) or exists (select 1 from acts)
		or exists (select 1 from tokens) or exists (select 1 from workers) or exists (select 1 from inbox)`
)

var _ tq.Movable = (*Store)(nil)

// Moving reads the mark of a move.
func (s *Store) Moving(ctx context.Context) (tq.Move, error) {
	var m tq.Move
	err := s.read(ctx, func(c *conn) error {
		var err error
		m, err = c.move()
		return err
	})
	return m, err
}

func (c *conn) move() (tq.Move, error) {
	var m tq.Move
	b, err := c.metaBytes(metaMove)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// SetMove swaps the mark of a move.
func (s *Store) SetMove(ctx context.Context, was, is tq.Move) error {
	return s.carry(ctx, 0, func(n *turn) error {
		if is.Phase == tq.PhaseFilling && was.Phase == "" {
			used, err := n.c.one(existsUse)
			if err != nil {
				return err
			}
			if used != 0 {
				return tq.Errorf(tq.CodeInvalidState, "%s has been in use already", n.s.path).
					WithHint("name a file that is not there yet")
			}
		}
		return n.setMove(was, is)
	})
}

func (n *turn) setMove(was, is tq.Move) error {
	stands, err := n.c.move()
	if err != nil {
		return err
	}
	if stands != was {
		return tq.Errorf(tq.CodeInvalidState, "another process moves %s at the same time", n.s.path).
			WithHint("let one of them end")
	}
	b, err := json.Marshal(is)
	if err != nil {
		return err
	}
	n.writes++
	if err := n.c.setMetaBytes(metaMove, b); err != nil {
		return err
	}
	n.cache.move = is
	return nil
}

// carry runs do in a transaction that the mark of a move does not keep out.
func (s *Store) carry(ctx context.Context, size int, do func(n *turn) error) error {
	return s.put(&operation{ctx: ctx, size: size, do: do, done: make(chan struct{}), carries: true})
}

// readMove reads the mark. A store that another process filled while we had it
// open has another secret than we know.
func (w *writer) readMove(c *conn) (err error) {
	if w.cache.move, err = c.move(); err != nil {
		return err
	}
	secret, err := c.metaBytes(metaSecret)
	if err == nil && !bytes.Equal(secret, w.s.info.Secret) {
		w.cache.strange = true
	}
	return err
}

// refusal is why o may not run, nil if it may.
func (w *writer) refusal(o *operation) error {
	switch {
	case o.carries:
		return nil
	case w.cache.strange:
		return tq.Errorf(tq.CodeUnavailable, "%s was filled from another store meanwhile", w.s.path).
			WithHint("start this process again")
	}
	return w.cache.move.Refusal()
}

// still reports whether nothing may change here by itself.
func (w *writer) still() bool { return w.cache.strange || w.cache.move.Refusal() != nil }
