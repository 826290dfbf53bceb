package mcp

import (
	"context"

	"example.com/tq"
)

// The tools, and the words by which a model knows what to do with them.

// tools lists them in the order of a task's life.
func tools() []*tool {
	return []*tool{
		enqueueTool(), batchTool(), claimTool(), extendTool(), completeTool(), failTool(), releaseTool(),
		tasksTool(), taskTool(), cancelTool(), rescueTool(), runTool(),
	}
}

func enqueueTool() *tool {
	return &tool{
		name: "enqueue", op: "enqueue",
		text: "Put one task into a queue for some worker to do. Give an idempotency_key when you might repeat the call: a repeat answers existed:true and adds nothing.",
		args: []arg{
			{name: "queue", text: "default: default"},
			{name: "type", text: `what handles it; default task. sh, http and agent are run by machines`},
			{name: "payload", text: "any JSON up to 128 KiB: all that the worker needs to know"},
			{name: "idempotency_key"},
			{name: "priority", text: "higher first"},
			{name: "delay_seconds"},
			{name: "run_at", text: "instead of delay_seconds: RFC 3339"},
			{name: "max_attempts", text: "default 3"},
			{name: "timeout_seconds", text: "of one attempt"},
			{name: "deps", text: `ids of tasks to wait for, or "key:K"; its worker sees their results`},
			{name: "on_dep_failure", text: "when one of deps ends badly; default block"},
			{name: "parent", text: "id of the task it is a part of"},
			{name: "project"},
		},
		gives: []give{{"id", "integer"}, {"status", "string"}, {"existed", "boolean"}, {"mismatch", "boolean"}},
		ask: func(ctx context.Context, q *question) (any, error) {
			q.in.lack("type", quoted(usualType))
			return q.Server.ask(ctx, "enqueue", q.in.encode())
		},
	}
}

// usualType is the type of tasks that agents put in for each other.
const usualType = "task"

func batchTool() *tool {
	return &tool{
		name: "enqueue_batch", op: "enqueue_batch",
		text: "Put many tasks in, all or none: use it to fan work out. Answers ids in the order of tasks.",
		args: []arg{
			{name: "tasks", text: `1 to 1000 objects with the arguments of enqueue; deps may name earlier rows: "$0" is the first`},
			{name: "queue", text: "for rows without one", kind: "string"},
			{name: "type", text: "for rows without one", kind: "string"},
		},
		needs: []string{"tasks"},
		gives: []give{{"ids", "array"}, {"existed", "array"}, {"mismatch", "array"}},
		ask:   enqueueBatch,
	}
}

func claimTool() *tool {
	return &tool{
		name: "claim", op: "claim", waits: true,
		text: "Take one task to work on; nobody else gets it while your lease runs. Do what its payload says, then call complete or fail with the lease_token; extend before the lease ends if you need longer. task.deps has the results it waited for. A task may have been begun before you (attempt 2/3): make the work safe to run twice. task:null means nothing to do: see why, and claim again after retry_after_seconds.",
		args: []arg{
			{name: "queue", text: "default: every queue you may claim from", kind: "string"},
			{name: "types", text: "default: any but sh, http and agent, which must be named"},
			{name: "worker", text: "your name, shown to others", kind: "string"},
			{name: "lease_seconds", text: "1-3600, default 300: longer than the work takes"},
			{name: "wait_seconds", text: "0-55, default 20: how long to wait for a task"},
			{name: "project"},
		},
		gives: []give{
			{"task", ""},
			{"lease_token", "string"},
			{"lease_expires_at", "string"},
			{"attempt", "integer"},
			{"retry_after_seconds", "number"},
			{"why", "string"},
			{"counts", "object"},
		},
		words: map[string]string{"queues/0": "queue", "queues.0": "queue", "worker.name": "worker", "worker/name": "worker"},
		ask:   claim(20),
	}
}

func extendTool() *tool {
	return &tool{
		name: "extend", op: "extend",
		text: "Keep a task: your lease runs lease_seconds from now. Call it before lease_expires_at, as often as you like. cancel_requested:true means stop and release or fail it.",
		args: []arg{
			{name: "lease_token"},
			{name: "lease_seconds", text: "default 300"},
			{name: "note", text: "how far you are, for people", kind: "string"},
		},
		needs: []string{"lease_token"}, idempotent: true,
		gives: []give{{"lease_expires_at", "string"}, {"cancel_requested", "boolean"}},
		ask:   extend,
	}
}

