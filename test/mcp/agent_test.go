package mcp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

// What a model sees, and whether it is enough.

var update = flag.Bool("update", false, "write the transcript anew") //nolint:gochecknoglobals // a flag of the test binary

func TestAnAgentThatKnowsOnlyTheToolsCanFanOut(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	got, err := runWith(t, 2*time.Minute, []string{"URL=" + h.url, "TOKEN=" + h.everything("sam")}, "agent.mjs")
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	path := filepath.Join("testdata", "transcript.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the transcript is now\n%s\nwant\n%s\n(go test ./test/mcp -run OnlyTheTools -update writes it anew)", got, want)
	}
	if !strings.Contains(got, `"result":{"passed":10}`) {
		t.Errorf("the shards do not add up in\n%s", got)
	}
}

// The limits of what a model has to read, in tokens.
const (
	toolTokens    = 3_500
	listingTokens = 1_500
)

func TestAModelReadsFewTokens(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.busy(20)
	out, err := runWith(t, time.Minute, []string{"URL=" + h.url, "TOKEN=" + h.everything("sam")}, "tokens.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var n struct{ Tools, Instructions, Structured, Text, Rows int }
	if err := json.Unmarshal([]byte(out), &n); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	t.Logf("tokens (o200k_base): %d for 12 tools, %d for the instructions, a listing of %d tasks %d as text, %d as JSON",
		n.Tools, n.Instructions, n.Rows, n.Text, n.Structured)
	if n.Tools > toolTokens {
		t.Errorf("the tools are %d tokens, the limit is %d", n.Tools, toolTokens)
	}
	if n.Rows != 20 || n.Text > listingTokens || n.Structured > listingTokens {
		t.Errorf("a listing of %d tasks is %d tokens as text and %d as JSON, the limit is %d", n.Rows, n.Text, n.Structured, listingTokens)
	}
}

// busy fills a queue with tasks in all states, with long words in them.
func (h *hub) busy(n int) {
	h.t.Helper()
	h.fill("work", n)
	ctx := h.t.Context()
	for i := range n - 3 {
		out, err := h.broker.As("sam").Claim(ctx, tq.ClaimIn{
			Queues: []string{"work"}, Worker: tq.WorkerInfo{Name: fmt.Sprintf("agent-%d on build-host-17", i)}, Lease: tq.Duration(252 * time.Second),
		})
		if err != nil || len(out.Tasks) != 1 {
			h.t.Fatalf("claim: %v, %v", out, err)
		}
		token := out.Tasks[0].LeaseToken
		long := strings.Repeat("the tests of package internal/server pass ", 100)
		switch i % 3 {
		case 0:
			_, err = h.broker.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: token, Result: json.RawMessage(`{"summary":"` + long + `"}`)}}})
		case 1:
			_, err = h.broker.Fail(ctx, tq.FailIn{Leases: []tq.FailLease{{LeaseToken: token, Error: long}}})
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}
