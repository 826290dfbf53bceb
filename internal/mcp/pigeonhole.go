package mcp

import (
	"context"

	"example.com/tq"
)

// The tools of the Pigeonhole task queue, for fleets that have them in their
// prompts: the same names, arguments and words, over the same operations.

// pigeonhole is the prefix that brings them.
const pigeonhole = "pigeonhole"

// channel is what a queue is called there.
func channel(text string) arg { return arg{name: "channel", text: text, kind: "string"} }

func pigeonholeTools() []*tool {
	channels := map[string]string{
		"queue": "channel", "queues/0": "channel", "queues.0": "channel", "worker.name": "worker", "worker/name": "worker",
	}
	all := []*tool{
		{
			name: "enqueue", op: "enqueue",
			text: "Put a task into a channel. With an idempotency_key that is known, the first task is answered with created:false.",
			args: []arg{
				channel(`as in "shop:tasks"`),
				{name: "payload", text: "JSON, up to 128 KB"},
				{name: "idempotency_key"},
				{name: "priority", text: "default 0"},
				{name: "delay_seconds", text: "default 0"},
				{name: "max_attempts", text: "default 3"},
			},
			needs: []string{"channel"},
			gives: []give{{"task", "object"}, {"created", "boolean"}},
			ask:   pigeonholeEnqueue,
		},
		{
			name: "claim", op: "claim", waits: true,
			text: "Take one task under a lease. Do it, then complete or fail it with lease_token. task:null means there is none.",
			args: []arg{
				channel(""), {name: "lease_seconds", text: "default 300, up to 3600"}, {name: "wait_seconds", text: "default 0, up to 55"},
			},
			needs: []string{"channel"},
			gives: []give{{"task", ""}, {"lease_token", "string"}, {"lease_expires_at", "string"}, {"attempt", "integer"}},
			ask:   claim(0),
		},
		{
			name: "tasks", op: "tasks",
			text:  "Counts of a channel and its newest tasks.",
			args:  []arg{channel(""), {name: "status", text: "pending, claimed, done or dead"}, {name: "limit", text: "default 20"}},
			needs: []string{"channel"},
			gives: []give{{"counts", "object"}, {"tasks", "array"}},
			ask:   listTasks,
		},
	}
	all = append(all, pigeonholeSettles()...)
	for _, t := range all {
		t.words, t.ask = channels, onChannel(t.ask)
	}
	return all
}

func pigeonholeSettles() []*tool {
	return []*tool{
		{
			name: "complete", op: "complete",
			text:  `Report that a task is done. "lease no longer held": somebody else has it, stop.`,
			args:  []arg{{name: "lease_token"}, {name: "task_id"}, {name: "result", text: "JSON, up to 128 KB"}},
			needs: []string{"lease_token"}, idempotent: true,
			gives: []give{{"task_id", "integer"}, {"status", "string"}},
			ask:   settle("complete"),
		},
		{
			name: "fail", op: "fail",
			text: "Report that a task failed: it is tried again, or dead after its last attempt or with requeue:false.",
			args: []arg{
				{name: "lease_token"},
				{name: "task_id"},
				{name: "error", text: "up to 128 KB"},
				{name: "retry_delay_seconds"},
				{name: "requeue", text: "default true"},
			},
			needs: []string{"lease_token"}, idempotent: true,
			gives: []give{{"task_id", "integer"}, {"status", "string"}, {"retry_at", "string"}},
			ask:   settle("fail"),
		},
	}
}

// onChannel reads channel for queue; both together are one too many.
func onChannel(ask func(context.Context, *question) (any, error)) func(context.Context, *question) (any, error) {
	return func(ctx context.Context, q *question) (any, error) {
		_, byChannel := q.in.get("channel")
		_, byQueue := q.in.get("queue")
		switch {
		case byChannel && byQueue:
			return nil, invalid("channel", "is given beside queue, which is the same")
		case q.needsChannel() && !byChannel && !byQueue:
			return nil, invalid("channel", "is required")
		}
		q.in.rename("channel", "queue")
		return ask(ctx, q)
	}
}

func (q *question) needsChannel() bool { return q.tool.needs[0] == "channel" }

// created answers an enqueue.
type created struct {
	Task    *view `json:"task"`
	Created bool  `json:"created"`
}

func pigeonholeEnqueue(ctx context.Context, q *question) (any, error) {
	q.in.lack("type", quoted(usualType))
	queue, err := q.in.text("queue")
	if err != nil {
		return nil, err
	}
	out, err := asked[tq.Enqueued](ctx, q.Server, "enqueue", q.in.encode())
	if err != nil {
		return nil, err
	}
	v := view{ID: out.ID, Queue: queue, Channel: queue, Type: usualType, Status: q.word(string(out.Status))}
	in := object{{"id", integer(out.ID)}}
	if t, err := asked[tq.Task](ctx, q.Server, "task", in.encode()); err == nil {
		v = q.viewOf(&t, inTask, t.CreatedAt.Time)
		v.Channel = t.Queue
	}
	v.Caution = ""
	return encoded(&created{Task: &v, Created: !out.Existed})
}
