package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
)

// Claims: one task for one agent, waited for while the client is there, and
// taken back when it is not.

// claimed is the answer to a claim. Task is null when there was none.
type claimed struct {
	Task      *view   `json:"task"`
	Token     string  `json:"lease_token,omitempty"`
	ExpiresAt tq.Time `json:"lease_expires_at,omitzero"`
	Attempt   int     `json:"attempt,omitempty"`
	Fence     int64   `json:"fence,omitempty"`
	Next      string  `json:"next,omitempty"`

	// Of an empty claim.
	RetryAfter tq.Duration `json:"retry_after_seconds,omitempty"`
	Why        string      `json:"why,omitempty"`
	Paused     []string    `json:"paused,omitempty"`
	Counts     *counts     `json:"counts,omitempty"`
}

// claim waits usual seconds when the call does not say how long.
func claim(usual int64) func(context.Context, *question) (any, error) {
	return func(ctx context.Context, q *question) (any, error) {
		queue, err := q.in.text("queue")
		if err != nil {
			return nil, err
		}
		if err := q.claimInput(usual); err != nil {
			return nil, err
		}
		out, err := q.waitForClaim(ctx)
		if err != nil {
			return nil, err
		}
		if len(out.Tasks) == 0 {
			return encoded(q.nothing(ctx, queue, &out))
		}
		t := &out.Tasks[0]
		q.addDeps(ctx, &t.Task)
		if !q.take(func() { q.giveBack(&out) }) {
			return nil, context.Canceled
		}
		return encoded(q.taken(t))
	}
}

// claimInput makes the operation's input of the tool's.
func (q *question) claimInput(usual int64) error {
	for _, not := range []string{"max", "claim_id"} {
		if _, there := q.in.get(not); there {
			return invalid(not, "is not an argument here: a call takes one task")
		}
	}
	name, err := q.in.text("worker")
	if err != nil {
		return err
	}
	if name == "" {
		q.in.lack("worker", quoted(cmp.Or(q.caller.Name, clientName(q.req))))
	}
	q.in.replace("worker", func(v json.RawMessage) json.RawMessage { return object{{"name", v}}.encode() })
	q.in.replace("queue", func(v json.RawMessage) json.RawMessage { return slices.Concat([]byte{'['}, v, []byte{']'}) })
	q.in.rename("queue", "queues")
	q.in.lack("wait_seconds", integer(usual))
	return nil
}

// clientName is what the program that asks calls itself.
func clientName(req *sdk.CallToolRequest) string {
	if info := req.ClientInfo(); info != nil && info.Name != "" {
		return cut(strings.Map(printable, info.Name), 100)
	}
	return "mcp"
}

func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}

// waitForClaim asks for a task. While it waits, the connection is kept alive,
// and the client hears of progress if it wants to.
func (q *question) waitForClaim(ctx context.Context) (tq.ClaimOut, error) {
	stop := q.wait(ctx, "waiting for a task")
	defer stop()
	return asked[tq.ClaimOut](ctx, q.Server, "claim", q.in.encode())
}

// progressEvery is how often a client that wants to know hears that its call
// still waits.
const progressEvery = 10 * time.Second

// wait keeps a slow answer alive until stop is called, which returns when
// nothing more will be written.
func (q *question) wait(ctx context.Context, doing string) (stop func()) {
	if q.hold != nil {
		q.hold()
	}
	token := q.req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for begun := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = q.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // the client has gone: ctx tells
					ProgressToken: token, Progress: time.Since(begun).Seconds(), Message: doing,
				})
			}
		}
	}()
	return func() { end(); <-done }
}

// addDeps reads what the tasks before it came to, for a worker that may.
func (q *question) addDeps(ctx context.Context, t *tq.Task) {
	if !q.caller.may(tq.CanRead) {
		return
	}
	whole, err := asked[tq.Task](ctx, q.Server, "task", object{{"id", integer(t.ID)}}.encode())
	if err == nil {
		t.Deps = whole.Deps
	}
}

