package tq

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Stats implements Client.
func (b *Broker) Stats(ctx context.Context, in StatsIn) (StatsOut, error) {
	if err := b.may(CanRead); err != nil {
		return StatsOut{}, err
	}
	if in.By == "" {
		in.By = "queue"
	}
	if err := checkWord("by", in.By, "queue", "type", "project"); err != nil {
		return StatsOut{}, err
	}
	census, err := b.census(ctx)
	if err != nil {
		return StatsOut{}, err
	}
	workers, err := b.workers(ctx)
	if err != nil {
		return StatsOut{}, err
	}
	out := group(census, in, b.info.Now())
	if out.Parked, err = b.parked(ctx, census); err != nil {
		return StatsOut{}, err
	}
	out.ClockJumps = b.sweep.clock.jumps.Load()
	for _, w := range workers {
		switch b.workerState(&w) {
		case "lost":
			out.Workers.Lost++
		case "busy":
			out.Workers.Busy++
		default:
			out.Workers.Idle++
		}
	}
	return out, nil
}

// census counts what the caller can see. The store counts by queue and type, so
// leaving some out is exact.
func (b *Broker) census(ctx context.Context) (Census, error) {
	c, err := b.store.Queues(ctx)
	only := b.sight()
	if err != nil || only == nil {
		return c, err
	}
	c.Lines = slices.DeleteFunc(c.Lines, func(l LineCount) bool { return !only.Sees(l.Queue, l.Type) })
	c.Paused = slices.DeleteFunc(c.Paused, func(queue string) bool { return !only.SeesQueue(queue) })
	return c, nil
}

func group(census Census, in StatsIn, now time.Time) StatsOut {
	rows := map[string]*Stats{}
	var total Stats
	for _, l := range census.Lines {
		if !in.selects(&l) {
			continue
		}
		row := in.row(&l)
		if rows[row.name()] == nil {
			row.Paused = row.Queue != "" && slices.Contains(census.Paused, row.Queue)
			rows[row.name()] = &row
		}
		rows[row.name()].add(&l, now)
		total.add(&l, now)
	}
	if in.By == "queue" && in.Type == "" && in.Project == "" {
		addEmptyPaused(rows, census.Paused, in.Queue)
	}
	out := StatsOut{Queues: make([]Stats, 0, len(rows)), Total: total}
	for _, row := range rows {
		out.Queues = append(out.Queues, *row)
	}
	slices.SortFunc(out.Queues, func(a, b Stats) int { return strings.Compare(a.name(), b.name()) })
	return out
}

// addEmptyPaused shows queues that were paused before their first task.
func addEmptyPaused(rows map[string]*Stats, paused []string, only string) {
	for _, q := range paused {
		if rows[q] == nil && (only == "" || only == q) {
			rows[q] = &Stats{Queue: q, Paused: true}
		}
	}
}

func (in *StatsIn) selects(l *LineCount) bool {
	return (in.Queue == "" || in.Queue == l.Queue) &&
		(in.Type == "" || in.Type == l.Type) &&
		(in.Project == "" || in.Project == l.Project)
}

func (in *StatsIn) row(l *LineCount) Stats {
	switch in.By {
	case "type":
		return Stats{Type: l.Type}
	case "project":
		return Stats{Project: l.Project}
	}
	return Stats{Queue: l.Queue}
}

func (s *Stats) name() string { return s.Queue + s.Type + s.Project }

func (s *Stats) add(l *LineCount, now time.Time) {
	s.Ready += l.Ready
	s.Scheduled += l.Scheduled
	s.Retrying += l.Retrying
	s.Blocked += l.Blocked
	s.BlockedByDead += l.BlockedByDead
	s.Running += l.Running
	s.Completed += l.Completed
	s.Dead += l.Dead
	s.Cancelled += l.Cancelled
	if !l.OldestReady.IsZero() {
		s.OldestReady = max(s.OldestReady, Duration(now.Sub(l.OldestReady.Time)))
	}
}
