package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
	"example.com/tq/internal/server"
	"example.com/tq/store/sqlite"
)

// TestMain makes the test binary answer an agent on its pipes, as tq mcp does,
// over the database that TQ_PIPES names.
func TestMain(m *testing.M) {
	if path := os.Getenv("TQ_PIPES"); path != "" {
		if err := pipes(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func pipes(path string) error {
	store, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	broker := tq.New(store, tq.Options{Actor: "sam"})
	ended := make(chan error, 1)
	go func() { ended <- broker.Run(ctx) }()
	agent := mcp.New(mcp.Options{
		Call:    func(ctx context.Context, o *ops.Op, raw []byte) (any, error) { return o.Call(ctx, broker, raw) },
		Journal: broker, Version: "test",
	})
	err = agent.Stdio(ctx, os.Stdin, os.Stdout)
	stop()
	return errors.Join(err, <-ended, store.Close())
}

// hub is a hub as tq serve makes it, over a file of its own.
type hub struct {
	t      *testing.T
	broker *tq.Broker
	store  tq.Store
	url    string // of /mcp
	base   string
}

func newHub(t *testing.T, change ...func(*mcp.Options)) *hub {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "tq.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &hub{t: t, store: store, broker: tq.New(store, tq.Options{Actor: "sam"})}
	gate, err := server.NewGate(server.GateOptions{Broker: h.broker})
	if err != nil {
		t.Fatal(err)
	}
	var web *server.Server
	o := mcp.Options{
		Call: func(ctx context.Context, op *ops.Op, raw []byte) (any, error) { return web.Call(ctx, op, raw) },
		Caller: func(ctx context.Context) mcp.Caller {
			token, known := server.Caller(ctx)
			if !known {
				return mcp.Caller{Rights: &tq.Rights{}}
			}
			return mcp.Caller{Rights: &token.Rights, Name: token.Name}
		},
		Journal: h.broker, Version: "test", HostsChecked: true, Place: gate.Wait,
	}
	for _, f := range change {
		f(&o)
	}
	agents := mcp.New(o)
	web, err = server.New(server.Options{
		Client: gate.Client, Wrap: []server.Middleware{gate.Wrap}, Around: []server.Around{gate.Around},
		Site: map[string]http.Handler{"/mcp": agents}, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	gate.Pattern = web.Pattern
	h.run(agents.Run)
	h.run(h.broker.Run)
	h.listen(web)
	return h
}

// run runs something as long as the test.
func (h *hub) run(part func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	h.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			h.t.Error(err)
		}
	})
}

func (h *hub) listen(web http.Handler) {
	s := httptest.NewServer(web)
	h.base, h.url = s.URL, s.URL+"/mcp"
	h.t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		broken, err := h.store.Check(context.Background())
		if err != nil || len(broken) > 0 {
			h.t.Errorf("check: %v, %v", broken, err)
		}
		if err := h.store.Close(); err != nil {
			h.t.Error(err)
		}
	})
}

// token makes one that may do that on those queues.
func (h *hub) token(name string, queues []string, can ...tq.Scope) string {
	h.t.Helper()
	out, err := h.broker.CreateToken(context.Background(), tq.CreateTokenIn{Name: name, Can: can, Queues: queues})
	if err != nil {
		h.t.Fatal(err)
	}
	return out.Secret
}

// everything is a token that may do all.
func (h *hub) everything(name string) string { return h.token(name, []string{"*"}, tq.Scopes()...) }

// opened is the hub for programs that cannot bear a token: they are given one.
func (h *hub) opened() string {
	secret := h.everything("sam")
	target := h.base
	proxy := forward(h.t, target, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) })
	return proxy + "/mcp"
}