// taken shows the task that was claimed.
func (q *question) taken(t *tq.ClaimedTask) *claimed {
	limit := inClaim
	if !q.caller.may(tq.CanRead) || q.isPigeonhole() {
		limit = 0 // there is no other way to the rest
	}
	now := time.Now()
	v := q.viewOf(&t.Task, limit, now)
	v.Lease, v.Status = "", ""
	if q.isPigeonhole() {
		v.Channel, v.Status = t.Queue, q.word(string(tq.Running))
	}
	next := "Do the work, then %[1]s_complete or %[1]s_fail with lease_token."
	if len(v.Cut) > 0 {
		next = "The payload is cut: read the rest with %[1]s_task {id, part:\"payload\", offset}. " + next
	}
	return &claimed{
		Task: &v, Token: t.LeaseToken, ExpiresAt: tq.At(now.Add(t.LeaseLeft.Std())), Attempt: t.Attempt, Fence: t.Fence,
		Next: fmt.Sprintf(next, q.Prefix),
	}
}

// giveBack releases what was claimed for somebody who has gone: nobody has
// worked on it, so no attempt is burnt.
func (q *question) giveBack(out *tq.ClaimOut) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(q.ctx), settleTime)
	defer stop()
	for _, t := range out.Tasks {
		in := object{
			{"lease_token", quoted(t.LeaseToken)},
			{"unburnt", json.RawMessage("true")},
			{"reason", quoted("the answer could not be delivered")},
		}
		if _, err := q.Server.ask(ctx, "release", in.encode()); err != nil && tq.CodeOf(err) != tq.CodeLeaseLost {
			q.Log.Warn("give back a claim whose client has gone", "task", t.ID, "error", err.Error())
		}
	}
}

// nothing says why a claim came back empty, and when to try again.
func (q *question) nothing(ctx context.Context, queue string, out *tq.ClaimOut) *claimed {
	c := &claimed{Paused: out.Paused, RetryAfter: out.RetryAfter}
	if q.caller.may(tq.CanRead) {
		q.countUp(ctx, queue, c)
	}
	switch {
	case c.Why != "":
	case len(out.Paused) > 0:
		c.Why = "paused: " + strings.Join(out.Paused, ", ")
	case out.RetryAfter > 0:
		c.Why = "nothing is due for " + span(out.RetryAfter.Std())
	default:
		c.Why = "there is no task for you"
	}
	if c.RetryAfter == 0 {
		c.RetryAfter = tq.Duration(30 * time.Second)
	}
	c.RetryAfter = tq.Duration(max(time.Second, min(c.RetryAfter.Std(), 5*time.Minute)))
	return c
}

// countUp adds counts, and the reason if they tell it.
func (q *question) countUp(ctx context.Context, queue string, c *claimed) {
	in := object{{"by", quoted("type")}}
	if queue != "" {
		in = append(in, member{"queue", quoted(queue)})
	}
	stats, err := asked[tq.StatsOut](ctx, q.Server, "stats", in.encode())
	if err != nil {
		return // the claim stands without
	}
	c.Counts = q.countsOf(&stats.Total)
	t := &stats.Total
	var types []string
	for i := range stats.Queues {
		if stats.Queues[i].Ready > 0 {
			types = append(types, stats.Queues[i].Type)
		}
	}
	switch {
	case len(c.Paused) > 0 || c.RetryAfter > 0:
	case len(types) > 0:
		c.Why = "ready tasks are of types that this claim does not take: " + strings.Join(types, ", ") + "; name them in types if you can do them"
	case t.Running+t.Blocked > 0:
		c.Why = fmt.Sprintf("%d running, %d waiting for those", t.Running, t.Blocked)
		c.RetryAfter = tq.Duration(5 * time.Second)
	case t.Completed+t.Dead+t.Cancelled > 0:
		c.Why = "all tasks have ended"
	default:
		c.Why = "the queue is empty"
	}
}
