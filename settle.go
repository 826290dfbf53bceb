package tq

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Complete implements Client: each row ends its attempt with a result.
func (b *Broker) Complete(ctx context.Context, in CompleteIn) (SettleOut, error) {
	if err := b.may(CanClaim); err != nil {
		return SettleOut{}, err
	}
	return b.settle(ctx, len(in.Leases), func(i int) (Change, error) {
		l := in.Leases[i]
		c, err := b.holder(l.TaskID, l.LeaseToken, EventComplete)
		if err != nil {
			return c, err
		}
		if err := CheckJSON("result", l.Result, MaxPayload); err != nil {
			return c, err
		}
		c.Body = bareJSON(l.Result)
		return c, nil
	})
}

// Fail implements Client: each row ends its attempt with an error, and the task
// is retried or dead.
func (b *Broker) Fail(ctx context.Context, in FailIn) (SettleOut, error) {
	if err := b.may(CanClaim); err != nil {
		return SettleOut{}, err
	}
	return b.settle(ctx, len(in.Leases), func(i int) (Change, error) {
		l := in.Leases[i]
		c, err := b.holder(l.TaskID, l.LeaseToken, EventFail)
		if err != nil {
			return c, err
		}
		if l.RetryDelay != nil {
			if err := checkDuration("retry_delay_seconds", *l.RetryDelay, 0, MaxDelay); err != nil {
				return c, err
			}
			c.Arg.Delay = (*time.Duration)(l.RetryDelay)
		}
		c.Arg.GiveUp = l.Requeue != nil && !*l.Requeue
		c.Arg.Jitter = Jitter(c.TaskID, c.Arg.Epoch)
		c.Body = []byte(CleanText(l.Error, MaxError))
		return c, nil
	})
}

// Release implements Client: each row gives its task back unburnt.
func (b *Broker) Release(ctx context.Context, in ReleaseIn) (SettleOut, error) {
	if err := b.may(CanClaim); err != nil {
		return SettleOut{}, err
	}
	return b.settle(ctx, len(in.Leases), func(i int) (Change, error) {
		l := in.Leases[i]
		c, err := b.holder(l.TaskID, l.LeaseToken, EventRelease)
		if err != nil {
			return c, err
		}
		if err := checkDuration("delay_seconds", l.Delay, 0, MaxDelay); err != nil {
			return c, err
		}
		if err := checkLabel("reason", l.Reason, MaxKey); err != nil {
			return c, err
		}
		if err := checkScope(l.Scope, l.Delay); err != nil {
			return c, err
		}
		c.Arg.Unburnt, c.Arg.Reason = l.Unburnt, parkedReason(l.Scope, l.Reason)
		if l.Delay > 0 {
			c.Arg.Delay = (*time.Duration)(&l.Delay)
		}
		return c, nil
	})
}

// holder begins a Change that the holder of token asks for.
func (b *Broker) holder(id int64, token string, ev Event) (Change, error) {
	task, epoch, err := b.open(id, token)
	return Change{TaskID: task, Event: ev, Arg: Arg{Epoch: epoch}, Actor: b.actor, Only: b.sight()}, err
}

// open reads a token; an id beside it must agree.
func (b *Broker) open(id int64, token string) (task, epoch int64, err error) {
	task, epoch, err = OpenToken(b.info.Secret, token)
	switch {
	case err != nil:
		return id, 0, err
	case id != 0 && id != task:
		return id, 0, Errorf(CodeLeaseLost, "lease no longer held").
			WithHint("the token belongs to task %d, not %d", task, id)
	}
	return task, epoch, nil
}

// settle runs n rows through the store. A row that is refused, here or there,
// carries its own error and holds back no other.
func (b *Broker) settle(ctx context.Context, n int, row func(int) (Change, error)) (SettleOut, error) {
	if err := checkCount("leases", n); err != nil {
		return SettleOut{}, err
	}
	out := SettleOut{Leases: make([]Settlement, n)}
	var changes []Change
	var at []int
	for i := range n {
		c, err := row(i)
		out.Leases[i].TaskID = c.TaskID
		if err != nil {
			out.Leases[i].Error = asError(err)
			continue
		}
		c.Arg.Hash = SettleHash(c.Event, c.Body, c.Arg)
		changes = append(changes, c)
		at = append(at, i)
	}
	if len(changes) == 0 {
		return out, nil
	}
	changed, err := b.store.Change(ctx, changes)
	if err != nil {
		return SettleOut{}, err
	}
	for i, c := range changed {
		out.Leases[at[i]] = settlement(changes[i].TaskID, c)
	}
	return out, nil
}

