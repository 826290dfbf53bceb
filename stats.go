package tq

import (
	"context"
	"slices"
	"strings"
	"time"
)

// lostAfter is how long a worker may be unheard of before it counts as lost.
// A live one is heard at least each 55 s, by the long poll of its claims.
const lostAfter = time.Minute

// Stats implements Client.
func (b *Broker) Stats(ctx context.Context, in StatsIn) (StatsOut, error) {
	if in.By == "" {
		in.By = "queue"
	}
	if err := checkWord("by", in.By, "queue", "type", "project"); err != nil {
		return StatsOut{}, err
	}
	census, err := b.store.Queues(ctx)
	if err != nil {
		return StatsOut{}, err
	}
	workers, err := b.store.Workers(ctx)
	if err != nil {
		return StatsOut{}, err
	}
	out := group(census, in, b.info.Now())
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

// Workers implements Client.
func (b *Broker) Workers(ctx context.Context, _ WorkersIn) (WorkersOut, error) {
	rows, err := b.store.Workers(ctx)
	if err != nil {
		return WorkersOut{}, err
	}
	out := WorkersOut{Workers: make([]WorkerView, len(rows))}
	for i, w := range rows {
		out.Workers[i] = WorkerView{WorkerRow: w, State: b.workerState(&w)}
	}
	return out, nil
}

func (b *Broker) workerState(w *WorkerRow) string {
	switch {
	case b.info.Now().Sub(w.SeenAt.Time) > lostAfter:
		return "lost"
	case w.Draining:
		return "draining"
	case len(w.Running) > 0:
		return "busy"
	}
	return "polling"
}
