package tq

import (
	"context"
	"slices"
	"strconv"
)

// What a caller with limited rights is let to do. What tasks it can see is
// decided in the store's queries (Only); here are the scopes, and the names in
// what it sends.

// For returns the same Broker for a caller that may do no more than those
// rights. What is outside them is not found, and not counted; what it is asked
// by name to do there is forbidden.
func (b *Broker) For(rights Rights, actor string) *Broker {
	return &Broker{desk: b.desk, actor: actor, only: &rights}
}

// sight is what the store is to hold this caller to: nil, which costs it
// nothing, when that is everything there is.
func (b *Broker) sight() *Rights {
	if b.only.SeesAll() {
		return nil
	}
	return b.only
}

// may refuses what needs a scope that the caller does not have: any of them
// will do.
func (b *Broker) may(scopes ...Scope) error {
	if b.only == nil || slices.ContainsFunc(scopes, b.only.Allows) {
		return nil
	}
	return Errorf(CodeForbidden, "%s may not %s here", b.actor, scopes[0]).
		WithHint("ask for a token that may: tq token create --can %s", scopes[0])
}

// mayTouch refuses a queue, or a type in it, that was named and is out of reach.
func (b *Broker) mayTouch(queue, typ string) error {
	switch {
	case !b.only.SeesQueue(queue):
		return Errorf(CodeForbidden, "%s may not touch queue %s", b.actor, queue).
			WithHint("ask for a token for it: tq token create --queue %s", queue)
	case typ != "" && !b.only.seesType(typ):
		return b.mayNotTouchType(typ)
	}
	return nil
}

func (b *Broker) mayNotTouchType(typ string) error {
	return Errorf(CodeForbidden, "%s may not touch tasks of type %s", b.actor, typ).
		WithHint("ask for a token that names the type: tq token create --type '*,%s'", typ)
}

// mayRequeue: who may enqueue may run now what waits; what has ended comes back
// by the hand of an admin alone.
func (b *Broker) mayRequeue(ctx context.Context, ids []int64) error {
	if b.may(CanAdmin) == nil {
		return nil
	}
	if err := b.may(CanEnqueue); err != nil || len(ids) == 0 || len(ids) > MaxBatch {
		return err
	}
	page, err := b.store.Tasks(ctx, TaskQuery{IDs: ids, Limit: len(ids), Only: b.sight()})
	if err != nil {
		return err
	}
	for i := range page.Tasks {
		if page.Tasks[i].Status.Terminal() {
			return b.may(CanAdmin)
		}
	}
	return nil
}

// mayWaitFor refuses dependencies on tasks, and parents, that the caller cannot
// see, in the words for those that do not exist. A task's queue and type never
// change, so what is seen here holds.
func (b *Broker) mayWaitFor(ctx context.Context, tasks []NewTask) error {
	if b.only.SeesAll() && b.may(CanRead) == nil {
		return nil
	}
	ids, err := b.seen(ctx, tasks)
	if err != nil {
		return err
	}
	for i := range tasks {
		if err := b.waitsOnlyFor(ctx, &tasks[i], ids); err != nil {
			return inRow(advised(err), i)
		}
	}
	return nil
}

// seen answers which of the ids that tasks name the caller can see.
func (b *Broker) seen(ctx context.Context, tasks []NewTask) (map[int64]bool, error) {
	var named []int64
	for i := range tasks {
		if tasks[i].Parent != 0 {
			named = append(named, tasks[i].Parent)
		}
		for _, ref := range tasks[i].Deps {
			if id := ref.Target().ID; id != 0 {
				named = append(named, id)
			}
		}
	}
	slices.Sort(named)
	seen := make(map[int64]bool, len(named))
	if b.may(CanRead) != nil {
		return seen, nil
	}
	for ids := range slices.Chunk(slices.Compact(named), MaxPage) {
		page, err := b.store.Tasks(ctx, TaskQuery{IDs: ids, Limit: len(ids), Only: b.sight()})
		if err != nil {
			return nil, err
		}
		for i := range page.Tasks {
			seen[page.Tasks[i].ID] = true
		}
	}
	return seen, nil
}

func (b *Broker) waitsOnlyFor(ctx context.Context, n *NewTask, seen map[int64]bool) error {
	if n.Parent != 0 && !seen[n.Parent] {
		return Errorf(CodeUnknownDependency, "parent: no task %d", n.Parent)
	}
	for _, ref := range n.Deps {
		to := ref.Target()
		known := to.Row > 0 || seen[to.ID]
		if to.Key != "" && b.may(CanRead) == nil {
			page, err := b.store.Tasks(ctx, TaskQuery{Queue: n.Queue, Key: to.Key, Limit: 1, Only: b.sight()})
			if err != nil {
				return err
			}
			known = len(page.Tasks) > 0
		}
		if !known {
			return Errorf(CodeUnknownDependency, "deps: there is no task %s", ref)
		}
	}
	return nil
}

// claimID keeps the claim ids of callers apart: whoever learns of one cannot
// have the tokens that it was answered with.
func (b *Broker) claimID(id string) string {
	if id == "" || b.only == nil {
		return id
	}
	return strconv.Itoa(len(b.actor)) + ":" + b.actor + ":" + id
}
