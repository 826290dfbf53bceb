package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"

	modernc "modernc.org/sqlite"
)

// Enqueue inside the caller's own transaction: the tasks are there if and only
// if it commits. Only what cannot wait is written here, the task, its key and a
// row in the inbox; the next writer gives it a fact and a place (inbox.go), so
// that an open transaction of somebody else never holds a place in any line.

// txActor is who the facts of such tasks name.
const txActor = "transaction"

const (
	isOurs        = `select count(*) from temp.sqlite_schema where name = 'tq_connection'`
	insertInbox   = `insert into inbox (id, lane, actor) values (?, ?, ?)`
	selectLane    = `select id from lanes where queue = ? and type = ? and project = ?`
	savePoint     = `savepoint tq_enqueue`
	keepSavePoint = `release tq_enqueue`
	undoSavePoint = `rollback to tq_enqueue; release tq_enqueue`
)

// EnqueueTx writes 1 to tq.MaxBatch tasks, all or none, as part of tx, which
// must have been begun on a handle of DB; any other is refused with code
// invalid and changes nothing. The tasks have the durability of the handle.
// Workers are woken by the commit; should that fail, they find the tasks within
// a second. The status answered is the one they will
// begin with unless what they wait for ends before. A $N in deps counts within
// this call.
func EnqueueTx(ctx context.Context, tx *sql.Tx, tasks ...tq.NewTask) ([]tq.Enqueued, error) {
	normal, err := normalBatch(tasks)
	if err != nil {
		return nil, err
	}
	if err := mustBeOurs(ctx, tx); err != nil {
		return nil, err
	}
	if err := mayEnter(ctx, tx); err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, savePoint); err != nil {
		return nil, txFault(err)
	}
	b := txBatch{ctx: ctx, tx: tx, now: time.Now().UnixMilli()}
	for i := range normal {
		if err := b.enqueue(&normal[i]); err != nil {
			// When ctx has ended the whole transaction is being rolled back.
			_, undone := tx.ExecContext(context.WithoutCancel(ctx), undoSavePoint)
			if errors.Is(undone, sql.ErrTxDone) {
				undone = nil
			}
			return nil, join(inRow(i, txFault(err)), undone)
		}
	}
	if _, err := tx.ExecContext(ctx, keepSavePoint); err != nil {
		return nil, txFault(err)
	}
	return b.out, nil
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
			return nil, inRow(i, err)
		}
		size += len(normal[i].Payload)
	}
	if size > tq.MaxBatchBytes {
		return nil, tq.Errorf(tq.CodeTooLarge, "tasks: are %d bytes, the limit is %d", size, tq.MaxBatchBytes).
			WithHint("enqueue them in several calls; they still commit together")
	}
	return normal, nil
}

func mustBeOurs(ctx context.Context, tx *sql.Tx) error {
	var marks int
	err := tx.QueryRowContext(ctx, isOurs).Scan(&marks)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sql.ErrTxDone):
		return tq.Errorf(tq.CodeInvalid, "the transaction has already ended")
	case err != nil || marks == 0:
		return tq.Errorf(tq.CodeInvalid, "the transaction is not one of a handle that sqlite.DB opened").
			WithHint("open the file with sqlite.DB and begin there: with a second copy of SQLite in the process, committed rows get lost")
	}
	return nil
}

// mayEnter refuses a store that is being moved, or was.
func mayEnter(ctx context.Context, tx *sql.Tx) error {
	var text []byte
	var m tq.Move
	err := tx.QueryRowContext(ctx, selectMeta, metaMove).Scan(&text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return txFault(err)
	}
	if err := readJSON(string(text), &m); err != nil {
		return txFault(err)
	}
	return m.Refusal()
}

// txBatch is one EnqueueTx at work.
type txBatch struct {
	ctx context.Context
	tx  *sql.Tx
	now int64
	out []tq.Enqueued
}

// number answers the one integer of a query; found is false when it has no row.
func (b *txBatch) number(text string, args ...any) (n int64, found bool, err error) {
	err = b.tx.QueryRowContext(b.ctx, text, args...).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return n, err == nil, err
}