func completeTool() *tool {
	return &tool{
		name: "complete", op: "complete",
		text: "Report that your task is done. Safe to repeat. lease_lost means that your lease ran out and somebody else has the task: stop, report nothing for it, claim the next.",
		args: []arg{
			{name: "lease_token", text: "from claim"},
			{name: "result", text: "any JSON up to 128 KiB, for whoever waits for it"},
		},
		needs: []string{"lease_token"}, idempotent: true,
		gives: []give{{"status", "string"}, {"replayed", "boolean"}, {"late", "boolean"}},
		ask:   settle("complete"),
	}
}

func failTool() *tool {
	return &tool{
		name: "fail", op: "fail",
		text: "Report that you could not do your task: it is tried again later, or dead after its last attempt. requeue:false when nobody can do it.",
		args: []arg{
			{name: "lease_token"},
			{name: "error", text: "what went wrong, for whoever tries next"},
			{name: "retry_delay_seconds", text: "default: a growing backoff"},
			{name: "requeue"},
		},
		needs: []string{"lease_token"}, idempotent: true,
		gives: []give{{"status", "string"}, {"retry_at", "string"}, {"replayed", "boolean"}},
		ask:   settle("fail"),
	}
}

func releaseTool() *tool {
	return &tool{
		name: "release", op: "release",
		text:  "Give your task back undone, without using up an attempt: when it is not for you, or you must stop.",
		args:  []arg{{name: "lease_token"}, {name: "delay_seconds"}, {name: "reason"}},
		needs: []string{"lease_token"}, idempotent: true,
		gives: []give{{"status", "string"}},
		ask:   settle("release"),
	}
}

func tasksTool() *tool {
	return &tool{
		name: "tasks", op: "tasks",
		text: "Look at a queue: counts by status and the newest tasks, with attempt n/m, who holds the lease and how long, result and last error. Long ones are cut; task shows one whole.",
		args: []arg{
			{name: "queue"},
			{name: "status", text: "blocked, ready, scheduled, retrying, running, completed, dead, cancelled; also pending, claimed, done"},
			{name: "type"},
			{name: "project"},
			{name: "parent"},
			{name: "key"},
			{name: "q", text: "text in payload or error"},
			{name: "limit", text: "1-100, default 20"},
			{name: "cursor", text: "from the last page"},
		},
		gives: []give{{"counts", "object"}, {"tasks", "array"}, {"cursor", "string"}, {"paused", "boolean"}},
		ask:   listTasks,
	}
}

func taskTool() *tool {
	return &tool{
		name: "task", op: "task",
		text: "Look at one task: payload, result, error, who holds it, why it is not running. A part that is cut is read in pages with part and offset.",
		args: []arg{
			{name: "id"},
			{name: "part", text: "payload, result or last_error", kind: "string"},
			{name: "offset", text: "bytes", kind: "integer"},
		},
		needs: []string{"id"},
		gives: []give{
			{"id", "integer"},
			{"status", "string"},
			{"attempt", "string"},
			{"lease", "string"},
			{"payload", ""},
			{"result", ""},
			{"last_error", "string"},
			{"text", "string"},
			{"next_offset", "integer"},
		},
		ask: oneTask,
	}
}

func cancelTool() *tool {
	return &tool{
		name: "cancel", op: "cancel",
		text:  "Cancel a task. A running one is asked to stop; with force it is taken from its worker now.",
		args:  []arg{{name: "id"}, {name: "force"}, {name: "reason"}},
		needs: []string{"id"}, idempotent: true, destructive: true,
		gives: []give{{"status", "string"}, {"changed", "boolean"}, {"cancel_requested", "boolean"}},
		ask:   change("cancel"),
	}
}

func rescueTool() *tool {
	return &tool{
		name: "rescue", op: "rescue",
		text:  "Bring a dead or cancelled task back with fresh attempts, once the cause is mended.",
		args:  []arg{{name: "id"}},
		needs: []string{"id"}, idempotent: true,
		gives: []give{{"status", "string"}, {"changed", "boolean"}},
		ask:   change("rescue"),
	}
}

func runTool() *tool {
	return &tool{
		name: "run", op: "enqueue", also: []tq.Scope{tq.CanRead}, waits: true,
		text: "Enqueue one task and wait for its result. When it is not done in wait_seconds, the answer has its id: look again with task.",
		args: []arg{
			{name: "queue"},
			{name: "type", text: "default task"},
			{name: "payload"},
			{name: "wait_seconds", text: "0-55, default 20", kind: "integer"},
		},
		gives: []give{{"id", "integer"}, {"status", "string"}, {"result", ""}, {"last_error", "string"}},
		ask:   runHere,
	}
}
