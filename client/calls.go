package client

import (
	"context"
	"crypto/rand"
	"strconv"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// The calls of tq.Client. A call that may be repeated safely is, when its
// answer was lost; which ones those are is said here.

// call is one operation of the hub.
type call struct {
	route string
	again bool // a repeat changes nothing more (spec S14, S18, S20, S21)
	wait  tq.Duration
}

// read is a call that changes nothing.
func read(route string) call { return call{route: route, again: true} }

// Enqueue implements tq.Client. It sends an enqueue id when a task has no
// idempotency key, so that a repeat makes no second task.
func (r *Remote) Enqueue(ctx context.Context, in tq.EnqueueIn) (tq.EnqueueOut, error) {
	keyed, ours := true, in.EnqueueID == ""
	tasks := make([]tq.NewTask, len(in.Tasks))
	for i, n := range in.Tasks {
		if _, err := n.Normal(); err != nil {
			return tq.EnqueueOut{}, ops.InRow(err, "tasks/"+strconv.Itoa(i))
		}
		if n.Type == tq.TypeShell && len(n.Payload) > 0 {
			n.Payload = tq.ShellPayload(n.Payload) // a bare command line is no JSON
		}
		keyed = keyed && n.IdempotencyKey != ""
		tasks[i] = n
	}
	if ours && !keyed {
		in.EnqueueID = rand.Text()
	}
	in.Tasks = tasks
	out, err := ask[tq.EnqueueOut](ctx, r, call{route: "POST /v1/tasks/batch", again: true}, in)
	if err == nil && ours && len(out.Tasks) == len(tasks) {
		asNew(tasks, out.Tasks)
	}
	return out, err
}

// asNew answers tasks without a key as the first time: that the call was
// repeated is nothing to the caller, who asked once.
func asNew(tasks []tq.NewTask, out []tq.Enqueued) {
	for i, n := range tasks {
		if n.IdempotencyKey == "" {
			out[i].Existed = false
		}
	}
}

// Claim implements tq.Client. It sends a claim id, so that a repeat takes no
// second task.
func (r *Remote) Claim(ctx context.Context, in tq.ClaimIn) (tq.ClaimOut, error) {
	if in.ClaimID == "" {
		in.ClaimID = rand.Text()
	}
	return ask[tq.ClaimOut](ctx, r, call{route: "POST /v1/claims", again: true, wait: in.Wait}, in)
}

// Complete implements tq.Client. A result that is no JSON cannot be sent: its
// row is refused here and holds back no other.
func (r *Remote) Complete(ctx context.Context, in tq.CompleteIn) (tq.SettleOut, error) {
	var fit []tq.CompleteLease
	bad := map[int]*tq.Error{}
	for i, l := range in.Leases {
		if err := tq.CheckJSON("result", l.Result, tq.MaxPayload); err != nil {
			bad[i] = err
			continue
		}
		fit = append(fit, l)
	}
	if len(bad) > 0 && len(fit) == 0 {
		return withRefused(in.Leases, tq.SettleOut{}, bad), nil
	}
	out, err := ask[tq.SettleOut](ctx, r, call{route: "POST /v1/leases/complete", again: true}, many(fit))
	if err != nil || len(bad) == 0 {
		return out, err
	}
	return withRefused(in.Leases, out, bad), nil
}

// withRefused puts the rows that were not sent back into their places.
func withRefused(leases []tq.CompleteLease, sent tq.SettleOut, bad map[int]*tq.Error) tq.SettleOut {
	var out tq.SettleOut
	for i, l := range leases {
		if err := bad[i]; err != nil {
			out.Leases = append(out.Leases, tq.Settlement{TaskID: l.TaskID, Error: err})
			continue
		}
		out.Leases = append(out.Leases, sent.Leases[0])
		sent.Leases = sent.Leases[1:]
	}
	return out
}

// Fail implements tq.Client. Errors are cut here already, so that a long one
// fits into a request.
func (r *Remote) Fail(ctx context.Context, in tq.FailIn) (tq.SettleOut, error) {
	rows := make([]tq.FailLease, len(in.Leases))
	for i, l := range in.Leases {
		l.Error = tq.CleanText(l.Error, tq.MaxError)
		rows[i] = l
	}
	return ask[tq.SettleOut](ctx, r, call{route: "POST /v1/leases/fail", again: true}, many(rows))
}

// Release implements tq.Client.
func (r *Remote) Release(ctx context.Context, in tq.ReleaseIn) (tq.SettleOut, error) {
	return ask[tq.SettleOut](ctx, r, call{route: "POST /v1/leases/release", again: true}, many(in.Leases))
}

// Extend implements tq.Client. Notes are made safe to send.
func (r *Remote) Extend(ctx context.Context, in tq.ExtendIn) (tq.SettleOut, error) {
	leases := make([]tq.ExtendLease, len(in.Leases))
	for i, l := range in.Leases {
		if l.Progress != nil {
			p := *l.Progress
			p.Note = tq.CleanText(p.Note, tq.MaxDetail)
			l.Progress = &p
		}
		leases[i] = l
	}
	in.Leases = leases
	return ask[tq.SettleOut](ctx, r, call{route: "POST /v1/leases/extend", again: true}, in)
}

// rows is a settlement of many; none is sent as none, to be refused.
type rows[L any] struct {
	Leases []L `json:"leases"`
}

func many[L any](leases []L) rows[L] {
	if leases == nil {
		leases = []L{}
	}
	return rows[L]{leases}
}

// Task implements tq.Client.
func (r *Remote) Task(ctx context.Context, in tq.TaskIn) (tq.Task, error) {
	return ask[tq.Task](ctx, r, read("GET /v1/tasks/{id}"), in)
}

// Tasks implements tq.Client.
func (r *Remote) Tasks(ctx context.Context, in tq.TasksIn) (tq.TasksOut, error) {
	return ask[tq.TasksOut](ctx, r, read("GET /v1/tasks"), in)
}

// Facts implements tq.Client.
func (r *Remote) Facts(ctx context.Context, in tq.FactsIn) (tq.FactsOut, error) {
	return ask[tq.FactsOut](ctx, r, call{route: "GET /v1/facts", again: true, wait: in.Wait}, in)
}

// Explain implements tq.Client.
func (r *Remote) Explain(ctx context.Context, in tq.ExplainIn) (tq.ExplainOut, error) {
	return ask[tq.ExplainOut](ctx, r, read("GET /v1/tasks/{id}/explain"), in)
}

// Wait implements tq.Client.
func (r *Remote) Wait(ctx context.Context, in tq.WaitIn) (tq.TasksOut, error) {
	return ask[tq.TasksOut](ctx, r, call{route: "POST /v1/tasks/wait", again: true, wait: in.Wait}, in)
}

// Cancel implements tq.Client.
func (r *Remote) Cancel(ctx context.Context, in tq.CancelIn) (tq.ChangeOut, error) {
	return ask[tq.ChangeOut](ctx, r, call{route: "POST /v1/tasks/cancel", again: true}, in)
}

// Rescue implements tq.Client.
func (r *Remote) Rescue(ctx context.Context, in tq.RescueIn) (tq.ChangeOut, error) {
	return ask[tq.ChangeOut](ctx, r, call{route: "POST /v1/tasks/rescue", again: true}, in)
}

// Requeue implements tq.Client.
func (r *Remote) Requeue(ctx context.Context, in tq.RequeueIn) (tq.ChangeOut, error) {
	return ask[tq.ChangeOut](ctx, r, call{route: "POST /v1/tasks/requeue", again: true}, in)
}

// Delete implements tq.Client. A repeat would find nothing, so it is not made.
func (r *Remote) Delete(ctx context.Context, in tq.DeleteIn) (tq.ChangeOut, error) {
	return ask[tq.ChangeOut](ctx, r, call{route: "POST /v1/tasks/delete"}, in)
}

// Bulk implements tq.Client. It names the operation, so that a repeat begins no
// second one.
func (r *Remote) Bulk(ctx context.Context, in tq.BulkIn) (tq.BulkOut, error) {
	if in.ID == "" && !in.DryRun {
		in.ID = rand.Text()
	}
	return ask[tq.BulkOut](ctx, r, call{route: "POST /v1/bulk", again: true, wait: countTime}, in)
}

// countTime is how long a hub may take to count what a filter selects.
const countTime = tq.Duration(5 * time.Minute)

// BulkState implements tq.Client.
func (r *Remote) BulkState(ctx context.Context, in tq.BulkStateIn) (tq.BulkOut, error) {
	if in.ID == "" {
		return tq.BulkOut{}, tq.Errorf(tq.CodeInvalid, "id: is required")
	}
	return ask[tq.BulkOut](ctx, r, call{route: "GET /v1/bulk/{id}", again: true, wait: in.Wait}, in)
}

// EndBulk implements tq.Client.
func (r *Remote) EndBulk(ctx context.Context, in tq.EndBulkIn) (tq.BulkOut, error) {
	if in.ID == "" {
		return tq.BulkOut{}, tq.Errorf(tq.CodeInvalid, "id: is required")
	}
	return ask[tq.BulkOut](ctx, r, call{route: "DELETE /v1/bulk/{id}", again: true}, in)
}

// Stats implements tq.Client.
func (r *Remote) Stats(ctx context.Context, in tq.StatsIn) (tq.StatsOut, error) {
	return ask[tq.StatsOut](ctx, r, read("GET /v1/stats"), in)
}

// Series implements tq.Client.
func (r *Remote) Series(ctx context.Context, in tq.SeriesIn) (tq.SeriesOut, error) {
	return ask[tq.SeriesOut](ctx, r, read("GET /v1/series"), in)
}

// setPaused is the body of a pause or resume.
type setPaused struct {
	Queue  string `json:"queue"`
	Paused bool   `json:"paused"`
}

// Pause implements tq.Client.
func (r *Remote) Pause(ctx context.Context, in tq.QueueIn) (tq.QueueOut, error) {
	return r.setPaused(ctx, in.Queue, true)
}

// Resume implements tq.Client.
func (r *Remote) Resume(ctx context.Context, in tq.QueueIn) (tq.QueueOut, error) {
	return r.setPaused(ctx, in.Queue, false)
}

func (r *Remote) setPaused(ctx context.Context, queue string, paused bool) (tq.QueueOut, error) {
	if err := tq.CheckQueue("queue", queue); err != nil {
		return tq.QueueOut{}, err
	}
	return ask[tq.QueueOut](ctx, r, call{route: "PATCH /v1/queues/{queue}", again: true}, setPaused{queue, paused})
}

// Purge implements tq.Client.
func (r *Remote) Purge(ctx context.Context, in tq.QueueIn) (tq.PurgeOut, error) {
	if err := tq.CheckQueue("queue", in.Queue); err != nil {
		return tq.PurgeOut{Queue: in.Queue}, err
	}
	return ask[tq.PurgeOut](ctx, r, call{route: "DELETE /v1/queues/{queue}/tasks"}, in)
}

// Workers implements tq.Client.
func (r *Remote) Workers(ctx context.Context, in tq.WorkersIn) (tq.WorkersOut, error) {
	return ask[tq.WorkersOut](ctx, r, read("GET /v1/workers"), in)
}

// Errors implements tq.Client.
func (r *Remote) Errors(ctx context.Context, in tq.ErrorsIn) (tq.ErrorsOut, error) {
	return ask[tq.ErrorsOut](ctx, r, read("GET /v1/errors"), in)
}

// RemoveWorker implements tq.Client.
func (r *Remote) RemoveWorker(ctx context.Context, in tq.RemoveWorkerIn) (tq.RemoveWorkerOut, error) {
	if in.ID == "" {
		return tq.RemoveWorkerOut{}, tq.Errorf(tq.CodeInvalid, "id: is required")
	}
	return ask[tq.RemoveWorkerOut](ctx, r, call{route: "DELETE /v1/workers/{id}"}, in)
}

// checkTime is how long a hub may take to walk its store.
const checkTime = tq.Duration(time.Hour)

// Check implements tq.Client.
func (r *Remote) Check(ctx context.Context, in tq.CheckIn) (tq.CheckOut, error) {
	return ask[tq.CheckOut](ctx, r, call{route: "GET /v1/check", again: true, wait: checkTime}, in)
}

// CreateToken implements tq.Client. Of one whose answer was lost nobody has the
// secret, so it is not repeated.
func (r *Remote) CreateToken(ctx context.Context, in tq.CreateTokenIn) (tq.CreateTokenOut, error) {
	return ask[tq.CreateTokenOut](ctx, r, call{route: "POST /v1/tokens"}, in)
}

// Tokens implements tq.Client.
func (r *Remote) Tokens(ctx context.Context, in tq.TokensIn) (tq.TokensOut, error) {
	return ask[tq.TokensOut](ctx, r, read("GET /v1/tokens"), in)
}

// RevokeToken implements tq.Client.
func (r *Remote) RevokeToken(ctx context.Context, in tq.RevokeTokenIn) (tq.RevokeTokenOut, error) {
	return ask[tq.RevokeTokenOut](ctx, r, call{route: "DELETE /v1/tokens/{id}"}, in)
}

// RotateToken implements tq.Client.
func (r *Remote) RotateToken(ctx context.Context, in tq.RotateTokenIn) (tq.CreateTokenOut, error) {
	return ask[tq.CreateTokenOut](ctx, r, call{route: "POST /v1/tokens/{id}/rotate"}, in)
}
