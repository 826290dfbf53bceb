package tq

import "context"

// Cancel implements Client.
func (b *Broker) Cancel(ctx context.Context, in CancelIn) (ChangeOut, error) {
	if err := checkLabel("reason", in.Reason, MaxKey); err != nil {
		return ChangeOut{}, err
	}
	if err := b.may(CanEnqueue, CanAdmin); err != nil {
		return ChangeOut{}, err
	}
	return b.change(ctx, in.IDs, EventCancel, Arg{Force: in.Force, Reason: in.Reason, IfEpoch: in.IfEpoch})
}

// Rescue implements Client.
func (b *Broker) Rescue(ctx context.Context, in RescueIn) (ChangeOut, error) {
	if err := b.may(CanAdmin); err != nil {
		return ChangeOut{}, err
	}
	return b.change(ctx, in.IDs, EventRescue, Arg{IfEpoch: in.IfEpoch})
}

// Requeue implements Client.
func (b *Broker) Requeue(ctx context.Context, in RequeueIn) (ChangeOut, error) {
	if err := b.mayRequeue(ctx, in.IDs); err != nil {
		return ChangeOut{}, err
	}
	return b.change(ctx, in.IDs, EventRequeue, Arg{IfEpoch: in.IfEpoch})
}

// Delete implements Client.
func (b *Broker) Delete(ctx context.Context, in DeleteIn) (ChangeOut, error) {
	if err := b.may(CanAdmin); err != nil {
		return ChangeOut{}, err
	}
	return b.change(ctx, in.IDs, EventDelete, Arg{IfEpoch: in.IfEpoch})
}

// change applies one event to many tasks, row by row.
func (b *Broker) change(ctx context.Context, ids []int64, ev Event, arg Arg) (ChangeOut, error) {
	if err := checkCount("ids", len(ids)); err != nil {
		return ChangeOut{}, err
	}
	changes := make([]Change, len(ids))
	for i, id := range ids {
		changes[i] = Change{TaskID: id, Event: ev, Arg: arg, Actor: b.actor, Only: b.sight()}
	}
	changed, err := b.store.Change(ctx, changes)
	if err != nil {
		return ChangeOut{}, err
	}
	out := ChangeOut{Tasks: make([]ChangedTask, len(ids))}
	for i, c := range changed {
		out.Tasks[i] = changedTask(ids[i], c)
	}
	return out, nil
}

func changedTask(id int64, c Changed) ChangedTask {
	if c.Err != nil {
		e := asError(c.Err)
		e.TaskID = id
		return ChangedTask{ID: id, Status: e.Status, Error: e}
	}
	return ChangedTask{
		ID: id, Status: c.State.Status, Changed: len(c.Facts) > 0,
		CancelRequested: c.State.CancelRequested,
	}
}

// Pause implements Client: no claim that begins after the answer takes a task
// of the queue; all else goes on.
func (b *Broker) Pause(ctx context.Context, in QueueIn) (QueueOut, error) {
	return b.setPaused(ctx, in.Queue, true)
}

// Resume implements Client.
func (b *Broker) Resume(ctx context.Context, in QueueIn) (QueueOut, error) {
	return b.setPaused(ctx, in.Queue, false)
}

func (b *Broker) setPaused(ctx context.Context, queue string, paused bool) (QueueOut, error) {
	if err := b.mayManage(queue); err != nil {
		return QueueOut{}, err
	}
	_, err := b.store.SetQueue(ctx, QueueChange{Queue: queue, Pause: &paused, Actor: b.actor})
	return QueueOut{Queue: queue, Paused: paused}, err
}

// Purge implements Client. It works in bites, so that claims of other queues
// are never held up; cut short, it has purged what it counts.
func (b *Broker) Purge(ctx context.Context, in QueueIn) (PurgeOut, error) {
	if err := b.mayManage(in.Queue); err != nil {
		return PurgeOut{}, err
	}
	out := PurgeOut{Queue: in.Queue}
	c := QueueChange{Queue: in.Queue, Purge: true, Actor: b.actor, Only: b.sight()}
	for {
		bite, err := b.store.SetQueue(ctx, c)
		if err != nil {
			return out, err
		}
		out.Deleted += bite.Deleted
		out.Kept += bite.Kept
		out.Running += bite.Running
		if bite.Next == 0 {
			return out, nil
		}
		c.After = bite.Next
	}
}

// mayManage refuses what is no queue, or not one that the caller may manage.
func (b *Broker) mayManage(queue string) error {
	if err := b.may(CanAdmin); err != nil {
		return err
	}
	if err := CheckQueue("queue", queue); err != nil {
		return err
	}
	return b.mayTouch(queue, "")
}

// RemoveWorker implements Client.
func (b *Broker) RemoveWorker(ctx context.Context, in RemoveWorkerIn) (RemoveWorkerOut, error) {
	if err := b.may(CanAdmin); err != nil {
		return RemoveWorkerOut{}, err
	}
	if err := checkName("id", in.ID, MaxKey); err != nil {
		return RemoveWorkerOut{}, err
	}
	if err := b.mayRemove(ctx, in.ID); err != nil {
		return RemoveWorkerOut{}, err
	}
	return RemoveWorkerOut{}, b.store.RemoveWorker(ctx, in.ID, b.actor)
}

// Check implements Client. It reads everything, so it is for those who may see
// everything.
func (b *Broker) Check(ctx context.Context, _ CheckIn) (CheckOut, error) {
	if err := b.may(CanAdmin); err != nil {
		return CheckOut{}, err
	}
	if !b.only.SeesAll() {
		return CheckOut{}, Errorf(CodeForbidden, "%s may not see everything here", b.actor).
			WithHint("ask for a token with every queue and type: --queue '*' --type '*,sh,agent'")
	}
	broken, err := b.store.Check(ctx)
	if err != nil {
		return CheckOut{}, err
	}
	return CheckOut{OK: len(broken) == 0, Violations: append([]Violation{}, broken...)}, nil
}
