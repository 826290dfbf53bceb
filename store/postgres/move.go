package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// The mark of a move (tq copy). It stands in meta, but no writer reads it: the
// sequences that every writer draws from are given a highest value, the one that
// was drawn last. To alter a sequence is to wait for all transactions that have
// drawn from it, and to let no other draw meanwhile. So once the mark is
// committed nobody writes any more, and whoever tries learns it from the
// server's refusal (22 of SQL: "reached maximum value").

const (
	selectMove = `select value from tq.meta where name = 'move'`
	upsertMove = `insert into tq.meta (name, value) values ('move', $1) on conflict (name) do update set value = excluded.value`
	lockMove   = `select pg_advisory_xact_lock($1)`

	existsUse = `select exists (select 1 from tq.tasks) or exists (select 1 from tq.facts) or exists (select 1 from tq.acts)
		or exists (select 1 from tq.tokens) or exists (select 1 from tq.workers) or exists (select 1 from tq.inbox)`

	moveSettings = `select set_config('lock_timeout', '500ms', true), set_config('synchronous_commit', $1, true)`

	// A sequence wants its highest value above its lowest one, which is 1.
	// shut alters each sequence twice: under the lock of the first time, which
	// changes nothing, its last value stands still.
	shut = `do $$ declare n bigint; begin
		alter sequence tq.batches cache 1;
		perform nextval('tq.batches') from tq.batches where last_value < 2;
		select last_value into n from tq.batches;
		execute format('alter sequence tq.batches maxvalue %s', n);
		alter sequence tq.task_ids cache 1;
		perform setval('tq.task_ids', 2) from tq.task_ids where last_value < 2;
		select last_value into n from tq.task_ids;
		execute format('alter sequence tq.task_ids maxvalue %s', n);
	end $$`
	unshut = `do $$ begin
		alter sequence tq.batches no maxvalue;
		alter sequence tq.task_ids no maxvalue;
	end $$`

	// drain waits for all that are writing now.
	drain = `alter sequence tq.batches cache 1`

	codeShut = "2200H" // sequence_generator_limit_exceeded
	codeWait = "55P03" // lock_not_available
)

var _ tq.Movable = (*Store)(nil)

// Moving reads the mark of a move.
func (s *Store) Moving(ctx context.Context) (tq.Move, error) {
	m, err := s.move(ctx, s.pool)
	return m, fault("read the mark of a move", err)
}

func (s *Store) move(ctx context.Context, q querier) (tq.Move, error) {
	var m tq.Move
	var b []byte
	err := q.QueryRow(ctx, s.texts.of(selectMove)).Scan(&b)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// SetMove swaps the mark of a move.
func (s *Store) SetMove(ctx context.Context, was, is tq.Move) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, moveSettings, s.synchronous()); err != nil {
			return err
		}
		return s.swapMove(ctx, tx, was, is)
	})
	if codeOf(err) == codeWait {
		return tq.Errorf(tq.CodeUnavailable, "somebody's transaction holds up the move: %w", err).
			WithHint("it goes on when that transaction ends; look at pg_stat_activity")
	}
	return fault("mark a move", err)
}

// swapMove is one transaction's part of it. Of several that try at once the
// later ones see what the first one wrote.
func (s *Store) swapMove(ctx context.Context, tx pgx.Tx, was, is tq.Move) error {
	if _, err := tx.Exec(ctx, lockMove, s.class(lockMoves).key(0)); err != nil {
		return err
	}
	stands, err := s.move(ctx, tx)
	if err != nil {
		return err
	}
	if stands != was {
		return tq.Errorf(tq.CodeInvalidState, "another process moves %s at the same time", s.info.Place).
			WithHint("let one of them end")
	}
	if is.Phase == tq.PhaseFilling && was.Phase == "" {
		if err := s.neverUsed(ctx, tx); err != nil {
			return err
		}
	}
	closed, closes := was.Refusal() != nil, is.Refusal() != nil
	switch {
	case closes && !closed:
		_, err = tx.Exec(ctx, s.texts.of(shut))
	case closed && !closes:
		_, err = tx.Exec(ctx, s.texts.of(unshut))
	case is.Phase == tq.PhaseCopying: // nobody still forgets facts who does not know
		_, err = tx.Exec(ctx, s.texts.of(drain))
	}
	if err != nil {
		return err
	}
	b, err := json.Marshal(is)
	if err == nil {
		_, err = tx.Exec(ctx, s.texts.of(upsertMove), b)
	}
	return err
}

func (s *Store) neverUsed(ctx context.Context, tx pgx.Tx) error {
	var used bool
	if err := tx.QueryRow(ctx, s.texts.of(existsUse)).Scan(&used); err != nil || !used {
		return err
	}
	return tq.Errorf(tq.CodeInvalidState, "the schema %s of %s has been in use already", s.o.Schema, s.info.Place).
		WithHint("name another one: ?schema=NAME in the address")
}

// refusal is what a writer is answered that met closed sequences.
func (s *Store) refusal(ctx context.Context, err error) error {
	m, readErr := s.move(ctx, s.pool)
	if readErr != nil {
		return fault("write", err)
	}
	if refused := m.Refusal(); refused != nil {
		return refused
	}
	return errLost // it was opened again meanwhile
}
