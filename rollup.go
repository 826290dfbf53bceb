package tq

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Rollups: what happened in a while, kept by the store beside the journal and
// folded from it, so that rates and waits of weeks are a few rows to read. A
// fold goes along the journal once, fact by fact; it decides nothing.

// RollupStep is one fineness that rollups are kept in, and for how long.
type RollupStep struct {
	Step time.Duration
	Keep time.Duration
}

// RollupSteps lists them, the finest first.
func RollupSteps() []RollupStep {
	return []RollupStep{
		{10 * time.Second, 2 * time.Hour},
		{time.Minute, 48 * time.Hour},
		{time.Hour, 90 * 24 * time.Hour},
	}
}

// RollupKey names one rollup: a step of time of one queue and type.
type RollupKey struct {
	Step  int64 // seconds
	At    int64 // its begin in seconds since 1970, a multiple of Step
	Queue string
	Type  string
}

// Rollup is what happened in that time.
type Rollup struct {
	Enqueued  int64     `json:"e,omitempty"`
	Claimed   int64     `json:"c,omitempty"`
	Completed int64     `json:"d,omitempty"`
	Failed    int64     `json:"f,omitempty"` // attempts, those whose lease expired among them
	Dead      int64     `json:"x,omitempty"`
	Cancelled int64     `json:"n,omitempty"`
	Wait      Histogram `json:"w,omitempty"` // ready before a claim
	Run       Histogram `json:"r,omitempty"` // held before its attempt ended
}

// Add adds what another one counted.
func (r *Rollup) Add(o *Rollup) {
	r.Enqueued += o.Enqueued
	r.Claimed += o.Claimed
	r.Completed += o.Completed
	r.Failed += o.Failed
	r.Dead += o.Dead
	r.Cancelled += o.Cancelled
	r.Wait = r.Wait.with(o.Wait)
	r.Run = r.Run.with(o.Run)
}

// RollupFact is what a fold needs of one fact, or of several that it counts alike.
type RollupFact struct {
	Queue, Type string
	Kind        Kind
	At          int64 // milliseconds
	Since       int64 // of a claim: ready since; of what ends an attempt: claimed at; 0 unknown
	More        int64 // how many others like it there were
}

// Rollups counts facts in steps of time, leaving out those steps that are no
// longer kept at now.
type Rollups map[RollupKey]*Rollup

// Fold adds one fact, and those like it.
func (r Rollups) Fold(f *RollupFact, now Time) {
	one, counts := f.rollup()
	if !counts {
		return
	}
	for _, s := range RollupSteps() {
		step := s.Seconds()
		if f.At/1000 < s.Floor(now) {
			continue
		}
		r.Add(RollupKey{Step: step, At: f.At / 1000 / step * step, Queue: f.Queue, Type: f.Type}, &one)
	}
}

// Add adds to what is counted under that key.
func (r Rollups) Add(key RollupKey, n *Rollup) {
	if r[key] == nil {
		r[key] = &Rollup{}
	}
	r[key].Add(n)
}

// Keys lists them in order, so that whoever writes them does it always in the
// same one.
func (r Rollups) Keys() []RollupKey {
	keys := make([]RollupKey, 0, len(r))
	for key := range r {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b RollupKey) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.At, b.At),
			strings.Compare(a.Queue, b.Queue), strings.Compare(a.Type, b.Type))
	})
	return keys
}

// Seconds is the step as it stands in a key.
func (s RollupStep) Seconds() int64 { return int64(s.Step / time.Second) }

// Floor is where what is kept of that step begins, in seconds since 1970.
func (s RollupStep) Floor(now Time) int64 {
	return now.Add(-s.Keep).Unix() / s.Seconds() * s.Seconds()
}

// rollup is what one fact adds.
func (f *RollupFact) rollup() (one Rollup, counts bool) {
	n := 1 + f.More
	switch f.Kind {
	case FactEnqueued:
		one.Enqueued = n
	case FactClaimed:
		one.Claimed, one.Wait = n, f.lasted()
	case FactCompleted:
		one.Completed, one.Run = n, f.lasted()
	case FactFailed, FactLeaseExpired:
		one.Failed, one.Run = n, f.lasted()
	case FactDeadLettered:
		one.Dead = n
	case FactCancelled:
		one.Cancelled = n
	default:
		return one, false
	}
	return one, true
}

func (f *RollupFact) lasted() Histogram {
	if f.Since == 0 {
		return nil
	}
	return Histogram{bucketOf(max(0, f.At-f.Since)): 1 + f.More}
}

// Histogram counts milliseconds in buckets that grow with what they hold: four
// to each doubling, so that whatever is read out of it is at most a quarter too
// long.
type Histogram map[int]int64

func (h Histogram) with(o Histogram) Histogram {
	if len(o) > 0 && h == nil {
		h = Histogram{}
	}
	for b, n := range o {
		h[b] += n
	}
	return h
}

// Count is how many it holds.
func (h Histogram) Count() int64 {
	var n int64
	for _, in := range h {
		n += in
	}
	return n
}

// At answers the time that part of them did not exceed, 0 of none. Part lies
// between 0 and 1.
func (h Histogram) At(part float64) time.Duration {
	left := int64(part * float64(h.Count()))
	buckets := make([]int, 0, len(h))
	for b := range h {
		buckets = append(buckets, b)
	}
	slices.Sort(buckets)
	for i, b := range buckets {
		left -= h[b]
		if left < 0 || i == len(buckets)-1 {
			return time.Duration(upTo(b)) * time.Millisecond
		}
	}
	return 0
}

// bucketOf and upTo are exact below 8: above, a bucket holds a quarter of a
// doubling.
func bucketOf(ms int64) int {
	if ms < 8 {
		return int(ms)
	}
	doubling := bits.Len64(uint64(ms)) - 1
	return 4*(doubling-1) + int(ms>>(doubling-2))&3
}

// upTo is the longest time that falls into a bucket.
func upTo(b int) int64 {
	if b < 8 {
		return int64(b)
	}
	doubling := b/4 + 1
	return int64(4+b%4+1)<<(doubling-2) - 1
}
