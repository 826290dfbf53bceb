package postgres

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// Enqueue inside the caller's own transaction: the tasks are there if and only
// if it commits. Only what cannot wait is written here, the task, its key and a
// row in the inbox; the mover gives it a fact and a place (inbox.go). So an open
// transaction of somebody else never holds a place in any line, nor the floor,
// nor a lock that a claim or a settle could meet.

const (
	// selectHere tells our store from another one of the same shape.
	selectHere    = `select ` + nowText + `, coalesce((select encode(sha256(value), 'hex') from tq.meta where name = 'secret'), '')`
	insertInbox   = `insert into tq.inbox (id) select * from unnest($1::bigint[])`
	takeKeys      = insertKeys + ` on conflict do nothing`
	savePoint     = `savepoint tq_enqueue`
	keepSavePoint = `release savepoint tq_enqueue`
	undoSavePoint = `rollback to savepoint tq_enqueue`

	keyTries = 5
)

// EnqueueTx writes 1 to tq.MaxBatch tasks, all or none, as part of tx, which
// must be in the database of the store; any other is refused with code invalid.
// The tasks have the durability of tx. Workers find them within a second of its
// commit, or at once when Wake is called then. The status answered is the one
// they will begin with unless what they wait for ends before. A $N in deps
// counts within this call.
func (s *Store) EnqueueTx(ctx context.Context, tx pgx.Tx, tasks ...tq.NewTask) ([]tq.Enqueued, error) {
	return s.enqueueTx(ctx, pgxCaller{tx}, tasks)
}

// EnqueueSQL is EnqueueTx for a transaction of database/sql, of any driver.
func (s *Store) EnqueueSQL(ctx context.Context, tx *sql.Tx, tasks ...tq.NewTask) ([]tq.Enqueued, error) {
	return s.enqueueTx(ctx, sqlCaller{tx}, tasks)
}

func (s *Store) enqueueTx(ctx context.Context, tx caller, tasks []tq.NewTask) ([]tq.Enqueued, error) {
	normal, err := normalBatch(tasks)
	if err != nil {
		return nil, err
	}
	// The lanes are written on a connection of ours: in an open transaction they
	// would hold up everybody who enqueues into one for the first time.
	if err := s.lanesFor(ctx, normal); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		out, err := s.enqueueOnce(ctx, tx, normal)
		if !errors.Is(err, errLost) || try == keyTries {
			return out, txFault(err)
		}
	}
}

// enqueueOnce undoes what it did when it fails, so that tx goes on. errLost says
// that another transaction took one of the keys meanwhile.
func (s *Store) enqueueOnce(ctx context.Context, tx caller, tasks []tq.NewTask) ([]tq.Enqueued, error) {
	if _, err := tx.exec(ctx, savePoint); err != nil {
		return nil, err
	}
	b := txBatch{enqueuing: &enqueuing{work: newWork(ctx, s, nil), parts: []*part{{tasks: tasks, actor: txActor}}, newest: provisional}, tx: tx}
	err := b.run()
	if err == nil {
		_, err = tx.exec(ctx, keepSavePoint)
	}
	if err == nil {
		return b.parts[0].out, nil
	}
	var whose *blame
	if errors.As(err, &whose) {
		err = whose.err
	}
	// When ctx has ended the whole transaction is being rolled back.
	if _, undone := tx.exec(context.WithoutCancel(ctx), undoSavePoint); undone != nil && ctx.Err() == nil {
		return nil, errors.Join(err, undone)
	}
	return nil, err
}

// txBatch is one EnqueueTx at work: rules and rows are those of every enqueue,
// only reading and writing go through the caller's transaction.
type txBatch struct {
	*enqueuing
	tx caller
}

func (b *txBatch) run() error {
	if err := b.begin(); err != nil {
		return err
	}
	if err := b.readKeys(); err != nil {
		return err
	}
	named, deps := b.named()
	if err := b.readRows(append(named, deps...)); err != nil {
		return err
	}
	if err := b.all(); err != nil {
		return err
	}
	if err := b.draw(); err != nil {
		return err
	}
	return b.write()
}

