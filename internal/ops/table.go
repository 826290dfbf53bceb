package ops

import "example.com/tq"

// Table lists every operation. The slice is the caller's own; making it is not
// free, so doors do it once.
func Table() []Op {
	var all []Op
	for _, chapter := range [][]Op{taskOps(), changeOps(), bulkOps(), leaseOps(), queueOps(), journalOps(), tokenOps()} {
		all = append(all, chapter...)
	}
	return withAliases(all)
}

func may(scopes ...tq.Scope) []tq.Scope { return scopes }

func taskOps() []Op {
	return []Op{
		op(Op{
			Name: "enqueue", Routes: []string{"POST /v1/tasks"}, Scopes: may(tq.CanEnqueue),
			Summary: "Put one task into a queue. With an idempotency key, a repeat answers with the first task.",
		}, enqueueOne),
		op(Op{
			Name: "enqueue_batch", Routes: []string{"POST /v1/tasks/batch"}, Scopes: may(tq.CanEnqueue),
			MaxBody: MaxBatchBody,
			Summary: "Put up to 1000 tasks into queues, all or none, answered in their order.",
		}, ask(tq.Client.Enqueue)),
		op(Op{
			Name: "tasks", Routes: []string{"GET /v1/tasks"}, Scopes: may(tq.CanRead),
			Summary: "List tasks, newest first, a page at a time.",
		}, ask(tq.Client.Tasks)),
		op(Op{
			Name: "task", Routes: []string{"GET /v1/tasks/{id}"}, Scopes: may(tq.CanRead),
			Summary: "Read one task with its payload, result, dependencies and the progress of its children.",
		}, ask(tq.Client.Task)),
		op(Op{
			Name: "explain", Routes: []string{"GET /v1/tasks/{id}/explain"}, Scopes: may(tq.CanRead),
			Summary: "Say in one sentence why a task is not running, and what to do about it.",
		}, ask(tq.Client.Explain)),
		op(Op{
			Name: "errors", Routes: []string{"GET /v1/errors"}, Scopes: may(tq.CanRead),
			Summary: "Group dead tasks by what they died of. With a fingerprint, that group alone, with the ids of its tasks.",
		}, ask(tq.Client.Errors)),
		op(Op{
			Name: "wait", Routes: []string{"POST /v1/tasks/wait"}, Scopes: may(tq.CanRead),
			Summary: "Wait until all of these tasks have ended, or the time is up, and read them as they stand then.",
		}, ask(tq.Client.Wait)),
	}
}

func changeOps() []Op {
	return []Op{
		op(Op{
			Name: "cancel", Routes: []string{"POST /v1/tasks/{id}/cancel"}, Scopes: may(tq.CanEnqueue, tq.CanAdmin),
			Summary: "Cancel a task. A running one is asked to stop; with force it is taken from its holder now.",
		}, cancelOne),
		op(Op{
			Name: "cancel_batch", Routes: []string{"POST /v1/tasks/cancel"}, Scopes: may(tq.CanEnqueue, tq.CanAdmin),
			Summary: "Cancel up to 1000 tasks, answered row by row.",
		}, ask(tq.Client.Cancel)),
		op(Op{
			Name: "requeue", Routes: []string{"POST /v1/tasks/{id}/requeue"}, Scopes: may(tq.CanEnqueue, tq.CanAdmin),
			Summary: "Make a scheduled or retrying task ready now; bring a dead or cancelled one back.",
		}, requeueOne),
		op(Op{
			Name: "requeue_batch", Routes: []string{"POST /v1/tasks/requeue"}, Scopes: may(tq.CanEnqueue, tq.CanAdmin),
			Summary: "Requeue up to 1000 tasks, answered row by row.",
		}, ask(tq.Client.Requeue)),
		op(Op{
			Name: "rescue", Routes: []string{"POST /v1/tasks/{id}/rescue"}, Scopes: may(tq.CanAdmin),
			Summary: "Bring a dead or cancelled task back with a fresh budget of attempts.",
		}, rescueOne),
		op(Op{
			Name: "rescue_batch", Routes: []string{"POST /v1/tasks/rescue"}, Scopes: may(tq.CanAdmin),
			Summary: "Rescue up to 1000 tasks, answered row by row.",
		}, ask(tq.Client.Rescue)),
		op(Op{
			Name: "delete", Routes: []string{"DELETE /v1/tasks/{id}"}, Scopes: may(tq.CanAdmin),
			Summary: "Delete a task that has ended and that nothing waits for.",
		}, deleteOne),
		op(Op{
			Name: "delete_batch", Routes: []string{"POST /v1/tasks/delete"}, Scopes: may(tq.CanAdmin),
			Summary: "Delete up to 1000 ended tasks, answered row by row.",
		}, ask(tq.Client.Delete)),
	}
}

func bulkOps() []Op {
	return []Op{
		op(Op{
			Name: "bulk", Routes: []string{"POST /v1/bulk"}, Scopes: may(tq.CanEnqueue, tq.CanAdmin),
			Summary: "Begin to cancel, requeue, rescue or delete every task that a filter selects; with dry_run, count them. Needs read, too.",
		}, beginBulk),
		op(Op{
			Name: "bulk_state", Routes: []string{"GET /v1/bulk/{id}"}, Scopes: may(tq.CanRead),
			Summary: "Say how far an operation on many tasks has come, or wait for its end.",
		}, ask(tq.Client.BulkState)),
		op(Op{
			Name: "bulk_end", Routes: []string{"DELETE /v1/bulk/{id}"}, Scopes: may(tq.CanRead),
			Summary: "End an operation on many tasks. What it has done stays.",
		}, ask(tq.Client.EndBulk)),
	}
}

