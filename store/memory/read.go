package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	tq "example.com/tq"
)

// Tasks reads tasks, newest first.
func (s *Store) Tasks(ctx context.Context, q tq.TaskQuery) (tq.TaskPage, error) {
	var page tq.TaskPage
	limit := cmp.Or(q.Limit, tq.DefaultPage)
	err := s.read(ctx, func(now tq.Time) {
		for _, t := range slices.Backward(s.tasks) {
			if !selects(&q, t, now) || !s.picks(&q, t, now) {
				continue
			}
			if len(page.Tasks) == limit {
				page.More, page.Next = true, page.Tasks[limit-1].ID
				return
			}
			v := s.view(t, now, q.Payload)
			if q.Relation {
				v.Deps, v.Children = s.depsOf(t, q.Only), s.childrenOf(t, q.Only)
			}
			page.Tasks = append(page.Tasks, v)
		}
	})
	return page, err
}

func selects(q *tq.TaskQuery, t *task, now tq.Time) bool {
	n := &t.asked
	switch {
	case !q.Only.Sees(n.Queue, n.Type),
		len(q.IDs) > 0 && !slices.Contains(q.IDs, t.id),
		q.Queue != "" && q.Queue != n.Queue,
		q.Type != "" && q.Type != n.Type,
		q.Project != "" && q.Project != n.Project,
		q.Parent != 0 && q.Parent != n.Parent,
		q.Key != "" && q.Key != n.IdempotencyKey,
		q.Before != 0 && t.id >= q.Before,
		q.Status != "" && !t.is(q.Status, now),
		q.Search != "" && !bytes.Contains(n.Payload, []byte(q.Search)) && !strings.Contains(t.failure, q.Search):
		return false
	}
	return true
}

// picks asks the filter of a query.
func (s *Store) picks(q *tq.TaskQuery, t *task, now tq.Time) bool {
	if q.Where == nil {
		return true
	}
	v := s.view(t, now, q.Where.WantsPayload())
	for _, id := range t.deps {
		v.Deps = append(v.Deps, tq.Dep{ID: id})
	}
	return q.Where.Picks(&v, now.Time)
}

// is reports whether a status or label fits t.
func (t *task) is(label string, now tq.Time) bool {
	scheduled := t.state.Status == tq.Pending && !t.ready(now)
	switch label {
	case tq.Ready:
		return t.ready(now)
	case tq.Scheduled:
		return scheduled
	case tq.Retrying:
		return scheduled && t.state.Attempt > 0
	}
	return string(t.state.Status) == label
}

// view is t as every door shows it.
func (s *Store) view(t *task, now tq.Time, payload bool) tq.Task {
	n := &t.asked
	v := tq.Task{
		ID: t.id, Queue: n.Queue, Type: n.Type, Project: n.Project, Tags: slices.Clone(n.Tags),
		Status: t.state.Status, Priority: n.Priority, IdempotencyKey: n.IdempotencyKey,
		Attempt: t.state.Attempt, MaxAttempts: n.MaxAttempts, Epoch: t.state.Epoch,
		RunAt: t.runAt, Timeout: n.Timeout, Backoff: n.Backoff,
		CreatedAt: t.created, StartedAt: t.started, EndedAt: t.ended,
		LastError: t.failure, Reason: t.reason,
		CancelRequested: t.state.CancelRequested, Parent: n.Parent, OnDepFailure: n.OnDepFailure,
		Traceparent: n.Traceparent,
	}
	if payload {
		v.Payload, v.Result = bytes.Clone(n.Payload), bytes.Clone(t.result)
	}
	if t.progress != nil {
		p := *t.progress
		v.Progress = &p
	}
	if l := t.lease; l != nil {
		v.Lease = &tq.Lease{Worker: l.worker, Owner: l.owner, Until: l.until, SecondsLeft: tq.Duration(l.left(now))}
	}
	return v
}

// depsOf shows what t waits for or waited for; one that was deleted is as it
// was at its end, without a result.
func (s *Store) depsOf(t *task, only *tq.Rights) []tq.Dep {
	var deps []tq.Dep
	for _, id := range t.deps {
		d := tq.Dep{ID: id}
		if p := s.find(id); p != nil {
			d.Status = p.state.Status
			if only.Sees(p.asked.Queue, p.asked.Type) {
				d.Result = bytes.Clone(p.result)
			}
		} else if facts := s.history[id]; len(facts) > 0 {
			d.Status = facts[len(facts)-1].Status
		}
		deps = append(deps, d)
	}
	return deps
}

// childrenOf counts the descendants of t by status.
func (s *Store) childrenOf(t *task, only *tq.Rights) map[tq.Status]int {
	tree := map[int64]bool{t.id: true}
	var counts map[tq.Status]int
	for _, c := range s.tasks {
		if !tree[c.asked.Parent] || len(tree) > tq.MaxTree {
			continue
		}
		tree[c.id] = true
		if !only.Sees(c.asked.Queue, c.asked.Type) {
			continue
		}
		if counts == nil {
			counts = map[tq.Status]int{}
		}
		counts[c.state.Status]++
	}
	return counts
}
