package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/tq"
)

// The harness: a queue with its client, store and clock, and short words for
// what tests ask of it. A word fails the test when the answer is an error; the
// words that begin with try hand it back.

// Queue is one empty store under test.
type Queue struct {
	Client tq.Client
	Store  tq.Store // asked only what no client can be asked
	Clock  *Clock

	t     *testing.T
	probe *probe
	types int    // counts names given out by started
	place *place // of a store that can be opened again
}

// lease is what the suite claims for unless a test is about leases. It is
// short, since tests let it run out second by second.
const lease = 10 * time.Second

// noon is when every test begins.
func noon() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

func newQueue(t *testing.T, open Open, door Door) *Queue {
	t.Helper()
	clock := NewClock(noon())
	p := newProbe(open(t, clock))
	q := &Queue{Client: door(t, p), Store: p, Clock: clock, t: t, probe: p}
	t.Cleanup(q.inspect)
	return q
}

// ctx is good in cleanups too, where the test's own context has ended.
func (q *Queue) ctx() context.Context { return context.WithoutCancel(q.t.Context()) }

// must ends the test when an answer that had to come did not.
func (q *Queue) must(what string, err error) {
	q.t.Helper()
	if err != nil {
		q.t.Fatalf("%s: %v", what, err)
	}
}

// same fails the test when got is not want. A list of nothing is no list.
func same[T any](q *Queue, what string, got, want T) {
	q.t.Helper()
	if bothEmpty := isEmpty(got) && isEmpty(want); !bothEmpty && !reflect.DeepEqual(got, want) {
		q.t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func isEmpty(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Slice && r.Len() == 0
}

// refused fails the test unless err is a refusal with that code, and returns it.
func (q *Queue) refused(what string, err error, code tq.Code) tq.Error {
	q.t.Helper()
	var e *tq.Error
	if !errors.As(err, &e) || e == nil || e.Code != code {
		q.t.Fatalf("%s: got error %v (%s), want %s", what, err, tq.CodeOf(err), code)
	}
	return *e
}

// rowRefused is refused for one row of an answer.
func (q *Queue) rowRefused(what string, e *tq.Error, code tq.Code) tq.Error {
	q.t.Helper()
	if e == nil {
		q.t.Fatalf("%s: accepted, want %s", what, code)
	}
	return q.refused(what, e, code)
}

// --- producing

// enqueue makes one task, of type work unless n says otherwise.
func (q *Queue) enqueue(n tq.NewTask) int64 {
	q.t.Helper()
	return q.enqueueAll(n)[0].ID
}

func (q *Queue) enqueueAll(ns ...tq.NewTask) []tq.Enqueued {
	q.t.Helper()
	out, err := q.tryEnqueue(ns...)
	q.must("enqueue", err)
	same(q, "answers to enqueue", len(out), len(ns))
	return out
}

func (q *Queue) tryEnqueue(ns ...tq.NewTask) ([]tq.Enqueued, error) {
	tasks := slices.Clone(ns)
	for i := range tasks {
		tasks[i].Type = cmp.Or(tasks[i].Type, "work")
	}
	out, err := q.Client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: tasks})
	return out.Tasks, err
}