func (b *txBatch) insert(text string, args ...any) (int64, error) {
	done, err := b.tx.ExecContext(b.ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// enqueue writes one task, or answers with the one that holds its key.
func (b *txBatch) enqueue(n *tq.NewTask) error {
	deps, unknown := b.resolve(n)
	if unknown != nil && !isRefusal(unknown) {
		return unknown
	}
	text, err := depsText(deps)
	if err != nil {
		return err
	}
	body := keyBody(n.Type, n.MaxAttempts, n.Priority, text, n.Payload)
	if n.IdempotencyKey != "" {
		if existing, err := b.byKey(n, body, unknown != nil); existing || err != nil {
			return err
		}
	}
	if unknown != nil {
		return unknown
	}
	if n.Parent != 0 {
		if _, found, err := b.number(selectStanding, n.Parent); err != nil || !found {
			return orUnknown(err, "parent: no task %d", n.Parent)
		}
	}
	return b.write(n, deps, body)
}

func orUnknown(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return tq.Errorf(tq.CodeUnknownDependency, format, args...)
}

// resolve finds what the deps of n name, each once, in the order of ids.
func (b *txBatch) resolve(n *tq.NewTask) ([]int64, error) {
	var deps []int64
	for _, ref := range n.Deps {
		target := ref.Target()
		id, err := target.ID, error(nil)
		switch {
		case target.Key != "":
			id, _, err = b.number(selectKeyHolder, n.Queue, target.Key)
		case target.Row > len(b.out):
			return nil, tq.Errorf(tq.CodeInvalid, "deps: %s is not an earlier row of the batch", ref)
		case target.Row > 0:
			id = b.out[target.Row-1].ID
		}
		found := false
		if err == nil {
			_, found, err = b.number(selectStanding, id)
		}
		if err != nil || !found {
			return nil, orUnknown(err, "deps: there is no task %s", ref)
		}
		deps = append(deps, id)
	}
	slices.Sort(deps)
	return slices.Compact(deps), nil
}

// byKey answers with the task that holds the key of n, if any.
func (b *txBatch) byKey(n *tq.NewTask, body [16]byte, unknownDeps bool) (existing bool, err error) {
	var id int64
	var first []byte
	err = b.tx.QueryRowContext(b.ctx, selectKey, n.Queue, n.IdempotencyKey).Scan(&id, &first)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	same := string(first) == string(body[:]) && !unknownDeps
	if !same && n.OnMismatch == tq.MismatchError {
		e := tq.Errorf(tq.CodeIdempotencyMismatch, "key %q belongs to task %d, which is another one", n.IdempotencyKey, id)
		e.TaskID = id
		return false, e
	}
	code, _, err := b.number(selectStanding, id)
	b.out = append(b.out, tq.Enqueued{ID: id, Status: statusOf(code), Existed: true, Mismatch: !same})
	return true, err
}

func (b *txBatch) write(n *tq.NewTask, deps []int64, body [16]byte) error {
	status, err := b.birth(n, deps)
	if err != nil {
		return err
	}
	lane, err := b.lane(n)
	if err != nil {
		return err
	}
	id, err := b.insertTask(n, lane, deps)
	if err != nil {
		return err
	}
	if n.IdempotencyKey != "" {
		if _, err := b.insert(insertKey, n.Queue, n.IdempotencyKey, id, body[:]); err != nil {
			return err
		}
	}
	if _, err := b.insert(insertInbox, id, lane, txActor); err != nil {
		return err
	}
	b.out = append(b.out, tq.Enqueued{ID: id, Status: status})
	return nil
}

// birth is the status that the task would begin with now.
func (b *txBatch) birth(n *tq.NewTask, deps []int64) (tq.Status, error) {
	open, cancelled := 0, false
	for _, id := range deps {
		code, _, err := b.number(selectStanding, id)
		if err != nil {
			return "", err
		}
		switch tq.DepEffect(statusOf(code), n.OnDepFailure) {
		case tq.StillOpen, tq.Stuck:
			open++
		case tq.Cancels:
			cancelled = true
		}
	}
	return tq.Birth(n, open, cancelled).State.Status, nil
}

func (b *txBatch) lane(n *tq.NewTask) (int64, error) {
	id, found, err := b.number(selectLane, n.Queue, n.Type, n.Project)
	if found || err != nil {
		return id, err
	}
	return b.insert(insertLane, n.Queue, n.Type, n.Project)
}

func (b *txBatch) insertTask(n *tq.NewTask, lane int64, deps []int64) (int64, error) {
	depList, err := depsText(deps)
	if err != nil {
		return 0, err
	}
	tags, err := jsonOrEmpty(n.Tags, len(n.Tags) > 0)
	if err != nil {
		return 0, err
	}
	backoff, err := jsonOrEmpty(n.Backoff, n.Backoff != nil)
	if err != nil {
		return 0, err
	}
	runAt := max(b.now+n.Delay.Std().Milliseconds(), n.RunAt.Milli())
	parent := sql.NullInt64{Int64: n.Parent, Valid: n.Parent != 0}
	return b.insert(insertTask, nil, lane, -n.Priority, n.MaxAttempts, b.now, runAt, n.Timeout.Std().Milliseconds(),
		parent, textOrNull(n.IdempotencyKey), keyUntilCode(n.KeyUntil), policyCode(n.OnDepFailure),
		textOrNull(depList), textOrNull(tags), textOrNull(backoff), textOrNull(n.Traceparent),
		textOrNull(string(n.Payload)))
}

func textOrNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// txFault says what an error of the caller's driver means; our own refusals stay
// as they are.
func txFault(err error) error {
	var refusal *tq.Error
	var fault *modernc.Error
	switch {
	case errors.As(err, &refusal), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, sql.ErrTxDone):
		return tq.Errorf(tq.CodeInvalid, "the transaction has already ended")
	case errors.As(err, &fault) && poisonous(zs.ResultCode(fault.Code())):
		return tq.Errorf(tq.CodeUnavailable, "enqueue in a transaction: %w", err).
			WithHint("roll back and try the transaction again")
	}
	return tq.Errorf(tq.CodeInternal, "enqueue in a transaction: %w", err)
}
