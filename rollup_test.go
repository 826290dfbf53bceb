package tq

import (
	"testing"
	"time"
)

func TestABucketHoldsItsOwnUpperEnd(t *testing.T) {
	t.Parallel()
	for _, ms := range []int64{0, 1, 7, 8, 9, 10, 15, 16, 99, 1_000, 1_001, 86_400_000, 1 << 40} {
		b := bucketOf(ms)
		if up := upTo(b); up < ms || bucketOf(up) != b || bucketOf(up+1) != b+1 {
			t.Errorf("%d ms lie in bucket %d up to %d", ms, b, up)
		} else if up > ms+ms/4+1 {
			t.Errorf("%d ms are read as %d", ms, up)
		}
	}
}

func TestPercentilesOfAHistogram(t *testing.T) {
	t.Parallel()
	var none Histogram
	if none.At(0.5) != 0 || none.Count() != 0 {
		t.Error("nothing has a length")
	}
	h := Histogram{}.with(Histogram{bucketOf(5): 90, bucketOf(1000): 10})
	if got := h.At(0.5); got != 5*time.Millisecond {
		t.Errorf("p50 is %s", got)
	}
	if got := h.At(0.95); got < time.Second || got > 1250*time.Millisecond {
		t.Errorf("p95 is %s", got)
	}
}

func TestAFoldCountsAFactInEachStepThatIsStillKept(t *testing.T) {
	t.Parallel()
	now := At(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	for ago, want := range map[time.Duration]int{time.Minute: 3, 3 * time.Hour: 2, 50 * time.Hour: 1, 91 * 24 * time.Hour: 0} {
		r := Rollups{}
		r.Fold(&RollupFact{Queue: "q", Type: "t", Kind: FactEnqueued, At: now.Add(-ago).UnixMilli()}, now)
		r.Fold(&RollupFact{Queue: "q", Type: "t", Kind: FactHeartbeat, At: now.Add(-ago).UnixMilli()}, now)
		if len(r.Keys()) != want {
			t.Errorf("%s ago is counted in %d steps, want %d", ago, len(r), want)
		}
	}
}

func TestASeriesHasAFewHundredSteps(t *testing.T) {
	t.Parallel()
	for past, want := range map[time.Duration][2]int64{
		DefaultSeries:  {10, 10},
		2 * time.Hour:  {10, 20},
		3 * time.Hour:  {60, 60},
		48 * time.Hour: {60, 480},
		MaxSeries:      {3600, 6 * 3600},
	} {
		if fine, shown := stepsFor(past); fine != want[0] || shown != want[1] {
			t.Errorf("%s: read %d s, show %d s, want %v", past, fine, shown, want)
		}
	}
}
