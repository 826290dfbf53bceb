package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"example.com/tq"
	"example.com/tq/internal/mcp"
	"example.com/tq/internal/ops"
	"example.com/tq/store/memory"
	"example.com/tq/test/tally"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is the door over a store in memory, and short words for what a client
// says to it.
type desk struct {
	t      *testing.T
	store  tq.Store
	broker *tq.Broker
	url    string

	asked, broke *atomic.Int64 // calls, and those that the door did not understand itself
}

// who is the header that names the caller: the gate in front is not tried here.
const who = "X-Who"

// rights of callers by name; others may do everything.
type rights map[string]tq.Rights

func newDesk(t *testing.T, known rights, change ...func(*mcp.Options)) *desk {
	t.Helper()
	store := memory.Open(memory.Options{})
	d := &desk{t: t, store: store, asked: new(atomic.Int64), broke: new(atomic.Int64), broker: tq.New(store, tq.Options{Actor: "sam"})}
	o := mcp.Options{
		Call: func(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
			return o.Call(ctx, d.as(ctx, known), raw)
		},
		Caller: func(ctx context.Context) mcp.Caller {
			name, _ := ctx.Value(nameKey{}).(string)
			if r, limited := known[name]; limited {
				return mcp.Caller{Rights: &r, Name: name}
			}
			return mcp.Caller{Name: name}
		},
		Journal: d.broker, Version: "test", Log: slog.New(noPanics{slog.DiscardHandler, t}),
	}
	for _, f := range change {
		f(&o)
	}
	agents := mcp.New(o)
	d.run(agents.Run)
	d.run(d.broker.Run)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nameKey{}, r.Header.Get(who))))
	}))
	d.url = web.URL
	t.Cleanup(func() {
		n := int(d.asked.Load())
		tally.Counts{Attempted: n, Acknowledged: n, OK: n - int(d.broke.Load()), Unexpected: int(d.broke.Load())}.Log(t)
		web.CloseClientConnections()
		web.Close()
		http.DefaultClient.CloseIdleConnections()
		if err := agents.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

type nameKey struct{}

// noPanics fails the test when the door says that it caught one.
type noPanics struct {
	slog.Handler
	t *testing.T
}

func (n noPanics) Enabled(context.Context, slog.Level) bool { return true }

func (n noPanics) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "panic") {
		r.Attrs(func(a slog.Attr) bool {
			n.t.Errorf("%s: %s %s", r.Message, a.Key, a.Value)
			return true
		})
	}
	return nil
}

func (d *desk) as(ctx context.Context, known rights) tq.Client {
	name, _ := ctx.Value(nameKey{}).(string)
	if r, limited := known[name]; limited {
		return d.broker.For(r, name)
	}
	if name != "" {
		return d.broker.As(name)
	}
	return d.broker
}

func (d *desk) run(part func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	d.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			d.t.Error(err)
		}
	})
}

// client speaks the protocol by hand, in one era.
type client struct {
	*desk
	name    string
	session string // of the older era; "" is the newer
	id      int
}

// modern is a client of revision 2026-07-28.
func (d *desk) modern(name string) *client { return &client{desk: d, name: name} }

