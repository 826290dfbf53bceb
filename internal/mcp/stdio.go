package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pipes: one client, whose end is the end of its calls. Requests are stamped as
// those over HTTP are.

// Stdio answers the client on in and out until it goes away or ctx ends.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	life, end := context.WithCancel(ctx)
	defer end()
	t := &pipes{server: s, inner: &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxBody}, life: life, end: end}
	err := s.sdk.Run(ctx, t)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve MCP on standard input: %w", err)
	}
	return nil
}

// pipes is a transport that stamps requests.
type pipes struct {
	server *Server
	inner  sdk.Transport
	life   context.Context // of the client
	end    context.CancelFunc
}

// Connect implements sdk.Transport.
func (p *pipes) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &pipe{Connection: c, pipes: p, open: map[string]inFlight{}, answered: make(chan struct{}, 1)}, nil
}

type pipe struct {
	sdk.Connection
	*pipes
	mu       sync.Mutex
	open     map[string]inFlight // by request id
	answered chan struct{}       // holds one wake-up
}

type inFlight struct {
	call  *call
	stamp string
}

// onlySession is the one session of a pipe.
const onlySession = "stdio"

// Read implements sdk.Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := p.Connection.Read(ctx)
	if err != nil {
		p.end() // nobody hears what a claim would answer
		p.finish()
		return m, err
	}
	if r, ok := m.(*jsonrpc.Request); ok {
		p.stampOn(r)
	}
	return m, nil
}

// finish lets what was asked be answered: the SDK ends with the input.
func (p *pipe) finish() {
	late := time.NewTimer(settleTime)
	defer late.Stop()
	for {
		p.mu.Lock()
		left := len(p.open)
		p.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-p.answered:
		case <-late.C:
			return
		}
	}
}

func (p *pipe) stampOn(r *jsonrpc.Request) {
	if r.Method == "notifications/cancelled" {
		var about struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &about) == nil {
			p.server.calls.cancel(callKey{onlySession, string(about.RequestID)})
		}
	}
	if !r.IsCall() {
		return
	}
	id := idText(r.ID)
	c, name := p.server.calls.begin(p.life, p.server.Caller(p.life), callKey{onlySession, id})
	p.mu.Lock()
	p.open[id] = inFlight{c, name}
	p.mu.Unlock()
	r.Extra = &sdk.RequestExtra{Header: http.Header{stamp: {name}}}
}

// Write implements sdk.Connection.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	err := p.Connection.Write(ctx, m)
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return err
	}
	id := idText(r.ID)
	p.mu.Lock()
	f, there := p.open[id]
	delete(p.open, id)
	p.mu.Unlock()
	if there {
		f.call.wrote(err)
		p.server.calls.end(f.call, f.stamp)
	}
	select {
	case p.answered <- struct{}{}:
	default:
	}
	return err
}

func idText(id jsonrpc.ID) string {
	b, _ := json.Marshal(id.Raw()) // text or a number
	return string(b)
}
