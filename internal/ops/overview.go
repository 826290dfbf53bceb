package ops

import (
	"context"
	"slices"

	"example.com/tq"
)

// The overview: does anything need somebody? It is what the other operations
// tell, in one answer, so that whoever looks at it all day asks one question.

// OverviewIn asks for it.
type OverviewIn struct {
	Causes bool `json:"causes,omitempty"` // count what the dead died of, too: that reads the newest 10,000 of them
}

// OverviewOut is the counts of Stats with what they mean.
type OverviewOut struct {
	Sentence string          `json:"sentence"` // numbers first
	Queues   []tq.Stats      `json:"queues"`
	Total    tq.Stats        `json:"total"`
	Workers  tq.WorkerCounts `json:"workers"`
	Starved  []string        `json:"starved"` // queues with ready tasks that no living worker would take
	Causes   int             `json:"causes,omitempty"`
	Parked   []tq.Parked     `json:"parked,omitempty"`
	Jumps    int64           `json:"clock_jumps,omitempty"`
}

// Overview tells how everything stands.
func Overview(ctx context.Context, c tq.Client, in OverviewIn) (OverviewOut, error) {
	stats, err := c.Stats(ctx, tq.StatsIn{})
	if err != nil {
		return OverviewOut{}, err
	}
	fleet, err := c.Workers(ctx, tq.WorkersIn{})
	if err != nil {
		return OverviewOut{}, err
	}
	out := OverviewOut{
		Queues: append([]tq.Stats{}, stats.Queues...), Total: stats.Total, Workers: stats.Workers,
		Starved: starved(stats.Queues, fleet.Workers), Parked: stats.Parked, Jumps: stats.ClockJumps,
	}
	if in.Causes && out.Total.Dead > 0 {
		errs, err := c.Errors(ctx, tq.ErrorsIn{})
		if err != nil {
			return OverviewOut{}, err
		}
		out.Causes = len(errs.Groups) + errs.Left
	}
	out.Sentence = situation(&out)
	return out, nil
}

// starved names the queues with ready tasks that no living worker would take.
// Without any worker it is said of the fleet, not of each queue.
func starved(queues []tq.Stats, fleet []tq.WorkerView) []string {
	alive := slices.DeleteFunc(slices.Clone(fleet), func(w tq.WorkerView) bool { return w.State == "lost" || w.State == "draining" })
	names := []string{}
	for i := range queues {
		q := &queues[i]
		idle := q.Ready > 0 && !q.Paused && q.Running == 0
		served := slices.ContainsFunc(alive, func(w tq.WorkerView) bool {
			return len(w.Queues) == 0 || slices.Contains(w.Queues, q.Queue)
		})
		if idle && !served && len(fleet) > 0 {
			names = append(names, q.Queue)
		}
	}
	return names
}
