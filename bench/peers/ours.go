package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"example.com/tq"
	"example.com/tq/bench"
	"example.com/tq/store"
)

// tq measures itself with its own scenarios, which also account for every task.
// A drain is over when its last task is settled, not only begun.

// measureTq is one scenario over a store at url.
func measureTq(ctx context.Context, scenario, url string, s settings) ([]sample, error) {
	db, err := store.Open(url, store.Options{})
	if err != nil {
		return nil, err
	}
	broker := tq.New(db, tq.Options{Actor: "bench"})
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- broker.Run(life) }()
	all, err := runScenario(ctx, broker, db, scenario, s)
	stop()
	return all, errors.Join(err, <-ended, db.Close())
}

func runScenario(ctx context.Context, broker *tq.Broker, db tq.Store, name string, s settings) ([]sample, error) {
	t := bench.Target{Client: broker, As: func(worker string) tq.Client { return broker.As(worker) }, Keep: true}
	if engine, ok := db.(interface {
		Written(context.Context) (int64, error)
	}); ok && db.Info().Engine == "postgres" {
		t.Written = engine.Written
	}
	o := bench.Options{Tasks: s.tasks, For: s.span}
	if name == "drain" {
		o.Callers = []int{16, 100}
	}
	var all []sample
	for _, x := range bench.Scenarios() {
		if x.Name != name {
			continue
		}
		names := measureNames(name)
		err := bench.Run(ctx, t, x, o, func(m bench.Measure) {
			if len(all) < len(names) {
				all = append(all, sampleOf(names[len(all)], m))
			}
		})
		return all, err
	}
	return nil, fmt.Errorf("no scenario %s", name)
}

// measureNames are the names of what a scenario measures, in its order.
func measureNames(scenario string) []string {
	switch scenario {
	case "enqueue":
		return []string{"enqueue 1", "enqueue 16", "enqueue 100", "enqueue batch"}
	case "drain":
		return []string{"by hand 16", "by hand 100", "drain batch", "worker 16", "worker 100"}
	}
	return []string{"pick-up"}
}

func sampleOf(name string, m bench.Measure) sample {
	out := sample{Measure: name, Tasks: m.Tasks, Rate: m.Rate, Bytes: m.Bytes, Lost: m.Delivery.Lost, Again: m.Delivery.Again}
	if m.Latency != nil && m.Rate == 0 {
		out.P50, out.P99 = m.Latency.P50, m.Latency.P99
	}
	return out
}

// measureTqFile measures a new file in a folder.
func measureTqFile(ctx context.Context, scenario, folder string, s settings) ([]sample, error) {
	return measureTq(ctx, scenario, filepath.Join(folder, "tq.db"), s)
}
