package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/tq"
)

// The last moment: writers of the source are held, what is left is brought and
// compared, and the target opens.

// change moves the writers over.
func (m *Mover) change(ctx context.Context) error {
	var err error
	for range pauseTries {
		if err = m.catchUp(ctx); err != nil {
			return err
		}
		if err = m.pause(ctx); err == nil || !errors.Is(err, tq.ErrUnavailable) {
			return err
		}
		// Somebody's transaction was in the way: nobody was held up for long.
		if !sleep(ctx, pauseRest) {
			return ctx.Err()
		}
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause holds the source. Should something go wrong before the target opens, it
// is let go again. Who interrupts waits for the end of it.
func (m *Mover) pause(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), pauseLimit)
	defer stop()
	began := time.Now()
	if m.from.Phase != tq.PhaseHeld {
		is := m.from
		is.Phase = tq.PhaseHeld
		if err := m.markFrom(ctx, is); err != nil {
			return err
		}
	}
	m.report(StagePause, m.out.Tasks, 0)
	if err := m.finish(ctx); err != nil {
		return errors.Join(err, m.letGo(ctx))
	}
	err := m.markFrom(ctx, tq.Move{ID: m.from.ID, Peer: m.ToPlace, Phase: tq.PhaseMoved})
	m.out.Pause = time.Since(began)
	return err
}

func (m *Mover) letGo(ctx context.Context) error {
	if m.to.Phase == tq.PhaseArrived {
		return nil
	}
	is := m.from
	is.Phase = tq.PhaseCopying
	return m.markFrom(context.WithoutCancel(ctx), is)
}

// finish brings the rest, compares it row by row, and opens the target.
func (m *Mover) finish(ctx context.Context) error {
	m.touched = map[int64]bool{}
	ledger, err := m.From.Ledger(ctx)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	for also := ledger.Loose; ; also = nil {
		n, err := m.round(ctx, also)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	if err := m.compareSome(ctx, keys(m.touched)); err != nil {
		return err
	}
	is := m.to
	is.Phase = tq.PhaseArrived
	return m.bring(ctx, tq.Import{Ledger: &ledger}, is)
}

// Abandon gives a move up that has not come to its end: the source is as if
// nothing had happened, the target is left half filled and of no use.
func (m *Mover) Abandon(ctx context.Context) error {
	var err error
	if m.from, err = m.From.Moving(ctx); err != nil {
		return err
	}
	if m.to, err = m.To.Moving(ctx); err != nil {
		return err
	}
	switch {
	case m.from.Phase != tq.PhaseCopying && m.from.Phase != tq.PhaseHeld:
		return tq.Errorf(tq.CodeInvalidState, "%s is not being moved", m.FromPlace)
	case m.to.ID == m.from.ID && m.to.Phase == tq.PhaseArrived:
		return tq.Errorf(tq.CodeInvalidState, "%s has arrived: writers go on there", m.ToPlace).
			WithHint("run tq copy %s %s once more: it tells the source", m.FromPlace, m.ToPlace)
	case m.from.Peer != m.ToPlace:
		return m.same()
	}
	return m.markFrom(ctx, tq.Move{})
}