func leaseOps() []Op {
	return []Op{
		op(Op{
			Name: "claim", Routes: []string{"POST /v1/claims"}, Scopes: may(tq.CanClaim), Undo: undoClaim,
			Summary: "Take up to max tasks under a lease, waiting up to wait_seconds for the first. No tasks is not an error.",
		}, ask(tq.Client.Claim)),
		op(Op{
			Name: "complete", Routes: []string{"POST /v1/leases/complete"}, Scopes: may(tq.CanClaim),
			MaxBody: MaxSettleBody, Undo: undoSettle,
			Summary: "Report the result of one attempt, or of many as leases; with claim, take the next tasks in the same call.",
		}, complete),
		op(Op{
			Name: "fail", Routes: []string{"POST /v1/leases/fail"}, Scopes: may(tq.CanClaim),
			MaxBody: MaxSettleBody, Undo: undoSettle,
			Summary: "Report that an attempt failed, or many as leases: retried after a backoff, dead when the budget is used up.",
		}, fail),
		op(Op{
			Name: "release", Routes: []string{"POST /v1/leases/release"}, Scopes: may(tq.CanClaim),
			MaxBody: MaxSettleBody,
			Summary: "Give a task back without burning its attempt, or many as leases.",
		}, release),
		op(Op{
			Name: "extend", Routes: []string{"POST /v1/leases/extend", "POST /v1/leases/progress"}, Scopes: may(tq.CanClaim),
			MaxBody: MaxSettleBody,
			Summary: "Renew a lease from now, or many as leases, and report progress. Without any it says that the worker lives.",
		}, extend),
	}
}

func queueOps() []Op {
	return []Op{
		op(Op{
			Name: "stats", Routes: []string{"GET /v1/stats"}, Scopes: may(tq.CanRead),
			Summary: "Count tasks by status, in groups and in total, and the workers.",
		}, ask(tq.Client.Stats)),
		op(Op{
			Name: "overview", Routes: []string{"GET /v1/overview"}, Scopes: may(tq.CanRead),
			Summary: "Say in a sentence or two whether anything needs somebody, with the counts behind it.",
		}, Overview),
		op(Op{
			Name: "series", Routes: []string{"GET /v1/series"}, Scopes: may(tq.CanRead),
			Summary: "Count in steps of time what was enqueued, claimed and ended, and say how long tasks waited and ran.",
		}, ask(tq.Client.Series)),
		op(Op{
			Name: "queues", Routes: []string{"GET /v1/queues"}, Scopes: may(tq.CanRead),
			Summary: "List the queues with their counts.",
		}, queues),
		op(Op{
			Name: "queue_stats", Routes: []string{"GET /v1/queues/{queue}/stats"}, Scopes: may(tq.CanRead),
			Summary: "Count the tasks of one queue by status.",
		}, queueStats),
		op(Op{
			Name: "queue_set", Routes: []string{"PATCH /v1/queues/{queue}"}, Scopes: may(tq.CanAdmin),
			Summary: "Pause a queue or resume it. Claims pass over a paused queue; all else goes on.",
		}, setQueue),
		op(Op{
			Name: "queue_purge", Routes: []string{"DELETE /v1/queues/{queue}/tasks"}, Scopes: may(tq.CanAdmin),
			Summary: "Cancel what waits in a queue and delete all but running tasks and those that others wait for.",
		}, ask(tq.Client.Purge)),
		op(Op{
			Name: "repos", Routes: []string{"GET /v1/repos"}, Scopes: may(tq.CanRead),
			Summary: "Tell how the repositories of the agent pool stand: backlog, in flight, last verify, why nothing goes on.",
		}, Repos),
		op(Op{
			Name: "workers", Routes: []string{"GET /v1/workers"}, Scopes: may(tq.CanRead),
			Summary: "List the workers: what they serve, what they run, when they were last seen.",
		}, ask(tq.Client.Workers)),
		op(Op{
			Name: "worker_remove", Routes: []string{"DELETE /v1/workers/{id}"}, Scopes: may(tq.CanAdmin),
			Summary: "Take a worker out of the registry; its leases end at once.",
		}, ask(tq.Client.RemoveWorker)),
	}
}

func journalOps() []Op {
	return []Op{
		op(Op{
			Name: "facts", Routes: []string{"GET /v1/facts", "GET /v1/tasks/{task_id}/facts"}, Scopes: may(tq.CanRead),
			Summary: "Read the journal in its order. Go on from the last seq seen: no fact is missed, none comes twice.",
		}, ask(tq.Client.Facts)),
		op(Op{
			Name: "check", Routes: []string{"GET /v1/check"}, Scopes: may(tq.CanAdmin),
			Summary: "Walk the whole store and name every broken invariant.",
		}, ask(tq.Client.Check)),
	}
}

func tokenOps() []Op {
	return []Op{
		op(Op{
			Name: "token_create", Routes: []string{"POST /v1/tokens"}, Scopes: may(tq.CanAdmin),
			Summary: "Make an access token. Its secret is in this answer and nowhere else.",
		}, ask(tq.Client.CreateToken)),
		op(Op{
			Name: "tokens", Routes: []string{"GET /v1/tokens"}, Scopes: may(tq.CanAdmin),
			Summary: "List the access tokens, without their secrets.",
		}, ask(tq.Client.Tokens)),
		op(Op{
			Name: "token_revoke", Routes: []string{"DELETE /v1/tokens/{id}"}, Scopes: may(tq.CanAdmin),
			Summary: "End an access token now.",
		}, ask(tq.Client.RevokeToken)),
		op(Op{
			Name: "token_rotate", Routes: []string{"POST /v1/tokens/{id}/rotate"}, Scopes: may(tq.CanAdmin),
			Summary: "Make a token with the name and rights of another, which is good for a while longer.",
		}, ask(tq.Client.RotateToken)),
	}
}
