package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
)

// Clients that go away, in every way they can.

// gate stands around the one call: it tells when a claim is under way, and
// holds its answer, if it is told to, until the door has seen the client go.
type gate struct {
	claiming chan struct{}
	holds    bool
}

func (g *gate) around(o *mcp.Options) {
	call := o.Call
	o.Call = func(ctx context.Context, op *ops.Op, raw []byte) (any, error) {
		if op.Name != "claim" {
			return call(ctx, op, raw)
		}
		g.claiming <- struct{}{}
		out, err := call(ctx, op, raw)
		if g.holds {
			<-ctx.Done()
		}
		return out, err
	}
}

func TestAClaimWhoseClientHangsUpTakesNothing(t *testing.T) {
	t.Parallel()
	g := &gate{claiming: make(chan struct{}, 1)}
	d := newDesk(t, nil, g.around)
	eras(t, d, "sam", func(t *testing.T, c *client) {
		queue := "gone-" + strings.ReplaceAll(t.Name(), "/", ".")
		ctx, hangUp := context.WithCancel(t.Context())
		body, h := c.request("tools/call", "tq_claim", `{"name":"tq_claim","arguments":{"queue":"`+queue+`","wait_seconds":55}}`)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if r, err := c.try(ctx, body, h); err == nil {
				_, _ = io.Copy(io.Discard, r.Body) // until it hangs up
				_ = r.Body.Close()
			}
		}()
		<-g.claiming
		hangUp()
		<-ended
		id := c.enqueue(queue, "1")
		// Whether the claim had left when the task came or took it and gave it
		// back: it is there for the next, unburnt.
		<-next(c, g, queue)
		if got := c.status(id); got.Attempt != 1 || got.Status != tq.Running {
			t.Errorf("the task is %s with attempt %d, want running with its first", got.Status, got.Attempt)
		}
	})
}

// next claims as somebody who stays.
func next(c *client, g *gate, queue string) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.must("tq_claim", `{"queue":"`+queue+`","wait_seconds":20}`, "lease_token")
	}()
	<-g.claiming
	return done
}

func TestATaskClaimedForAClientThatHasGoneIsGivenBackUnburnt(t *testing.T) {
	t.Parallel()
	g := &gate{claiming: make(chan struct{}, 1), holds: true}
	d := newDesk(t, nil, g.around)
	eras(t, d, "sam", func(t *testing.T, c *client) {
		queue := "late-" + strings.ReplaceAll(t.Name(), "/", ".")
		id := c.enqueue(queue, "1")
		ctx, hangUp := context.WithCancel(t.Context())
		body, h := c.request("tools/call", "tq_claim", `{"name":"tq_claim","arguments":{"queue":"`+queue+`"}}`)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if r, err := c.try(ctx, body, h); err == nil {
				_, _ = io.Copy(io.Discard, r.Body) // until it hangs up
				_ = r.Body.Close()
			}
		}()
		<-g.claiming
		c.await(id, func(got *tq.Task) bool { return got.Status == tq.Running })
		hangUp()
		<-ended
		got := c.await(id, func(got *tq.Task) bool { return got.Status == tq.Pending })
		if got.Attempt != 0 {
			t.Errorf("attempt is %d, want 0: nobody has worked on it", got.Attempt)
		}
	})
}

func TestACancelledClaimGivesBackWhatWasOnItsWay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	c := d.legacy("sam")
	id := d.enqueue("crossed", "1")
	c.must("tq_claim", `{"queue":"crossed"}`, "lease_token")
	// The client gave up on the answer, which crossed its cancellation.
	d.close(c.post(t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id), nil))
	if got := d.status(id); got.Status != tq.Pending || got.Attempt != 0 {
		t.Errorf("the task is %s with attempt %d, want pending with none", got.Status, got.Attempt)
	}
}

func TestACancellationEndsAWaitingClaim(t *testing.T) {
	t.Parallel()
	g := &gate{claiming: make(chan struct{}, 1)}
	d := newDesk(t, nil, g.around)
	c := d.legacy("sam")
	body, h := c.request("tools/call", "tq_claim", `{"name":"tq_claim","arguments":{"queue":"never","wait_seconds":55}}`)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if r, err := c.try(context.Background(), body, h); err == nil {
			_, _ = io.Copy(io.Discard, r.Body) // ends with the cancellation, not with the wait
			_ = r.Body.Close()
		}
	}()
	<-g.claiming
	d.close(c.post(t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id), nil))
	<-ended
}

func TestAWaitingClaimGivesSignsOfLife(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	eras(t, d, "sam", func(t *testing.T, c *client) {
		queue := "slow-" + strings.ReplaceAll(t.Name(), "/", ".")
		body, h := c.request("tools/call", "tq_claim", `{"name":"tq_claim","arguments":{"queue":"`+queue+`","wait_seconds":55}}`)
		r := c.post(t.Context(), body, h) // headers are here long before the answer
		defer c.close(r)
		if r.StatusCode != http.StatusOK {
			t.Fatal(r.Status)
		}
		lines := bufio.NewReader(r.Body)
		if first, err := lines.ReadString('\n'); err != nil || first != ": still here\n" {
			t.Errorf("the first line is %q, %v; want a comment", first, err)
		}
		c.enqueue(queue, "1")
		rest, err := io.ReadAll(lines)
		if err != nil || !strings.Contains(string(rest), "lease_token") || strings.Contains(string(rest), "progress") {
			t.Errorf("then came %q, %v; want the task, and no progress that nobody asked for", rest, err)
		}
	})
}