// legacy opens a session of revision 2025-11-25.
func (d *desk) legacy(name string) *client {
	d.t.Helper()
	c := &client{desk: d, name: name, session: "none yet"}
	r := c.post(context.Background(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}}`, nil)
	defer d.close(r)
	if r.StatusCode != http.StatusOK {
		d.t.Fatalf("initialize: %s", r.Status)
	}
	c.session = r.Header.Get("Mcp-Session-Id")
	_ = c.read(r)
	d.close(c.post(context.Background(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil))
	return c
}

func (d *desk) close(r *http.Response) {
	d.t.Helper()
	_, _ = io.Copy(io.Discard, r.Body) // a stream that was left
	if err := r.Body.Close(); err != nil {
		d.t.Error(err)
	}
}

// post sends a body as this client does.
func (c *client) post(ctx context.Context, body string, header http.Header) *http.Response {
	c.t.Helper()
	r, err := c.try(ctx, body, header)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c *client) try(ctx context.Context, body string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(who, c.name)
	switch c.session {
	case "none yet":
	case "":
		if req.Header.Get("Mcp-Protocol-Version") == "" {
			req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		}
	default:
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	r, err := http.DefaultClient.Do(req)
	if err == nil {
		c.asked.Add(1)
		if r.StatusCode >= http.StatusInternalServerError {
			c.broke.Add(1)
		}
	}
	return r, err
}

// reply is what a request was answered.
type reply struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// read takes the answer out of a body, be it a stream or one object.
func (c *client) read(r *http.Response) reply {
	c.t.Helper()
	var last reply
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		text, found := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !found && !bytes.HasPrefix(text, []byte("{")) {
			continue
		}
		var one reply
		if err := json.Unmarshal(text, &one); err != nil {
			c.t.Fatalf("%v in %s", err, text)
		}
		if one.ID != nil {
			last = one
		}
	}
	return last
}

// request makes the body and the headers of a request.
func (c *client) request(method, name, params string) (string, http.Header) {
	c.id++
	h := http.Header{}
	if c.session == "" {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
			`{"extensions":{"io.modelcontextprotocol/tasks":{}}},"io.modelcontextprotocol/clientInfo":{"name":"by-hand","version":"1"}}`
		if params != "{}" {
			meta += ","
		}
		params = "{" + meta + params[1:]
		h.Set("Mcp-Method", method)
		if name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params), h
}

// ask sends a request and reads the answer.
func (c *client) ask(method, name, params string) reply {
	c.t.Helper()
	body, h := c.request(method, name, params)
	r := c.post(c.t.Context(), body, h)
	defer c.close(r)
	return c.read(r)
}

// said is the result of a tool.
type said struct {
	IsError    bool
	Content    []struct{ Text string }
	Structured map[string]any `json:"structuredContent"`
	ResultType string
	TaskID     string `json:"taskId"`
}

func (s *said) text() string {
	if len(s.Content) == 0 {
		return ""
	}
	return s.Content[0].Text
}

// call calls a tool.
func (c *client) call(tool, args string) said {
	c.t.Helper()
	r := c.ask("tools/call", tool, `{"name":"`+tool+`","arguments":`+args+`}`)
	if r.Error != nil {
		c.t.Fatalf("%s %s: %d %s", tool, args, r.Error.Code, r.Error.Message)
	}
	var s said
	if err := json.Unmarshal(r.Result, &s); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// must calls a tool that has to answer want.
func (c *client) must(tool, args, want string) said {
	c.t.Helper()
	s := c.call(tool, args)
	if s.IsError || !strings.Contains(s.text(), want) {
		c.t.Fatalf("%s %s: want %s in %s", tool, args, want, s.text())
	}
	return s
}

// refused calls a tool that has to answer that code and want.
func (c *client) refused(tool, args, code, want string) {
	c.t.Helper()
	s := c.call(tool, args)
	if !s.IsError || s.Structured["code"] != code || !strings.Contains(s.text(), want) {
		c.t.Errorf("%s %s: want %s with %q, got %v %s", tool, args, code, want, s.Structured["code"], s.text())
	}
}

func (d *desk) enqueue(queue, payload string) int64 {
	d.t.Helper()
	out, err := d.broker.Enqueue(d.t.Context(), tq.EnqueueIn{Tasks: []tq.NewTask{{Type: "task", Queue: queue, Payload: json.RawMessage(payload)}}})
	if err != nil {
		d.t.Fatal(err)
	}
	return out.Tasks[0].ID
}

func (d *desk) status(id int64) tq.Task {
	d.t.Helper()
	t, err := d.broker.Task(d.t.Context(), tq.TaskIn{ID: id})
	if err != nil {
		d.t.Fatal(err)
	}
	return t
}

// await waits until a task stands so, as the journal tells.
func (d *desk) await(id int64, want func(*tq.Task) bool) tq.Task {
	d.t.Helper()
	var after int64
	for {
		if t := d.status(id); want(&t) {
			return t
		}
		out, err := d.broker.Facts(d.t.Context(), tq.FactsIn{After: after, TaskID: id, Wait: tq.Duration(tq.MaxWait)})
		if err != nil || len(out.Facts) == 0 {
			d.t.Fatalf("waiting for task %d: %v", id, err)
		}
		after = out.Facts[len(out.Facts)-1].Seq
	}
}
