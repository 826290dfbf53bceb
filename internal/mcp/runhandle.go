package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
)

// tq_run with a handle: the id of the task and 130 random bits, whose hash with
// the owner's name is the task's idempotency key. So a handle is durable with
// the task, of no use to anybody else, and cannot be made from an id.

type queueRuns struct{ *Server }

// pollEvery is how often a client should look.
const pollEvery = time.Second

// Serves implements Followed.
func (r *queueRuns) Serves(name string) (serves, always bool) { return name == r.Prefix+"_run", false }

// Begin implements Followed.
func (r *queueRuns) Begin(ctx context.Context, c Caller, req *sdk.CallToolRequest) (*Handle, error) {
	in, err := objectOf(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	if _, there := in.get("idempotency_key"); there {
		return nil, invalid("idempotency_key", "is not an argument here: the handle stands for the task")
	}
	in.cut("wait_seconds")
	in.lack("type", quoted(usualType))
	secret := rand.Text()
	in.lack("idempotency_key", quoted(runKey(c, secret)))
	id, err := r.enqueue(ctx, in)
	if err != nil {
		return nil, err
	}
	return r.Look(ctx, c, strconv.FormatInt(id, 10)+"-"+secret)
}

func runKey(c Caller, secret string) string {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + secret))
	return "mcp-run:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// Look implements Followed.
func (r *queueRuns) Look(ctx context.Context, c Caller, handle string) (*Handle, error) {
	t, err := r.task(ctx, c, handle)
	if err != nil {
		return nil, err
	}
	return r.handleOf(handle, t), nil
}

// task finds the task of a handle, if it is this caller's.
func (r *queueRuns) task(ctx context.Context, c Caller, handle string) (*tq.Task, error) {
	text, secret, _ := strings.Cut(handle, "-")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return nil, unknownHandle()
	}
	t, err := asked[tq.Task](ctx, r.Server, "task", object{{"id", integer(id)}}.encode())
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(t.IdempotencyKey), []byte(runKey(c, secret))) != 1 {
		return nil, unknownHandle()
	}
	return &t, nil
}

func unknownHandle() error { return tq.Errorf(tq.CodeNotFound, "no task under that handle") }

func (r *queueRuns) handleOf(handle string, t *tq.Task) *Handle {
	now := time.Now()
	line := r.rowOf(t, false, now)
	h := &Handle{
		TaskID: handle, Status: "working", StatusMessage: line.line(), PollMs: pollEvery.Milliseconds(),
		CreatedAt: t.CreatedAt, LastUpdatedAt: updated(t),
	}
	switch t.Status {
	case tq.Completed, tq.Dead: // failed is for errors of the protocol
		h.Status = "completed"
		h.Result = r.toolResult(t)
	case tq.Cancelled:
		h.Status = "cancelled"
	}
	return h
}

func updated(t *tq.Task) tq.Time {
	last := t.CreatedAt
	if t.StartedAt.After(last.Time) {
		last = t.StartedAt
	}
	if t.Progress != nil && t.Progress.At.After(last.Time) {
		last = t.Progress.At
	}
	if t.EndedAt.After(last.Time) {
		last = t.EndedAt
	}
	return last
}

// toolResult is what the tool would have answered.
func (r *queueRuns) toolResult(t *tq.Task) any {
	ran := r.ranOf(t)
	a, err := encoded(&ran)
	if err != nil {
		return nil // of plain fields and valid JSON
	}
	return map[string]any{
		"resultType":        "complete",
		"content":           []any{map[string]any{"type": "text", "text": string(a.json)}},
		"structuredContent": a.json,
		"isError":           t.Status == tq.Dead,
	}
}

// Answer implements Followed: tasks of the queue ask nothing back.
func (r *queueRuns) Answer(ctx context.Context, c Caller, handle string, _ map[string]json.RawMessage) error {
	_, err := r.task(ctx, c, handle)
	return err
}

// Cancel implements Followed. A running task is asked to stop; one that has
// ended stays as it is.
func (r *queueRuns) Cancel(ctx context.Context, c Caller, handle string) error {
	t, err := r.task(ctx, c, handle)
	if err != nil || t.Status.Terminal() {
		return err
	}
	in := object{{"id", integer(t.ID)}, {"reason", quoted("cancelled by its client")}}
	_, err = r.Server.ask(ctx, "cancel", in.encode())
	if tq.CodeOf(err) == tq.CodeInvalidState {
		return nil // it ended meanwhile
	}
	return err
}
