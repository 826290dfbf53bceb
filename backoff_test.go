package tq

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffDoublesUpToAnHour(t *testing.T) {
	t.Parallel()
	var b *Backoff
	for attempt, want := range map[int]time.Duration{
		-5: 2 * time.Second, 0: 2 * time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second,
		10: 1024 * time.Second, 11: 2048 * time.Second, 12: time.Hour, 13: time.Hour, 1000: time.Hour,
		math.MaxInt: time.Hour,
	} {
		if got := b.Delay(attempt, 0); got != want {
			t.Errorf("after attempt %d: got %s, want %s", attempt, got, want)
		}
	}
}

func TestBackoffStaysInItsSpreadAtEveryAttempt(t *testing.T) {
	t.Parallel()
	var b *Backoff
	for attempt := 1; attempt <= 1_000_000; attempt++ {
		middle := time.Hour.Seconds()
		if attempt < 12 {
			middle = 2 * math.Pow(2, float64(attempt-1))
		}
		for _, jitter := range []float64{-1, 0, 1} {
			want := middle * (1 + 0.2*jitter)
			if got := b.Delay(attempt, jitter).Seconds(); math.Abs(got-want) > 1e-6*want {
				t.Fatalf("after attempt %d, jitter %v: got %v s, want %v s", attempt, jitter, got, want)
			}
		}
	}
}

func TestBackoffNeverLeavesItsBounds(t *testing.T) {
	t.Parallel()
	wild := []float64{0, 0.5, 1, 1.0001, 2, 100, 1e9, math.MaxFloat64, math.Inf(1)}
	rapid.Check(t, func(rt *rapid.T) {
		b := &Backoff{
			Base:   Duration(rapid.Int64().Draw(rt, "base")),
			Cap:    Duration(rapid.Int64().Draw(rt, "cap")),
			Factor: rapid.SampledFrom(wild).Draw(rt, "factor"),
		}
		attempt := rapid.IntRange(1, 1_000_000).Draw(rt, "attempt")
		jitter := rapid.Float64Range(-10, 10).Draw(rt, "jitter")
		if d := b.Delay(attempt, jitter); d < 0 || d > MaxDelay {
			rt.Fatalf("%+v after attempt %d: %s", b, attempt, d)
		}
	})
}

func TestBackoffOfATaskOverridesTheDefault(t *testing.T) {
	t.Parallel()
	b := &Backoff{Base: Duration(time.Second), Cap: Duration(10 * time.Second), Factor: 3}
	for attempt, want := range []time.Duration{0: time.Second, 1: time.Second, 2: 3 * time.Second, 3: 9 * time.Second, 4: 10 * time.Second} {
		if got := b.Delay(attempt, 0); got != want {
			t.Errorf("after attempt %d: got %s, want %s", attempt, got, want)
		}
	}
}

func TestBackoffFactorIsHeldToItsLimits(t *testing.T) {
	t.Parallel()
	for factor, ok := range map[float64]bool{
		0: true, 1: true, 100: true, 0.99: false, 100.01: false, -1: false, 1e9: false, math.NaN(): false, math.Inf(1): false,
	} {
		_, err := NewTask{Type: "t", Backoff: &Backoff{Factor: factor}}.Normal()
		if (err == nil) != ok {
			t.Errorf("factor %v: got %v", factor, err)
		}
	}
}

func TestJitterIsScatteredAndRepeatable(t *testing.T) {
	t.Parallel()
	const n = 10_000
	sum, low := 0.0, 0
	for id := range int64(n) {
		j := Jitter(id, 1)
		if j < -1 || j > 1 || j != Jitter(id, 1) {
			t.Fatalf("task %d: jitter %v", id, j)
		}
		sum += j
		if j < 0 {
			low++
		}
	}
	if math.Abs(sum/n) > 0.05 || low < n*4/10 || low > n*6/10 {
		t.Errorf("mean %v, %d of %d below the middle: not scattered", sum/n, low, n)
	}
}
