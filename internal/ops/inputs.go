package ops

import (
	"context"
	"reflect"
	"strings"

	"example.com/tq"
)

// Inputs and answers that differ from those of tq.Client: one row instead of
// many, so that a refusal of the row is a refusal of the call.

// CancelIn cancels one task.
type CancelIn struct {
	ID      int64  `json:"id"`
	Force   bool   `json:"force,omitempty"`
	Reason  string `json:"reason,omitempty"`
	IfEpoch *int64 `json:"if_epoch,omitempty"`
}

// OneIn names one task, and the life of it that is meant.
type OneIn struct {
	ID      int64  `json:"id"`
	IfEpoch *int64 `json:"if_epoch,omitempty"`
}

func enqueueOne(ctx context.Context, c tq.Client, in tq.NewTask) (tq.Enqueued, error) {
	out, err := c.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{in}})
	if err != nil {
		return tq.Enqueued{}, ofTheOnly(err, "tasks/0")
	}
	return only("enqueue", out.Tasks)
}

func only[T any](what string, rows []T) (T, error) {
	if len(rows) != 1 {
		var none T
		return none, tq.Errorf(tq.CodeInternal, "%s answered %d rows to one", what, len(rows))
	}
	return rows[0], nil
}

func cancelOne(ctx context.Context, c tq.Client, in CancelIn) (tq.ChangedTask, error) {
	out, err := c.Cancel(ctx, tq.CancelIn{IDs: []int64{in.ID}, Force: in.Force, Reason: in.Reason, IfEpoch: in.IfEpoch})
	return changedOne("cancel", out, err)
}

func requeueOne(ctx context.Context, c tq.Client, in OneIn) (tq.ChangedTask, error) {
	out, err := c.Requeue(ctx, tq.RequeueIn{IDs: []int64{in.ID}, IfEpoch: in.IfEpoch})
	return changedOne("requeue", out, err)
}

func rescueOne(ctx context.Context, c tq.Client, in OneIn) (tq.ChangedTask, error) {
	out, err := c.Rescue(ctx, tq.RescueIn{IDs: []int64{in.ID}, IfEpoch: in.IfEpoch})
	return changedOne("rescue", out, err)
}

func deleteOne(ctx context.Context, c tq.Client, in OneIn) (tq.ChangedTask, error) {
	out, err := c.Delete(ctx, tq.DeleteIn{IDs: []int64{in.ID}, IfEpoch: in.IfEpoch})
	return changedOne("delete", out, err)
}

func changedOne(what string, out tq.ChangeOut, err error) (tq.ChangedTask, error) {
	if err != nil {
		return tq.ChangedTask{}, err
	}
	row, err := only(what, out.Tasks)
	if err == nil && row.Error != nil {
		return tq.ChangedTask{}, row.Error
	}
	return row, err
}

// Begun is an operation on many tasks that was begun just now, or counted.
type Begun struct{ tq.BulkOut }

func beginBulk(ctx context.Context, c tq.Client, in tq.BulkIn) (Begun, error) {
	out, err := c.Bulk(ctx, in)
	return Begun{out}, err
}

// QueuesIn asks for all queues.
type QueuesIn struct{}

// QueuesOut lists them by name.
type QueuesOut struct {
	Queues []tq.Stats `json:"queues"`
}

func queues(ctx context.Context, c tq.Client, _ QueuesIn) (QueuesOut, error) {
	out, err := c.Stats(ctx, tq.StatsIn{})
	return QueuesOut{Queues: out.Queues}, err
}

func queueStats(ctx context.Context, c tq.Client, in tq.QueueIn) (tq.Stats, error) {
	if err := tq.CheckQueue("queue", in.Queue); err != nil {
		return tq.Stats{}, err
	}
	out, err := c.Stats(ctx, tq.StatsIn{Queue: in.Queue})
	if err != nil {
		return tq.Stats{}, err
	}
	if len(out.Queues) == 0 {
		return tq.Stats{}, tq.Errorf(tq.CodeNotFound, "no queue %s", in.Queue).
			WithHint("a queue begins with its first task; see what there is: tq queue list")
	}
	return out.Queues[0], nil
}

// SetQueueIn pauses a queue or resumes it.
type SetQueueIn struct {
	Queue  string `json:"queue"`
	Paused *bool  `json:"paused"`
}

func setQueue(ctx context.Context, c tq.Client, in SetQueueIn) (tq.QueueOut, error) {
	switch {
	case in.Paused == nil:
		return tq.QueueOut{}, refusal("paused", "required", "is required: true or false")
	case *in.Paused:
		return c.Pause(ctx, tq.QueueIn{Queue: in.Queue})
	}
	return c.Resume(ctx, tq.QueueIn{Queue: in.Queue})
}

// noNulls makes lists that an answer always has empty instead of null.
func noNulls(out any) {
	v := reflect.ValueOf(out).Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("json")
		if f := v.Field(i); f.Kind() == reflect.Slice && f.IsNil() && !strings.Contains(tag, ",omit") {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}
