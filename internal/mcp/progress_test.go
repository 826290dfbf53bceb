package mcp_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
	"example.com/tq/store/memory"
)

func TestProgressIsToldToThoseThatAskForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var told atomic.Int32
		c := piped(ctx, t, func(context.Context, *sdk.ProgressNotificationClientRequest) { told.Add(1) })
		claim := &sdk.CallToolParams{Name: "tq_claim", Arguments: map[string]any{"queue": "none", "wait_seconds": 25}}
		begun := time.Now()
		if _, err := c.CallTool(ctx, claim); err != nil {
			t.Fatal(err)
		}
		if n := told.Load(); n != 0 || time.Since(begun) != 25*time.Second {
			t.Errorf("%d reports that nobody asked for, within %s", n, time.Since(begun))
		}
		claim.SetProgressToken("mine")
		if _, err := c.CallTool(ctx, claim); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := told.Load(); n != 2 {
			t.Errorf("%d reports in 25 s, want 2", n)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		stop()
		synctest.Wait()
	})
}

// piped is the SDK's own client, on the other end of pipes.
func piped(ctx context.Context, t *testing.T, told func(context.Context, *sdk.ProgressNotificationClientRequest)) *sdk.ClientSession {
	t.Helper()
	broker := tq.New(memory.Open(memory.Options{}), tq.Options{})
	agent := mcp.New(mcp.Options{
		Call: func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return o.Call(ctx, broker, raw) },
	})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() { _ = broker.Run(ctx) }() // ends with ctx
	go func() { _ = agent.Stdio(ctx, fromClient, toClient) }()
	c := sdk.NewClient(&sdk.Implementation{Name: "by-hand", Version: "1"}, &sdk.ClientOptions{ProgressNotificationHandler: told})
	session, err := c.Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}
