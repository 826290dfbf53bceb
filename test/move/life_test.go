package move

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/tq"
)

// life is somebody who does everything that can be done to tasks, by chance but
// the same for each seed.
type life struct {
	t     *testing.T
	b     *tq.Broker
	dice  *rand.Rand
	ids   []int64
	held  []tq.ClaimedTask
	ended []tq.CompleteLease // settled, to be repeated
}

func newLife(t *testing.T, s tq.Store, seed uint64) *life {
	return &life{t: t, b: tq.New(s, tq.Options{Actor: "ann"}), dice: rand.New(rand.NewPCG(seed, seed))}
}

func (l *life) ctx() context.Context { return context.WithoutCancel(l.t.Context()) }

func (l *life) must(what string, err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("%s: %v", what, err)
	}
}

// live does n things.
func (l *life) live(n int) {
	l.t.Helper()
	for range n {
		switch l.dice.IntN(12) {
		case 0, 1, 2:
			l.enqueue(1 + l.dice.IntN(6))
		case 3, 4:
			l.claim()
		case 5, 6, 7, 8:
			l.settle()
		case 9:
			l.extend()
		case 10:
			l.intervene()
		default:
			if ids := l.some(3); len(ids) > 0 {
				_, err := l.b.Requeue(l.ctx(), tq.RequeueIn{IDs: ids})
				l.must("requeue", err)
			}
		}
	}
}

func (l *life) enqueue(n int) {
	l.t.Helper()
	var in tq.EnqueueIn
	for range n {
		task := tq.NewTask{
			Type: []string{"mail", "render"}[l.dice.IntN(2)], Queue: []string{"default", "slow", "shop:eu"}[l.dice.IntN(3)],
			Project: []string{"", "api"}[l.dice.IntN(2)], Priority: l.dice.IntN(3) - 1, MaxAttempts: 1 + l.dice.IntN(3),
			Payload: json.RawMessage(fmt.Sprintf(`{"n": %d, "text": "\u0000 grün"}`, l.dice.IntN(1000))),
			Backoff: &tq.Backoff{Base: tq.Duration(time.Millisecond), Cap: tq.Duration(5 * time.Millisecond), Factor: 2},
		}
		if l.dice.IntN(3) == 0 {
			task.IdempotencyKey, task.KeyUntil = fmt.Sprint("key-", l.dice.IntN(400)), []tq.KeyUntil{tq.KeyUntilDeleted, tq.KeyUntilTerminal}[l.dice.IntN(2)]
		}
		if l.dice.IntN(4) == 0 {
			task.Delay = tq.Duration(time.Duration(l.dice.IntN(3)) * 20 * time.Millisecond)
		}
		if l.dice.IntN(9) == 0 {
			task.Delay = tq.Duration(time.Hour)
		}
		if l.dice.IntN(5) == 0 {
			task.Timeout, task.Tags = tq.Duration(time.Hour), []string{"a", "b"}
		}
		for _, id := range l.some(l.dice.IntN(3)) {
			task.Deps = append(task.Deps, tq.ID(id))
			task.OnDepFailure = []tq.OnDepFailure{tq.DepBlock, tq.DepCancel, tq.DepRun}[l.dice.IntN(3)]
		}
		in.Tasks = append(in.Tasks, task)
	}
	out, err := l.b.Enqueue(l.ctx(), in)
	if tq.CodeOf(err) == tq.CodeUnknownDependency {
		return // it was deleted
	}
	l.must("enqueue", err)
	for _, e := range out.Tasks {
		l.ids = append(l.ids, e.ID)
	}
}

// some are n tasks, newer ones more often.
func (l *life) some(n int) []int64 {
	var ids []int64
	for range min(n, len(l.ids)) {
		ids = append(ids, l.ids[len(l.ids)-1-l.dice.IntN(min(len(l.ids), 40))])
	}
	return ids
}

func (l *life) claim() {
	l.t.Helper()
	out, err := l.b.Claim(l.ctx(), tq.ClaimIn{
		Max: 1 + l.dice.IntN(4), Lease: tq.Duration(time.Hour), ClaimID: fmt.Sprint("claim-", l.dice.Int64()),
		Worker: tq.WorkerInfo{ID: "w1", Name: "worker", Types: []string{"mail", "render"}},
	})
	l.must("claim", err)
	l.held = append(l.held, out.Tasks...)
}

func (l *life) settle() {
	l.t.Helper()
	if len(l.held) < 8 {
		return
	}
	i := l.dice.IntN(len(l.held))
	token := l.held[i].LeaseToken
	l.held = append(l.held[:i], l.held[i+1:]...)
	var out tq.SettleOut
	var err error
	switch l.dice.IntN(4) {
	case 0:
		out, err = l.b.Fail(l.ctx(), tq.FailIn{Leases: []tq.FailLease{{LeaseToken: token, Error: "it broke: \x00\xff"}}})
	case 1:
		out, err = l.b.Release(l.ctx(), tq.ReleaseIn{Leases: []tq.ReleaseLease{{LeaseToken: token}}})
	default:
		done := tq.CompleteLease{LeaseToken: token, Result: json.RawMessage(`{"ok": 1.0e2}`)}
		out, err = l.b.Complete(l.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{done}})
		if err == nil && out.Leases[0].Error == nil {
			l.ended = append(l.ended, done)
		}
	}
	l.must("settle", err)
}

func (l *life) extend() {
	l.t.Helper()
	if len(l.held) == 0 {
		return
	}
	_, err := l.b.Extend(l.ctx(), tq.ExtendIn{Leases: []tq.ExtendLease{{
		LeaseToken: l.held[l.dice.IntN(len(l.held))].LeaseToken, Lease: tq.Duration(time.Hour),
		Progress: &tq.Progress{Fraction: 0.5, Note: "half"},
	}}})
	l.must("extend", err)
}

// intervene is what admins do.
func (l *life) intervene() {
	l.t.Helper()
	var err error
	switch ids := l.some(2); {
	case len(ids) == 0:
	case l.dice.IntN(3) == 0:
		_, err = l.b.Cancel(l.ctx(), tq.CancelIn{IDs: ids, Reason: "not now"})
	case l.dice.IntN(2) == 0:
		_, err = l.b.Rescue(l.ctx(), tq.RescueIn{IDs: ids})
	default:
		_, err = l.b.Delete(l.ctx(), tq.DeleteIn{IDs: ids})
	}
	l.must("intervene", err)
}