func settlement(id int64, c Changed) Settlement {
	if c.Err != nil {
		e := asError(c.Err)
		e.TaskID = id
		return Settlement{TaskID: id, Error: e}
	}
	return Settlement{
		TaskID: id, Status: c.State.Status, RunAt: c.RunAt, LeaseLeft: Duration(c.Left),
		Replayed: c.Replayed, Late: c.Late, CancelRequested: c.State.CancelRequested,
	}
}

// Extend implements Client: renews leases and notes progress.
func (b *Broker) Extend(ctx context.Context, in ExtendIn) (SettleOut, error) {
	if err := b.may(CanClaim); err != nil {
		return SettleOut{}, err
	}
	if len(in.Leases) > MaxBatch {
		return SettleOut{}, checkCount("leases", len(in.Leases))
	}
	if err := in.Worker.check(); err != nil {
		return SettleOut{}, err
	}
	in.Worker = b.within(in.Worker)
	out := SettleOut{Leases: make([]Settlement, len(in.Leases))}
	groups, at := b.extensions(in, out.Leases)
	for i, x := range groups {
		changed, err := b.store.Extend(ctx, x)
		if err != nil {
			return SettleOut{}, err
		}
		for j, c := range changed {
			out.Leases[at[i][j]] = settlement(x.Leases[j].TaskID, c)
		}
	}
	return out, nil
}

// extensions groups the rows by the length asked for; refused rows go straight
// to answers. at says which row each lease of a group came from.
func (b *Broker) extensions(in ExtendIn, answers []Settlement) (groups []Extension, at [][]int) {
	byLease := map[time.Duration]int{}
	for i, l := range in.Leases {
		ref, lease, err := b.extension(l)
		if err != nil {
			answers[i] = Settlement{TaskID: ref.TaskID, Error: asError(err)}
			continue
		}
		g, ok := byLease[lease]
		if !ok {
			g = len(groups)
			byLease[lease] = g
			groups = append(groups, Extension{Lease: lease, Worker: in.Worker, Actor: b.actor, Only: b.sight()})
			at = append(at, nil)
		}
		groups[g].Leases = append(groups[g].Leases, ref)
		at[g] = append(at[g], i)
	}
	if len(in.Leases) == 0 && in.Worker.ID != "" {
		groups, at = append(groups, Extension{Worker: in.Worker, Actor: b.actor}), append(at, nil)
	}
	return groups, at
}

func (b *Broker) extension(l ExtendLease) (LeaseRef, time.Duration, error) {
	task, epoch, err := b.open(l.TaskID, l.LeaseToken)
	ref := LeaseRef{TaskID: task, Epoch: epoch}
	if err != nil {
		return ref, 0, err
	}
	if l.Lease == 0 {
		l.Lease = Duration(DefaultLease)
	}
	if err := checkDuration("lease_seconds", l.Lease, MinLease, MaxLease); err != nil {
		return ref, 0, err
	}
	if p := l.Progress; p != nil {
		if !(p.Fraction >= 0 && p.Fraction <= 1) {
			return ref, 0, invalidField("progress.fraction", "out_of_range", "is %v, want 0 to 1", p.Fraction)
		}
		ref.Progress = &Progress{Fraction: p.Fraction, Note: CleanText(p.Note, MaxDetail/4)}
	}
	return ref, l.Lease.Std(), nil
}

// checkCount holds the rows of one call to MaxBatch.
func checkCount(field string, n int) error {
	switch {
	case n == 0:
		return invalidField(field, "required", "is empty")
	case n > MaxBatch:
		e := invalidField(field, "too_many", "has %d rows, the limit is %d", n, MaxBatch)
		e.Code = CodeTooLarge
		return e.WithHint("send them in several calls")
	}
	return nil
}

// inRow says in which task of a batch err was found.
func inRow(err error, i int) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return e.at("tasks/" + strconv.Itoa(i))
}
