package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/tq"
)

// tq_run: enqueue and follow. A client that has not declared the tasks
// extension waits for the result here; handles are in followed.go.

// ran is what became of a task within the wait.
type ran struct {
	ID      int64           `json:"id"`
	Status  string          `json:"status"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"last_error,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Next    string          `json:"next,omitempty"`
	Caution string          `json:"caution,omitempty"`
}

func runHere(ctx context.Context, q *question) (any, error) {
	wait, err := q.in.whole("wait_seconds", 0, int64(tq.MaxWait/time.Second), 20)
	if err != nil {
		return nil, err
	}
	q.in.cut("wait_seconds")
	q.in.lack("type", quoted(usualType))
	stop := q.wait(ctx, "waiting for the result")
	defer stop()
	id, err := q.enqueue(ctx, q.in)
	if err != nil {
		return nil, err
	}
	in := object{{"ids", list([]json.RawMessage{integer(id)})}, {"wait_seconds", integer(wait)}}
	out, err := asked[tq.TasksOut](ctx, q.Server, "wait", in.encode())
	if err != nil {
		return nil, err
	}
	if len(out.Tasks) == 0 {
		return nil, tq.Errorf(tq.CodeNotFound, "task %d was deleted", id)
	}
	r := q.ranOf(&out.Tasks[0])
	return encoded(&r)
}

func (s *Server) enqueue(ctx context.Context, in object) (int64, error) {
	out, err := asked[tq.Enqueued](ctx, s, "enqueue", in.encode())
	return out.ID, err
}

// ranOf is the task with the id that task needs, so that a result that was cut
// can be read.
func (s *Server) ranOf(t *tq.Task) ran {
	r := ran{ID: t.ID, Status: s.word(t.Label(time.Now())), Result: cutJSON(t.Result, inClaim), Error: cut(t.LastError, inTask), Reason: t.Reason}
	if !t.Status.Terminal() {
		r.Next = fmt.Sprintf("It is not done yet: look again with %s_task {id: %d}; do not enqueue it a second time.", s.Prefix, t.ID)
	}
	if r.Result != nil || r.Error != "" {
		r.Caution = caution
	}
	return r
}
