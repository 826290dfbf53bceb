package storetest

import (
	"context"

	"example.com/tq"
)

// Everything that can be asked of a Client, with the scopes that it needs.

// operation is one method of the Client, asked about one task that is pending,
// or about its queue.
type operation struct {
	name   string
	scopes []tq.Scope // one of them will do
	ask    func(ctx context.Context, c tq.Client, queue string, id int64, token string) error
}

func operations() []operation {
	admin := []tq.Scope{tq.CanAdmin}
	claim := []tq.Scope{tq.CanClaim}
	read := []tq.Scope{tq.CanRead}
	change := []tq.Scope{tq.CanAdmin, tq.CanEnqueue}
	return append([]operation{
		{"Enqueue", []tq.Scope{tq.CanEnqueue}, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Enqueue(ctx, tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: queue, Type: "work"}}})
			return err
		}},
		{"Claim", claim, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Claim(ctx, tq.ClaimIn{Queues: []string{queue}})
			return err
		}},
		{"Tasks", read, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Tasks(ctx, tq.TasksIn{Queue: queue})
			return err
		}},
		{"Facts", read, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Facts(ctx, tq.FactsIn{Queue: queue})
			return err
		}},
		{"Stats", read, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Stats(ctx, tq.StatsIn{Queue: queue})
			return err
		}},
		{"Series", read, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Series(ctx, tq.SeriesIn{Queue: queue})
			return err
		}},
		{"Errors", read, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Errors(ctx, tq.ErrorsIn{Queue: queue})
			return err
		}},
		{"Workers", read, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.Workers(ctx, tq.WorkersIn{})
			return err
		}},
		{"RemoveWorker", admin, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.RemoveWorker(ctx, tq.RemoveWorkerIn{ID: "nobody"})
			return err
		}},
		{"Pause", admin, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Pause(ctx, tq.QueueIn{Queue: queue})
			return err
		}},
		{"Resume", admin, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Resume(ctx, tq.QueueIn{Queue: queue})
			return err
		}},
		{"Purge", admin, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.Purge(ctx, tq.QueueIn{Queue: queue})
			return err
		}},
		// Check looks at everything, so no caller with narrow rights may ask for it.
		{"Check", nil, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.Check(ctx, tq.CheckIn{})
			return err
		}},
	}, append(append(aboutTokens(admin), aboutBulk(read)...), append(aboutTasks(read, change, admin), aboutLeases(claim)...)...)...)
}

// aboutBulk are operations on many tasks. To begin one takes two scopes: no
// caller with one alone may (bulkRights).
func aboutBulk(read []tq.Scope) []operation {
	return []operation{
		{"Bulk", nil, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.Bulk(ctx, tq.BulkIn{Verb: tq.BulkCancel, Filter: "status:dead", DryRun: true})
			return err
		}},
		{"BulkState", read, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.BulkState(ctx, tq.BulkStateIn{ID: "none"})
			return err
		}},
		{"EndBulk", read, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.EndBulk(ctx, tq.EndBulkIn{ID: "none"})
			return err
		}},
	}
}

func aboutTokens(admin []tq.Scope) []operation {
	return []operation{
		{"CreateToken", admin, func(ctx context.Context, c tq.Client, queue string, _ int64, _ string) error {
			_, err := c.CreateToken(ctx, tq.CreateTokenIn{Name: "t", Can: []tq.Scope{tq.CanAdmin}, Queues: []string{queue}})
			return err
		}},
		{"Tokens", admin, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.Tokens(ctx, tq.TokensIn{})
			return err
		}},
		{"RevokeToken", admin, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.RevokeToken(ctx, tq.RevokeTokenIn{ID: "none"})
			return err
		}},
		{"RotateToken", admin, func(ctx context.Context, c tq.Client, _ string, _ int64, _ string) error {
			_, err := c.RotateToken(ctx, tq.RotateTokenIn{ID: "none"})
			return err
		}},
	}
}

// aboutTasks are those that name a task by its id.
func aboutTasks(read, change, admin []tq.Scope) []operation {
	return []operation{
		{"Task", read, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			_, err := c.Task(ctx, tq.TaskIn{ID: id})
			return err
		}},
		{"Explain", read, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			_, err := c.Explain(ctx, tq.ExplainIn{ID: id})
			return err
		}},
		{"Wait", read, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			_, err := c.Wait(ctx, tq.WaitIn{IDs: []int64{id}})
			return err
		}},
		{"Cancel", change, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			return changeError(c.Cancel(ctx, tq.CancelIn{IDs: []int64{id}}))
		}},
		{"Requeue", change, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			return changeError(c.Requeue(ctx, tq.RequeueIn{IDs: []int64{id}}))
		}},
		{"Rescue", admin, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			return changeError(c.Rescue(ctx, tq.RescueIn{IDs: []int64{id}}))
		}},
		{"Delete", admin, func(ctx context.Context, c tq.Client, _ string, id int64, _ string) error {
			return changeError(c.Delete(ctx, tq.DeleteIn{IDs: []int64{id}}))
		}},
	}
}

// aboutLeases are those that a holder asks.
func aboutLeases(claim []tq.Scope) []operation {
	return []operation{
		{"Extend", claim, func(ctx context.Context, c tq.Client, _ string, _ int64, token string) error {
			return settleError(c.Extend(ctx, tq.ExtendIn{Leases: []tq.ExtendLease{{LeaseToken: token}}}))
		}},
		{"Complete", claim, func(ctx context.Context, c tq.Client, _ string, _ int64, token string) error {
			return settleError(c.Complete(ctx, tq.CompleteIn{Leases: []tq.CompleteLease{{LeaseToken: token}}}))
		}},
		{"Fail", claim, func(ctx context.Context, c tq.Client, _ string, _ int64, token string) error {
			return settleError(c.Fail(ctx, tq.FailIn{Leases: []tq.FailLease{{LeaseToken: token}}}))
		}},
		{"Release", claim, func(ctx context.Context, c tq.Client, _ string, _ int64, token string) error {
			return settleError(c.Release(ctx, tq.ReleaseIn{Leases: []tq.ReleaseLease{{LeaseToken: token}}}))
		}},
	}
}

func changeError(out tq.ChangeOut, err error) error {
	if err == nil && out.Tasks[0].Error != nil {
		return out.Tasks[0].Error
	}
	return err
}

func settleError(out tq.SettleOut, err error) error {
	if err == nil && out.Leases[0].Error != nil {
		return out.Leases[0].Error
	}
	return err
}
