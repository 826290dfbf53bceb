package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Resources: the queues, a queue, a task, for clients that let people pin them.

const (
	queuesURI = "tq://queues"
	queueURI  = "tq://queues/"
	taskURI   = "tq://tasks/"
	jsonType  = "application/json"

	listedQueues = 50 // resources of queues in a list
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: queuesURI, Name: "queues", Description: "Every queue with its counts.", MIMEType: jsonType,
	}, s.readResource)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: queueURI + "{+queue}", Name: "queue", Description: "Counts of a queue and its newest tasks.", MIMEType: jsonType,
	}, s.readResource)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: taskURI + "{id}", Name: "task", Description: "A task, its payload and result whole.", MIMEType: jsonType,
	}, s.readResource)
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c := s.callOf(ctx, req.Extra)
	text, err := s.resource(c, req.Params.URI)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: text}}}, nil
}

// resource reads one as its caller may. What that is not to know of is not
// found.
func (s *Server) resource(c *call, uri string) (string, error) {
	ctx, done := context.WithTimeout(context.WithoutCancel(c.ctx), settleTime)
	defer done()
	var out any
	var err error
	op := "task"
	switch queue, ofQueue := strings.CutPrefix(uri, queueURI); {
	case uri == queuesURI:
		op = "queues"
		out, err = s.ask(ctx, op, []byte("{}"))
	case ofQueue:
		return s.queueText(ctx, c, uri, queue)
	default:
		id, perr := strconv.ParseInt(strings.TrimPrefix(uri, taskURI), 10, 64)
		if perr != nil {
			return "", sdk.ResourceNotFoundError(uri)
		}
		out, err = s.ask(ctx, op, object{{"id", integer(id)}}.encode())
	}
	if err != nil {
		return "", s.unreadable(uri, err)
	}
	b, err := s.ops[op].Encode(out)
	return strings.TrimSpace(string(b)), err
}

func (s *Server) unreadable(uri string, err error) error {
	if code := tq.CodeOf(err); code == tq.CodeUnavailable || code == tq.CodeInternal || code == tq.CodeTooMany {
		s.Log.Error("a resource could not be read", "error", err.Error())
		return tq.Errorf(tq.CodeUnavailable, "the queue does not answer, try again")
	}
	return sdk.ResourceNotFoundError(uri)
}

func (s *Server) queueText(ctx context.Context, c *call, uri, queue string) (string, error) {
	in := object{{"queue", quoted(queue)}}
	if _, err := s.ask(ctx, "queue_stats", in.encode()); err != nil {
		return "", s.unreadable(uri, err)
	}
	q := &question{Server: s, call: c, tool: &tool{name: "tasks"}}
	page, err := asked[tq.TasksOut](ctx, s, "tasks", append(in, member{"limit", integer(usualRows)}, member{"fields", quoted("payload")}).encode())
	if err != nil {
		return "", s.unreadable(uri, err)
	}
	l, err := q.listed(ctx, queue, &page)
	if err != nil {
		return "", s.unreadable(uri, err)
	}
	a, err := encoded(l)
	return string(a.json), err
}

// complete finishes the names of queues, in the prompt and in addresses.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	out := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	c := s.callOf(ctx, req.Extra)
	if req.Params.Argument.Name != "queue" || !c.caller.may(tq.CanRead) {
		return out, nil
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(c.ctx), settleTime)
	defer done()
	all, err := asked[ops.QueuesOut](ctx, s, "queues", []byte("{}"))
	if err != nil {
		return out, nil // nothing to propose
	}
	for i := range all.Queues {
		name := all.Queues[i].Queue
		if strings.HasPrefix(name, req.Params.Argument.Value) && len(out.Completion.Values) < listedQueues {
			out.Completion.Values = append(out.Completion.Values, name)
		}
	}
	return out, nil
}

// listQueues adds the caller's queues to a list of resources; who may not read
// has none.
func (s *Server) listQueues(c *call, list *sdk.ListResourcesResult) {
	if !c.caller.may(tq.CanRead) {
		list.Resources = []*sdk.Resource{}
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(c.ctx), settleTime)
	defer done()
	out, err := asked[ops.QueuesOut](ctx, s, "queues", []byte("{}"))
	if err != nil {
		return // the list stands without
	}
	for i := range out.Queues[:min(len(out.Queues), listedQueues)] {
		q := &out.Queues[i]
		b, _ := json.Marshal(s.countsOf(q)) // numbers
		list.Resources = append(list.Resources, &sdk.Resource{
			URI: queueURI + q.Queue, Name: q.Queue, Description: "Queue " + q.Queue + ": " + string(b), MIMEType: jsonType,
		})
	}
}
