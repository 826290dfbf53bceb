package mcp

import (
	"context"
	"encoding/json"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Putting in, settling, setting right: answers in few words.

// settled is what became of a task that was settled.
type settled struct {
	TaskID   int64   `json:"task_id"`
	Status   string  `json:"status"`
	RetryAt  tq.Time `json:"retry_at,omitzero"`
	Replayed bool    `json:"replayed,omitempty"`
	Late     bool    `json:"late,omitempty"`
}

// settle is complete, fail or release of one lease.
func settle(op string) func(context.Context, *question) (any, error) {
	return func(ctx context.Context, q *question) (any, error) {
		if err := q.onlyOne(); err != nil {
			return nil, err
		}
		out, err := asked[ops.SettleOut](ctx, q.Server, op, q.in.encode())
		if err != nil {
			return nil, err
		}
		s := settled{TaskID: out.TaskID, Status: q.word(string(out.Status)), Replayed: out.Replayed, Late: out.Late}
		if op == "fail" && out.Status == tq.Pending {
			s.RetryAt = out.RunAt
		}
		return s, nil
	}
}

// onlyOne refuses what would claim or settle behind the back of the call.
func (q *question) onlyOne() error {
	for _, not := range []string{"leases", "claim"} {
		if _, there := q.in.get(not); there {
			return invalid(not, "is not an argument here: a call settles one task")
		}
	}
	return nil
}

// extended is a lease that goes on.
type extended struct {
	TaskID          int64       `json:"task_id"`
	ExpiresAt       tq.Time     `json:"lease_expires_at"`
	Left            tq.Duration `json:"lease_seconds"`
	CancelRequested bool        `json:"cancel_requested,omitempty"`
	Next            string      `json:"next,omitempty"`
}

func extend(ctx context.Context, q *question) (any, error) {
	if err := q.onlyOne(); err != nil {
		return nil, err
	}
	if _, err := q.in.text("note"); err != nil {
		return nil, err
	}
	if note, there := q.in.cut("note"); there {
		q.in.lack("progress", object{{"note", note}}.encode())
	}
	out, err := asked[ops.SettleOut](ctx, q.Server, "extend", q.in.encode())
	if err != nil {
		return nil, err
	}
	x := extended{
		TaskID: out.TaskID, Left: out.LeaseLeft, ExpiresAt: tq.At(time.Now().Add(out.LeaseLeft.Std())),
		CancelRequested: out.CancelRequested,
	}
	if x.CancelRequested {
		x.Next = "Somebody asked to cancel this task: stop working on it and call " + q.Prefix + "_release."
	}
	return x, nil
}

// batched answers a batch: ids in its order, and which of them were there.
type batched struct {
	IDs      []int64 `json:"ids"`
	Existed  []int64 `json:"existed,omitempty"`
	Mismatch []int64 `json:"mismatch,omitempty"`
}

func enqueueBatch(ctx context.Context, q *question) (any, error) {
	queue, hasQueue := q.in.cut("queue")
	typ, hasType := q.in.cut("type")
	if !hasType {
		typ = quoted(usualType)
	}
	var rows []json.RawMessage
	if raw, _ := q.in.get("tasks"); json.Unmarshal(raw, &rows) == nil {
		for i, raw := range rows {
			row, err := objectOf(raw)
			if err != nil {
				continue // told by the operation
			}
			row.lack("type", typ)
			if hasQueue {
				row.lack("queue", queue)
			}
			rows[i] = row.encode()
		}
		q.in.replace("tasks", func(json.RawMessage) json.RawMessage { return list(rows) })
	}
	out, err := asked[tq.EnqueueOut](ctx, q.Server, "enqueue_batch", q.in.encode())
	if err != nil {
		return nil, err
	}
	b := batched{IDs: make([]int64, len(out.Tasks))}
	for i, t := range out.Tasks {
		b.IDs[i] = t.ID
		if t.Existed {
			b.Existed = append(b.Existed, t.ID)
		}
		if t.Mismatch {
			b.Mismatch = append(b.Mismatch, t.ID)
		}
	}
	return b, nil
}

func list(rows []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, row...)
	}
	return append(b, ']')
}

// change is an operation that sets a task right.
func change(op string) func(context.Context, *question) (any, error) {
	return func(ctx context.Context, q *question) (any, error) {
		return q.Server.ask(ctx, op, q.in.encode())
	}
}