// enqueueN makes n tasks like the given one and returns their ids.
func (q *Queue) enqueueN(n int, like tq.NewTask) []int64 {
	q.t.Helper()
	var ids []int64
	for len(ids) < n {
		batch := slices.Repeat([]tq.NewTask{like}, min(n-len(ids), tq.MaxBatch))
		for _, e := range q.enqueueAll(batch...) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// --- claiming

// claim takes the one task that comes next.
func (q *Queue) claim() tq.ClaimedTask {
	q.t.Helper()
	return q.claimSome(tq.ClaimIn{Max: 1})[0]
}

// claimSome claims and fails the test when nothing comes.
func (q *Queue) claimSome(in tq.ClaimIn) []tq.ClaimedTask {
	q.t.Helper()
	out := q.tryClaim(in)
	if len(out.Tasks) == 0 {
		q.t.Fatalf("claim %+v: got nothing", in)
	}
	return out.Tasks
}

func (q *Queue) tryClaim(in tq.ClaimIn) tq.ClaimOut {
	q.t.Helper()
	in.Lease = cmp.Or(in.Lease, tq.Duration(lease))
	out, err := q.Client.Claim(q.ctx(), in)
	q.must("claim", err)
	return out
}

// claimNothing fails the test when there is anything to claim.
func (q *Queue) claimNothing() tq.ClaimOut {
	q.t.Helper()
	out := q.tryClaim(tq.ClaimIn{Max: 1})
	same(q, "claimed", ids(out.Tasks), nil)
	return out
}

// take claims once and fails the test unless it is that task.
func (q *Queue) take(id int64) tq.ClaimedTask {
	q.t.Helper()
	c := q.claim()
	same(q, "claimed task", c.ID, id)
	return c
}

// started enqueues one task of a type of its own and claims it.
func (q *Queue) started(n tq.NewTask) tq.ClaimedTask {
	q.t.Helper()
	q.types++
	n.Type = fmt.Sprintf("own-%d", q.types)
	id := q.enqueue(n)
	c := q.claimSome(tq.ClaimIn{Types: []string{n.Type}})[0]
	same(q, "claimed task", c.ID, id)
	return c
}

func ids(tasks []tq.ClaimedTask) []int64 {
	var out []int64
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return out
}

// --- settling

func (q *Queue) complete(c tq.ClaimedTask, result string) tq.Settlement {
	q.t.Helper()
	return q.settled("complete", q.tryComplete(c, result))
}

func (q *Queue) tryComplete(c tq.ClaimedTask, result string) tq.Settlement {
	q.t.Helper()
	out, err := q.Client.Complete(q.ctx(), tq.CompleteIn{Leases: []tq.CompleteLease{{
		LeaseToken: c.LeaseToken, Result: json.RawMessage(result),
	}}})
	return q.row("complete", out, err)
}

// fail ends the attempt; the task is retried after its backoff or dead.
func (q *Queue) fail(c tq.ClaimedTask, text string) tq.Settlement {
	q.t.Helper()
	return q.settled("fail", q.tryFail(c, tq.FailLease{Error: text}))
}

// failFor ends the attempt and asks for the next one after d.
func (q *Queue) failFor(c tq.ClaimedTask, text string, d time.Duration) tq.Settlement {
	q.t.Helper()
	delay := tq.Duration(d)
	return q.settled("fail", q.tryFail(c, tq.FailLease{Error: text, RetryDelay: &delay}))
}

// giveUp ends the attempt and the task.
func (q *Queue) giveUp(c tq.ClaimedTask, text string) tq.Settlement {
	q.t.Helper()
	again := false
	return q.settled("give up", q.tryFail(c, tq.FailLease{Error: text, Requeue: &again}))
}

func (q *Queue) tryFail(c tq.ClaimedTask, l tq.FailLease) tq.Settlement {
	q.t.Helper()
	l.LeaseToken = c.LeaseToken
	out, err := q.Client.Fail(q.ctx(), tq.FailIn{Leases: []tq.FailLease{l}})
	return q.row("fail", out, err)
}

func (q *Queue) release(c tq.ClaimedTask) tq.Settlement {
	q.t.Helper()
	return q.settled("release", q.tryRelease(c, tq.ReleaseLease{}))
}

func (q *Queue) tryRelease(c tq.ClaimedTask, l tq.ReleaseLease) tq.Settlement {
	q.t.Helper()
	l.LeaseToken = c.LeaseToken
	out, err := q.Client.Release(q.ctx(), tq.ReleaseIn{Leases: []tq.ReleaseLease{l}})
	return q.row("release", out, err)
}

func (q *Queue) extend(c tq.ClaimedTask, d time.Duration) tq.Settlement {
	q.t.Helper()
	return q.settled("extend", q.tryExtend(c, tq.ExtendLease{Lease: tq.Duration(d)}))
}

func (q *Queue) tryExtend(c tq.ClaimedTask, l tq.ExtendLease) tq.Settlement {
	q.t.Helper()
	l.LeaseToken = c.LeaseToken
	l.Lease = cmp.Or(l.Lease, tq.Duration(lease))
	out, err := q.Client.Extend(q.ctx(), tq.ExtendIn{Leases: []tq.ExtendLease{l}})
	return q.row("extend", out, err)
}

func (q *Queue) row(what string, out tq.SettleOut, err error) tq.Settlement {
	q.t.Helper()
	q.must(what, err)
	same(q, "answers to "+what, len(out.Leases), 1)
	return out.Leases[0]
}

func (q *Queue) settled(what string, s tq.Settlement) tq.Settlement {
	q.t.Helper()
	if s.Error != nil {
		q.t.Fatalf("%s task %d: %v (%s %s)", what, s.TaskID, s.Error, s.Error.Code, s.Error.Reason)
	}
	return s
}

// act is one thing that a holder does with its token.
type act struct {
	name string
	do   func(q *Queue, c tq.ClaimedTask) tq.Settlement
}

// holderActs are all five.
func holderActs() []act {
	return []act{
		{"complete", func(q *Queue, c tq.ClaimedTask) tq.Settlement { return q.tryComplete(c, `"stale"`) }},
		{"fail", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			return q.tryFail(c, tq.FailLease{Error: "stale"})
		}},
		{"release", func(q *Queue, c tq.ClaimedTask) tq.Settlement { return q.tryRelease(c, tq.ReleaseLease{}) }},
		{"extend", func(q *Queue, c tq.ClaimedTask) tq.Settlement { return q.tryExtend(c, tq.ExtendLease{}) }},
		{"progress", func(q *Queue, c tq.ClaimedTask) tq.Settlement {
			return q.tryExtend(c, tq.ExtendLease{Progress: &tq.Progress{Note: "stale"}})
		}},
	}
}
