package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"example.com/tq"
)

func (a *app) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait ID...",
		Short: "Wait until tasks end; the exit status tells how",
		Long: `Waits until all tasks have ended. Silent when all are completed; otherwise says
what became of them and ends with 10 (dead), 11 (cancelled), 12 (waits for a dead
task) or 124 (the time is up).`,
		Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseIDs(args)
			if err != nil {
				return err
			}
			return a.askLive(cmd.Context(), func(ctx context.Context, c tq.Client) error {
				return a.waitFor(ctx, c, ids, timeout)
			})
		},
	}
	durationFlag(cmd.Flags(), &timeout, "timeout", "wait no longer than this")
	onlyArgv(cmd, "timeout")
	return cmd
}

// waitFor waits for tasks to end, tells what became of them and turns that into
// the exit status. A timeout of 0 is none.
func (a *app) waitFor(ctx context.Context, c tq.Client, ids []int64, timeout time.Duration) error {
	tasks, err := a.await(ctx, c, ids, timeout, waitAll)
	if err != nil {
		return err
	}
	return a.told(tasks)
}

// await runs a wait for the end of tasks, until the time is up or one of them
// can no longer end by itself.
func (a *app) await(ctx context.Context, c tq.Client, ids []int64, timeout time.Duration,
	wait func(context.Context, tq.Client, []int64) ([]tq.Task, error),
) ([]tq.Task, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if timeout > 0 {
		timer := time.AfterFunc(timeout, func() { stop(errTimeIsUp) })
		defer timer.Stop()
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if err := watchForStuck(ctx, c, ids); err != nil {
			stop(err)
		}
	}()
	tasks, err := wait(ctx, c, ids)
	why := context.Cause(ctx)
	stop(nil)
	<-watched
	var s stuck
	switch {
	case err == nil:
		return tasks, nil
	case errors.Is(why, errTimeIsUp):
		a.out.note("waited %s, not all have ended", span(timeout))
		return nil, status(exitTimedOut)
	case errors.As(why, &s):
		a.out.note("task %d waits for task %d, which is dead; tq rescue %d", s.id, s.dead, s.dead)
		return nil, status(exitBlocked)
	case why != nil && !errors.Is(why, context.Canceled):
		return nil, why
	}
	return nil, err
}

var errTimeIsUp = errors.New("the time is up")

// waitAll asks again until all have ended: one call waits at most MaxWait.
func waitAll(ctx context.Context, c tq.Client, ids []int64) ([]tq.Task, error) {
	for {
		out, err := c.Wait(ctx, tq.WaitIn{IDs: ids, Wait: tq.Duration(tq.MaxWait)})
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case allEnded(out.Tasks):
			return out.Tasks, nil
		}
	}
}

func allEnded(tasks []tq.Task) bool {
	for i := range tasks {
		if !tasks[i].Status.Terminal() {
			return false
		}
	}
	return true
}

// told prints how tasks ended. The worst of them is the exit status.
func (a *app) told(tasks []tq.Task) error {
	if a.out.json {
		for i := range tasks {
			a.out.object(&tasks[i])
		}
	}
	return a.verdict(tasks)
}

// verdict says what became of those that did not complete. The worst of them is
// the exit status.
func (a *app) verdict(tasks []tq.Task) error {
	worst := error(nil)
	for i := range tasks {
		t := &tasks[i]
		switch t.Status {
		case tq.Dead:
			a.out.note("task %d is dead (%s): %s", t.ID, t.Reason, gist(t.LastError, 200))
			worst = status(exitDead)
		case tq.Cancelled:
			a.out.note("task %d was cancelled: %s", t.ID, or(t.Reason, "no reason given"))
			if worst == nil {
				worst = status(exitCancelled)
			}
		}
	}
	return worst
}

// stuck is a task that waits for a dead one.
type stuck struct{ id, dead int64 }

func (stuck) Error() string { return "waits for a dead task" }

// watchForStuck returns a stuck error when one of the tasks can no longer end by
// itself. It looks at once, and again whenever some task dies.
func watchForStuck(ctx context.Context, c tq.Client, ids []int64) error {
	last, err := c.Facts(ctx, tq.FactsIn{Last: true, Limit: 1})
	if err != nil {
		return quiet(ctx, err)
	}
	after := int64(0)
	if len(last.Facts) > 0 {
		after = last.Facts[0].Seq
	}
	for {
		if err := findStuck(ctx, c, ids); err != nil {
			return quiet(ctx, err)
		}
		died, err := c.Facts(ctx, tq.FactsIn{
			After: after, Kinds: []tq.Kind{tq.FactDeadLettered}, Limit: tq.MaxPage, Wait: tq.Duration(tq.MaxWait),
		})
		if err != nil || ctx.Err() != nil {
			return quiet(ctx, err)
		}
		if n := len(died.Facts); n > 0 {
			after = died.Facts[n-1].Seq
		}
	}
}

// quiet drops the error of a call that was cut off.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// findStuck walks what the tasks wait for, and what that waits for, up to a
// limit.
func findStuck(ctx context.Context, c tq.Client, ids []int64) error {
	seen := map[int64]bool{}
	queue := append([]int64(nil), ids...)
	for len(queue) > 0 && len(seen) < tq.MaxTree {
		id := queue[0]
		queue = queue[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		t, err := c.Task(ctx, tq.TaskIn{ID: id})
		if tq.CodeOf(err) == tq.CodeNotFound {
			continue // deleted meanwhile; the wait itself says so of its own
		}
		if err != nil {
			return err
		}
		if t.Status != tq.Blocked {
			continue
		}
		for _, dep := range t.Deps {
			switch tq.DepEffect(dep.Status, t.OnDepFailure) {
			case tq.Stuck:
				return stuck{id, dep.ID}
			case tq.StillOpen:
				queue = append(queue, dep.ID)
			}
		}
	}
	return nil
}
