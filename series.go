package tq

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Series: rates and waits over time, out of the rollups that the store keeps.

const (
	// DefaultSeries is how far back a series goes unless asked otherwise.
	DefaultSeries = 10 * time.Minute
	// MaxSeries is how far back one can go; nothing older is kept.
	MaxSeries = 90 * 24 * time.Hour
	// MaxPoints bounds a series; longer ones have longer steps.
	MaxPoints = 360
)

// SeriesIn asks what happened lately.
type SeriesIn struct {
	Queue string   `json:"queue,omitempty"`
	Type  string   `json:"type,omitempty"`
	Range Duration `json:"range_seconds,omitempty"` // 60 to 7776000, default 10 min
}

// SeriesOut counts in steps of time, oldest first. Steps in which nothing
// happened are left out; the last one is not over yet.
type SeriesOut struct {
	From   Time     `json:"from"`
	Now    Time     `json:"now"` // the store's time
	Step   Duration `json:"step_seconds"`
	Points []Point  `json:"points"`
	Total  Point    `json:"total"`
}

// Point is one step of a series.
type Point struct {
	At        Time  `json:"at"` // its begin
	Enqueued  int64 `json:"enqueued"`
	Claimed   int64 `json:"claimed"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"` // attempts, those whose lease expired among them
	Dead      int64 `json:"dead"`
	Cancelled int64 `json:"cancelled"`

	Wait Spread `json:"wait"` // of what was claimed: how long it had been ready
	Run  Spread `json:"run"`  // of attempts that ended: how long they took
}

// Spread says of how many times how long they were, to a quarter.
type Spread struct {
	N   int64    `json:"n"`
	P50 Duration `json:"p50_seconds,omitempty"`
	P95 Duration `json:"p95_seconds,omitempty"`
	P99 Duration `json:"p99_seconds,omitempty"`
}

// SeriesQuery selects rollups of one step.
type SeriesQuery struct {
	Step  int64 // seconds, of RollupSteps
	From  int64 // seconds since 1970
	Queue string
	Type  string
	Only  *Rights // none of others; nil: all
}

// Wants reports whether the query selects what is counted under key.
func (q *SeriesQuery) Wants(key RollupKey) bool {
	return key.Step == q.Step && key.At >= q.From &&
		(q.Queue == "" || q.Queue == key.Queue) && (q.Type == "" || q.Type == key.Type) &&
		q.Only.Sees(key.Queue, key.Type)
}

// Series implements Client.
func (b *Broker) Series(ctx context.Context, in SeriesIn) (SeriesOut, error) {
	if err := b.may(CanRead); err != nil {
		return SeriesOut{}, err
	}
	in.Range = cmp.Or(in.Range, Duration(DefaultSeries))
	if err := checkDuration("range_seconds", in.Range, time.Minute, MaxSeries); err != nil {
		return SeriesOut{}, err
	}
	fine, step := stepsFor(in.Range.Std())
	now := At(b.info.Now())
	from := now.Add(-in.Range.Std()).Unix() / step * step
	out := SeriesOut{From: FromMilli(from * 1000), Now: now, Step: Duration(time.Duration(step) * time.Second)}
	found, err := b.store.Series(ctx, SeriesQuery{Step: fine, From: from, Queue: in.Queue, Type: in.Type, Only: b.sight()})
	if err != nil {
		return SeriesOut{}, err
	}
	out.gather(found, step)
	return out, nil
}

// stepsFor answers the step to read and the one to show, a multiple of it, in
// seconds.
func stepsFor(past time.Duration) (fine, shown int64) {
	for _, s := range slices.Backward(RollupSteps()) {
		if past <= s.Keep {
			fine = s.Seconds()
		}
	}
	most := fine * MaxPoints
	return fine, fine * ((int64(past/time.Second) + most - 1) / most)
}

// gather brings what was found into steps.
func (o *SeriesOut) gather(found Rollups, step int64) {
	at := map[int64]*Rollup{}
	var total Rollup
	for key, n := range found {
		begin := key.At / step * step
		if at[begin] == nil {
			at[begin] = &Rollup{}
		}
		at[begin].Add(n)
		total.Add(n)
	}
	o.Points = make([]Point, 0, len(at))
	for begin, n := range at {
		o.Points = append(o.Points, pointOf(n, FromMilli(begin*1000)))
	}
	slices.SortFunc(o.Points, func(a, b Point) int { return a.At.Compare(b.At.Time) })
	o.Total = pointOf(&total, o.From)
}

func pointOf(n *Rollup, at Time) Point {
	return Point{
		At: at, Enqueued: n.Enqueued, Claimed: n.Claimed, Completed: n.Completed,
		Failed: n.Failed, Dead: n.Dead, Cancelled: n.Cancelled,
		Wait: n.Wait.spread(), Run: n.Run.spread(),
	}
}

func (h Histogram) spread() Spread {
	return Spread{N: h.Count(), P50: Duration(h.At(0.5)), P95: Duration(h.At(0.95)), P99: Duration(h.At(0.99))}
}
