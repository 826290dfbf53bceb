package bench

import (
	"math/bits"
	"sync"
	"time"
)

// histogram counts durations in buckets that are each 1/64 of a power of two
// wide, so that a percentile is off by less than 1.6 %, whatever its size, and
// memory does not grow with the number of tasks. It is safe for concurrent use.
type histogram struct {
	mu     sync.Mutex
	counts [64 * fine]uint64
	n      uint64
	most   time.Duration
}

const (
	fine     = 64
	fineBits = 6
)

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[bucketOf(uint64(d))]++
	h.n++
	h.most = max(h.most, d)
}

// bucketOf keeps the leading bit and the fineBits behind it.
func bucketOf(v uint64) int {
	if v < fine {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - fineBits
	return (shift+1)*fine + int(v>>shift) - fine
}

// topOf is the largest value of a bucket.
func topOf(bucket int) uint64 {
	if bucket < fine {
		return uint64(bucket)
	}
	shift := bucket/fine - 1
	return (uint64(bucket%fine+fine+1) << shift) - 1
}

// quantile answers the value that the share q of all is not above.
func (h *histogram) quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := max(1, uint64(q*float64(h.n)+0.5))
	seen := uint64(0)
	for i, c := range h.counts {
		if seen += c; seen >= rank {
			return min(time.Duration(topOf(i)), h.most)
		}
	}
	return h.most
}

// latency sums up; nil when nothing was counted.
func (h *histogram) latency(of string) *Latency {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n == 0 {
		return nil
	}
	at := func(q float64) float64 { return inMS(h.quantile(q)) }
	return &Latency{Of: of, N: int(h.n), P50: at(0.5), P95: at(0.95), P99: at(0.99), Max: inMS(h.most)}
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
