package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	tq "example.com/tq"
)

// Queues counts tasks by queue, type and project.
func (s *Store) Queues(ctx context.Context) (tq.Census, error) {
	var out tq.Census
	err := s.read(ctx, func(now tq.Time) {
		out = tq.Census{Lines: s.count(now), Paused: s.pausedOf(nil)}
	})
	return out, err
}

func (s *Store) count(now tq.Time) []tq.LineCount {
	lines := map[line]*tq.LineCount{}
	for l := range s.lines {
		lines[l] = &tq.LineCount{Queue: l.queue, Type: l.kind, Project: l.project}
	}
	for _, t := range s.tasks {
		s.countOne(lines[t.line()], t, now)
	}
	out := make([]tq.LineCount, 0, len(lines))
	for _, n := range lines {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b tq.LineCount) int {
		return cmp.Or(strings.Compare(a.Queue, b.Queue), strings.Compare(a.Type, b.Type), strings.Compare(a.Project, b.Project))
	})
	return out
}

func (s *Store) countOne(n *tq.LineCount, t *task, now tq.Time) {
	switch t.state.Status {
	case tq.Pending:
		countPending(n, t, now)
	case tq.Blocked:
		n.Blocked++
		if s.stuck(t) > 0 {
			n.BlockedByDead++
		}
	case tq.Running:
		n.Running++
	case tq.Completed:
		n.Completed++
	case tq.Dead:
		n.Dead++
	case tq.Cancelled:
		n.Cancelled++
	}
}

func countPending(n *tq.LineCount, t *task, now tq.Time) {
	if !t.ready(now) {
		n.Scheduled++
		if t.state.Attempt > 0 {
			n.Retrying++
		}
		return
	}
	n.Ready++
	since := t.readyAt
	if t.delayed {
		since = t.runAt
	}
	if n.OldestReady.IsZero() || since.Before(n.OldestReady.Time) {
		n.OldestReady = since
	}
}

// pausedOf names the paused ones among the queues, all if none are named.
func (s *Store) pausedOf(queues []string) []string {
	paused := slices.Sorted(maps.Keys(s.paused))
	if len(queues) == 0 {
		return paused
	}
	return slices.DeleteFunc(paused, func(q string) bool { return !slices.Contains(queues, q) })
}