// begin reads the clock and makes sure that tx is in this store's database.
func (b *txBatch) begin() error {
	var secret string
	err := b.tx.query(b.ctx, b.texts.of(selectHere), []any{b.clock()}, func(r scanner) error { return r.Scan(&b.now, &secret) })
	sum := sha256.Sum256(b.info.Secret)
	if err == nil && secret != hex.EncodeToString(sum[:]) || missing(err) {
		return tq.Errorf(tq.CodeInvalid, "the transaction is not in the database of this store").
			WithHint("begin it on a connection to the database that the store was opened with")
	}
	return err
}

func missing(err error) bool {
	code := codeOf(err)
	return code == "42P01" || code == "3F000"
}

func (b *txBatch) readKeys() error {
	b.keys = map[keyName]heldKey{}
	names := b.keyNames()
	if len(names) == 0 {
		return nil
	}
	queue, key := keyLists(names)
	return b.tx.query(b.ctx, b.texts.of(selectKeys), []any{literal(queue), literal(key)}, func(r scanner) error {
		var ord int64
		var held heldKey
		err := r.Scan(&ord, &held.id, &held.body)
		b.keys[names[ord-1]] = held
		return err
	})
}

func (b *txBatch) readRows(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return b.tx.query(b.ctx, b.texts.of(selectRows), []any{literal(ids)}, func(rows scanner) error {
		r, err := b.scanRow(rows)
		if err == nil && b.rows[r.id] == nil {
			b.keep(r)
		}
		return err
	})
}

func (b *txBatch) draw() error {
	if b.unnumbered == 0 {
		return nil
	}
	var ids []int64
	err := b.tx.query(b.ctx, b.texts.of(drawIDs), []any{b.unnumbered}, func(r scanner) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err == nil {
		b.renumber(ids)
	}
	return err
}

func (b *txBatch) write() error {
	if len(b.fresh) == 0 {
		return nil
	}
	if len(b.taken) > 0 {
		queue, key, id := keyColumns(b.taken)
		n, err := b.tx.exec(b.ctx, b.texts.of(takeKeys), literal(queue), literal(key), literal(id))
		if err == nil && n != int64(len(b.taken)) {
			err = errLost
		}
		if err != nil {
			return err
		}
	}
	var c taskColumns
	for _, f := range b.fresh {
		c.add(f)
	}
	_, err := b.tx.exec(b.ctx, b.texts.of(insertTasks), literal(c.id), literal(c.lane), literal(c.max), literal(c.runAt),
		literal(c.timeout), literal(c.parent), literal(c.key), literal(c.until), literal(c.onDep), literal(c.deps),
		literal(c.tags), literal(c.backoff), literal(c.payload), b.now, literal(c.body), literal(c.trace))
	if err == nil {
		_, err = b.tx.exec(b.ctx, b.texts.of(insertInbox), literal(c.id))
	}
	return err
}

func normalBatch(tasks []tq.NewTask) ([]tq.NewTask, error) {
	switch {
	case len(tasks) == 0:
		return nil, tq.Errorf(tq.CodeInvalid, "tasks: are none, want 1 to %d", tq.MaxBatch)
	case len(tasks) > tq.MaxBatch:
		return nil, tq.Errorf(tq.CodeTooLarge, "tasks: are %d, the limit is %d", len(tasks), tq.MaxBatch).
			WithHint("enqueue them in several calls; they still commit together")
	}
	normal, size := make([]tq.NewTask, len(tasks)), 0
	for i, n := range tasks {
		var err error
		if normal[i], err = n.Normal(); err != nil {
			var refusal *tq.Error
			if errors.As(err, &refusal) {
				return nil, inRow(i, refusal)
			}
			return nil, err
		}
		size += len(normal[i].Payload)
	}
	if size > tq.MaxBatchBytes {
		return nil, tq.Errorf(tq.CodeTooLarge, "tasks: are %d bytes, the limit is %d", size, tq.MaxBatchBytes).
			WithHint("enqueue them in several calls; they still commit together")
	}
	return normal, nil
}

// txFault says what an error in the caller's transaction means.
func txFault(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) || errors.Is(err, sql.ErrTxDone) {
		return tq.Errorf(tq.CodeInvalid, "the transaction has already ended")
	}
	if codeOf(err) == "25P02" {
		return tq.Errorf(tq.CodeInvalid, "the transaction has failed before: %w", err).WithHint("roll it back")
	}
	if codeOf(err) == codeShut {
		return tq.Errorf(tq.CodeUnavailable, "the store is being moved, or was: %w", err).
			WithHint("try again in a moment; tq check says where it has gone")
	}
	return fault("enqueue in a transaction", err)
}
