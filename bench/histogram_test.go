package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestPercentilesAreOffByLessThanTwoPercent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	h := new(histogram)
	var all []time.Duration
	for range 20_000 {
		d := time.Duration(math.Exp(random.Float64() * 24)) // 1 ns to 26 s
		h.add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0.01, 0.5, 0.95, 0.99, 0.999, 1} {
		want, got := float64(all[int(q*float64(len(all)))-1]), float64(h.quantile(q))
		if math.Abs(got-want) > 0.02*want+1 {
			t.Errorf("quantile %v is %v, want %v", q, time.Duration(got), time.Duration(want))
		}
	}
}

func TestEveryValueHasABucketThatReachesIt(t *testing.T) {
	t.Parallel()
	for shift := range 63 {
		for _, v := range []uint64{1 << shift, 1<<shift + 1, 1<<shift - 1, 1<<shift + 1<<shift/3} {
			b := bucketOf(v)
			if topOf(b) < v {
				t.Errorf("%d lies in bucket %d, which ends at %d", v, b, topOf(b))
			}
			if b > 0 && topOf(b-1) >= v {
				t.Errorf("%d lies in bucket %d, and the one below reaches to %d", v, b, topOf(b-1))
			}
		}
	}
}

func TestAnEmptyHistogramHasNoLatency(t *testing.T) {
	t.Parallel()
	if l := new(histogram).latency("nothing"); l != nil {
		t.Errorf("latency: %+v", l)
	}
}
