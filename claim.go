package tq

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// Claim implements Client. With Wait it stands in the waiting room until
// something comes, the time is up, the Broker stops or the caller goes away; a
// caller who has gone has claimed nothing (spec S25).
func (b *Broker) Claim(ctx context.Context, in ClaimIn) (ClaimOut, error) {
	if err := b.may(CanClaim); err != nil {
		return ClaimOut{}, err
	}
	q, err := in.query(b.actor)
	if err != nil {
		return ClaimOut{}, err
	}
	if err := b.confine(&q); err != nil {
		return ClaimOut{}, err
	}
	if in.Wait == 0 {
		claims, err := b.claim(ctx, q)
		return b.claimed(claims), err
	}
	w := b.room.enter(q)
	claims, err := b.claimWaiting(ctx, q, w, time.Now().Add(in.Wait.Std()))
	b.room.leave(w, len(claims.Tasks) > 0)
	return b.claimed(claims), err
}

func (b *Broker) claimWaiting(ctx context.Context, q ClaimQuery, w *waiter, deadline time.Time) (Claims, error) {
	for {
		claims, err := b.claim(ctx, q)
		left := time.Until(deadline)
		if err != nil || len(claims.Tasks) > 0 || left <= 0 || b.room.isClosed() {
			return claims, err
		}
		left = min(left, b.room.backstop())
		if claims.NextDue > 0 {
			left = min(left, claims.NextDue)
		}
		if !sleep(ctx, left, w.wake) {
			return Claims{}, ctx.Err()
		}
	}
}

// claim asks the store once. What was claimed for a caller who has gone
// meanwhile is given back unburnt.
func (b *Broker) claim(ctx context.Context, q ClaimQuery) (Claims, error) {
	b.mu.Lock()
	q.After = b.last
	b.mu.Unlock()
	claims, err := b.store.Claim(ctx, q)
	if err != nil || len(claims.Tasks) == 0 {
		return claims, err
	}
	if ctx.Err() != nil {
		b.giveBack(context.WithoutCancel(ctx), claims)
		return Claims{}, ctx.Err()
	}
	b.mu.Lock()
	b.last = claims.Tasks[len(claims.Tasks)-1].Task.Queue
	b.mu.Unlock()
	return claims, nil
}

// confine holds a claim to the caller's rights. Queues and types that it names
// must be within them.
func (b *Broker) confine(q *ClaimQuery) error {
	for _, queue := range q.Queues {
		if err := b.mayTouch(queue, ""); err != nil {
			return err
		}
	}
	for _, typ := range q.Types {
		if !b.only.seesType(typ) {
			return b.mayNotTouchType(typ)
		}
	}
	q.Only, q.Worker, q.ClaimID = b.sight(), b.within(q.Worker), b.claimID(q.ClaimID)
	return nil
}

func (b *Broker) giveBack(ctx context.Context, claims Claims) {
	changes := make([]Change, len(claims.Tasks))
	for i, c := range claims.Tasks {
		arg := Arg{Epoch: c.Task.Epoch, Unburnt: true}
		arg.Hash = SettleHash(EventRelease, nil, arg)
		changes[i] = Change{TaskID: c.Task.ID, Event: EventRelease, Arg: arg, Actor: b.actor}
	}
	if _, err := b.store.Change(ctx, changes); err != nil {
		b.log.Warn("give back a claim whose caller has gone", "error", err)
	}
}

func (b *Broker) claimed(claims Claims) ClaimOut {
	claims.Paused = slices.DeleteFunc(claims.Paused, func(queue string) bool { return !b.only.SeesQueue(queue) })
	out := ClaimOut{Tasks: make([]ClaimedTask, len(claims.Tasks)), Paused: claims.Paused}
	for i, c := range claims.Tasks {
		out.Tasks[i] = ClaimedTask{
			Task:       shown(c.Task),
			LeaseToken: SignToken(b.info.Secret, c.Task.ID, c.Task.Epoch),
			LeaseLeft:  Duration(c.Lease),
			Fence:      c.Task.Epoch,
		}
	}
	if len(claims.Tasks) == 0 {
		out.RetryAfter = Duration(claims.NextDue)
	}
	return out
}

// query holds a claim to its limits and fills in the defaults.
func (in ClaimIn) query(actor string) (ClaimQuery, error) {
	if in.Max == 0 {
		in.Max = 1
	}
	if in.Lease == 0 {
		in.Lease = Duration(DefaultLease)
	}
	for _, err := range []*Error{
		checkRange("max", in.Max, 1, MaxClaim),
		checkDuration("lease_seconds", in.Lease, MinLease, MaxLease),
		checkDuration("wait_seconds", in.Wait, 0, MaxWait),
		checkLabel("project", in.Project, MaxProject),
		checkLabel("claim_id", in.ClaimID, MaxKey),
		in.checkNames(),
		in.Worker.check(),
	} {
		if err != nil {
			return ClaimQuery{}, err
		}
	}
	q := ClaimQuery{
		Queues: in.Queues, Types: in.Types, Project: in.Project,
		Max: in.Max, Lease: in.Lease.Std(),
		Worker: in.Worker, ClaimID: in.ClaimID, Owner: actor,
	}
	if len(q.Types) == 0 {
		q.NotTypes = ExecutableTypes()
	}
	return q, nil
}

func (in *ClaimIn) checkNames() *Error {
	for i, name := range in.Queues {
		if err := CheckQueue("queues."+strconv.Itoa(i), name); err != nil {
			return err
		}
	}
	for i, name := range in.Types {
		if err := checkName("types."+strconv.Itoa(i), name, MaxTypeName); err != nil {
			return err
		}
	}
	return nil
}

func (w *WorkerInfo) check() *Error {
	const limit = 200
	for _, f := range []struct{ field, value string }{
		{"worker.id", w.ID}, {"worker.name", w.Name}, {"worker.host", w.Host}, {"worker.version", w.Version},
	} {
		if err := checkLabel(f.field, f.value, limit); err != nil {
			return err
		}
	}
	if len(w.Types) > MaxBatch || len(w.Queues) > MaxBatch {
		return invalidField("worker", "too_many", "names more than %d types or queues", MaxBatch)
	}
	return nil
}
